package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/meter"
	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/failpoint"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// turn is one working agent or looking role: its process, the running read of its output,
// and the cause of a cut, if any.
type turn struct {
	w     *Worker
	s     run.State
	p     *Plan
	by    *member // the agent
	start events.IterationStarted
	looks bool // a role, which changes nothing
	meter *meter.Meter
	out   effect.Outcome
	cut   events.Cut
}

// Agent implements engine.Worker.
func (w *Worker) Agent(ctx context.Context, s run.State, end <-chan struct{}) (_ events.AgentEnded, err error) {
	defer func() { err = noRoom(err) }()
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.AgentEnded{}, err
	}
	if s.Driven() {
		return w.awaitChat(ctx, s, end)
	}
	t := w.newTurn(s, p, s.Last.Start)
	if err := t.run(ctx, end); err != nil {
		return events.AgentEnded{}, err
	}
	failpoint.Hit(failpoint.AfterAgent)
	d, err := t.ended(ctx)
	if err == nil {
		err = w.sessionRecord(ctx, s, p, &d)
	}
	if err != nil {
		return d, err
	}
	w.scrub(s.ID, d.Effect)
	snap, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return d, fmt.Errorf("record the tree that an agent left: %w", err)
	}
	d.Tree, d.Work, d.Head = snap.Tree, snap.Work, w.head(ctx, p)
	if d.Git, err = w.git(ctx, s, p); err != nil {
		return d, err
	}
	denied, err := w.gitDenied(s, p, d.Git)
	if err != nil {
		return d, err
	}
	d.GitDenied = len(denied) > 0
	d.Files, err = w.countFiles(ctx, s, p, snap.Work)
	return d, err
}

// linger is how long a process may stay after its last event: some never end by
// themselves (Field reports, B-1 and B-15).
const linger = 20 * time.Second

// trying is how long an agent may only retry its provider. Some retry forever; a run that
// waits for the account is cheaper and says why.
const trying = 5 * time.Minute

// waiting is how long an agent may be silent behind a question to a person at a terminal.
const waiting = 10 * time.Second

// repeats is how often one tool may run with the same input in a row. Field reports have
// 58 (B-39); polls of a server are shorter.
const repeats = 40

func (w *Worker) newTurn(s run.State, p *Plan, l events.IterationStarted) *turn {
	t := &turn{w: w, s: s, p: p, by: p.agent(l.Agent), start: l}
	t.meter = meter.New(meter.Config{
		Dir: w.cfg.Effects.Open(l.Effect), Format: t.by.format(),
		Limits: t.limits(),
		Before: t.before(), Price: t.price, Now: w.cfg.Now,
		Over: func(u events.Usage) events.Cut { return w.over(s.ID, l.Effect, u) },
		Live: func(r meter.Reading) { w.setLive(s.ID, &r) },
	})
	return t
}

// limits are those at which the meter ends the agent. A whole session is ended by what a
// person has set alone, or where it stays behind its own end.
func (t *turn) limits() meter.Limits {
	l := meter.Limits{Tokens: t.start.Tokens, MicroUSD: t.start.MicroUSD, Turns: t.start.Turns, Linger: linger}
	if !t.p.Flow.Series.On() {
		l.Repeats, l.Trying, l.Prompt = repeats, trying, waiting
	}
	return l
}

// run lets the agent work to its end, and ends it at a limit.
func (t *turn) run(ctx context.Context, end <-chan struct{}) error {
	spec, box, stop, err := t.spec()
	var missing *spawnError
	switch _, begun := t.w.cfg.Effects.Open(t.start.Effect).Outcome(); {
	case errors.As(err, &missing) && !errors.Is(begun, fs.ErrNotExist):
		// The agent has begun, and its program is gone since. This only names it.
		spec, stop = shim.Spec{ID: t.start.Effect, Argv: []string{"none"}}, func() {}
	case errors.As(err, &missing):
		t.out = effect.Outcome{Outcome: events.SpawnFailed, Exit: -1, Err: missing.Error()}
		return nil
	case err != nil:
		return err
	}
	defer stop()
	defer t.w.setLive(t.s.ID, nil)

	mctx, cancel := context.WithCancel(ctx)
	cuts := make(chan events.Cut, 1)
	go func() {
		cut, err := t.meter.Follow(mctx)
		if err != nil && mctx.Err() == nil {
			t.w.cfg.Log.Error("follow the output of an agent", "run", t.s.ID, "effect", spec.ID, "error", err)
		}
		cuts <- cut
	}()
	asked := make(chan struct{}) // closed to end the process, for either reason
	over := make(chan struct{})
	cut := make(chan events.Cut, 1)
	go func() { cut <- either(end, cuts, over, asked) }()

	t.out, err = t.w.cfg.Effects.Run(ctx, spec, box, asked)
	close(over)
	cancel()
	t.cut = <-cut
	if t.out.Outcome != events.Stopped {
		t.cut = "" // the agent ended first
	}
	return err
}

