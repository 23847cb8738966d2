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
		return d, nil // a chat takes the time that it takes
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

// startTree is where an iteration begins: right after a judged one the tree
// that was just compared, else what is there now. An agent that goes on in its
// session with work that it had begun has the start of that. After a loss
// without a session the workspace is taken back to the start of the lost
// attempt; what it held is kept under a name of its own. Where somebody else has
// changed it since, the run halts.
func (w *Worker) startTree(ctx context.Context, s run.State, p *Plan, act engine.RunAgent) (tree.Snapshot, *events.RunHalted, error) {
	// Where the latest event is another one, the run has waited or was let go on.
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
	case act.Resume != "" && s.Last.Agent.Tree != back.Tree:
		// What it did before it was cut short is work of this iteration, also if
		// nothing is left to be done.
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

// soon is for how long a compared tree is what is there: after a pause someone
// may have worked in the workspace.
const soon = 2 * time.Second

// wall is the time limit of an agent: the workflow's, cut to what is left of
// the run's.
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

// endAgent ends the agent of a run that does not go on before the agent has
// ended, as when the daemon could not do its own part: another run may begin in
// the workspace now. What it did is found by a resume.
func (w *Worker) endAgent(ctx context.Context, s run.State) error {
	id := s.Last.Session.Effect
	if s.Status == run.Live || !s.AtWork() {
		return nil
	}
	if _, err := w.cfg.Effects.Open(id).Outcome(); !errors.Is(err, effect.ErrUnfinished) {
		return nil // it was never begun, or is over
	}
	end := make(chan struct{})
	close(end)
	// It has a spec already; this one only names it.
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
			d.Findings[i].Path = "" // there is no folder for one
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

// render writes a prompt from one of the templates that were stored with the run.
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
