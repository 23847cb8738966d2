package removal

import (
	"context"
	"errors"
	"slices"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Erase removes what a run that is over has written. Without what a person
// typed it says what that would be.
func (w *Sweeper) Erase(ctx context.Context, q auth.Request, body wire.EraseRequest) (v wire.EraseView, err error) {
	if body.Run == "" {
		return v, wire.Errorf(wire.Usage, "to erase needs a run").WithHint("apctl ls --all   lists the runs")
	}
	r := Record{Cause: q.ID, At: time.Now().UTC()}
	decides := body.Typed != "" || body.PIN != ""
	if decides {
		proven, actor, err := w.cfg.People.Prove(q)
		if err != nil {
			return v, err
		}
		r.By, r.Assurance = actor, proven.Assurance
	}
	s, err := w.cfg.Find(ctx, body.RunRef)
	if err == nil {
		err = erasable(s)
	}
	if err == nil && decides {
		r.Assurance, err = w.cfg.People.ToErase(s, r.Assurance, body)
	}
	if err != nil {
		return v, err
	}
	r.Run = s.ID
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.erase(ctx, s, r)
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

// erase plans and, if a person has decided, removes.
func (w *Sweeper) erase(ctx context.Context, s run.State, r Record) (v wire.EraseView, err error) {
	ctx, done := w.cfg.Lasting(ctx)
	defer done()
	if err := w.finishLocked(ctx); err != nil {
		return v, err
	}
	p, err := w.planErase(ctx, s.ID, false)
	if err != nil {
		return v, err
	}
	defer p.close()
	_, erased := w.cfg.Hosts.State().Erased[s.ID]
	v = wire.EraseView{
		Run: s.Facts.Handle, ID: s.ID, Task: w.cfg.Task(s), Erased: erased,
		Texts: room(p.texts), Shared: p.shared, Outputs: p.outputs(), Trees: p.trees, PIN: w.cfg.People.HasPIN(),
	}
	if r.By == "" || erased && p.empty() {
		return v, nil
	}
	r.Texts = len(p.texts)
	v.Erased = true
	return v, w.carryOut(ctx, p, r)
}

// carryOut removes, and says so.
func (w *Sweeper) carryOut(ctx context.Context, p *sweep, r Record) error {
	err := w.announce(r)
	if err == nil {
		err = w.remove(ctx, p)
	}
	if err == nil {
		err = w.conclude(ctx)
	}
	if err != nil {
		return wire.Errorf(wire.Failed, "not all could be removed: %v", err).
			WithHint("ask again; otherwise the next daemon goes on with it: apctl daemon restart")
	}
	return nil
}

// planErase finds what goes with a run.
func (w *Sweeper) planErase(ctx context.Context, id string, again bool) (_ *sweep, err error) {
	pl, err := w.planning(0)
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
	if err := pl.aim(ctx, pl.heads[i]); err != nil {
		return nil, err
	}
	if err := pl.listTexts(ctx, id); err != nil {
		return nil, err
	}
	hosts := w.cfg.Hosts.State()
	pl.stand(func(h snapshot.Head) bool {
		_, _, erased, ok := hosts.Gone(h.ID, time.UnixMilli(h.Latest), time.Time{})
		return erased || ok && !w.cfg.Runs.IsImported(h.ID) // that may have come since
	})
	return pl.look(ctx, false)
}

// listTexts asks about all texts that a run names.
func (pl *planning) listTexts(ctx context.Context, id string) error {
	seen := map[events.Ref]bool{}
	for stored, err := range pl.w.cfg.Events.Read(ctx, events.Run(id), 0) {
		if err != nil && !errors.Is(err, log.ErrDamaged) {
			return err
		}
		eachWord(stored.Bytes, func(word []byte) {
			ref := events.Ref(word)
			if seen[ref] || len(ref) != hexText {
				return
			}
			seen[ref] = true
			if e, ok := pl.w.cfg.Blobs.Stat(ref); ok {
				pl.listed = append(pl.listed, e)
				pl.census.ask(ref)
			}
		})
	}
	return nil
}

// planAgain plans what was begun before.
func (w *Sweeper) planAgain(ctx context.Context, r Record) (*sweep, error) {
	if r.Run != "" {
		return w.planErase(ctx, r.Run, true)
	}
	return w.planPrune(ctx, r.before(), true)
}
