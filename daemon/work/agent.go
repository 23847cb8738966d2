package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/effect"
	"autopilot/daemon/effect/shim"
	"autopilot/daemon/engine"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/tree"
	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Names in the box of an agent.
const (
	promptName = "prompt.md"
	resultName = effect.ResultFile
	scriptName = "script.yaml"
)

// BeginAgent implements engine.Worker.
func (w *Worker) BeginAgent(ctx context.Context, s run.State, act engine.RunAgent) (_ events.IterationStarted, err error) {
	defer func() { err = noRoom(err) }()
	if err := w.room(); err != nil {
		return events.IterationStarted{}, err
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.IterationStarted{}, err
	}
	from, err := w.startTree(ctx, s, p, act)
	if err != nil {
		return events.IterationStarted{}, fmt.Errorf("record the start of an iteration: %w", err)
	}
	id := w.newID()
	text, err := w.prompt(s, p, act, id)
	if err != nil {
		return events.IterationStarted{}, err
	}
	ref, err := w.cfg.Blobs.Put(ctx, text)
	if err != nil {
		return events.IterationStarted{}, err
	}
	limits := p.Flow.Limits.Agent
	return events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Effect: id, Prompt: ref,
		Tree: from.Tree, Work: from.Work,
		WallMS: w.wall(s, limits.Wall).Milliseconds(), IdleMS: limits.Idle.Milliseconds(),
	}, nil
}

// startTree is where an iteration begins: right after a judged one the tree
// that was just compared, else what is there now. After a loss the workspace is
// taken back to the start of the lost attempt; what it held is kept under a
// name of its own.
func (w *Worker) startTree(ctx context.Context, s run.State, p *Plan, act engine.RunAgent) (tree.Snapshot, error) {
	rightAfter := w.cfg.Now().Sub(s.Clock.Latest) < soon
	if s.Loop.Fresh && !s.Loop.Redo && !act.Restore && rightAfter {
		return tree.Snapshot{Tree: s.Last.Tree, Work: s.Last.Work}, nil
	}
	now, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil || !act.Restore {
		return now, err
	}
	back := tree.Snapshot{Tree: s.Last.Start.Tree, Work: s.Last.Start.Work}
	if now.Tree == back.Tree {
		return back, nil
	}
	name := fmt.Sprintf("lost-%d-%d", s.Loop.Iteration, s.Loop.Attempt)
	if _, err := p.Repo.Keep(ctx, s.ID, name, now.Tree, "", "run "+s.Facts.Handle+": "+name); err != nil {
		return back, err
	}
	_, err = p.Repo.Restore(ctx, now.Tree, back.Tree)
	failpoint.Hit(failpoint.AfterRestore)
	return back, gone(err)
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

// Agent implements engine.Worker.
func (w *Worker) Agent(ctx context.Context, s run.State, end <-chan struct{}) (_ events.AgentEnded, err error) {
	defer func() { err = noRoom(err) }()
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.AgentEnded{}, err
	}
	out, err := w.runAgent(ctx, s, p, end)
	if err != nil {
		return events.AgentEnded{}, err
	}
	l := s.Last.Start
	d := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect,
		Outcome: out.Outcome, Exit: out.Exit, Signal: out.Signal, DurationMS: out.Active.Milliseconds(),
		OutputBytes: out.Bytes, Truncated: out.Truncated, Killed: out.Killed, Left: out.Left,
	}
	if err := w.said(ctx, &d, stream.Of(p.Spec.Agent.Profile), out); err != nil {
		return d, err
	}
	snap, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return d, fmt.Errorf("record the tree that an agent left: %w", err)
	}
	d.Tree, d.Work = snap.Tree, snap.Work
	changes, err := p.Repo.Changes(ctx, s.Facts.Work, snap.Work)
	d.Files = len(changes)
	return d, err
}

func (w *Worker) runAgent(ctx context.Context, s run.State, p *Plan, end <-chan struct{}) (effect.Outcome, error) {
	l := s.Last.Start
	socket, stop, err := w.cfg.Listen(l.Effect)
	if err != nil {
		return effect.Outcome{}, fmt.Errorf("open the socket of an agent: %w", err)
	}
	defer stop()
	prompt, err := w.cfg.Blobs.Get(l.Prompt)
	if err != nil {
		return effect.Outcome{}, err
	}
	box, err := w.findings(s)
	if err != nil {
		return effect.Outcome{}, err
	}
	box[promptName] = prompt
	if p.Spec.Agent.Script != "" {
		box[scriptName] = []byte(p.Spec.Agent.Script)
	}
	dir := p.Repo.Workspace().Path
	inv, err := w.command(p, l.Effect).Invoke(agent.Place{
		RunID: s.ID, Phase: string(l.Phase), Iteration: l.Iteration,
		PromptFile: w.promptFile(l.Effect), ResultFile: w.resultFile(l.Effect), Socket: socket,
	}, agent.Lookup(p.AgentEnv, "PATH"), dir)
	if errors.Is(err, agent.ErrNotFound) {
		return effect.Outcome{Outcome: events.SpawnFailed, Exit: -1, Err: err.Error()}, nil
	}
	if err != nil {
		return effect.Outcome{}, err
	}
	argv := append([]string{inv.Path}, inv.Argv[1:]...)
	env := slices.Concat(p.AgentEnv, agent.EnvIn(p.AgentCall, w.box(l.Effect)), inv.Env)
	return w.cfg.Effects.Run(ctx, shim.Spec{
		ID: l.Effect, Argv: argv, Dir: dir, Env: env, Stdin: inv.Stdin,
		Wall: time.Duration(l.WallMS) * time.Millisecond, Idle: time.Duration(l.IdleMS) * time.Millisecond,
		Grace: p.Flow.Limits.Agent.Grace,
	}, box, end)
}

