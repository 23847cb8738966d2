package daemon

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// tick is how often a watched run gives a sign of life.
const tick = time.Second

// runWatch sends a frame for every event and one each second, until the run is
// not live.
func (d *Daemon) runWatch(ctx context.Context, body wire.WatchRequest, send func(any) error) error {
	s, err := d.find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	w := watcher{d: d, after: body.After, begun: time.Now(), send: send}
	timer := time.NewTicker(tick)
	defer timer.Stop()
	for {
		changed := d.fleet.Wait()
		if err := w.catchUp(ctx, s.ID); err != nil {
			return err
		}
		if w.state.Status != run.Live {
			return send(wire.WatchFrame{View: d.view(w.state)})
		}
		if err := w.idle(ctx, changed, timer.C); err != nil {
			return err
		}
	}
}

// watcher folds a run again as it is shown.
type watcher struct {
	d     *Daemon
	after uint64
	begun time.Time // nobody is rung for what was before
	state run.State
	send  func(any) error
}

// catchUp sends a frame for each event that is stored and was not sent.
func (w *watcher) catchUp(ctx context.Context, id string) error {
	for stored, err := range w.d.log.Read(ctx, events.Run(id), w.state.Log.Seq) {
		if err != nil {
			return err
		}
		w.state = run.Evolve(w.state, stored.Event)
		if stored.Event.Seq <= w.after {
			continue
		}
		err := w.send(wire.WatchFrame{
			View: w.d.viewAt(w.state, stored.Event.Time), Line: explain.Line(w.d.spoken(w.state), stored.Event),
			Seq: stored.Event.Seq, At: stored.Event.Time, Bell: !stored.Event.Time.Before(w.begun) && w.d.rings(stored.Event),
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
			// Asked for before the state, so that no change falls in between.
			changed = w.d.fleet.Wait()
			if s, ok := w.d.fleet.State(w.state.ID); ok && s.Log.Seq > w.state.Log.Seq {
				return nil
			}
		case <-tick:
			if err := w.send(wire.WatchFrame{View: w.d.view(w.state)}); err != nil {
				return err
			}
		}
	}
}

// rawDiff sends the text of a diff in pieces.
func (d *Daemon) rawDiff(ctx context.Context, q bus.Request, r *bus.Reply) error {
	body, err := decode[wire.DiffRequest](q.Body)
	if err != nil {
		return err
	}
	s, err := d.find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if err := d.removal.Whole(s, "the recorded work"); err != nil {
		return err
	}
	from, to, err := d.span(ctx, s, body.Range)
	if err != nil {
		return err
	}
	repo, err := d.worker.Repo(ctx, s)
	if err != nil {
		return err
	}
	w := &pieces{ctx: ctx, r: r}
	if body.Stat {
		err = repo.Stat(ctx, from, to, w)
	} else {
		err = repo.Diff(ctx, from, to, nil, w)
	}
	if err != nil {
		return fmt.Errorf("diff run %s: %w", s.Facts.Handle, err)
	}
	return nil
}

// inPieces sends what is written in frames that are full but for the last.
func inPieces(ctx context.Context, r *bus.Reply, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(&pieces{ctx: ctx, r: r}, wire.MaxFrame)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// pieces cuts what is written into frames.
type pieces struct {
	ctx context.Context
	r   *bus.Reply
}

func (p *pieces) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		k := min(len(b), wire.MaxFrame)
		if err := p.r.Send(p.ctx, b[:k]); err != nil {
			return n - len(b), err
		}
		b = b[k:]
	}
	return n, nil
}
