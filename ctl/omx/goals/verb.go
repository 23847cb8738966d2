package goals

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"autopilot/projections/omx/ultragoal"
)

// answered is what all verbs answer with: the members of the release that fit.
type answered struct {
	OK      bool              `json:"ok"`
	Plan    *ultragoal.Plan   `json:"plan,omitzero"`
	Blocked *ultragoal.Goal   `json:"blockedGoal,omitzero"`
	Added   *ultragoal.Goal   `json:"addedGoal,omitzero"`
	Summary ultragoal.Summary `json:"summary"`
}

func create(ctx context.Context, c Call, o options) (Answer, error) {
	brief, err := c.brief(o)
	if err != nil {
		return Answer{}, err
	}
	mode, err := ultragoal.ParseMode(o.value("codex-goal-mode"))
	if err != nil {
		return Answer{}, err
	}
	var wanted []ultragoal.Wanted
	for _, g := range o.values["goal"] {
		wanted = append(wanted, ultragoal.ParseWanted(g))
	}
	var p ultragoal.Plan
	err = c.Store.Create(ctx, brief, o.on["force"], func() (ultragoal.Change, error) {
		made, err := ultragoal.Create(brief, wanted, mode, c.Store.Now())
		p = made.Plan
		return made, err
	})
	if err != nil {
		return Answer{}, err
	}
	return o.answer(answered{OK: true, Plan: &p, Summary: p.Summary()},
		fmt.Sprintf("ultragoal plan created: %d goal(s)\nbrief: %s\ngoals: %s\nledger: %s", len(p.Goals), p.BriefPath, p.GoalsPath, p.LedgerPath))
}

// brief is the text of a new plan, from one place.
func (c Call) brief(o options) (string, error) {
	from := 0
	for _, given := range []bool{o.value("brief") != "", o.value("brief-file") != "", o.on["from-stdin"], len(o.words) > 0} {
		if given {
			from++
		}
	}
	if from > 1 {
		return "", errors.New("the brief is given twice")
	}
	switch {
	case o.value("brief-file") != "":
		text, err := c.file(o.value("brief-file"))
		return string(text), err
	case o.on["from-stdin"]:
		text, err := bounded(c.In)
		return string(text), err
	case o.value("brief") != "":
		return o.value("brief"), nil
	}
	return strings.Join(o.words, " "), nil
}

func next(ctx context.Context, c Call, o options) (Answer, error) {
	var st ultragoal.Plan
	var g *ultragoal.Goal
	var resumed bool
	err := c.Store.Change(ctx, func(s State) (ultragoal.Change, error) {
		var made ultragoal.Change
		made, g, resumed = ultragoal.Next(s.Plan, o.on["retry-failed"], c.Store.Now())
		st = made.Plan
		return made, nil
	})
	if err != nil {
		return Answer{}, err
	}
	if g != nil {
		text := ultragoal.Instruction(st, *g, c.Command)
		return o.answer(struct {
			OK          bool            `json:"ok"`
			Resumed     bool            `json:"resumed"`
			Goal        *ultragoal.Goal `json:"goal"`
			Instruction string          `json:"instruction"`
		}{true, resumed, g, text}, text)
	}
	text := "ultragoal: no pending goals (use --retry-failed to retry failed goals)"
	handoff, done := st.Handoff(), st.Done()
	switch {
	case handoff != "":
		text = handoff
	case done:
		text = "ultragoal: all goals complete"
	}
	blocked := []ultragoal.Goal{}
	for _, g := range st.Goals {
		if g.Status == ultragoal.NeedsDecision {
			blocked = append(blocked, g)
		}
	}
	return o.answer(struct {
		OK      bool              `json:"ok"`
		Done    bool              `json:"done"`
		Blocked bool              `json:"blocked"`
		Handoff *string           `json:"handoff"`
		Goals   []ultragoal.Goal  `json:"blockedGoals"`
		Summary ultragoal.Summary `json:"summary"`
	}{true, done, handoff != "", orNull(handoff), blocked, st.Summary()}, text)
}

// orNull is a text as JSON has it: null is none.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// said is what a checkpoint says.
func (c Call) said(o options) (k ultragoal.Checkpoint, err error) {
	if k.GoalID, err = o.need("goal-id"); err != nil {
		return k, err
	}
	k.Evidence = o.value("evidence")
	if k.Snapshot, err = c.snapshot(o); err != nil {
		return k, err
	}
	k.Gate, err = c.jsonOf(o, "quality-gate-json")
	return k, err
}

func checkpoint(ctx context.Context, c Call, o options) (Answer, error) {
	k, err := c.said(o)
	if err != nil {
		return Answer{}, err
	}
	what := o.value("status")
	if what != "complete" && what != "failed" && what != "blocked" {
		return Answer{}, fmt.Errorf("--status %q is none; give complete, failed or blocked", what)
	}
	var p ultragoal.Plan
	err = c.Store.Change(ctx, func(s State) (made ultragoal.Change, err error) {
		k.Brief = s.Brief
		switch what {
		case "complete":
			made, err = ultragoal.Done(s.Plan, s.Rows, k, c.Store.Now())
		case "failed":
			made, err = ultragoal.Fail(s.Plan, s.Rows, k, c.Store.Now())
		default:
			made, err = ultragoal.Block(s.Plan, k, c.Store.Now())
		}
		p = made.Plan
		return made, err
	})
	if err != nil {
		return Answer{}, err
	}
	return o.answer(answered{OK: true, Plan: &p, Summary: p.Summary()}, "ultragoal checkpoint: "+k.GoalID+" -> "+what+"\n"+statusText(p))
}

