package fleet

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// How a run begins: its workspace is held, its first event stored, and a request
// that comes again finds the run that it has begun.

// start is a run that is being started or resumed in a workspace.
type start struct {
	cause string        // its request
	over  chan struct{} // closed when it has begun, or failed
}

// Begin stores a new run and serves it. Its work tree is held (Hold).
func (f *Fleet) Begin(ctx context.Context, id string, started events.RunStarted, actor, cause string) (run.State, error) {
	s, err := f.announce(ctx, id, started, actor, cause)
	if err != nil {
		return run.State{}, fmt.Errorf("store the start of a run: %w", err)
	}
	f.Serve(ctx, s, engine.Reboot{})
	f.note(s)
	return s, nil
}

// announce stores the first event of a run. When the outcome is unknown it looks
// whether the event is there, so that a run is neither lost nor begun twice.
func (f *Fleet) announce(ctx context.Context, id string, started events.RunStarted, actor, cause string) (run.State, error) {
	e := events.Event{Aggregate: events.Run(id), Seq: 1, Actor: actor, Causation: cause, Data: started}
	var err error
	for range journal.Tries {
		var stored events.Event
		if stored, err = f.cfg.Journal.Append(ctx, e, false); err == nil {
			return run.Evolve(run.State{}, stored), nil
		}
		if !errors.Is(err, events.ErrMoved) || ctx.Err() != nil {
			break
		}
		if s, lerr := f.cfg.Journal.Load(ctx, id); lerr == nil && s.Status != run.None {
			return s, nil
		}
	}
	return run.State{}, err
}

// Hold reserves a workspace for the start or the resume of a run, so that two
// never share one. release is nil when it failed.
func (f *Fleet) Hold(project, cause, except string) (release func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, m := range f.open {
		if m.head.Project == project && m.head.Status == run.Live && id != except {
			h := m.head.Handle
			return nil, wire.Errorf(wire.Conflict, "run %s is live in this workspace", h).
				WithHint("apctl watch %s   follows it; apctl stop %s   stops it", h, h)
		}
	}
	if _, busy := f.starts[project]; busy {
		return nil, wire.Errorf(wire.Conflict, "another run is starting in this workspace").
			WithHint("apctl ls   shows it in a moment; then try again, or work in parallel with --worktree")
	}
	over := make(chan struct{})
	f.starts[project] = start{cause, over}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.starts, project)
		close(over)
	}, nil
}

// Requested finds the run that a repeated request has started already. It waits
// for the first request if that is still at it: its client may have left and
// asked again.
func (f *Fleet) Requested(ctx context.Context, cause string) (run.State, bool) {
	if first := f.Starting(cause); first != nil {
		select {
		case <-first:
		case <-ctx.Done():
		}
	}
	for _, h := range f.Heads() {
		if h.Requested == cause {
			return f.State(h.ID)
		}
	}
	return run.State{}, false
}

// Starting is closed when the start that a request is at is over; nil without
// one.
func (f *Fleet) Starting(cause string) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.starts {
		if s.cause == cause {
			return s.over
		}
	}
	return nil
}
