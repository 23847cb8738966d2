package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/run"
)

// errEnded is the outcome of gates that were ended: no caller waits for it.
var errEnded = errors.New("the gates were ended")

// BeginGates implements engine.Worker.
func (w *Worker) BeginGates(ctx context.Context, s run.State, act engine.RunGates) (_ events.GatesStarted, err error) {
	defer func() { err = noRoom(err) }()
	if err := w.room(); err != nil {
		return events.GatesStarted{}, err
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.GatesStarted{}, err
	}
	d := events.GatesStarted{Phase: act.Phase, Iteration: act.Iteration, Entry: act.Entry}
	for _, g := range p.gatesOf(d) {
		if g.starts() {
			d.Effects = append(d.Effects, events.EffectRef{Gate: g.Name, Effect: w.newID()})
		}
	}
	return d, nil
}

// Gates implements engine.Worker. The order at the end of an iteration: the agent's end
// records the tree, pinned paths are compared, gates run, the tree is compared again. A
// recorded path that changed while the gates ran means that they judged another tree.
// They then run once more on the present tree, and fail if it changes again. After that
// come artifact gates, and on request a clean checkout of the passed tree. Gates for
// roles or people stay open, with the hash of their set.
func (w *Worker) Gates(ctx context.Context, s run.State, end <-chan struct{}) (_ events.GatesJudged, err error) {
	defer func() { err = noRoom(err) }()
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.GatesJudged{}, err
	}
	g := &judgement{
		w: w, s: s, p: p, end: end, made: s.Last.Created, list: p.gatesOf(s.Last.Gates),
		reads: readings{repo: p.Repo}, refused: map[events.Name]int{}, took: map[events.Name]int64{},
	}
	defer g.readAhead(ctx)()
	results, on, again, err := g.inPlace(ctx)
	if err != nil {
		return events.GatesJudged{}, err
	}
	if err := g.findForeign(ctx, on.Tree); err != nil {
		return events.GatesJudged{}, fmt.Errorf("look for changes of others during the gates: %w", err)
	}
	if results, err = g.withOthers(ctx, results, on); err != nil {
		return events.GatesJudged{}, err
	}
	checkout, err := g.clean(ctx, results, on.Tree)
	if err != nil {
		return events.GatesJudged{}, err
	}
	if results, err = g.outsideSame(ctx, results, on); err != nil {
		return events.GatesJudged{}, fmt.Errorf("compare what gates load from outside of the tree: %w", err)
	}
	if results, err = g.controls(ctx, results, on); err != nil {
		return events.GatesJudged{}, err
	}
	if results, err = g.heldOut(ctx, results, on.Tree); err != nil {
		return events.GatesJudged{}, err
	}
	if err := errors.Join(g.sayMoved(ctx, results), g.sealCaches(), g.sealOutside(ctx)); err != nil {
		return events.GatesJudged{}, err
	}
	g.addRefused(results)
	git, err := w.git(ctx, s, p)
	if err != nil {
		return events.GatesJudged{}, err
	}
	if results, err = g.gitRules(ctx, results, git); err != nil {
		return events.GatesJudged{}, err
	}
	added, err := g.added(ctx, results, on.Tree)
	if err != nil {
		return events.GatesJudged{}, err
	}
	l := s.Last.Gates
	return events.GatesJudged{
		Phase: l.Phase, Iteration: l.Iteration, Entry: l.Entry, Results: results,
		Tree: on.Tree, Work: on.Work, Head: w.head(ctx, p), Git: git, Created: g.made, Repeated: again, Checkout: checkout, Added: added,
		Foreign: w.foreignSeen(ctx, g.foreign),
	}, nil
}

// judgement is one call of Gates.
type judgement struct {
	w    *Worker
	s    run.State
	p    *Plan
	end  <-chan struct{}
	made events.Ref // files that gates made, so far
	list []asked

	reads   readings              // of recorded trees
	failing bool                  // a command fails on the present files
	moved   []string              // recorded files that changed during the first round of gates
	foreign []string              // those of them, and of a second round, that no gate changed
	writes  map[string]bool       // recorded files that changed, and whether a gate writes them
	took    map[events.Name]int64 // milliseconds of each gate in the last round
	tries   int                   // how often the gates ran to see what they write
	after   tree.Snapshot         // the work tree after the latest round
	refused map[events.Name]int   // refused requests of the processes of a gate
	sealed  *heldPlace            // place of the held-out gates while they run; else nil

	copies   bool   // controls use copies: this host cannot lay files over the work tree
	uncopied string // why there was no copy
}

