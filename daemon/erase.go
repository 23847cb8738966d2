package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/bus"
	"autopilot/daemon/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// archiveErase removes what a run that is over has written. Without what a person
// typed it says what that would be.
func (d *Daemon) archiveErase(ctx context.Context, q bus.Request, body wire.EraseRequest) (v wire.EraseView, err error) {
	if body.Run == "" {
		return v, wire.Errorf(wire.Usage, "to erase needs a run").WithHint("apctl ls --all   lists the runs")
	}
	r := removal{Cause: q.ID, At: time.Now().UTC()}
	decides := body.Typed != "" || body.PIN != ""
	if decides {
		proven, actor, err := d.person(q)
		if err != nil {
			return v, err
		}
		r.By, r.Assurance = actor, proven.Assurance
	}
	s, err := d.find(ctx, body.RunRef)
	if err == nil {
		err = erasable(s)
	}
	if err == nil && decides {
		r.Assurance, err = d.decides(r.Assurance, consent{body.PIN, func() error { return typedHandle(s, body.Typed, "erased") }, "apctl archive erase " + s.Facts.Handle})
	}
	if err != nil {
		return v, err
	}
	r.Run = s.ID
	d.removals.mu.Lock()
	defer d.removals.mu.Unlock()
	return d.erase(ctx, s, r)
}

// erasable refuses to erase a run that is not over.
func erasable(s run.State) error {
	h := s.Facts.Handle
	switch s.Status {
	case run.Live:
		return wire.Errorf(wire.Conflict, "run %s is live, so it is not erased", h).WithHint("apctl cancel %s   ends it", h)
	case run.Halted:
		return wire.Errorf(wire.Conflict, "run %s is halted and may be resumed, so it is not erased", h).WithHint("apctl cancel %s   ends it", h)
	case run.None, run.Over:
	}
	return nil
}

// typedHandle is nil if what was typed is the handle of the run.
func typedHandle(s run.State, typed, did string) error {
	if !strings.EqualFold(typed, s.Facts.Handle) {
		return wire.Errorf(wire.NeedsPerson, "what was typed is not %s, so nothing was %s", s.Facts.Handle, did)
	}
	return nil
}

// erase plans and, if a person has decided, removes.
func (d *Daemon) erase(ctx context.Context, s run.State, r removal) (v wire.EraseView, err error) {
	ctx, done := d.lasting(ctx)
	defer done()
	if err := d.finishRemovalLocked(ctx); err != nil {
		return v, err
	}
	p, err := d.planErase(ctx, s.ID, false)
	if err != nil {
		return v, err
	}
	defer p.close()
	_, erased := d.hosts.State().Erased[s.ID]
	v = wire.EraseView{
		Run: s.Facts.Handle, ID: s.ID, Task: oneLine(d.text(s.Facts.Task)), Erased: erased,
		Texts: room(p.texts), Shared: p.shared, Outputs: p.outputs(), Trees: p.trees, PIN: d.hasPIN(),
	}
	if r.By == "" || erased && p.empty() {
		return v, nil
	}
	r.Texts = len(p.texts)
	v.Erased = true
	return v, d.carryOut(ctx, p, r)
}

// lasting is a context that ends with the daemon and not with the caller: what
// was begun is finished.
func (d *Daemon) lasting(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(d.fleet.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// carryOut removes, and says so.
func (d *Daemon) carryOut(ctx context.Context, p *sweep, r removal) error {
	err := d.announce(r)
	if err == nil {
		err = d.remove(ctx, p)
	}
	if err == nil {
		err = d.conclude(ctx)
	}
	if err != nil {
		return wire.Errorf(wire.Failed, "not all could be removed: %v", err).
			WithHint("ask again; otherwise the next daemon goes on with it: apctl daemon restart")
	}
	return nil
}

// planErase finds what goes with a run.
func (d *Daemon) planErase(ctx context.Context, id string, again bool) (_ *sweep, err error) {
	pl, err := d.planning(0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			pl.p.close()
		}
	}()
	pl.again = again
	i := slices.IndexFunc(pl.heads, func(h snapshot.Head) bool { return h.ID == id })
	if i < 0 {
		return nil, wire.Errorf(wire.NotFound, "no run %q", id)
	}
	if err := pl.aim(pl.heads[i]); err != nil {
		return nil, err
	}
	if err := pl.listTexts(ctx, id); err != nil {
		return nil, err
	}
	hosts := d.hosts.State()
	pl.stand(func(h snapshot.Head) bool {
		_, _, erased, ok := hosts.Gone(h.ID, time.UnixMilli(h.Latest), time.Time{})
		return erased || ok && !d.fleet.IsImported(h.ID) // that may have come since
	})
	return pl.look(ctx, false)
}

// listTexts asks about all texts that a run names.
func (pl *planning) listTexts(ctx context.Context, id string) error {
	seen := map[events.Ref]bool{}
	for stored, err := range pl.d.log.Read(ctx, events.Run(id), 0) {
		if err != nil && !errors.Is(err, log.ErrDamaged) {
			return err
		}
		eachWord(stored.Bytes, func(word []byte) {
			ref := events.Ref(word)
			if seen[ref] || len(ref) != hexText {
				return
			}
			seen[ref] = true
			if e, ok := pl.d.blobs.Stat(ref); ok {
				pl.listed = append(pl.listed, e)
				pl.census.ask(ref)
			}
		})
	}
	return nil
}

// planAgain plans what was begun before.
func (d *Daemon) planAgain(ctx context.Context, r removal) (*sweep, error) {
	if r.Run != "" {
		return d.planErase(ctx, r.Run, true)
	}
	return d.planPrune(ctx, r.before(), true)
}
