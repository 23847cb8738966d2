package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"autopilot/daemon/agent"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/route"
	"autopilot/projections/rule"
)

// Workspace resolves the git work tree of a run.
func (w *Worker) Workspace(ctx context.Context, dir string) (tree.Workspace, error) {
	ws, err := tree.Find(ctx, dir)
	return ws, NoWorkspace(dir, err)
}

// NoWorkspace translates the error of a directory outside of a work tree for the wire.
func NoWorkspace(dir string, err error) error {
	var place *tree.PlaceError
	switch {
	case errors.As(err, &place):
		return wire.Errorf(wire.Usage, "%s", place.What).WithHint("%s", place.Fix)
	case errors.Is(err, tree.ErrGone):
		return wire.Errorf(wire.NotFound, "%s does not exist", dir)
	}
	return err
}

// halfway refuses a work tree in which git has not ended something: the agent would work
// on half of it, and could neither end nor drop it for the person who began it.
func halfway(what []string, dir string) error {
	if len(what) == 0 {
		return nil
	}
	err := wire.Errorf(wire.NeedsPerson, "git is in the middle of something in %s: %s", dir, strings.Join(what, ", ")).
		WithHint("end it first, as with git rebase --continue or --abort; or begin in the middle of it with --halfway")
	err.Halfway = strings.Join(what, ", ")
	return err
}

// Prepare fixes everything that a run works by and stores it. The caller adds handle,
// owner, home and version. Agents are the profiles of the configuration; hide has the
// names of secret variables.
func (w *Worker) Prepare(ctx context.Context, id string, q order.Order, agents agent.Overrides, hide []string) (_ events.RunStarted, err error) {
	defer func() { err = noRoom(err) }()
	if err := w.room(); err != nil {
		return events.RunStarted{}, err
	}
	p, err := w.makePlan(ctx, q, agents, hide, "")
	if err != nil {
		return events.RunStarted{}, err
	}
	snap, err := p.Repo.Record(ctx, id, p.Ignore, tree.Without{Notes: p.Flow.Notes})
	if err != nil {
		return events.RunStarted{}, fmt.Errorf("record the workspace: %w", err)
	}
	if err := p.pin(ctx, snap.Tree); err != nil {
		return events.RunStarted{}, err
	}
	if err := w.remembers(p); err != nil {
		return events.RunStarted{}, err
	}
	d, err := w.store(ctx, id, q, p, snap)
	if err != nil {
		return d, fmt.Errorf("store the plan of the run: %w", err)
	}
	if !p.lands() { // the repository of a landing is nobody's
		if d.Git, err = w.gitAtStart(ctx, id, p); err != nil {
			return d, err
		}
	}
	if d.Findings, d.Count, err = w.seeds(ctx, redact.Compile(p.Secrets), q.Findings); err != nil {
		return d, err
	}
	if _, err := p.Repo.Keep(ctx, id, "0", snap.Tree, "", "start"); err != nil {
		return d, fmt.Errorf("keep the start tree: %w", err)
	}
	if err := w.keepSecret(id, p.Secret); err != nil {
		return d, fmt.Errorf("keep the environment of the run: %w", err)
	}
	w.remember(id, p)
	return d, nil
}