// inPlace runs the command gates in the workspace. It returns the judged tree, and
// whether they ran twice.
func (g *judgement) inPlace(ctx context.Context) (results []events.GateResult, on tree.Snapshot, again bool, err error) {
	on = tree.Snapshot{Tree: g.s.Last.Tree, Work: g.s.Last.Work}
	stamps := g.p.stamps()
	if results, err = g.round(ctx, ""); err != nil {
		return nil, on, false, err
	}
	swapped := g.swapped(stamps)
	moved, now, err := g.compare(ctx, on)
	if err != nil || len(moved)+len(swapped) == 0 {
		return results, on, false, err
	}
	if len(moved) > 0 {
		g.moved, on = moved, now
	}
	if refused, err := g.rewritten(ctx, results, moved, nil); err != nil || refused {
		return results, on, false, err
	}
	stamps = g.p.stamps()
	if results, err = g.round(ctx, "-again"); err != nil {
		return nil, on, true, err
	}
	once := swapped
	swapped = g.swapped(stamps)
	moved, now, err = g.compare(ctx, on)
	switch {
	case err != nil:
		return results, on, true, err
	case len(moved) > 0:
		refused, err := g.rewritten(ctx, results, g.moved, moved)
		if err == nil && !refused {
			err = g.unstable(ctx, results, moved)
		}
		return results, now, true, err
	case len(once) > 0 && len(swapped) > 0:
		return results, on, true, g.failSwapped(ctx, results, swapped)
	}
	return results, on, true, nil
}

// round runs every command gate once. The effects of a second round have their own names,
// so that the next daemon after a kill finds both.
func (g *judgement) round(ctx context.Context, suffix string) ([]events.GateResult, error) {
	results, err := g.setUpInPlace(ctx)
	if err != nil || results != nil {
		return results, err
	}
	for _, spec := range g.list {
		if !spec.runs() {
			continue
		}
		id := effectOf(g.s, spec.Name)
		if id == "" {
			return nil, fmt.Errorf("gate %s has no announced effect", spec.Name)
		}
		if len(results) == 0 {
			if err := g.beginRound(ctx, id+suffix); err != nil {
				return nil, err
			}
		}
		r, err := g.runs(ctx, spec, id+suffix)
		if err != nil {
			return nil, fmt.Errorf("run gate %s: %w", spec.Name, err)
		}
		results, g.took[spec.Name] = append(results, r), r.DurationMS
		failpoint.Hit(failpoint.AfterGate)
	}
	return results, nil
}

// runs runs the command of a gate in the workspace, as often as its kind needs.
func (g *judgement) runs(ctx context.Context, a asked, id string) (events.GateResult, error) {
	kind := workflow.KindOf(a.Kind)
	s := gate.Series{Times: a.decl.Times.N, InRow: !kind.Tries}
	err := g.series(&s, id, func(id string) (events.GateResult, gate.Texts, error) { return g.one(ctx, a.Gate, id) })
	if err != nil {
		return s.Result, err
	}
	r, texts := s.Result, s.Texts
	if kind.Judge != nil {
		r, texts = kind.Judge(&s)
	}
	r.Kind = kind.Kind
	return g.store(ctx, r, texts)
}

// furtherRun is part of the effect name of a further run in a series.
const furtherRun = "-run-"

// series runs a command several times, in sequence. The effects of further runs have
// their own names, so that the next daemon after a kill finds each.
func (g *judgement) series(s *gate.Series, id string, run func(id string) (events.GateResult, gate.Texts, error)) error {
	for name := id; ; name = fmt.Sprintf("%s%s%d", id, furtherRun, s.Rate.Runs+1) {
		r, texts, err := run(name)
		if err != nil {
			return err
		}
		if s.Add(r, texts); !s.More() {
			return nil
		}
	}
}

// withOthers inserts the verdicts of gates without a command among those of commands, in
// order.
func (g *judgement) withOthers(ctx context.Context, results []events.GateResult, on tree.Snapshot) ([]events.GateResult, error) {
	g.failing = slices.ContainsFunc(results, func(r events.GateResult) bool { return r.Verdict != events.Pass })
	all := make([]events.GateResult, 0, len(g.list))
	for _, a := range g.list {
		if a.isHeld() {
			continue
		}
		if a.runs() {
			all, results = append(all, results[0]), results[1:]
			continue
		}
		r, err := g.other(ctx, a, on)
		if err != nil {
			return nil, fmt.Errorf("judge gate %s: %w", a.Name, err)
		}
		all = append(all, r)
	}
	return all, nil
}

func effectOf(s run.State, name events.Name) string {
	for _, e := range s.Last.Gates.Effects {
		if e.Gate == name {
			return e.Effect
		}
	}
	return ""
}

func (g *judgement) one(ctx context.Context, spec stored.Gate, id string) (events.GateResult, gate.Texts, error) {
	c := gate.Command{Name: spec.Name, Role: g.s.Role(spec.Name), Run: command(spec)}
	if !g.w.isDir(g.p.Repo.Workspace().Path) {
		return events.GateResult{}, gate.Texts{}, fmt.Errorf("%w: %s", engine.ErrWorkspaceGone, g.p.Repo.Workspace().Path)
	}
	if r, texts, bad := g.p.Gates.Unverifiable(c); bad {
		return r, texts, nil
	}
	r, texts, err := g.counted(ctx, g.p.Gates, c, id)
	if err == nil {
		err = g.elsewhere(ctx, c, &r, r.Effect)
	}
	if err == nil {
		g.unready(c, &r, &texts)
	}
	return r, texts, err
}

