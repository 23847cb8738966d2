package work

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// BeginRole implements engine.Worker. The set must be as the gates judged it.
func (w *Worker) BeginRole(ctx context.Context, s run.State, act engine.RunRole) (_ events.Data, err error) {
	defer func() { err = noRoom(err) }()
	if err := w.room(); err != nil {
		return nil, err
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	role, ok := p.Flow.Role(string(act.Role))
	if !ok {
		return nil, fmt.Errorf("workflow %s has no role %q", p.Flow.Name, act.Role)
	}
	who := s.Looker(act.Role)
	allowed, not, err := w.cfg.Admit(ctx, s, who.Account)
	if err != nil || not != nil {
		return not, err
	}
	now, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return nil, fmt.Errorf("record what a role looks at: %w", err)
	}
	if foreign := w.foreign(ctx, s, p, now); foreign != nil {
		return *foreign, nil
	}
	id := w.newID()
	text, err := w.rolePrompt(ctx, s, p, role, act, id)
	if err != nil {
		return nil, err
	}
	ref, err := w.put(ctx, string(text))
	if err != nil {
		return nil, err
	}
	limits := p.Flow.Limits.Agent
	d := events.IterationStarted{
		Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Attempt: 1, Effect: id, Prompt: ref, Tree: now.Tree, Work: now.Work,
		WallMS: allowed.wall(w.wall(s, cmp.Or(role.Wall, limits.Wall))).Milliseconds(), IdleMS: limits.Idle.Milliseconds(),
	}
	d.Tokens, d.MicroUSD, d.Turns = allowed.forAgent(s)
	allowed.capOn(&d)
	d.Agent, d.Level, d.Account = ofCrew(who)
	if p.agent(who.Agent).Shape.PicksSession() {
		d.Session = newUUID() // never the author's session
	}
	return events.RoleStarted{Gate: act.Gate, Role: act.Role, Set: act.Set, Round: act.Round, Agent: d}, nil
}

// Role implements engine.Worker.
func (w *Worker) Role(ctx context.Context, s run.State, end <-chan struct{}) (_ events.RoleEnded, err error) {
	defer func() { err = noRoom(err) }()
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.RoleEnded{}, err
	}
	l := s.Last.Role
	d := events.RoleEnded{Gate: l.Gate, Role: l.Role, Set: l.Set, Round: l.Round}
	t := w.newTurn(s, p, l.Agent)
	t.looks = true
	if err := t.run(ctx, end); err != nil {
		return d, err
	}
	if d.Agent, err = t.ended(ctx); err != nil {
		return d, err
	}
	// Claims and questions are for working agents alone.
	d.Agent.Claim, d.Agent.Summary, d.Agent.Question = "", "", ""
	d.Agent.Report, d.Agent.BadReport, d.Agent.Red = events.SessionReport{}, "", ""
	w.scrub(s.ID, d.Agent.Effect)
	snap, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return d, fmt.Errorf("record the tree after a role looked: %w", err)
	}
	d.Agent.Tree, d.Agent.Work = snap.Tree, snap.Work
	return d, w.opinion(ctx, s, p, &d)
}

// opinion reads the result of a role, and says why an invalid one does not count.
func (w *Worker) opinion(ctx context.Context, s run.State, p *Plan, d *events.RoleEnded) error {
	switch l := s.Last.Role.Agent; {
	case !cameToItsEnd(d.Agent):
		d.Void = events.VoidNotEnded
	case l.Work != s.Last.Work:
		d.Void = events.VoidStale
	case d.Agent.Work != l.Work:
		d.Void = events.VoidChanged
	}
	if d.Void != "" {
		return nil
	}
	changed, err := p.changedRoles(ctx, s)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		d.Void = events.VoidProgram
		d.Agent.Excerpt, err = w.put(ctx, "These files run a reviewer, and differ from the start of the run:\n"+strings.Join(changed, "\n")+"\n")
		return err
	}
	raw, err := w.cfg.Effects.Open(d.Agent.Effect).Result()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(raw)) == 0 {
		d.Void = events.VoidNoResult
		return nil
	}
	g := p.gate(string(d.Gate))
	var o gate.Opinion
	if err == nil {
		o, err = gate.ReadOpinion(g.Kind, raw)
	} else {
		err = unreadable(err)
	}
	if err != nil {
		d.Void = events.VoidBadResult
		d.Agent.Excerpt, err = w.put(ctx, err.Error()+"\n")
		return err
	}
	if g.Kind == events.GateCoverage {
		approved, err := w.criteria(ctx, s, p, g)
		if err != nil {
			return err
		}
		o = o.Of(approved)
	}
	d.Opinion = o.Sum(weights(g))
	d.Opinion.Source = cmp.Or(d.Agent.Session, d.Agent.Effect)
	if d.Opinion.List, err = w.put(ctx, o.List()); err != nil {
		return err
	}
	if d.Opinion.Question, err = w.put(ctx, strings.TrimSpace(o.Question)); err != nil {
		return err
	}
	d.Opinion.Result, err = w.put(ctx, string(raw))
	return err
}