// makePlan checks the request and finds everything that it names. It stores nothing in
// the log or the blobs. place names HOME and caches of the gates; empty is the workspace.
func (w *Worker) makePlan(ctx context.Context, q order.Order, agents agent.Overrides, hide []string, place string) (*Plan, error) {
	p := &Plan{Spec: q.Spec, TaskRef: q.TaskRef}
	var err error
	if err := w.findFlow(ctx, p, q); err != nil {
		return nil, err
	}
	p.Flow = p.Flow.Staffed(p.Spec.Roles)
	if err := w.fill(ctx, p, &q); err != nil {
		return nil, err
	}
	if p.Task, err = w.task(q, p.Flow); err != nil {
		return nil, err
	}
	if err := cmp.Or(checkOrder(q, p.Flow), checkTimeouts(q, p.Flow)); err != nil {
		return nil, err
	}
	p.Flow = timeLimited(p.Flow, p.Spec.Timeouts)
	if s := route.Suggest(p.Task, nil, nil); q.Advise && p.Flow.Express && s.Express {
		return nil, ExpressError(s.Because[len(s.Because)-1].Saw)
	}
	if err := p.hear(q.Standing); err != nil {
		return nil, err
	}
	if q.Holdout, err = p.hearHeld(q); err != nil {
		return nil, err
	}
	ws, err := w.Workspace(ctx, q.Workspace)
	if err != nil {
		return nil, err
	}
	p.Spec.Below = typedBelow(ctx, q, ws.Path)
	if p.Spec.Setup != "" && !p.lands() {
		p.Spec.Checkout = events.CheckoutClean // a set-up implies a clean checkout
	}
	if p.Repo, err = w.repo(ctx, ws); err != nil {
		return nil, err
	}
	if err := halfway(p.Repo.Halfway(), ws.Path); err != nil && !q.Halfway {
		return nil, err
	}
	p.AgentEnv = AgentEnv(q.Env)
	if err := p.hire(agents); err != nil {
		return nil, err
	}
	if p.Ignore, err = p.Repo.FreezeIgnore(ctx, home(q.Env, w.cfg.Home), p.Flow.Artifacts()...); err != nil {
		return nil, fmt.Errorf("read the ignore rules: %w", err)
	}
	if err := w.hold(ctx, p, q); err != nil {
		return nil, err
	}
	p.Ignore = ignoring(p.Ignore, slices.Concat(below(ws.Path, q.Outputs), p.heldBelow()))
	extra, err := w.cfg.GateEnv()
	if err != nil {
		return nil, err
	}
	p.Gates, err = gate.Pin(w.pinRequest(cmp.Or(place, ws.ID), gate.PinRequest{
		Workspace: ws.Path, ClientEnv: q.Env, Commands: slices.Concat(commands(p.Spec), p.commands(), p.heldCommands()), Extra: extra,
	}))
	if err != nil {
		return nil, fmt.Errorf("pin the environment of the gates: %w", err)
	}
	p.Gates.Settled = p.setsUpInPlace()
	p.Redact = hide
	p.Secrets = p.secrets()
	if err := w.cleanTask(ctx, p); err != nil {
		return nil, err
	}
	if err := w.checkCommands(p); err != nil {
		return nil, err
	}
	return p, p.checkHistory(ctx)
}

// ExpressError says that the caller should ask a person whether a task needs its
// workflow. It is the evidence in the task.
//
// Source: atdd-kit, seeds 3.1: advisory, asked once, no gate.
type ExpressError string

func (e ExpressError) Error() string { return "the task looks small and harmless: " + string(e) }

// checkCommands finds the programs of agent and gates before the run begins.
func (w *Worker) checkCommands(p *Plan) error {
	if err := p.findAgents(); err != nil {
		return err
	}
	for _, g := range toRun(p.Spec) {
		if _, texts, bad := p.Gates.Unverifiable(gate.Command{Name: g.Name, Run: command(g)}); bad {
			return wire.Errorf(wire.Usage, "gate %s: %s", g.Name, strings.TrimSpace(texts.Excerpt)).
				WithHint("correct %s", asTyped(g))
		}
	}
	if err := p.checkHeldCommands(); err != nil {
		return err
	}
	return p.checkOwn()
}