// endAgent ends the agent of a run that does not go on before the agent has
// ended, as when the daemon could not do its own part: another run may begin in
// the workspace now. What it did is found by a resume.
func (w *Worker) endAgent(ctx context.Context, s run.State) error {
	id := s.Last.Start.Effect
	if s.Status == run.Live || s.Stage != run.Agent {
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

// command is the agent as a command: a script agent runs in the daemon's own
// program.
func (w *Worker) command(p *Plan, effect string) agent.Command {
	if p.Spec.Agent.Script != "" {
		return agent.Command{Command: rule.Command{Argv: []string{
			w.cfg.Program, "script-agent", w.box(effect) + "/" + scriptName,
		}}}
	}
	if a := p.Spec.Agent; len(a.Argv) > 0 {
		cmd := agent.Command{Command: rule.Command{Argv: a.Argv}, Prompt: agent.PromptMode(a.Prompt)}
		return cmd.In(w.box(effect))
	}
	return agent.Command{Command: rule.Command{Text: p.Spec.Agent.Command}}
}

// said stores the last output and what the result file claims. A result that
// cannot be read is no result.
func (w *Worker) said(ctx context.Context, d *events.AgentEnded, format stream.Format, out effect.Outcome) error {
	tail, err := w.lastWords(d.Effect, format, out)
	if err != nil {
		return err
	}
	if d.Excerpt, err = w.put(ctx, tail); err != nil {
		return err
	}
	raw, err := w.cfg.Effects.Open(d.Effect).Result()
	if err != nil || len(raw) == 0 {
		return nil //nolint:nilerr // an agent owes no result, and may leave anything in its place
	}
	res, err := agent.ParseResult(raw)
	if err != nil {
		return nil //nolint:nilerr // a result that cannot be read is no result
	}
	d.Claim = res.Claim
	if d.Summary, err = w.put(ctx, res.Summary); err != nil {
		return err
	}
	d.Question, err = w.put(ctx, res.Question)
	return err
}

// lastWords is the end of what an agent said or printed, or why it could not
// start.
func (w *Worker) lastWords(id string, format stream.Format, out effect.Outcome) (string, error) {
	if out.Outcome == events.SpawnFailed {
		return out.Err, nil
	}
	most := int64(excerptBytes)
	if format != stream.Text {
		most = streamBytes
	}
	tail, err := w.cfg.Effects.Open(id).Tail(effect.Merged, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the output of an agent: %w", err)
	}
	if format != stream.Text {
		cut := int64(len(tail)) == most
		if words := stream.Words(format, tail, cut, excerptBytes); words != "" {
			return words, nil
		}
		tail = tail[max(len(tail)-excerptBytes, 0):]
	}
	return strings.ToValidUTF8(string(tail), "\uFFFD"), nil
}

// streamBytes is how much of a stream is read for the last words in it.
const streamBytes = 1 << 20

// excerptBytes bounds what is kept of a text for people and prompts.
const excerptBytes = 8 << 10

// prompt writes the prompt of an iteration.
func (w *Worker) prompt(s run.State, p *Plan, act engine.RunAgent, effect string) ([]byte, error) {
	d, err := w.promptData(s, p, act)
	if err != nil {
		return nil, err
	}
	d.ResultFile = w.resultFile(effect)
	for i, f := range d.Findings {
		if f.Path != "" {
			d.Findings[i].Path = w.box(effect) + "/" + f.Path
		}
	}
	return render(p.Flow, string(act.Phase), d)
}

func render(flow workflow.Workflow, phase string, d workflow.PromptData) ([]byte, error) {
	ph, ok := flow.Phase(phase)
	if !ok {
		return nil, fmt.Errorf("workflow %s has no phase %q", flow.Name, phase)
	}
	src, err := workflow.ShippedPrompt(ph.Prompt)
	if err != nil {
		return nil, err
	}
	tmpl, err := workflow.ParsePrompt(ph.Prompt, src)
	if err != nil {
		return nil, err
	}
	return tmpl.Render(d)
}