// unreadable says why a result file cannot be read.
func unreadable(err error) error {
	switch {
	case errors.Is(err, effect.ErrTooLarge):
		return fmt.Errorf("the result file has more than %d KiB and was not read", effect.ResultBytes>>10)
	case errors.Is(err, effect.ErrNotRegular):
		return errors.New("the result file is a link, a folder or a pipe, and was not read")
	}
	return fmt.Errorf("the result file cannot be read: %w", err)
}

// criteria lists the criteria in the files of a set.
func (w *Worker) criteria(ctx context.Context, s run.State, p *Plan, g workflow.Gate) ([]string, error) {
	set, err := w.set(ctx, p, s.Last.Tree, g.Of)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, f := range set {
		text, _, err := p.Repo.File(ctx, s.Last.Tree, f.Path)
		if err != nil {
			return nil, fmt.Errorf("read the criteria in %s: %w", f.Path, err)
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return gate.Criteria(b.String()), nil
}

// cameToItsEnd says that nothing cut a session short. Its output does not matter: the
// result file decides.
func cameToItsEnd(a events.AgentEnded) bool {
	switch a.Result {
	case events.ResultEnded, events.ResultEmpty, "":
		return a.Outcome == events.Exited || a.Cut == events.CutLinger
	default:
		return false
	}
}

// gate finds a gate that the workflow declares.
func (p *Plan) gate(name string) workflow.Gate {
	for _, ph := range p.Flow.Phases {
		for _, list := range [][]workflow.Gate{ph.Entry, ph.Gates} {
			for _, g := range list {
				if g.Name == name {
					return g
				}
			}
		}
	}
	return workflow.Gate{}
}

func weights(g workflow.Gate) map[string]int {
	if g.Kind != events.GateInterview {
		return nil
	}
	out := map[string]int{}
	for _, e := range g.Weights.Value {
		out[e.Key] = e.Value
	}
	return out
}

// rolePrompt tells a role its subject and the form of its answer.
func (w *Worker) rolePrompt(ctx context.Context, s run.State, p *Plan, role workflow.Role, act engine.RunRole, effect string) ([]byte, error) {
	g := p.gate(string(act.Gate))
	d := firstPrompt(p, s.Loop.Phase)
	d.Brief, d.Iteration = role.Brief, s.Loop.Iteration
	d.ResultFile = w.resultFile(effect)
	look := &workflow.Look{Gate: g.Name, Kind: g.Kind, Role: string(act.Role), Form: resultForm(g), Round: act.Round, Rounds: g.Rounds.Value}
	if len(g.Of) > 0 {
		set, err := w.set(ctx, p, s.Last.Tree, g.Of)
		if err != nil {
			return nil, err
		}
		for _, e := range set {
			look.Files = append(look.Files, e.Path)
		}
	}
	changed, err := p.Repo.Changes(ctx, s.Facts.Work, s.Last.Work)
	if err != nil {
		return nil, err
	}
	for _, c := range changed {
		look.Changed = append(look.Changed, c.Path)
	}
	if look.Answers, err = w.answers(s, act.Gate); err != nil {
		return nil, err
	}
	if g.Kind == events.GateInterview {
		if d.PersonNotes, err = w.notes(s); err != nil {
			return nil, err
		}
	}
	look.Bare = bareBefore(s, act)
	d.Look = look
	return p.render(role.Prompt, d)
}

// bareBefore is what a role said last at a gate, if it neither approved nor named a finding.
func bareBefore(s run.State, act engine.RunRole) string {
	for _, l := range slices.Backward(s.Looks) {
		if l.Gate == act.Gate && l.Role == act.Role && l.Void == "" {
			return rule.BareRuling(l.Opinion)
		}
	}
	return ""
}

// answers lists the answers of people at a gate so far.
func (w *Worker) answers(s run.State, name events.Name) ([]workflow.Answer, error) {
	var out []workflow.Answer
	for _, a := range s.Answers {
		if a.Gate != name || a.Kind != events.AskText || a.Choice != events.ChoiceText {
			continue
		}
		question, err := w.text(a.Of)
		if err != nil {
			return nil, err
		}
		text, err := w.text(a.Text)
		if err != nil {
			return nil, err
		}
		out = append(out, workflow.Answer{ID: a.Number, Question: question, Text: text, At: a.At.UTC().Format(time.RFC3339)})
	}
	return out, nil
}

// resultForm is an example of the result file that a gate reads.
func resultForm(g workflow.Gate) string {
	if form := workflow.KindOf(g.Kind).Form; form != nil {
		return form(g)
	}
	return ""
}
