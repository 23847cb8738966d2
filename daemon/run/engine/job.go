package engine

import (
	"context"

	"autopilot/events"
	"autopilot/projections/run"
)

// job is one piece of work under way, in a goroutine of its own that ends when
// done is closed. The actor has at most one.
type job struct {
	act     Action
	end     chan struct{} // closed to end what the job started
	ending  bool
	dropped bool // its outcome no longer matters
	done    chan struct{}
	data    events.Data
	err     error
}

// pursue makes the running job fit the action: starts one, ends what it
// started, or drops it.
func (a *Actor) pursue(ctx context.Context, j *job, act Action) (*job, error) {
	switch {
	case j == nil:
		return a.begin(ctx, act), nil
	case sameWork(j.act, act):
		if ends(act) {
			j.stop()
		}
		return j, nil
	}
	j.dropped = true
	j.stop()
	select {
	case <-j.done:
		return a.begin(ctx, act), nil
	case <-ctx.Done():
		return j, ctx.Err()
	}
}

func (j *job) stop() {
	if !j.ending {
		j.ending = true
		close(j.end)
	}
}

// sameWork compares actions without the wish to end them.
func sameWork(a, b Action) bool { return lasting(a) == lasting(b) }

func lasting(act Action) Action {
	switch act := act.(type) {
	case RunAgent:
		act.End = false
		return act
	case RunRole:
		act.End = false
		return act
	}
	return act
}

// ends says that what the action has begun shall end.
func ends(act Action) bool {
	switch act := act.(type) {
	case RunAgent:
		return act.End && act.Announced
	case RunRole:
		return act.End && act.Announced
	}
	return false
}

// begins says that an action starts an agent, which a daemon that is about to end
// does not.
func begins(act Action) bool {
	switch act := act.(type) {
	case RunAgent:
		return !act.Announced
	case RunRole:
		return !act.Announced
	}
	return false
}

// begin starts the goroutine of an action that needs work; nil for others.
func (a *Actor) begin(ctx context.Context, act Action) *job {
	work := a.work(act)
	if begins(act) && a.cfg.Draining() {
		return nil
	}
	if work == nil {
		return nil
	}
	j := &job{act: act, end: make(chan struct{}), done: make(chan struct{})}
	if ends(act) {
		j.stop()
	}
	s := a.State()
	go func() {
		defer close(j.done)
		j.data, j.err = work(ctx, s, j.end)
	}()
	return j
}

type work func(ctx context.Context, s run.State, end <-chan struct{}) (events.Data, error)

func (a *Actor) work(act Action) work {
	w := a.cfg.Worker
	switch act := act.(type) {
	case RunAgent:
		if act.Announced {
			return func(ctx context.Context, s run.State, end <-chan struct{}) (events.Data, error) {
				return w.Agent(ctx, s, end)
			}
		}
		return func(ctx context.Context, s run.State, _ <-chan struct{}) (events.Data, error) {
			return w.BeginAgent(ctx, s, act)
		}
	case RunRole:
		if act.Announced {
			return func(ctx context.Context, s run.State, end <-chan struct{}) (events.Data, error) {
				return w.Role(ctx, s, end)
			}
		}
		return func(ctx context.Context, s run.State, _ <-chan struct{}) (events.Data, error) {
			return w.BeginRole(ctx, s, act)
		}
	case Ask:
		return func(ctx context.Context, s run.State, _ <-chan struct{}) (events.Data, error) {
			return w.Ask(ctx, s, act)
		}
	case SelectMode:
		return func(ctx context.Context, s run.State, _ <-chan struct{}) (events.Data, error) {
			return w.SelectMode(ctx, s, act)
		}
	case Publish:
		return func(ctx context.Context, s run.State, _ <-chan struct{}) (events.Data, error) {
			return w.Publish(ctx, s, act)
		}
	case RunGates:
		if act.Announced {
			return func(ctx context.Context, s run.State, end <-chan struct{}) (events.Data, error) {
				return w.Gates(ctx, s, end)
			}
		}
		return func(ctx context.Context, s run.State, _ <-chan struct{}) (events.Data, error) {
			return w.BeginGates(ctx, s, act)
		}
	}
	return nil
}