func (w *Worker) task(q order.Order, flow workflow.Workflow) (string, error) {
	text := q.Task
	if q.TaskRef != "" {
		b, err := w.cfg.Blobs.Get(q.TaskRef)
		if err != nil {
			return "", fmt.Errorf("read the task: %w", err)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" && flow.Series.On() {
		text = flow.Description // each session knows its own task
	}
	if strings.TrimSpace(text) == "" {
		e := wire.Errorf(wire.Usage, "the task is empty").WithHint(`apctl run "WHAT SHALL BE DONE" ...`)
		if q.Spec.Issue != "" {
			e = e.WithHint("apctl run --issue %s --from-issue ...   takes the text of the issue, once you have seen it", q.Spec.Issue)
		}
		return "", e
	}
	return text, CheckText("task", text)
}

// CheckText refuses texts that no prompt can carry.
func CheckText(what, text string) error {
	switch {
	case strings.ContainsRune(text, 0):
		return wire.Errorf(wire.Usage, "the %s holds a NUL byte", what)
	case !utf8.ValidString(text):
		return wire.Errorf(wire.Usage, "the %s is not valid UTF-8", what)
	}
	return nil
}

// checkOrder refuses an invalid run.
func checkOrder(q order.Order, flow workflow.Workflow) error {
	spec := q.Spec
	if err := cmp.Or(checkGates(spec.Gates, len(q.Holdout.Gates), flow), checkCheckout(spec, flow)); err != nil {
		return err
	}
	if err := checkSeries(q, flow); err != nil {
		return err
	}
	if err := cmp.Or(checkHeld(q.Holdout, taken(spec, flow)), checkDriver(spec), checkAgent(spec, flow)); err != nil {
		return err
	}
	if spec.MaxIterations < 0 || q.ForMS < 0 || q.MaxTokens < 0 || q.MaxMicroUSD < 0 || q.MaxTurns < 0 {
		return wire.Errorf(wire.Usage, "limits must not be negative")
	}
	if _, err := wire.ParseIssue(spec.Issue); err != nil && spec.Issue != "" {
		return wire.Errorf(wire.Usage, "issue: %v", err).WithHint("--issue 24, or --issue OWNER/NAME#24")
	}
	if spec.Sandbox != "" && !slices.Contains(events.Sandboxes(), spec.Sandbox) {
		return wire.Errorf(wire.Usage, "sandbox %q is not known", spec.Sandbox).WithHint("--sandbox off, guard, workspace or readonly")
	}
	if p := spec.Git.Push; p != "" && p != events.GitDeny && p != events.GitAllow {
		return wire.Errorf(wire.Usage, "git.push %q is not known", p).WithHint("--git-push deny or allow")
	}
	if h := spec.Git.History; h != "" && h != events.GitKeep && h != events.GitAny {
		return wire.Errorf(wire.Usage, "git.history %q is not known", h).WithHint("--git-history keep or any")
	}
	if _, ok := events.ParsePriority(q.Priority); !ok && q.Priority != "" {
		return wire.Errorf(wire.Usage, "priority %q is not known", q.Priority).WithHint("--priority low, normal or high")
	}
	switch q.Start {
	case "", events.StartGreen:
	case events.UntilGreen:
		if !flow.HasGoals() {
			return wire.Errorf(wire.Usage, "workflow %s has no goal that could be green before the work", flow.Name).
				WithHint("leave out --until-green")
		}
	default:
		return wire.Errorf(wire.Usage, "start mode %q is unknown", q.Start)
	}
	for _, of := range []struct {
		flag  string
		globs []string
	}{{"--protect", spec.Protect}, {"--allow-test-changes", spec.AllowTests}} {
		if err := rule.CheckGlobs(of.globs); err != nil {
			return wire.Errorf(wire.Usage, "%s: %v", of.flag, err).WithHint("write it as '*_test.go', 'api/**' or 'file.{a,b}'")
		}
	}
	return nil
}

func (w *Worker) store(ctx context.Context, id string, q order.Order, p *Plan, snap tree.Snapshot) (events.RunStarted, error) {
	ws := p.Repo.Workspace()
	d := events.RunStarted{
		Project: ws.ID, Workflow: events.Name(p.Flow.Name), Phase: events.Name(p.Flow.Phases[0].Name),
		Language: p.Flow.Language, Driver: p.Spec.Driver, Answers: q.Answers, Agent: profileName(p.Spec.Agent), Account: p.Own.account,
		Limits: limits(q, p.Flow), Series: series(q, p.Flow), Priority: priority(q.Priority), Start: q.Start, Tree: snap.Tree, Work: snap.Work, Nested: len(snap.Nested),
	}
	d.Budgets = p.budgets(d.Limits)
	for _, g := range p.Spec.Gates {
		d.Gates = append(d.Gates, events.Gate{Name: g.Name, Kind: cmp.Or(g.Kind, events.GateCommand), Role: g.Role})
	}
	d.Gates = append(d.Gates, p.heldGates()...)
	d.Gates = append(d.Gates, events.Gate{Name: gate.ProtectedName, Kind: events.GateProtected, Role: events.RoleInvariant})
	d.Gates = append(d.Gates, p.declares()...)
	d.Proves = p.proves()
	issue, _ := wire.ParseIssue(p.Spec.Issue) // checkOrder has checked it
	d.Issue = issue.Number
	if l := p.Spec.Land; l != nil {
		d.Land = events.Land{Of: l.Of, Onto: l.Onto, Commit: l.Commit}
	}
	d.Crews, d.Idle = p.facts()
	var err error
	if d.From, err = origin(ctx, p.Spec); err != nil {
		return d, err
	}
	head, err := p.Repo.Head(ctx, snap.Tree)
	if err != nil {
		return d, err
	}
	d.Head, d.Dirty = head.Commit, head.Dirty
	if err := w.nameSeries(ctx, id, p, &d, head.Ref); err != nil {
		return d, err
	}
	sum := p.Gates.Summary()
	var errs []error
	put := func(to *events.Ref, ref events.Ref, err error) { *to, errs = ref, append(errs, err) }
	text := func(to *events.Ref, s []byte) { ref, err := w.cfg.Blobs.Put(ctx, s); put(to, ref, err) }
	object := func(to *events.Ref, v any) { ref, err := w.encode(ctx, v); put(to, ref, err) }
	if p.Held != nil {
		d.InSight = p.Held.InSight != ""
		object(&d.Holdout, p.Held)
	}
	text(&d.Workspace, []byte(ws.Path))
	ref, err := w.putExact(ctx, p.Spec.Branch)
	put(&d.Branch, ref, err)
	text(&d.Task, []byte(p.Task))
	text(&d.Source, p.Source)
	object(&d.Prompts, p.Prompts)
	text(&d.Ignore, p.Ignore)
	object(&d.Spec, p.Spec)
	object(&d.Env, sum.Env)
	object(&d.Tools, sum.Tools)
	object(&d.Pins, p.Pins)
	return d, errors.Join(errs...)
}

// profileName is the profile's name for events. A user may name a profile freely; a name
// that events cannot hold becomes empty.
func profileName(a stored.Agent) events.Name {
	if n := events.Name(a.Profile); n.Valid() {
		return n
	}
	return ""
}

// origin is the id of the original of the run's own work tree; empty if the run has none.
func origin(ctx context.Context, spec stored.Spec) (string, error) {
	if spec.From == "" {
		return "", nil
	}
	ws, err := tree.Find(ctx, spec.From)
	if err != nil {
		return "", fmt.Errorf("find the work tree that the run's own was made from: %w", err)
	}
	return ws.ID, nil
}

// priority is the requested one, already checked.
func priority(typed string) events.Priority {
	p, _ := events.ParsePriority(cmp.Or(typed, events.PriorityNormal.String()))
	return p
}

// limits are the requested ones, else the workflow's.
func limits(q order.Order, flow workflow.Workflow) events.Limits {
	l := events.Limits{
		Iterations: q.Spec.MaxIterations, ActiveMS: q.ForMS, UntilMS: q.UntilMS,
		Tokens: tokens(q, flow), MicroUSD: q.MaxMicroUSD, Turns: q.MaxTurns, NoWait: q.NoWait,
	}
	t := timeouts(flow)
	l.IdleMS, l.AttemptMS, l.GateMS = t.IdleMS, t.AttemptMS, t.GateMS
	switch {
	case flow.Series.On():
		l.Iterations = series(q, flow).Sessions
	case l.Iterations > 0:
	case l.ActiveMS > 0 || l.UntilMS > 0:
		l.Iterations = flow.Limits.IterationsWithTime
	default:
		l.Iterations = flow.Limits.Iterations
	}
	return l
}

// below lists the files in a directory, relative to it.
func below(dir string, files []string) []string {
	var out []string
	for _, f := range files {
		if real, err := filepath.EvalSymlinks(f); err == nil {
			f = real
		}
		if rel, err := filepath.Rel(dir, f); err == nil && filepath.IsLocal(rel) && !strings.ContainsAny(rel, "\n\r") {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

func home(env []string, fallback string) string {
	if h := agent.Lookup(env, "HOME"); h != "" {
		return h
	}
	return fallback
}

func envNames(env []string) []string {
	var out []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
