package ultragoal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Places of the files, as the plan names them.
const (
	Dir        = ".omx/ultragoal"
	BriefPath  = Dir + "/brief.md"
	GoalsPath  = Dir + "/goals.json"
	LedgerPath = Dir + "/ledger.jsonl"
)

// Status is what has become of a story.
type Status string

// The states.
const (
	Pending       Status = "pending"
	InProgress    Status = "in_progress"
	Complete      Status = "complete"
	Failed        Status = "failed"
	ReviewBlocked Status = "review_blocked"
	NeedsDecision Status = "needs_user_decision"
)

var statuses = []Status{Pending, InProgress, Complete, Failed, ReviewBlocked, NeedsDecision}

// What steering has made of a story.
const (
	Superseded = "superseded"
	Blocked    = "blocked"
)

// How stories are goals of the host: one for all, or one each.
const (
	Aggregate = "aggregate"
	PerStory  = "per_story"
)

// Plan is goals.json, version 1.
type Plan struct {
	Version          int            `json:"version"`
	CreatedAt        string         `json:"createdAt"`
	UpdatedAt        string         `json:"updatedAt"`
	BriefPath        string         `json:"briefPath"`
	GoalsPath        string         `json:"goalsPath"`
	LedgerPath       string         `json:"ledgerPath"`
	Mode             string         `json:"codexGoalMode,omitzero"` // none is per_story: plans of before
	Goals            []Goal         `json:"goals"`
	Objective        string         `json:"codexObjective,omitzero"`
	ObjectiveAliases []string       `json:"codexObjectiveAliases,omitzero"`
	ActiveGoalID     string         `json:"activeGoalId,omitzero"`
	Completion       *Completion    `json:"aggregateCompletion,omitzero"`
	Rest             jsontext.Value `json:",embed"`
}

// Goal is one story.
type Goal struct {
	ID                string         `json:"id"`
	Title             string         `json:"title"`
	Objective         string         `json:"objective"`
	Status            Status         `json:"status"`
	Attempt           int            `json:"attempt"`
	CreatedAt         string         `json:"createdAt"`
	UpdatedAt         string         `json:"updatedAt"`
	StartedAt         string         `json:"startedAt,omitzero"`
	CompletedAt       string         `json:"completedAt,omitzero"`
	FailedAt          string         `json:"failedAt,omitzero"`
	ReviewBlockedAt   string         `json:"reviewBlockedAt,omitzero"`
	Evidence          string         `json:"evidence,omitzero"`
	FailureReason     string         `json:"failureReason,omitzero"`
	SteeringStatus    string         `json:"steeringStatus,omitzero"`
	SupersededBy      []string       `json:"supersededBy,omitzero"`
	Supersedes        []string       `json:"supersedes,omitzero"`
	SteeringEvidence  string         `json:"steeringEvidence,omitzero"`
	SteeringRationale string         `json:"steeringRationale,omitzero"`
	BlockedReason     string         `json:"blockedReason,omitzero"`
	BlockerSignature  string         `json:"blockerSignature,omitzero"`
	BlockerCount      int            `json:"blockerOccurrenceCount,omitzero"`
	RequiredDecision  string         `json:"requiredExternalDecision,omitzero"`
	NonRetriable      bool           `json:"nonRetriable,omitzero"`
	Resolves          string         `json:"resolvesReviewBlockedGoalId,omitzero"`
	Resolution        *Resolution    `json:"reviewBlockerResolution,omitzero"`
	Rest              jsontext.Value `json:",embed"`
}

// Resolution is the story that resolves what a final review has found.
type Resolution struct {
	Resolver   string `json:"resolverGoalId"`
	Status     string `json:"status"` // pending or complete
	ResolvedAt string `json:"resolvedAt,omitzero"`
	Evidence   string `json:"evidence,omitzero"`
}

// Completion is the end of an aggregate plan.
type Completion struct {
	Status      string         `json:"status"`
	CompletedAt string         `json:"completedAt"`
	Evidence    string         `json:"evidence"`
	CodexGoal   jsontext.Value `json:"codexGoal,omitzero"`
}

// Read reads goals.json, and refuses one that is not a sound plan.
func Read(text []byte) (Plan, error) {
	var p Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s cannot be read: %w", GoalsPath, err)
	}
	if err := p.check(); err != nil {
		return p, fmt.Errorf("%s is not a sound plan: %w", GoalsPath, err)
	}
	return p, nil
}

func (p *Plan) check() error {
	if p.Version != 1 {
		return fmt.Errorf("its version is %d, and 1 is known", p.Version)
	}
	if p.Mode != "" && p.Mode != Aggregate && p.Mode != PerStory {
		return fmt.Errorf("codexGoalMode %q is none", p.Mode)
	}
	var active []string
	seen := map[string]bool{}
	for i, g := range p.Goals {
		switch {
		case !validID(g.ID):
			return fmt.Errorf("story %d has the id %q", i+1, g.ID)
		case seen[g.ID]:
			return fmt.Errorf("two stories have the id %s", g.ID)
		case !slices.Contains(statuses, g.Status):
			return fmt.Errorf("%s has the status %q", g.ID, g.Status)
		case g.SteeringStatus != "" && g.SteeringStatus != Superseded && g.SteeringStatus != Blocked:
			return fmt.Errorf("%s has the steeringStatus %q", g.ID, g.SteeringStatus)
		case g.Attempt < 0 || g.BlockerCount < 0:
			return fmt.Errorf("%s has a count below zero", g.ID)
		}
		seen[g.ID] = true
		if g.Status == InProgress && g.eligible() {
			active = append(active, g.ID)
		}
	}
	if len(active) > 1 {
		return fmt.Errorf("%s are in progress at once", strings.Join(active, " and "))
	}
	if len(p.Goals) == 0 {
		return errors.New("it has no story")
	}
	return nil
}

