package api

import (
	"context"
	"fmt"
	"time"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// tick is the interval between signs of life of a watched run.
const tick = time.Second

// RunWatch sends a frame for every event and one each second, until the run is not live.
func (a *Looks) RunWatch(ctx context.Context, _ auth.Request, body wire.WatchRequest, send func(wire.WatchFrame) error) error {
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	w := watcher{a: a.Views, after: body.After, begun: time.Now(), send: send}
	timer := time.NewTicker(tick)
	defer timer.Stop()
	for {
		changed := a.Fleet.Wait()
		if err := w.catchUp(ctx, s.ID); err != nil {
			return err
		}
		if w.state.Status != run.Live {
			return send(wire.WatchFrame{View: a.View(w.state)})
		}
		if err := w.idle(ctx, changed, timer.C); err != nil {
			return err
		}
	}
}

// watcher folds a run again, event by event.
type watcher struct {
	a     *Views
	after uint64
	begun time.Time // no bell rings for events before
	state run.State
	send  func(wire.WatchFrame) error
}

// catchUp sends a frame for each stored event that was not sent.
func (w *watcher) catchUp(ctx context.Context, id string) error {
	for stored, err := range w.a.Log.Read(ctx, events.Run(id), w.state.Log.Seq) {
		if err != nil {
			return err
		}
		w.state = run.Evolve(w.state, stored.Event)
		if stored.Event.Seq <= w.after {
			continue
		}
		err := w.send(wire.WatchFrame{
			View: w.a.ViewAt(w.state, stored.Event.Time), Line: explain.Line(w.a.Spoken(w.state), stored.Event),
			Seq: stored.Event.Seq, At: stored.Event.Time, Bell: !stored.Event.Time.Before(w.begun) && w.a.Rings(stored.Event),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// idle waits for a change of this run and sends signs of life meanwhile.
func (w *watcher) idle(ctx context.Context, changed <-chan struct{}, tick <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
			// The wait begins before the state is read, so that no change falls in
			// between.
			changed = w.a.Fleet.Wait()
			if s, ok := w.a.Fleet.State(w.state.ID); ok && s.Log.Seq > w.state.Log.Seq {
				return nil
			}
		case <-tick:
			if err := w.send(wire.WatchFrame{View: w.a.View(w.state)}); err != nil {
				return err
			}
		}
	}
}

// RunDiff sends the text of a diff in pieces.
func (a *Looks) RunDiff(ctx context.Context, _ auth.Request, body wire.DiffRequest, send func(wire.Raw) error) error {
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if err := a.Removal.Whole(s, "the recorded work"); err != nil {
		return err
	}
	span, err := a.span(ctx, s, body.Range)
	if err != nil {
		return err
	}
	repo, err := a.Worker.Repo(ctx, s)
	if err != nil {
		return err
	}
	paths, some, err := a.shown(ctx, s, repo, span)
	if err == nil && some {
		show := repo.Diff
		if body.Stat {
			show = repo.Stat
		}
		err = show(ctx, span.from, span.to, paths, pieces(send))
	}
	if err != nil {
		return fmt.Errorf("diff run %s: %w", s.Facts.Handle, err)
	}
	return nil
}
