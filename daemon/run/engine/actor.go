package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/run"
)

// recheck bounds every wait: wall clock limits are looked at again after the
// host slept or its clock was set (lesson FR-46).
const recheck = 30 * time.Second

// Journal stores one event and gives it back as it was stored. The actor fills
// all but id, time, sequence and hash.
type Journal interface {
	// Append stores e as the next event of the run. Events that close a run may
	// use the reserve of the quota.
	Append(ctx context.Context, e events.Event, closing bool) (events.Event, error)
	// Load folds the run anew from what is stored.
	Load(ctx context.Context, id string) (run.State, error)
}

// Config is what an Actor works with. All fields are needed.
type Config struct {
	Journal Journal
	Worker  Worker
	Flow    workflow.Workflow
	Host    string // host id, for actor strings
	Now     func() time.Time
	Log     *slog.Logger
	Changed func(run.State) // called after each change, must not block
	// Draining says that no new iteration may begin: the daemon is about to end.
	Draining func() bool
	// Unservable, if not empty, is why the run cannot go on at all: it is halted
	// at once, and Flow is only there to decide on what people ask.
	Unservable string
	// First is carried out before anything else is begun.
	First Reboot
}

// Actor owns one run: its state, and every append to its log. Run must be
// called once; Do and State may be called from any goroutine.
type Actor struct {
	cfg   Config
	inbox chan request
	gone  chan struct{} // closed when Run returns
	retry int           // failures in a row of the present action
	full  atomic.Bool   // the machine has no room for the present action
	busy  atomic.Int64  // since when it is within a decision, in Unix milliseconds; 0 while it waits

	mu    sync.Mutex
	state run.State
}

type request struct {
	cmd   Command
	actor string
	cause string
	reply chan answer
}

type answer struct {
	state run.State
	err   error
}

// NewActor makes the actor of a run in that state.
func NewActor(cfg Config, s run.State) *Actor {
	return &Actor{cfg: cfg, inbox: make(chan request), gone: make(chan struct{}), state: s}
}

// State is the run as it is now.
func (a *Actor) State() run.State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// ErrGone is returned for a command to an actor that has ended.
var ErrGone = errors.New("this daemon no longer serves the run")

// Do hands a command to the run and waits for the state that it led to. cause
// is the id of the request, actor who sent it.
func (a *Actor) Do(ctx context.Context, c Command, actor, cause string) (run.State, error) {
	q := request{c, actor, cause, make(chan answer, 1)}
	select {
	case a.inbox <- q:
	case <-a.gone:
		return a.State(), ErrGone
	case <-ctx.Done():
		return a.State(), ctx.Err()
	}
	select {
	case r := <-q.reply:
		return r.state, r.err
	case <-a.gone:
		select {
		case r := <-q.reply: // it was the command that ended the run
			return r.state, r.err
		default:
			return a.State(), ErrGone
		}
	case <-ctx.Done():
		return a.State(), ctx.Err()
	}
}

