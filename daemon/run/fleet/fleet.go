// Package fleet has the runs of a daemon.
//
// A Fleet knows every run of the log, of the archive and of elsewhere, and serves
// those that are not over: one actor (daemon/run/engine) each, which is the only one that
// changes its run. It promises that a run which was stored is served by this daemon or
// the next; that no two runs begin in one work tree at once; that a request which comes
// again finds the run that it has begun; and that its listener hears of every change in
// the order of the changes. States of runs that are over are read when they are asked
// for: from the snapshot (Kept), else from the log or the archive.
//
// All of it may be called from many goroutines. What it shows under its lock, and what
// LiveStates and NotOver give, is only read. It starts no goroutine but those of the
// actors, and performs no effect.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Fleet holds every run that this daemon knows and the actors of those that
// are not over. One goroutine per such run; Close waits for them all.
type Fleet struct {
	ctx   context.Context
	cfg   Config
	hears Listener
	wg    sync.WaitGroup

	mu sync.Mutex
	list
	news
	handles map[string]bool  // that are taken; made when the first run is started
	starts  map[string]start // by workspace id
	closed  bool
}

// list is the runs, by their ids.
type list struct {
	runs     map[string]*member
	open     map[string]*member       // those that are not over: few of all that a host has had
	imported map[string]snapshot.Head // of other places, and never changed
	archive  *archive.Archive         // nil as long as nothing of it is here
}

// news is what has changed.
type news struct {
	changed chan struct{} // closed and made anew at every change
	events  int           // changes since the latest snapshot
}

// Config is what a fleet serves its runs with.
type Config struct {
	Journal  *journal.Journal
	Worker   engine.Worker
	Flow     func(ctx context.Context, s run.State) (workflow.Workflow, error)
	Host     string
	Now      func() time.Time
	Log      *slog.Logger
	Draining func() bool // says that no new iteration may begin; nil is never
	Kept     *Kept       // nil keeps no states
}

// Listener is who hears of the runs of a fleet.
type Listener struct {
	// Loading gets the runs that are not over before any is served.
	Loading func(ctx context.Context, open []run.State) error
	// Touched hears that a run is another than it was, by its id, and does not
	// block. It may be nil.
	Touched func(id string)
	// Noted hears of every change, in its order, and does not block.
	Noted func(run.State)
}

// member is one run. Its actor is nil when it is over, or could not be served.
type member struct {
	head     snapshot.Head
	state    *run.State // nil of a run that is over and whose state the snapshot has, or the archive
	actor    *engine.Actor
	archived bool // it is over, and in the log no more
}

// New is a fleet without runs. Its actors end with ctx.
func New(ctx context.Context, cfg Config) *Fleet {
	if cfg.Draining == nil {
		cfg.Draining = func() bool { return false }
	}
	if cfg.Kept == nil {
		cfg.Kept = &Kept{out: cfg.Log}
		cfg.Kept.begin(nil)
	}
	cfg.Kept.serve(cfg.Journal)
	return &Fleet{
		ctx: ctx, cfg: cfg,
		hears: Listener{Loading: func(context.Context, []run.State) error { return nil }, Noted: func(run.State) {}, Touched: func(string) {}},
		list:  list{runs: map[string]*member{}, open: map[string]*member{}, imported: map[string]snapshot.Head{}},
		news:  news{changed: make(chan struct{})}, starts: map[string]start{}, handles: map[string]bool{},
	}
}

// Tell names who hears of the runs from now on. It comes before Load.
func (f *Fleet) Tell(l Listener) {
	if l.Touched == nil {
		l.Touched = func(string) {}
	}
	f.hears = l
}

// Flow is the workflow of a run.
func (f *Fleet) Flow(ctx context.Context, s run.State) (workflow.Workflow, error) {
	return f.cfg.Flow(ctx, s)
}

// Load folds every run from the snapshot and the log, and serves those that are
// not over, live ones first. boot is what the host's boot means for them: the time
// between the last event of a live run and that moment is no activity.
func (f *Fleet) Load(ctx context.Context, boot engine.Reboot) error {
	if err := f.cfg.Kept.catchUp(ctx); err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	open, err := f.openStates()
	if err != nil {
		if err = f.cfg.Kept.anew(ctx, err); err == nil {
			open, err = f.openStates()
		}
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
	}
	f.addOver()
	if err := f.hears.Loading(ctx, open); err != nil {
		return err
	}
	for _, status := range []run.Status{run.Live, run.Halted} {
		for _, s := range open {
			if s.Status == status {
				f.Serve(ctx, s, boot)
			}
		}
	}
	return ctx.Err()
}

// openStates is every run that is not over. Their hashes go to the journal,
// which appends to them.
func (f *Fleet) openStates() ([]run.State, error) {
	var open []run.State
	for _, h := range f.cfg.Kept.fold.Heads() {
		if h.Status == run.Over {
			continue
		}
		s, err := f.cfg.Kept.fold.State(h.ID)
		if err != nil {
			return nil, err
		}
		s.ID = h.ID
		f.cfg.Journal.Remember(h.ID, h.Hash)
		open = append(open, s)
	}
	return open, nil
}

// addOver adds the runs that are over; their states are read when they are asked
// for.
func (f *Fleet) addOver() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.cfg.Kept.fold.Heads() {
		if h.Status == run.Over {
			h.Hash = ""
			f.putLocked(&member{head: h})
		}
	}
	for id, s := range f.cfg.Kept.fold.InMemory() {
		if m := f.runs[id]; m != nil {
			m.state = &s
		}
	}
}