func reviewBlockers(ctx context.Context, c Call, o options) (Answer, error) {
	k, err := c.said(o)
	if err != nil {
		return Answer{}, err
	}
	w := ultragoal.Wanted{Title: o.value("title"), Objective: o.value("objective")}
	var p ultragoal.Plan
	var blocked, added *ultragoal.Goal
	err = c.Store.Change(ctx, func(s State) (made ultragoal.Change, err error) {
		made, blocked, added, err = ultragoal.ReviewBlockers(s.Plan, k, w, c.Store.Now())
		p = made.Plan
		return made, err
	})
	if err != nil {
		return Answer{}, err
	}
	return o.answer(answered{OK: true, Plan: &p, Blocked: blocked, Added: added, Summary: p.Summary()},
		fmt.Sprintf("ultragoal final review blockers recorded: %s -> review_blocked; added %s\n%s", blocked.ID, added.ID, statusText(p)))
}

func addGoal(ctx context.Context, c Call, o options) (Answer, error) {
	w := ultragoal.Wanted{Title: o.value("title"), Objective: o.value("objective")}
	var p ultragoal.Plan
	var g *ultragoal.Goal
	err := c.Store.Change(ctx, func(s State) (made ultragoal.Change, err error) {
		made, g, err = ultragoal.Add(s.Plan, w, o.value("evidence"), c.Store.Now())
		p = made.Plan
		return made, err
	})
	if err != nil {
		return Answer{}, err
	}
	return o.answer(answered{OK: true, Plan: &p, Added: g, Summary: p.Summary()}, "ultragoal added goal: "+g.ID+"\n"+statusText(p))
}

// proposal is a steering of options, or of a directive.
func (c Call) proposal(o options) (p ultragoal.Proposal, err error) {
	for _, name := range []string{"directive-json", "proposal", "directive-file"} {
		raw, err := c.jsonOf(o, name)
		if err != nil {
			return p, err
		}
		if raw == nil {
			continue
		}
		if p, err = ultragoal.ReadProposal(raw); err == nil && o.value("source") != "" {
			p.Source = o.value("source")
		}
		return p, err
	}
	if len(o.words) > 0 {
		return p, ultragoal.ErrProse
	}
	for _, name := range []string{"kind", "evidence", "rationale"} {
		if _, err := o.need(name); err != nil {
			return p, err
		}
	}
	p = ultragoal.Proposal{
		Kind: o.value("kind"), Source: o.value("source"), Evidence: o.value("evidence"), Rationale: o.value("rationale"), TargetGoalID: o.value("target-goal-id"),
		Title: o.value("title"), Objective: o.value("objective"), IdempotencyKey: o.value("idempotency-key"),
	}
	if p.TargetGoalID == "" {
		p.TargetGoalID, _, _ = strings.Cut(o.value("target-goal-ids"), ",")
	}
	if p.TargetGoalID == "" {
		p.TargetGoalID = o.value("goal-id")
	}
	p.After, err = c.jsonOf(o, "after-json")
	return p, err
}

func steer(ctx context.Context, c Call, o options) (Answer, error) {
	p, err := c.proposal(o)
	if err != nil {
		return Answer{}, err
	}
	var s ultragoal.Steered
	err = c.Store.Change(ctx, func(st State) (_ ultragoal.Change, err error) {
		s, err = ultragoal.Steer(st.Plan, st.Rows, p, c.Store.Now())
		return s.Change, err
	})
	if err != nil {
		return Answer{}, err
	}
	outcome := map[bool]string{true: "accepted", false: "rejected"}[s.Accepted]
	if s.Deduped {
		outcome = "deduped"
	}
	text := "ultragoal steer: " + outcome + " " + p.Kind + "\n"
	if len(s.Rejected) > 0 {
		text += "rejected: " + strings.Join(s.Rejected, "; ") + "\n"
	}
	a, err := o.answer(struct {
		OK       bool              `json:"ok"`
		Accepted bool              `json:"accepted"`
		Rejected []string          `json:"rejectedReasons"`
		Deduped  bool              `json:"deduped"`
		Audit    ultragoal.Audit   `json:"audit"`
		Summary  ultragoal.Summary `json:"summary"`
		Again    ultragoal.Summary `json:"planSummary"` // the release has it twice
		Plan     ultragoal.Plan    `json:"plan"`
	}{s.Accepted, s.Accepted, append([]string{}, s.Rejected...), s.Deduped, s.Audit, s.Plan.Summary(), s.Plan.Summary(), s.Plan}, text+statusText(s.Plan))
	if !s.Accepted {
		a.Code = 1
	}
	return a, err
}

func status(ctx context.Context, c Call, o options) (Answer, error) {
	snapshot, err := c.snapshot(o)
	if err != nil {
		return Answer{}, err
	}
	st, err := c.Store.Read(ctx)
	if err != nil {
		return Answer{}, err
	}
	text := statusText(st.Plan)
	warning := st.Plan.Warning(snapshot)
	if warning != "" {
		text += "codex goal warning: " + warning + "\n"
	}
	return o.answer(struct {
		Plan           ultragoal.Plan      `json:"plan"`
		Summary        ultragoal.Summary   `json:"summary"`
		Reconciliation *ultragoal.Compared `json:"reconciliation"`
	}{st.Plan, st.Plan.Summary(), ultragoal.Comparison(snapshot, warning)}, text)
}
