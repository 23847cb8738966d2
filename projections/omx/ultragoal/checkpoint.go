package ultragoal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"autopilot/projections/regex"
)

// Checkpoint is what is said of a story.
type Checkpoint struct {
	GoalID   string
	Evidence string
	Snapshot *Snapshot // of the host's goal; nil is none
	Gate     jsontext.Value
	Brief    string
}

// started finds the story of a checkpoint: one in progress. A story that was never
// started, or that has ended, takes none (of the release: both do).
func (p *Plan) started(k Checkpoint, what string) (*Goal, error) {
	g, err := p.find(k.GoalID)
	switch {
	case err != nil:
		return nil, err
	case p.complete():
		return nil, fmt.Errorf("the plan is complete, and %s stays as it is", g.ID)
	case !g.eligible():
		return nil, fmt.Errorf("%s is %s by steering, and cannot be %s", g.ID, g.SteeringStatus, what)
	case g.Status == Complete:
		return nil, fmt.Errorf("%s is complete, and stays so", g.ID)
	case g.Status != InProgress:
		return nil, fmt.Errorf("%s is %s and not in progress, so it cannot be %s; start it with next", g.ID, g.Status, what)
	case blank(k.Evidence):
		return nil, errors.New("--evidence is missing: what was run, and what it said")
	}
	return g, nil
}

// Done records that a story is complete. The last one needs the whole quality gate, and
// with it the plan is complete.
func Done(p Plan, rows []Row, k Checkpoint, now string) (Change, error) {
	p = p.clone()
	g, err := p.started(k, "completed")
	if err != nil {
		return Change{}, err
	}
	last, want := p.Last(g.ID), "active"
	if last || p.Mode != Aggregate {
		want = "complete"
	}
	if err := p.Reconcile(g, k.Snapshot, want); err != nil {
		return Change{}, err
	}
	if last {
		if err := CheckGate(k.Gate, Required(k.Brief, rows)); err != nil {
			return Change{}, fmt.Errorf("%s is the last story: %w", g.ID, err)
		}
	} else {
		k.Gate = nil
	}
	row := Row{TS: now, Event: GoalCompleted, GoalID: g.ID, Status: Complete, Evidence: k.Evidence, CodexGoal: k.Snapshot.raw(), QualityGate: k.Gate}
	p.end(g, k.Evidence, now)
	c := Change{Rows: []Row{row}}
	if parent := p.resolved(g); parent != nil && last {
		parent.Resolution = &Resolution{Resolver: g.ID, Status: string(Complete), ResolvedAt: now, Evidence: k.Evidence}
		p.end(parent, parent.Evidence, now)
		row.GoalID, row.Message = parent.ID, "its review was resolved by "+g.ID
		c.Rows = append(c.Rows, row)
	}
	if last && p.Mode == Aggregate {
		p.Completion = &Completion{Status: string(Complete), CompletedAt: now, Evidence: k.Evidence, CodexGoal: k.Snapshot.raw()}
		row.Event, row.GoalID, row.Message = AggregateDone, g.ID, "the last story passed its quality gate"
		c.Rows = append(c.Rows, row)
	}
	c.Plan = p
	return c, nil
}

// end makes a story complete.
func (p *Plan) end(g *Goal, evidence, now string) {
	g.Status, g.CompletedAt, g.Evidence, g.FailedAt, g.FailureReason = Complete, now, evidence, "", ""
	g.clearBlocker()
	p.release(g, now)
}

// resolved is the story whose review g was made to resolve.
func (p *Plan) resolved(g *Goal) *Goal {
	parent, err := p.find(g.Resolves)
	if err != nil || parent.Status != ReviewBlocked || parent.Resolution == nil || parent.Resolution.Resolver != g.ID {
		return nil
	}
	return parent
}

// authorization is the signature of a failure that only a person can end.
const authorization = "EXTERNAL_AUTHORIZATION_REQUIRED"

// breakAt is how often the same failure of authorization is met before a person decides.
const breakAt = 3

var (
	authority = regex.New(`(?i)\b(?:auth|authorization|credentials?|token|permissions?|scopes?|access|unauthorized|forbidden|401|403)\b`)
	lacking   = regex.New(`(?i)\b(?:unset|missing|required|requires|without|omits?|not set|not available|denied)\b`)
)