func validID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	return !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// Text is goals.json: two spaces, a line end.
func (p Plan) Text() ([]byte, error) {
	b, err := json.Marshal(p, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the plan: %w", err)
	}
	return append(b, '\n'), nil
}

// clone is a copy that may be changed.
func (p Plan) clone() Plan {
	p.Goals = slices.Clone(p.Goals)
	for i := range p.Goals {
		g := &p.Goals[i]
		g.SupersededBy, g.Supersedes = slices.Clone(g.SupersededBy), slices.Clone(g.Supersedes)
		if g.Resolution != nil {
			r := *g.Resolution
			g.Resolution = &r
		}
	}
	return p
}

// find is the story of that id.
func (p *Plan) find(id string) (*Goal, error) {
	for i := range p.Goals {
		if p.Goals[i].ID == id {
			return &p.Goals[i], nil
		}
	}
	return nil, fmt.Errorf("there is no story %q", id)
}

func (p *Plan) status(id string) Status {
	g, err := p.find(id)
	if err != nil {
		return ""
	}
	return g.Status
}

// release gives the active place up.
func (p *Plan) release(g *Goal, now string) {
	if p.ActiveGoalID == g.ID {
		p.ActiveGoalID = ""
	}
	g.UpdatedAt, p.UpdatedAt = now, now
}

func (p *Plan) complete() bool { return p.Completion != nil && p.Completion.Status == string(Complete) }

func (g *Goal) eligible() bool { return g.SteeringStatus == "" }

func (g *Goal) clearBlocker() {
	g.BlockedReason, g.BlockerSignature, g.BlockerCount, g.RequiredDecision, g.NonRetriable = "", "", 0, "", false
}

// open says that a story stands between the plan and its end; then is the story whose
// completion is looked at, as if it were complete already.
func (p *Plan) open(g *Goal, then string) bool {
	done := func(id string) bool { return id == then || p.status(id) == Complete }
	switch {
	case g.ID == then:
		return false
	case g.SteeringStatus == Superseded:
		return len(g.SupersededBy) == 0 || !slices.ContainsFunc(g.SupersededBy, done) || slices.ContainsFunc(g.SupersededBy, func(id string) bool { return !done(id) })
	case g.SteeringStatus == Blocked:
		return true
	case g.Status == ReviewBlocked:
		return g.Resolution == nil || !done(g.Resolution.Resolver)
	}
	return g.Status != Complete
}

// Last says that a story is the only one that is open.
func (p *Plan) Last(id string) bool {
	return !slices.ContainsFunc(p.Goals, func(g Goal) bool { return p.open(&g, id) })
}

// Done says that no story is open.
func (p *Plan) Done() bool { return p.complete() || p.Last("") }

// Summary is how many stories are in which state.
type Summary struct {
	Total            int    `json:"total"`
	Pending          int    `json:"pending"`
	InProgress       int    `json:"inProgress"`
	Complete         int    `json:"complete"`
	Failed           int    `json:"failed"`
	ReviewBlocked    int    `json:"reviewBlocked"`
	HistoricalReview int    `json:"historicalReviewBlocked"`
	NeedsDecision    int    `json:"needsUserDecision"`
	Superseded       int    `json:"superseded"`
	SteeringBlocked  int    `json:"steeringBlocked"`
	AggregateDone    bool   `json:"aggregateComplete"`
	ArtifactDone     bool   `json:"artifactComplete"`
	ActiveGoalID     string `json:"activeGoalId,omitzero"`
}

// Summary counts.
func (p *Plan) Summary() Summary {
	s := Summary{Total: len(p.Goals), AggregateDone: p.complete(), ArtifactDone: p.Done(), ActiveGoalID: p.ActiveGoalID}
	by := map[Status]*int{Pending: &s.Pending, InProgress: &s.InProgress, Complete: &s.Complete, Failed: &s.Failed, NeedsDecision: &s.NeedsDecision}
	for i := range p.Goals {
		g := &p.Goals[i]
		if n := by[g.Status]; n != nil {
			*n++
		}
		switch {
		case g.Status == ReviewBlocked && p.open(g, ""):
			s.ReviewBlocked++
		case g.Status == ReviewBlocked:
			s.HistoricalReview++
		}
		switch g.SteeringStatus {
		case Superseded:
			s.Superseded++
		case Blocked:
			s.SteeringBlocked++
		}
	}
	return s
}

// oneLine is a text with its blanks as one each.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
