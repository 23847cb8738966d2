package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/cache"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
)

// The bounds of a tried gate's result.
const (
	tryListed  = 20
	tryExcerpt = 8 << 10
)

// tryWorkflow is the workflow whose limits hold for tried gates.
const tryWorkflow = "converge"

// tryPrefix begins the ids of effects outside of runs.
const tryPrefix = "try-"

// IsTry says that an effect is a tried gate.
func IsTry(effect string) bool { return strings.HasPrefix(effect, tryPrefix) }

// try is one call of Try.
type try struct {
	w      *Worker
	repo   *tree.Repo
	pinned gate.Pinned
	id     string
	ignore []byte
	flow   workflow.Workflow
	within confinement
}

// Try runs gates once, in sequence, with a run's environment and their own HOME. It sends
// a frame at the begin and the end of each gate, then one about the files that they made.
// It records nothing. The end of ctx ends the running gate.
func (w *Worker) Try(ctx context.Context, q wire.GateTryRequest, send func(wire.GateTryFrame) error) (err error) {
	defer func() { err = noRoom(err) }()
	gates := order.Gates(q.Gates)
	if err := cmp.Or(w.room(), checkTried(gates)); err != nil {
		return err
	}
	t := &try{w: w, id: tryPrefix + w.newID()}
	defer func() { err = errors.Join(err, w.dropPlace(t.pinned), w.dropTried(t.id)) }()
	if err := t.prepare(ctx, q, gates); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.repo.Forget(t.id)) }()
	before, err := t.record(ctx)
	if err != nil {
		return err
	}
	store, err := t.open(ctx, before)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Share()) }()
	after := before
	for i, g := range gates {
		ended, err := t.gate(ctx, g, fmt.Sprintf("%s-%d", t.id, i), send)
		if err != nil {
			return err
		}
		now, err := t.record(ctx)
		if err != nil {
			return err
		}
		if err := t.rewrites(ctx, after, now, &ended); err != nil {
			return err
		}
		if err := send(ended); err != nil {
			return err
		}
		after = now
	}
	f, err := t.files(ctx, before, after)
	if err != nil {
		return err
	}
	return send(f)
}

// checkTried refuses invalid gates. Gates about files need no try.
func checkTried(gates []stored.Gate) error {
	for _, g := range gates {
		switch {
		case !g.Name.Valid():
			return wire.Errorf(wire.Usage, "gate name %q: use letters a-z, digits, - and _", g.Name)
		case strings.TrimSpace(g.Command) == "" || strings.ContainsRune(g.Command, 0):
			return wire.Errorf(wire.Usage, "gate %s has no usable command", g.Name)
		}
	}
	return nil
}

func (t *try) prepare(ctx context.Context, q wire.GateTryRequest, gates []stored.Gate) error {
	ws, err := t.w.Workspace(ctx, q.Workspace)
	if err != nil {
		return err
	}
	if t.repo, err = t.w.repo(ctx, ws); err != nil {
		return err
	}
	t.within.work = ws.Path
	if t.within.mode, t.within.allow, err = t.w.cfg.Confined(); err != nil {
		return err
	}
	if t.flow, _, err = workflow.Shipped(tryWorkflow); err != nil {
		return err
	}
	if t.ignore, err = t.repo.FreezeIgnore(ctx, home(q.Env, t.w.cfg.Home)); err != nil {
		return fmt.Errorf("read the ignore rules: %w", err)
	}
	extra, err := t.w.cfg.GateEnv()
	if err != nil {
		return err
	}
	t.pinned, err = gate.Pin(t.w.pinRequest(t.id, gate.PinRequest{
		Workspace: ws.Path, ClientEnv: q.Env, Commands: commands(stored.Spec{Gates: gates}), Extra: extra,
	}))
	if err != nil {
		return fmt.Errorf("pin the environment of the gates: %w", err)
	}
	return nil
}

// open makes the caches. It keeps the compiler output of gates: the try is of the
// person's own product.
func (t *try) open(ctx context.Context, on events.Tree) (*cache.Store, error) {
	goes, err := (&Plan{Repo: t.repo, Secret: Secret{Gates: t.pinned}}).usesGo(ctx, on)
	if err != nil {
		return nil, err
	}
	store := t.w.newStore(t.pinned)
	return store, store.Open(goes)
}

// dropTried removes HOME and caches of a try or preview.
func (w *Worker) dropTried(place string) error {
	r := w.pinRequest(place, gate.PinRequest{})
	return errors.Join(w.remove(r.Home), (&cache.Store{Dir: r.Cache, Remove: w.remove}).Drop())
}

func (t *try) record(ctx context.Context) (events.Tree, error) {
	snap, err := t.repo.Record(ctx, t.id, t.ignore, tree.Without{Notes: t.flow.Notes})
	if err != nil {
		return "", fmt.Errorf("record the workspace: %w", err)
	}
	return snap.Tree, nil
}

