package ultragoal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/projections/regex"
)

// Event is what a row of the ledger says.
type Event string

// The events.
const (
	PlanCreated       Event = "plan_created"
	GoalStarted       Event = "goal_started"
	GoalResumed       Event = "goal_resumed"
	GoalRetried       Event = "goal_retried"
	GoalCompleted     Event = "goal_completed"
	GoalFailed        Event = "goal_failed"
	GoalBlocked       Event = "goal_blocked"
	GoalAdded         Event = "goal_added"
	GoalNeedsDecision Event = "goal_needs_user_decision"
	GoalReviewBlocked Event = "goal_review_blocked"
	FinalReviewFailed Event = "final_review_failed"
	SteeringAccepted  Event = "steering_accepted"
	SteeringRejected  Event = "steering_rejected"
	AggregateDone     Event = "aggregate_completed"
	ObjectiveMigrated Event = "aggregate_objective_migrated"
)

// Row is one row of ledger.jsonl.
type Row struct {
	TS               string         `json:"ts"`
	Event            Event          `json:"event"`
	GoalID           string         `json:"goalId,omitzero"`
	Status           Status         `json:"status,omitzero"`
	Evidence         string         `json:"evidence,omitzero"`
	Message          string         `json:"message,omitzero"`
	CodexGoal        jsontext.Value `json:"codexGoal,omitzero"`
	QualityGate      jsontext.Value `json:"qualityGate,omitzero"`
	Steering         *Audit         `json:"steering,omitzero"`
	MutationKind     string         `json:"mutationKind,omitzero"`
	BlockerSignature string         `json:"blockerSignature,omitzero"`
	BlockerCount     int            `json:"blockerOccurrenceCount,omitzero"`
	RequiredDecision string         `json:"requiredExternalDecision,omitzero"`
	GoalIDs          []string       `json:"goalIds,omitzero"` // of plan_created: not of the release, which only counts
	Rest             jsontext.Value `json:",embed"`
}

// ErrDamaged is a ledger that cannot be built upon.
var ErrDamaged = errors.New("the ledger is damaged")

func damaged(line int, format string, args ...any) error {
	return fmt.Errorf("%w: %s line %d: %s; look at it, or archive it with create-goals --force", ErrDamaged, LedgerPath, line, fmt.Sprintf(format, args...))
}

// ReadLedger reads ledger.jsonl. A row that cannot be read is never left out: what was
// done before, and how often, would be forgotten.
func ReadLedger(text []byte) ([]Row, error) {
	var rows []Row
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line[len(line)-1] != '\n' {
			return nil, damaged(n, "the row is cut off")
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r Row
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, damaged(n, "%v", err)
		}
		if r.TS == "" || r.Event == "" {
			return nil, damaged(n, "it has no ts or no event")
		}
		if len(rows) == 0 && r.Event != PlanCreated {
			return nil, damaged(n, "it begins with %s and not with %s", r.Event, PlanCreated)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, damaged(1, "there is no row")
	}
	return rows, nil
}

// Lines are rows as they are appended.
func Lines(rows []Row) ([]byte, error) {
	var b bytes.Buffer
	for _, r := range rows {
		line, err := json.Marshal(r, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode a row of the ledger: %w", err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}

var createdCount = regex.New(`^(\d{1,6}) goal`)

// Agree says that a plan is what its ledger has recorded: no story was taken out of
// either by hand, and none is called complete by one alone.
func Agree(p Plan, rows []Row) error {
	told, created := recorded(rows)
	complete := map[string]bool{}
	for _, g := range p.Goals {
		complete[g.ID] = g.Status == Complete
	}
	for _, t := range told {
		if _, ok := complete[t.id]; !ok {
			return fmt.Errorf("%w: %s was removed from %s, and row %d of %s has it; put it back", ErrDamaged, t.id, GoalsPath, t.row, LedgerPath)
		}
	}
	added := 0
	for _, t := range told {
		if t.made {
			added++
		}
	}
	switch {
	case created == named:
		for _, g := range p.Goals {
			if !slices.ContainsFunc(told, func(t mention) bool { return t.id == g.ID }) {
				return fmt.Errorf("%w: no row of %s has %s, which is in %s", ErrDamaged, LedgerPath, g.ID, GoalsPath)
			}
		}
	case created >= 0 && len(p.Goals) != created+added:
		return fmt.Errorf("%w: %s has %d stories, and %s has recorded %d", ErrDamaged, GoalsPath, len(p.Goals), LedgerPath, created+added)
	}
	last := map[string]Event{}
	for _, r := range rows {
		if slices.Contains(ends, r.Event) {
			last[r.GoalID] = r.Event
		}
	}
	for _, g := range p.Goals {
		if done := last[g.ID] == GoalCompleted; done != complete[g.ID] {
			return fmt.Errorf("%w: %s is %s in %s, and the last of it in %s is %q", ErrDamaged, g.ID, g.Status, GoalsPath, LedgerPath, last[g.ID])
		}
	}
	return nil
}

// ends are the events that say whether a story is complete.
var ends = []Event{GoalStarted, GoalCompleted, GoalFailed, GoalNeedsDecision, GoalReviewBlocked, GoalRetried}

// mention is a story that the ledger has, and whether the row has made it.
type mention struct {
	id   string
	row  int
	made bool
}

// How the row of a new plan tells its first stories, where it does not count them.
const (
	named  = -1
	untold = -2
)

// recorded are the stories that rows have. created is how many the plan began with, if
// it does not name them.
func recorded(rows []Row) (told []mention, created int) {
	add := func(id string, row int, made bool) {
		if i := slices.IndexFunc(told, func(t mention) bool { return t.id == id }); i >= 0 {
			told[i].made = told[i].made || made
		} else if id != "" {
			told = append(told, mention{id, row, made})
		}
	}
	for i, r := range rows {
		switch r.Event {
		case PlanCreated:
			created = untold
			for _, id := range r.GoalIDs {
				add(id, i+1, false)
			}
			if m := createdCount.FindStringSubmatch(r.Message); len(r.GoalIDs) > 0 {
				created = named
			} else if m != nil {
				created, _ = strconv.Atoi(m[1])
			}
		case SteeringAccepted:
			for _, id := range r.Steering.made() {
				add(id, i+1, true)
			}
		case SteeringRejected:
		case GoalAdded:
			add(r.GoalID, i+1, true)
		default:
			add(r.GoalID, i+1, false)
		}
	}
	return told, created
}

// occurrences are how often a story has failed for the same reason.
func occurrences(rows []Row, id, signature string) int {
	n := 0
	for _, r := range rows {
		if r.GoalID == id && r.BlockerSignature == signature && (r.Event == GoalFailed || r.Event == GoalNeedsDecision) {
			n++
		}
	}
	return n
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
