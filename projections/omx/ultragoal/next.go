package ultragoal

import (
	"errors"
	"fmt"
)

// Next is the story that is worked on now: the one in progress, else the first pending
// one, else with retry the first failed one that may be tried again. Without one the
// goal is nil.
func Next(p Plan, retry bool, now string) (c Change, g *Goal, resumed bool) {
	p = p.clone()
	c = Change{Plan: p, Same: true}
	if p.complete() {
		return c, nil, false
	}
	if g := p.first(InProgress); g != nil {
		c.Rows = []Row{{TS: now, Event: GoalResumed, GoalID: g.ID, Status: g.Status, Message: "Resuming active ultragoal"}}
		return c, g, true
	}
	g = p.first(Pending)
	if g == nil && retry {
		if g = p.first(Failed); g != nil {
			c.Rows = []Row{{TS: now, Event: GoalRetried, GoalID: g.ID, Status: Pending, Message: g.FailureReason}}
		}
	}
	if g == nil {
		return c, nil, false
	}
	g.Status, g.Attempt, g.StartedAt, g.FailedAt, g.FailureReason = InProgress, g.Attempt+1, now, "", ""
	g.clearBlocker()
	g.UpdatedAt, p.UpdatedAt, p.ActiveGoalID = now, now, g.ID
	c.Rows = append(c.Rows, Row{TS: now, Event: GoalStarted, GoalID: g.ID, Status: g.Status, Message: fmt.Sprintf("Attempt %d", g.Attempt)})
	c.Plan, c.Same = p, false
	return c, g, false
}

// first is the first story of a status that may be worked on.
func (p *Plan) first(s Status) *Goal {
	for i := range p.Goals {
		if g := &p.Goals[i]; g.Status == s && g.eligible() && !g.NonRetriable {
			return g
		}
	}
	return nil
}

// Add puts one more story at the end of a plan that is not complete.
func Add(p Plan, w Wanted, evidence, now string) (Change, *Goal, error) {
	p = p.clone()
	if err := p.roomFor(w); err != nil {
		return Change{}, nil, err
	}
	g := p.add(w, now)
	g.Evidence = evidence
	return Change{Plan: p, Rows: []Row{{TS: now, Event: GoalAdded, GoalID: g.ID, Status: g.Status, Evidence: evidence, Message: g.Title}}}, g, nil
}

func (p *Plan) roomFor(w Wanted) error {
	switch {
	case p.Done():
		return errors.New("the plan is complete, and takes no more stories; create a new plan for what comes after")
	case blank(w.Title):
		return errors.New("--title is missing")
	case blank(w.Objective):
		return errors.New("--objective is missing")
	case len(p.Goals) >= mostGoals:
		return fmt.Errorf("the plan has %d stories, which is the limit", len(p.Goals))
	}
	return nil
}
