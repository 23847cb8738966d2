package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/run"
)

// Names in the box of an agent.
const (
	promptName = "prompt.md"
	resultName = effect.ResultFile
	scriptName = "script.yaml"
)

// BeginAgent implements engine.Worker.
func (w *Worker) BeginAgent(ctx context.Context, s run.State, act engine.RunAgent) (_ events.Data, err error) {
	defer func() { err = noRoom(err) }()
	if err := w.room(); err != nil {
		return nil, err
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	var allowed Allowance
	who := s.Worker()
	if !s.Driven() {
		var not events.Data
		if allowed, not, err = w.cfg.Admit(ctx, s, who.Account); err != nil || not != nil {
			return not, err
		}
	}
	from, foreign, err := w.startTree(ctx, s, p, act)
	if err != nil {
		return nil, fmt.Errorf("record the start of an iteration: %w", err)
	}
	if foreign != nil {
		return *foreign, nil
	}
	id := w.newID()
	text, err := w.prompt(s, p, act, id)
	if err != nil {
		return nil, err
	}
	ref, err := w.put(ctx, string(text))
	if err != nil {
		return nil, err
	}
	d := events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Effect: id, Prompt: ref, Tree: from.Tree, Work: from.Work,
	}
	d.Warned = engine.Warned(s, p.Flow)
	if s.Driven() {
		return d, nil // a chat has no time limit
	}
	limits := p.Flow.Limits.Agent
	if ph, _ := p.Flow.Phase(string(act.Phase)); ph.Limits.Wall > 0 {
		limits.Wall = ph.Limits.Wall
	}
	d.Session, d.Resumes = act.Resume, act.Resume != ""
	d.WallMS, d.IdleMS = allowed.wall(w.wall(s, limits.Wall)).Milliseconds(), limits.Idle.Milliseconds()
	d.Tokens, d.MicroUSD, d.Turns = allowed.forAgent(s)
	allowed.capOn(&d)
	d.Agent, d.Level, d.Account = ofCrew(who)
	if shape := p.agent(who.Agent).Shape; d.Session == "" && shape.PicksSession() && shape.Resumes() {
		d.Session = newUUID()
	}
	return d, nil
}

// startTree finds the tree at the start of an iteration. Right after a judged iteration
// that is the tree just compared, else the present one. An agent that resumes its session
// keeps the start of its unfinished work. After a loss without a session, the workspace
// goes back to the start of the lost attempt. The content from before is kept under its
// own name. If another program or person changed the workspace since, the run halts.
func (w *Worker) startTree(ctx context.Context, s run.State, p *Plan, act engine.RunAgent) (tree.Snapshot, *events.RunHalted, error) {
	// Another latest event means that the run waited or was resumed.
	rightAfter := s.Clock.Latest.Equal(s.Clock.Recorded) && w.cfg.Now().Sub(s.Clock.Latest) < soon
	if s.Loop.Fresh && act.Attempt == 1 && rightAfter {
		return tree.Snapshot{Tree: s.Last.Tree, Work: s.Last.Work}, nil, nil
	}
	now, err := w.record(ctx, s, p, s.Last.Created)
	if err == nil {
		if foreign := w.foreign(ctx, s, p, now); foreign != nil {
			return now, foreign, nil
		}
	}
	back := tree.Snapshot{Tree: s.Last.Start.Tree, Work: s.Last.Start.Work}
	switch {
	case err != nil:
		return now, nil, err
	case (act.Resume != "" || act.Keeps) && s.Last.Agent.Tree != back.Tree:
		// The work before the cut belongs to this iteration, even if nothing is left to
		// do.
		return back, nil, nil
	case !act.Restore:
		return now, nil, nil
	case now.Tree == back.Tree:
		return back, nil, nil
	}
	name := fmt.Sprintf("lost-%d-%d", s.Loop.Iteration, s.Loop.Attempt)
	if _, err := p.Repo.Keep(ctx, s.ID, name, now.Tree, "", "run "+s.Facts.Handle+": "+name); err != nil {
		return back, nil, err
	}
	_, err = p.Repo.Restore(ctx, now.Tree, back.Tree)
	failpoint.Hit(failpoint.AfterRestore)
	return back, nil, gone(err)
}

// soon is how long a compared tree counts as the present one: after a pause, a person may
// have worked in the workspace.
const soon = 2 * time.Second

// wall is the time limit of an agent: the workflow's, cut to the rest of the run's.
func (w *Worker) wall(s run.State, limit time.Duration) time.Duration {
	now := w.cfg.Now()
	if end, ok := engine.Deadline(s, now); ok {
		left := max(end.Sub(now), time.Second)
		if limit == 0 || left < limit {
			return left
		}
	}
	return limit
}

// endAgent ends the agent of a run that stops before its agent, for example when the
// daemon fails at its own part. Another run may then begin in the workspace. A resume
// finds the agent's work.
func (w *Worker) endAgent(ctx context.Context, s run.State) error {
	id := s.Last.Session.Effect
	if s.Status == run.Live || !s.AtWork() {
		return nil
	}
	if _, err := w.cfg.Effects.Open(id).Outcome(); !errors.Is(err, effect.ErrUnfinished) {
		return nil // the agent never began, or is over
	}
	end := make(chan struct{})
	close(end)
	// The effect has a spec already; this one only names it.
	_, err := w.cfg.Effects.Run(ctx, shim.Spec{ID: id, Argv: []string{"none"}}, nil, end)
	return err
}

// prompt writes the prompt of an iteration.
func (w *Worker) prompt(s run.State, p *Plan, act engine.RunAgent, effect string) ([]byte, error) {
	d, err := w.promptData(s, p, act)
	if err != nil {
		return nil, err
	}
	if d.Session = s.Driven(); d.Session {
		for i := range d.Findings {
			d.Findings[i].Path = "" // a chat has no folder for it
		}
		return p.renderPhase(string(act.Phase), d)
	}
	d.ResultFile = w.resultFile(effect)
	for i, f := range d.Findings {
		if f.Path != "" {
			d.Findings[i].Path = w.box(effect) + "/" + f.Path
		}
	}
	return p.renderPhase(string(act.Phase), d)
}

// renderPhase writes the prompt of a phase.
func (p *Plan) renderPhase(phase string, d workflow.PromptData) ([]byte, error) {
	ph, ok := p.Flow.Phase(phase)
	if !ok {
		return nil, fmt.Errorf("workflow %s has no phase %q", p.Flow.Name, phase)
	}
	return p.render(ph.Prompt, d)
}

// render writes a prompt from a template stored with the run.
func (p *Plan) render(file string, d workflow.PromptData) ([]byte, error) {
	src, ok := p.Prompts[file]
	if !ok {
		return nil, fmt.Errorf("workflow %s: prompt %s was not stored with the run", p.Flow.Name, file)
	}
	tmpl, err := workflow.ParsePrompt(file, []byte(src))
	if err != nil {
		return nil, err
	}
	return tmpl.Render(d)
}