// Settle waits until the run is served no more: how it ended is known a moment before
// what that brings with it is done.
func (a *Actor) Settle(ctx context.Context) error {
	select {
	case <-a.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Settled says that the run is served no more.
func (a *Actor) Settled() bool {
	select {
	case <-a.gone:
		return true
	default:
		return false
	}
}

// Run serves the run until it is over or ctx ends. When ctx ends, effects are
// let go of and live on.
func (a *Actor) Run(ctx context.Context) error {
	defer close(a.gone)
	a.waits(false)
	defer a.waits(true)
	ctx, cancel := context.WithCancel(ctx)
	var j *job
	defer func() {
		cancel()
		if j != nil {
			<-j.done
		}
	}()
	err := a.first(ctx)
	for err == nil && (j != nil || !a.isOver()) {
		var act Action
		if j, act, err = a.turn(ctx, j); err == nil && act != nil {
			j, err = a.await(ctx, j, act)
		}
	}
	return err
}

func (a *Actor) isOver() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state.Status == run.Over
}

// turn begins what is to be done now, and answers what to wait for: nothing where
// an event was stored instead. It is over before a wait begins, so that what it
// needs of the stack is not held by a thousand runs that wait.
func (a *Actor) turn(ctx context.Context, j *job) (_ *job, wait Action, err error) {
	s := a.State()
	if s.Status == run.Live && a.cfg.Unservable != "" {
		data, err := a.giveUp(ctx, s)
		if err == nil {
			err = a.append(ctx, data)
		}
		return j, nil, err
	}
	act := Next(s, a.cfg.Flow, a.cfg.Now())
	j, err = a.pursue(ctx, j, act)
	if err == nil && j == nil && pure(act) != nil {
		return nil, nil, a.append(ctx, pure(act))
	}
	return j, act, err
}

// first carries out what comes before anything else. A command that comes
// meanwhile is decided before it.
func (a *Actor) first(ctx context.Context) error {
	if s := a.State(); s.Status == run.Halted && s.Stage == run.Agent {
		a.closed(ctx, *s.Halt) // the daemon before may not have come to it
	}
	for {
		data, err := Decide(a.State(), a.cfg.First, a.cfg.Now())
		if err != nil || data == nil {
			return err
		}
		if err := a.append(ctx, data); err != nil {
			return err
		}
	}
}

// giveUp is the event that halts a run which cannot be served.
func (a *Actor) giveUp(ctx context.Context, s run.State) (events.Data, error) {
	c := GiveUp{Reason: events.HaltInternal, Error: a.cfg.Worker.Text(ctx, a.cfg.Unservable)}
	return Decide(s, c, a.cfg.Now())
}

// pure is the event of an action that needs no work.
func pure(act Action) events.Data {
	switch act := act.(type) {
	case Record:
		return act.IterationRecorded
	case Halt:
		return act.RunHalted
	case Finish:
		return act.RunEnded
	case Enter:
		return act.PhaseEntered
	case Escalate:
		return act.AgentEscalated
	case Accept:
		return act.QuestionAnswered
	case Expire:
		return act.QuestionExpired
	}
	return nil
}

// await waits for the first of: the job's outcome, a command, time, the end.
func (a *Actor) await(ctx context.Context, j *job, act Action) (*job, error) {
	var done <-chan struct{}
	if j != nil {
		done = j.done
	}
	timer := time.NewTimer(a.pause(act))
	defer timer.Stop()
	a.waits(true)
	defer a.waits(false)
	select {
	case <-ctx.Done():
		return j, ctx.Err()
	case <-timer.C:
		return j, nil
	case q := <-a.inbox:
		a.waits(false)
		return j, a.command(ctx, q)
	case <-done:
		a.waits(false)
		return nil, a.outcome(ctx, j)
	}
}

// pause is how long nothing needs to be decided.
func (a *Actor) pause(act Action) time.Duration {
	now, d := a.cfg.Now(), recheck
	if w, ok := act.(Wait); ok {
		if w.Until.IsZero() {
			return time.Hour
		}
		d = min(d, w.Until.Sub(now))
	}
	s := a.State()
	if end, ok := Deadline(s, now); ok && end.After(now) && s.Clock.Waits.IsZero() { // what waits is bounded above
		d = min(d, end.Sub(now))
	}
	return max(d, time.Millisecond)
}

func (a *Actor) command(ctx context.Context, q request) error {
	err := a.decide(ctx, q)
	q.reply <- answer{a.State(), err}
	return ctx.Err()
}

// decideTries bounds how often the event of a command is stored of which is
// known each time that it is not there.
const decideTries = 3

// decide answers a command with its event. The caller hears of a store that takes
// none; only what the daemon itself has to say waits for one.
func (a *Actor) decide(ctx context.Context, q request) error {
	var err error
	for range decideTries {
		s := a.State()
		if q.cause != "" && q.cause == s.Asked {
			return nil // the same request again: it was answered, and gets that answer
		}
		data, derr := Decide(s, q.cmd, a.cfg.Now())
		if derr != nil || data == nil {
			return derr
		}
		err = a.store(ctx, data, q.actor, q.cause)
		if !errors.Is(err, events.ErrMoved) {
			return err
		}
		if a.State().Log.Seq > s.Log.Seq {
			return nil // nobody else writes here, so what is there now is ours
		}
	}
	return err
}

// outcome appends what a job made. A job that failed is tried again, and after
// the third failure the run is halted: the daemon cannot do its part.
func (a *Actor) outcome(ctx context.Context, j *job) error {
	if j.dropped {
		return nil
	}
	var cmd Command = Report{j.data}
	if j.err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		giveUp, again := a.failed(ctx, j)
		if giveUp == nil {
			return a.serve(ctx, again, func(q request) error { return a.command(ctx, q) })
		}
		cmd = giveUp
	}
	a.retry = 0
	a.setFull(false)
	if j.err == nil && announces(j.data) && a.cfg.Draining() {
		return nil // it was prepared when the draining began, and is prepared again after it
	}
	data, err := Decide(a.State(), cmd, a.cfg.Now())
	if errors.Is(err, ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.append(ctx, data)
}

// announces says that an agent will be started behind the event.
func announces(d events.Data) bool {
	switch d.(type) {
	case events.IterationStarted, events.RoleStarted:
		return true
	}
	return false
}

// tries is how often an action is done that fails, and roomEvery how often one
// for which there is no room.
const (
	tries     = 3
	roomEvery = 5 * time.Second
)

// failed says what follows from work that could not be done: giving up, or
// another try after a while. A full disk is waited for, as long as it takes.
func (a *Actor) failed(ctx context.Context, j *job) (giveUp Command, again time.Duration) {
	a.cfg.Log.Error("do the work of a run", "run", a.State().ID, "action", fmt.Sprintf("%T", j.act), "error", j.err)
	if errors.Is(j.err, events.ErrNoRoom) {
		a.setFull(true)
		return nil, roomEvery
	}
	a.retry++
	switch {
	case errors.Is(j.err, ErrWorkspaceGone):
		return GiveUp{Reason: events.HaltWorkspaceGone, Error: a.cfg.Worker.Text(ctx, j.err.Error())}, 0
	case errors.Is(j.err, ErrRepositoryGone):
		return GiveUp{Reason: events.HaltWorkspaceGone, Value: events.GoneRepository, Error: a.cfg.Worker.Text(ctx, j.err.Error())}, 0
	case a.retry < tries:
		return nil, time.Duration(a.retry) * time.Second
	}
	return GiveUp{Reason: events.HaltInternal, Error: a.cfg.Worker.Text(ctx, j.err.Error())}, 0
}

// setFull tells of a change.
func (a *Actor) setFull(full bool) {
	if a.full.Swap(full) != full {
		a.cfg.Changed(a.State())
	}
}

// Full says that the run waits for room on the disk. That is seen, not stored:
// it goes on by itself.
func (a *Actor) Full() bool { return a.full.Load() }

// waits notes that the actor waits for something, or is within a decision.
func (a *Actor) waits(waits bool) {
	since := int64(0)
	if !waits {
		since = a.cfg.Now().UnixMilli()
	}
	a.busy.Store(since)
}

// Busy says since when the actor is within a decision; false while it waits for
// its work, a command or the time.
func (a *Actor) Busy() (since time.Time, busy bool) {
	ms := a.busy.Load()
	return time.UnixMilli(ms), ms != 0
}

// serve lets time pass, and gives the first command that comes to answer.
func (a *Actor) serve(ctx context.Context, d time.Duration, answer func(request) error) error {
	t := time.NewTimer(d)
	defer t.Stop()
	a.waits(true)
	defer a.waits(false)
	select {
	case <-t.C:
		return nil
	case q := <-a.inbox:
		a.waits(false)
		return answer(q)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *Actor) set(s run.State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = s
}