// judge runs a command in its gate environment, and judges its end.
func (g *judgement) judge(ctx context.Context, with gate.Pinned, c gate.Command, id string) (events.GateResult, gate.Texts, error) {
	changes, err := g.p.Gates.CheckTools()
	if err != nil {
		return events.GateResult{}, gate.Texts{}, err
	}
	if len(changes) > 0 {
		r, texts := gate.ToolsChanged(c, changes)
		return r, texts, nil
	}
	id, out, err := g.perform(ctx, with, with.Launch(c), id)
	if err != nil {
		return events.GateResult{}, gate.Texts{}, err
	}
	printed, err := g.w.printed(id)
	if err != nil {
		return events.GateResult{}, gate.Texts{}, err
	}
	r, texts := gate.Judge(c, gate.Process{
		Outcome: out.Outcome, Exit: out.Exit, Signal: out.Signal, Active: out.Active, Bytes: out.Bytes, Limit: g.p.Flow.Limits.Gate.Wall,
	}, printed)
	with.Stamp(&r, c, id)
	return r, texts, nil
}

// elsewhereMost is the longest first run of a gate that elsewhere tries again.
const elsewhereMost = time.Minute

// elsewhere tries a goal once more in the user's own environment. The goal is red at the
// baseline, and names no failing test. A variable that gates do not get would keep it red
// whatever an agent does. The text says so; the verdict stays.
func (g *judgement) elsewhere(ctx context.Context, c gate.Command, r *events.GateResult, id string) error {
	took := time.Duration(r.DurationMS) * time.Millisecond
	if g.s.Loop.Iteration > 0 || c.Role != events.RoleGoal || r.Verdict != events.Fail || r.Failing > 0 || took > elsewhereMost ||
		r.Effect == "" {
		return nil
	}
	l := g.p.Gates.Launch(c)
	l.Env = g.p.AgentEnv
	_, out, err := g.perform(ctx, g.p.Gates, l, id+"-elsewhere")
	if err != nil {
		return err
	}
	if out.Outcome == events.Exited && out.Exit == 0 {
		r.Elsewhere = events.Pass
	}
	return nil
}

// perform performs the effect of a gate. It runs a lost effect again under a derived
// name, as often as the workflow allows losses.
func (g *judgement) perform(ctx context.Context, with gate.Pinned, l gate.Launch, id string) (string, effect.Outcome, error) {
	for n := 0; ; n++ {
		name := retryName(id, n)
		if err := g.beginGate(with, name); err != nil {
			return name, effect.Outcome{}, err
		}
		out, err := g.once(ctx, l, name)
		if err != nil || out.Outcome != events.Lost || n >= g.p.Flow.Limits.Losses {
			return name, out, err
		}
	}
}

// retryName names the effect after n lost ones.
func retryName(id string, n int) string {
	if n == 0 {
		return id
	}
	return fmt.Sprintf("%s-%d", id, n)
}

func (g *judgement) once(ctx context.Context, l gate.Launch, name string) (effect.Outcome, error) {
	limits := g.p.Flow.Limits.Gate
	within := confinement{g.p.Spec.Sandbox, g.p.Spec.SandboxAllow, g.p.Repo.Workspace().Path}
	out, err := g.w.cfg.Effects.Run(ctx, shim.Spec{
		ID: name, Argv: l.Argv, Dir: l.Dir, Env: l.Env,
		Wall: limits.Wall, Idle: limits.Idle, Grace: limits.Grace, Secrets: g.p.Secrets,
		Confine: g.confine(within, l, name),
	}, nil, g.end)
	g.refused[l.Gate] += g.w.cfg.Refused(name)
	if err == nil && out.Outcome == events.Stopped {
		err = errEnded
	}
	return out, err
}

// addRefused adds to each gate the refused requests of its processes, over all their runs
// for this verdict.
func (g *judgement) addRefused(results []events.GateResult) {
	for i := range results {
		results[i].Refused = g.refused[results[i].Gate]
	}
}

// store stores the texts of a result.
func (g *judgement) store(ctx context.Context, r events.GateResult, t gate.Texts) (events.GateResult, error) {
	var errs [4]error
	r.FailingIDs, errs[0] = g.w.put(ctx, t.FailingIDs)
	r.Excerpt, errs[1] = g.w.put(ctx, t.Excerpt)
	r.Files, errs[2] = g.w.put(ctx, t.Files)
	if len(t.Tests.Runners) > 0 {
		r.Ran, errs[3] = g.w.encodeText(ctx, t.Tests)
	}
	return r, errors.Join(errs[:]...)
}