// either waits for a request to end the agent or for a cut, and closes asked. When the
// agent is over it returns the cut, if any. It returns only after the sender of cuts has
// ended.
func either(end <-chan struct{}, cuts <-chan events.Cut, over <-chan struct{}, asked chan<- struct{}) events.Cut {
	cut, ending := events.Cut(""), false
	for {
		select {
		case <-end:
			end = nil
			if !ending {
				ending = true
				close(asked)
			}
		case c := <-cuts:
			cuts = nil
			if c != "" && !ending {
				ending, cut = true, c
				close(asked)
			}
		case <-over:
			if cuts != nil {
				<-cuts
			}
			return cut
		}
	}
}

// spawnError says that the program of the agent is gone.
type spawnError struct{ error }

// spec is the process for the supervisor. The caller calls stop after its end.
func (t *turn) spec() (_ shim.Spec, _ effect.Box, stop func(), err error) {
	w, p, l := t.w, t.p, t.start
	socket, stop, err := t.listen()
	if err != nil {
		return shim.Spec{}, nil, nil, fmt.Errorf("open the socket of an agent: %w", err)
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	box, err := t.box()
	if err != nil {
		return shim.Spec{}, nil, nil, err
	}
	dir := p.Repo.Workspace().Path
	agentEnv, call := p.env(t.by)
	inv, err := w.command(t.by, l).Invoke(agent.Place{
		RunID: w.runID(t.s), Mode: t.mode(), Phase: string(l.Phase), Role: t.role(), Iteration: l.Iteration, Capped: l.Capped, Cap: l.Cap,
		PromptFile: w.promptFile(l.Effect), ResultFile: w.resultFile(l.Effect), Socket: socket,
	}, agent.Lookup(agentEnv, "PATH"), dir)
	if errors.Is(err, agent.ErrNotFound) {
		err = &spawnError{err}
	}
	if err != nil {
		return shim.Spec{}, nil, nil, err
	}
	env := slices.Concat(agentEnv, agent.EnvIn(call, w.box(l.Effect)), inv.Env)
	guard := ""
	if sharesStash(p.Repo.Workspace()) {
		box[stashGuardName] = stashGuard
		guard = filepath.Join(w.box(l.Effect), stashGuardName)
	}
	if text := gitConfig(p.Spec.Git.Push, guard); text != "" {
		box[gitConfigName] = []byte(text)
		env = append(env, gitConfigEnv(env, p.Repo.GitDir(), filepath.Join(w.box(l.Effect), gitConfigName))...)
	}
	return shim.Spec{
		ID: l.Effect, Argv: append([]string{inv.Path}, inv.Argv[1:]...), Dir: dir, Env: env, Stdin: inv.Stdin,
		Wall: time.Duration(l.WallMS) * time.Millisecond, Idle: time.Duration(l.IdleMS) * time.Millisecond,
		Grace: p.Flow.Limits.Agent.Grace, Work: dir, Watch: agent.Transcripts(t.by.Spec.Profile, env, dir, l.Session),
		Secrets: p.Secrets, Confine: t.confine(env, socket),
	}, box, stop, nil
}

// runID is the name of the run for its agent: that of records, where it has sessions.
func (w *Worker) runID(s run.State) string {
	if name, err := w.text(s.Facts.Series.Name); err == nil && name != "" {
		return name
	}
	return s.ID
}

// mode is the selected one of a whole session.
func (t *turn) mode() string {
	if m := t.s.Series.Ran; m != nil {
		return string(m.Mode)
	}
	return ""
}

// role is the role of a session that looks.
func (t *turn) role() string {
	if !t.looks {
		return ""
	}
	return string(t.s.Last.Role.Role)
}

// listen opens the socket of the agent, and stop removes its folder. An agent that
// outlives this daemon has seen the folder, and meets the next daemon there.
func (t *turn) listen() (socket string, stop func(), err error) {
	socket, closeSocket, err := t.w.cfg.Listen(t.start.Effect)
	return socket, func() {
		closeSocket()
		if t.out.Outcome != "" {
			_ = os.Remove(filepath.Dir(socket)) // other entries in it keep it
		}
	}, err
}

// box is the content of the agent's folder.
func (t *turn) box() (effect.Box, error) {
	prompt, err := t.w.cfg.Blobs.Get(t.start.Prompt)
	if err != nil {
		return nil, err
	}
	box := effect.Box{}
	if !t.looks {
		if box, err = t.w.findings(t.s); err != nil {
			return nil, err
		}
	}
	box[promptName] = prompt
	if t.by.Spec.Script != "" {
		box[scriptName] = []byte(t.by.Spec.Script)
	}
	return box, nil
}

// ended is the event of the agent's end, without the tree.
func (t *turn) ended(ctx context.Context) (events.AgentEnded, error) {
	l, out := t.start, t.out
	d := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect,
		Outcome: out.Outcome, Exit: out.Exit, Signal: out.Signal, DurationMS: out.Active.Milliseconds(),
		OutputBytes: out.Bytes, SilentMS: out.Silent.Milliseconds(), Truncated: out.Truncated, Killed: out.Killed, Left: out.Left, LeftPIDs: out.LeftPIDs,
		Redacted: out.Redacted, Refused: t.w.cfg.Refused(l.Effect), Cut: t.cut,
		Sandbox: t.sandbox(), Lacking: lacking(out.Lacking),
	}
	sum, used, err := t.meter.Summary()
	if err != nil {
		return d, fmt.Errorf("read the output of an agent: %w", err)
	}
	if d.Fault, err = t.w.put(ctx, t.decide(&d, sum)); err != nil {
		return d, err
	}
	d.Usage, d.Model = t.used(used), model(cmp.Or(sum.Model, t.by.Spec.Model))
	if t.by.Shape.Resumes() && agent.ValidSession(sum.Session) {
		d.Session = sum.Session
	}
	d.Pending = sum.Pending
	if d.Repeats = sum.Repeat.Count; d.Repeats >= repeats/2 || d.Cut == events.CutRepetition {
		if d.Repeat, err = t.w.put(ctx, sum.Repeat.Tool+" "+sum.Repeat.Input); err != nil {
			return d, err
		}
	}
	return d, t.w.said(ctx, t.p, &d, t.by.format(), out)
}