// Fail records that a story failed. The third failure of the same missing
// authorization is a decision of a person, and is not tried again.
func Fail(p Plan, rows []Row, k Checkpoint, now string) (Change, error) {
	p = p.clone()
	g, err := p.started(k, "failed")
	if err != nil {
		return Change{}, err
	}
	g.Status, g.FailedAt, g.FailureReason = Failed, now, k.Evidence
	row := Row{TS: now, Event: GoalFailed, GoalID: g.ID, Evidence: k.Evidence, CodexGoal: k.Snapshot.raw()}
	if authority.MatchString(k.Evidence) && lacking.MatchString(k.Evidence) {
		g.BlockerSignature = authorization
		g.BlockerCount = occurrences(rows, g.ID, authorization) + 1
		g.RequiredDecision = "give the authorization that is missing, or choose another way"
		if g.BlockerCount >= breakAt {
			g.Status, g.NonRetriable, g.BlockedReason = NeedsDecision, true, k.Evidence
			row.Event, row.Message = GoalNeedsDecision, "the same authorization is missing again: "+g.RequiredDecision
		}
		row.BlockerSignature, row.BlockerCount, row.RequiredDecision = g.BlockerSignature, g.BlockerCount, g.RequiredDecision
	} else {
		g.clearBlocker()
	}
	row.Status = g.Status
	p.release(g, now)
	return Change{Plan: p, Rows: []Row{row}}, nil
}

// Block records what holds a story up that goes on: the host's goal is blocked, cannot
// be read, or is another one that is complete already.
func Block(p Plan, k Checkpoint, now string) (Change, error) {
	p = p.clone()
	g, err := p.started(k, "blocked")
	if err != nil {
		return Change{}, err
	}
	why, err := p.holds(g, k.Snapshot)
	if err != nil {
		return Change{}, err
	}
	if k.Snapshot.Reason == brokenStore {
		g.FailureReason = k.Evidence
	}
	g.UpdatedAt, p.UpdatedAt, p.ActiveGoalID = now, now, g.ID
	return Change{Plan: p, Rows: []Row{{TS: now, Event: GoalBlocked, GoalID: g.ID, Status: g.Status, Evidence: k.Evidence, Message: why, CodexGoal: k.Snapshot.raw()}}}, nil
}

// holds says what of the host's goal holds a story up.
func (p *Plan) holds(g *Goal, s *Snapshot) (string, error) {
	switch {
	case s == nil:
		return "", errors.New("a blocked story needs --codex-goal-json: the JSON of get_goal, or its error")
	case s.Reason == brokenStore:
		return "the host cannot read its goal: " + s.Problem, nil
	case !s.Available:
		return "", errors.New("the host has no goal, and nothing of it is blocked")
	case s.Status == "blocked" && p.matches(g, s):
		return "the goal of the host is blocked", nil
	case s.Status == "complete" && !p.matches(g, s):
		return "another goal of the host is complete, and has to be cleared", nil
	case s.Status == "complete":
		return "", fmt.Errorf("the goal of the host is complete, so %s is not blocked: record it as complete, or as failed", g.ID)
	case !p.matches(g, s):
		return "", fmt.Errorf("the goal of the host is another one, and %s; end that first", s.Status)
	}
	return "", fmt.Errorf("the goal of the host is %s, and not blocked", s.Status)
}

// ReviewBlockers records what the final review has found: the last story is blocked by
// it, and a new one resolves it.
func ReviewBlockers(p Plan, k Checkpoint, w Wanted, now string) (c Change, blocked, added *Goal, err error) {
	p = p.clone()
	g, err := p.started(k, "blocked by its review")
	if err == nil {
		err = p.roomFor(w)
	}
	if err == nil && !p.Last(g.ID) {
		err = fmt.Errorf("%s is not the only story that is open, so this is no final review", g.ID)
	}
	if err == nil {
		err = p.Reconcile(g, k.Snapshot, "active")
	}
	if err != nil {
		return c, nil, nil, err
	}
	id := g.ID
	added = p.add(w, now)
	added.Resolves, added.Evidence = id, k.Evidence
	if blocked, err = p.find(id); err != nil { // the list has moved
		return c, nil, nil, err
	}
	blocked.Status, blocked.ReviewBlockedAt, blocked.CompletedAt, blocked.FailedAt, blocked.FailureReason = ReviewBlocked, now, "", "", ""
	blocked.Evidence = k.Evidence
	blocked.Resolution = &Resolution{Resolver: added.ID, Status: "pending", Evidence: k.Evidence}
	p.release(blocked, now)
	row := Row{TS: now, GoalID: id, Status: ReviewBlocked, Evidence: k.Evidence, CodexGoal: k.Snapshot.raw()}
	failed, held := row, row
	failed.Event, failed.Message = FinalReviewFailed, "the final review was not clean"
	held.Event = GoalReviewBlocked
	return Change{Plan: p, Rows: []Row{failed, {TS: now, Event: GoalAdded, GoalID: added.ID, Status: Pending, Evidence: k.Evidence, Message: added.Title}, held}}, blocked, added, nil
}

// Handoff says which decision of a person a plan waits for, empty for none.
func (p *Plan) Handoff() string {
	for _, g := range p.Goals {
		if g.Status == NeedsDecision && g.NonRetriable && g.eligible() {
			return strings.Join([]string{
				g.ID + " waits for a decision of a person: " + g.Title, "decide: " + g.RequiredDecision,
				"then give it another story: steer --kind mark_blocked_superseded --target-goal-id " + g.ID,
			}, "\n")
		}
	}
	return ""
}