// release lets go of the states that a snapshot has. An actor stays until it has done
// what the end of its run brings with it.
func (f *Fleet) release(s *snapshot.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, m := range f.runs {
		if h, ok := s.Head(id); ok && m.head.Status == run.Over && h.Seq == m.head.Seq {
			if m.state = nil; m.actor != nil && m.actor.Settled() {
				m.actor = nil
			}
		}
	}
}

// Serve adds a run and, unless it is over, starts its actor, which begins with
// what the host's boot means for the run.
func (f *Fleet) Serve(ctx context.Context, s run.State, first engine.Reboot) {
	m := &member{head: snapshot.HeadOf(s, ""), state: &s}
	if s.Status != run.Over {
		cfg := engine.Config{
			Journal: f.cfg.Journal, Worker: f.cfg.Worker, Host: f.cfg.Host, Now: f.cfg.Now, Log: f.cfg.Log,
			Changed: f.note, Draining: f.cfg.Draining, First: first,
		}
		var err error
		if cfg.Flow, err = f.cfg.Flow(ctx, s); err != nil {
			f.cfg.Log.Error("serve a run", "run", s.ID, "error", err)
			cfg.Flow, cfg.Unservable = workflow.Default(), "read the workflow of the run: "+err.Error()
		}
		m.actor = engine.NewActor(cfg, s)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.putLocked(m)
	f.hears.Touched(s.ID)
	if f.closed {
		m.actor = nil // stored by a request that outlived its client; the next daemon serves it
	}
	if m.actor != nil {
		actor, id := m.actor, s.ID
		f.wg.Go(func() {
			if err := actor.Run(f.ctx); err != nil && f.ctx.Err() == nil {
				f.cfg.Log.Error("serve a run", "run", id, "error", err)
			}
		})
	}
}

// putLocked keeps a run where it is looked for, by how it stands now.
func (l *list) putLocked(m *member) {
	id := m.head.ID
	l.runs[id] = m
	if m.head.Status == run.Over {
		delete(l.open, id)
		return
	}
	l.open[id] = m
}

// Close waits for the actors; their context has ended. None is begun after it.
func (f *Fleet) Close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.wg.Wait()
}

// note takes the new state of a run from its actor. Who has begun the run notes
// it too, and may come late: then all that hear of it know more already.
func (f *Fleet) note(s run.State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.runs[s.ID]
	late := m != nil && s.Log.Seq < m.head.Seq
	if m != nil && !late {
		m.head, m.state = snapshot.HeadOf(s, ""), &s
		f.putLocked(m)
	}
	f.events++
	f.hears.Touched(s.ID)
	if !late {
		f.hears.Noted(s)
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// Wait returns a channel that is closed at the next change of any run.
func (f *Fleet) Wait() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// fresh is how many changes there were since the latest snapshot, and a channel
// that is closed at the next one.
func (f *Fleet) fresh() (<-chan struct{}, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed, f.events
}

// Do hands a command to a run's actor.
func (f *Fleet) Do(ctx context.Context, id string, c engine.Command, actor, cause string) (run.State, error) {
	known, ok := f.State(id)
	if !ok {
		return run.State{}, wire.Errorf(wire.NotFound, "no run %q", id)
	}
	if err := f.Changeable(known); err != nil {
		return known, err
	}
	if cause != "" && known.Asked == cause {
		return known, nil // the same request again
	}
	serving := f.actorOf(id)
	if serving == nil {
		_, err := engine.Decide(known, c, f.cfg.Now())
		if err == nil {
			err = fmt.Errorf("the daemon cannot serve run %s: see its log", known.Facts.Handle)
		}
		return known, err
	}
	s, err := serving.Do(ctx, c, actor, cause)
	if errors.Is(err, engine.ErrGone) {
		if _, derr := engine.Decide(s, c, f.cfg.Now()); derr != nil {
			err = derr
		}
	}
	return s, err
}

// actorOf is what serves a run, or served it to its end; nil of one that was over before.
func (f *Fleet) actorOf(id string) *engine.Actor {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.runs[id]; m != nil {
		return m.actor
	}
	return nil
}

// Settle waits until all is done that the end of a run brings with it.
func (f *Fleet) Settle(ctx context.Context, id string) error {
	if a := f.actorOf(id); a != nil {
		return a.Settle(ctx)
	}
	return nil
}

// Suspended tells every live run that the host slept.
func (f *Fleet) Suspended(ctx context.Context, d time.Duration) {
	for _, h := range f.Heads() {
		if h.Status == run.Live {
			f.suspend(ctx, h.ID, d)
		}
	}
}

// suspend tells a run that it was not active. Where that cannot be stored the
// time counts, and the run ends sooner: no reason to stand still for.
func (f *Fleet) suspend(ctx context.Context, id string, d time.Duration) {
	if _, err := f.Do(ctx, id, engine.Suspend{For: d}, events.ActorDaemon(f.cfg.Host), ""); err != nil {
		f.cfg.Log.Error("record a suspension", "run", id, "error", err)
	}
}

// Busy says whether a served run is within an iteration. One whose agent was
// lost is between two attempts.
func (f *Fleet) Busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.open {
		if m.actor == nil {
			continue
		}
		s := m.state
		lost := s.Stage == run.Ended && s.Last.Agent.Outcome == events.Lost
		chat := s.Stage == run.Agent && s.Driven() // that may take days, and is found again
		if s.Status == run.Live && s.Stage != run.Ready && !lost && !chat {
			return true
		}
	}
	return false
}