// decide judges the end by all signals, and answers what was said of a failure.
func (t *turn) decide(d *events.AgentEnded, sum stream.Summary) (fault string) {
	at := t.out.Ended
	if at.IsZero() {
		at = t.w.cfg.Now()
	}
	dec := outcome.Decide(outcome.Input{
		Supervisor: t.out.Outcome, Cut: t.cut, OutOfMemory: t.out.OutOfMemory, Exit: t.out.Exit, Stream: sum,
		Now: at, Zone: time.Local,
	})
	d.Result, d.By = dec.Outcome, dec.By.Source
	for _, c := range dec.Conflicts {
		d.Conflicts = append(d.Conflicts, events.Signal{By: c.Source, Result: c.Outcome})
	}
	if !dec.Reset.IsZero() {
		d.ResetMS = dec.Reset.UnixMilli()
	}
	d.Gauge = gauge(sum.Limited)
	return dec.Message
}

// gauge is what a provider said of a limit, for events.
func gauge(l stream.Limits) events.Gauge {
	window := events.Name(l.Window)
	if l.Used <= 0 || l.Used > 10 || window != "" && !window.Valid() {
		return events.Gauge{}
	}
	g := events.Gauge{Window: window, Percent: min(int(l.Used*100+0.5), 100)}
	if !l.Reset.IsZero() {
		g.ResetMS = l.Reset.UnixMilli()
	}
	return g
}

// maxModel bounds the name of a model in events, in bytes.
const maxModel = 128

// model is the name of a model for events: it comes from a program's output, which may be
// anything.
func model(name string) string {
	if len(name) > maxModel || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789._:/@-[]") != "" {
		return ""
	}
	return name
}

// command is the command of an agent: a script agent runs in the daemon's own program.
func (w *Worker) command(h *member, l events.IterationStarted) agent.Command {
	a := h.Spec
	switch {
	case a.Script != "":
		return agent.Command{Command: rule.Command{Argv: []string{
			w.cfg.Program, "script-agent", w.box(l.Effect) + "/" + scriptName,
		}}}
	case len(a.Argv) > 0:
		argv := h.Shape.Argv(a.Argv, agent.Turn{
			Session: l.Session, Resume: l.Resumes, Turns: l.Turns, MicroUSD: l.MicroUSD, Box: w.box(l.Effect),
		})
		return agent.Command{Command: rule.Command{Argv: argv}, Prompt: agent.PromptMode(a.Prompt)}
	}
	return agent.Command{Command: rule.Command{Text: a.Command}}
}