// rewrites lists the recorded files that a gate rewrote; a run would refuse that.
func (t *try) rewrites(ctx context.Context, before, after events.Tree, f *wire.GateTryFrame) error {
	if before == after {
		return nil
	}
	changes, err := t.repo.Changes(ctx, before, after)
	if err != nil {
		return err
	}
	var moved []string
	for _, c := range changes {
		if c.Status != tree.Added {
			moved = append(moved, c.Path)
		}
	}
	indexed, err := t.repo.Indexed(ctx, moved)
	if err != nil {
		return err
	}
	r, _ := rule.Unsettled(moved, nil, func(name string) bool { return slices.Contains(indexed, name) })
	f.Rewrote, f.Unignored = r.Tracked[:min(len(r.Tracked), tryListed)], r.Others[:min(len(r.Others), tryListed)]
	return nil
}

// gate runs one gate as an effect, and forgets the effect with its output. It sends the
// gate's begin, and returns its end.
func (t *try) gate(ctx context.Context, spec stored.Gate, id string, send func(wire.GateTryFrame) error) (_ wire.GateTryFrame, err error) {
	c := gate.Command{Name: spec.Name, Role: spec.Role, Run: command(spec)}
	begun := wire.GateView{Name: string(spec.Name), Kind: string(events.GateCommand), Role: string(spec.Role), Command: spec.Command}
	none := wire.GateTryFrame{}
	if err := send(wire.GateTryFrame{Gate: begun}); err != nil {
		return none, err
	}
	if r, texts, bad := t.pinned.Unverifiable(c); bad {
		return tried(begun, r, texts), nil
	}
	if err := t.w.freshPlace(t.pinned); err != nil {
		return none, err
	}
	l := t.pinned.Launch(c)
	limits := t.flow.Limits.Gate
	// The effect ends through its own channel: the end of ctx would only let go of it.
	held := context.WithoutCancel(ctx)
	out, err := t.w.cfg.Effects.Run(held, shim.Spec{
		ID: id, Argv: l.Argv, Dir: l.Dir, Env: l.Env, Wall: limits.Wall, Idle: limits.Idle, Grace: limits.Grace,
		Secrets: redact.Secrets(l.Env), Confine: t.w.confineGate(t.within, l, id),
	}, nil, ctx.Done())
	if err != nil {
		return none, fmt.Errorf("run gate %s: %w", spec.Name, err)
	}
	defer func() { err = errors.Join(err, t.w.cfg.Effects.Remove(id)) }()
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	printed, err := t.w.printed(id)
	if err != nil {
		return none, err
	}
	r, texts := gate.Judge(c, gate.Process{
		Outcome: out.Outcome, Exit: out.Exit, Signal: out.Signal, Active: out.Active, Bytes: out.Bytes, Limit: limits.Wall,
	}, printed)
	if short := shortOf(rule.Tests{}, r, texts, false, c.Run, nil); short.Reason != "" {
		r, texts = gate.Short(r, texts, short)
	}
	return tried(begun, r, texts), nil
}

func tried(v wire.GateView, r events.GateResult, t gate.Texts) wire.GateTryFrame {
	v.Verdict, v.Reason, v.Exit = string(r.Verdict), string(r.Reason), r.Exit
	v.Says = phrase.Reason(events.English, r)
	v.Failing, v.DurationMS = r.Failing, r.DurationMS
	f := wire.GateTryFrame{Gate: v, Ended: true, Excerpt: gate.Excerpt([]byte(t.Excerpt), tryExcerpt, 0, "")}
	for id := range strings.Lines(t.FailingIDs) {
		if len(f.Failing) < tryListed {
			f.Failing = append(f.Failing, strings.TrimSuffix(id, "\n"))
		}
	}
	return f
}

// files lists the gates' changes to the work tree, without ignored files.
func (t *try) files(ctx context.Context, before, after events.Tree) (wire.GateTryFrame, error) {
	f := wire.GateTryFrame{Ended: true}
	if before == after {
		return f, nil
	}
	changes, err := t.repo.Changes(ctx, before, after)
	if err != nil {
		return f, err
	}
	for _, c := range changes {
		list := &f.Changed
		if c.Status == tree.Added {
			list = &f.Made
		}
		if len(*list) < tryListed {
			*list = append(*list, c.Path)
		}
	}
	return f, nil
}

// LeftTries finds the tried gates of an earlier daemon that died: no run names them, so
// nothing else would end them. Call it before the first Try. The returned function ends
// and forgets them, which takes the grace period of each live one.
func (w *Worker) LeftTries() (end func(context.Context) error, err error) {
	ids, err := filepath.Glob(filepath.Join(w.cfg.State, "effects", tryPrefix+"*"))
	if err != nil {
		return nil, err
	}
	homes, err := filepath.Glob(filepath.Join(w.cfg.State, homesName, tryPrefix+"*"))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		var errs []error
		for _, path := range ids {
			errs = append(errs, w.endTry(ctx, filepath.Base(path)))
		}
		for _, path := range homes {
			errs = append(errs, effect.RemoveAll(path))
		}
		return errors.Join(errs...)
	}, nil
}

func (w *Worker) endTry(ctx context.Context, id string) error {
	over := make(chan struct{})
	close(over)
	// The effect's record wins over this argv, which never starts.
	if _, err := w.cfg.Effects.Run(ctx, shim.Spec{ID: id, Argv: []string{"/bin/false"}, Dir: "/"}, nil, over); err != nil {
		return err
	}
	return w.cfg.Effects.Remove(id)
}
