package machine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/host/sched"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// Runs are the runs that a machine is there for. These methods may take the lock that
// Note is called under: what Note takes is never held while they are called.
type Runs interface {
	Live() int
	LiveStates() []*run.State // that are only read
	State(id string) (run.State, bool)
	Do(ctx context.Context, id string, c engine.Command, actor, cause string) (run.State, error)
}

// Settings are what people have said of the machine, and of what runs on it.
type Settings struct {
	User   func() (*config.User, error)
	Flow   func(context.Context, run.State) (workflow.Workflow, error)
	Bounds func(run.State) (config.Bounds, error) // of the agents of a run
	Layers func(tree.Workspace) config.Layers     // as they are in its files
}

// Config is what a Machine works with. All fields are needed.
type Config struct {
	Sight    Sight
	Settings Settings
	Runs     Runs
	Record   Record
	Draining func() bool  // says that nobody may begin any more
	Go       func(func()) // runs beside, until it returns
	Now      func() time.Time
	Log      *slog.Logger
}

// Machine is what the host can bear, and who may begin an agent on it. Its methods
// may be called from any goroutine.
type Machine struct {
	cfg   Config
	gauge gauge
	told  verdicts

	mu   sync.Mutex
	line sched.Line
	at   []agentAt // who was at work when the line was looked at last

	kick  chan struct{} // somebody has ended: look at the line
	noted sync.Mutex    // of began alone: it is held under the lock of the runs, which those who hold mu take
	began []string      // runs that need their grant no more, since the line was looked at
}

// lineWait is after what time a run in line asks again by itself. It is let go by
// others.
const lineWait = 10 * time.Minute

// New makes a Machine. It starts nothing.
func New(cfg Config) *Machine {
	m := &Machine{cfg: cfg, gauge: gauge{Sight: cfg.Sight, live: cfg.Runs.LiveStates}, kick: make(chan struct{}, 1)}
	m.told.load(cfg.Record.Host.State().Judged)
	return m
}

// resources are the user's settings of the machine.
func (m *Machine) resources() config.Resources {
	u, err := m.cfg.Settings.User()
	if err != nil {
		return config.DefaultUser().Resources
	}
	return u.Resources
}

// room is how many agents may be at work by what was seen, for what those in line,
// and one more, are bound by. m.mu is held.
func (m *Machine) room(v seen, c config.Resources, more ...string) sched.Room {
	out := sched.Room{}
	for _, name := range slices.Concat(m.line.Policies(), more) {
		if _, ok := out[name]; !ok {
			_, out[name], _ = v.judged(boundOf(name), c, m.at)
		}
	}
	if c.Agents > 0 {
		out[sched.Own] = c.Agents
	}
	return out
}

// here notes who is at work. m.mu is held.
func (m *Machine) here(at []agentAt) {
	m.at, m.line.Groups = at, make(map[string]string, len(at))
	for _, a := range at {
		m.line.Groups[a.run] = a.project
	}
}

// Slot says whether an agent of the run may begin on this machine now, and how
// many sub-agents it may have; less than 0 is no bound. It waits for the moment that
// its start is given.
func (m *Machine) Slot(ctx context.Context, s run.State) (not events.Data, most int, err error) {
	now, c := m.cfg.Now(), m.resources()
	// An attempt that was lost is repeated at once: it was let in.
	if s.Stage != run.Ready && s.Stage != run.Judged {
		return nil, judge.NoCap, nil
	}
	a, err := m.wish(ctx, s, c)
	if err != nil {
		return nil, judge.NoCap, err
	}
	a.Until = now.Add(lineWait)
	m.gauge.fresh(ctx, now)
	place, held, most := m.ask(c, a, now)
	if !place.Granted() {
		return m.waitForSlot(s, held, a.Until), most, nil
	}
	select {
	case <-time.After(place.Begin.Sub(now)):
	case <-ctx.Done():
	}
	return nil, most, ctx.Err()
}

// wish is what a run asks the line for. One that has stood there since its latest
// agent has the age of that, whatever it waited for meanwhile.
func (m *Machine) wish(ctx context.Context, s run.State, c config.Resources) (sched.Ask, error) {
	flow, err := m.cfg.Settings.Flow(ctx, s)
	bounds, berr := m.cfg.Settings.Bounds(s)
	a := sched.Ask{
		Run: s.ID, Priority: int(s.Facts.Priority), Policy: bound{c.PolicyOf(flow), bounds.RAM}.name(), Coordinator: flow.Resources.Coordinator == workflow.Always,
		Again: s.Loop.Iteration > 0, Group: projectOf(&s), Most: bounds.Agents,
	}
	if w := s.Waiting; w != nil {
		a.Since, a.Until = w.InLine, time.UnixMilli(w.UntilMS)
	}
	return a, errors.Join(err, berr)
}

// ask asks for a slot: with its place, what else there is to tell of the wait for
// it, and how many sub-agents may be at work.
func (m *Machine) ask(c config.Resources, a sched.Ask, now time.Time) (p sched.Place, w events.LimitWaiting, most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	m.here(crowd(m.cfg.Runs.LiveStates(), a.Run))
	v := m.gauge.latest()
	room := m.room(v, c, a.Policy)
	j, _, _ := v.judged(boundOf(a.Policy), c, m.at)
	p = m.line.Ask(a, room, runsOf(m.at), now)
	return p, v.held(a, p, c, m.at, room), judge.Lower(j.Cap, a.Most)
}

// waitForSlot is the event of a run that stands in line, or of one that was told
// not to.
func (m *Machine) waitForSlot(s run.State, w events.LimitWaiting, until time.Time) events.Data {
	if s.Facts.Limits.NoWait {
		m.Drop(s.ID)
		return events.RunHalted{
			Reason: events.HaltLimit, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Value: string(events.LimitResources),
			Limit: w.Limit, Used: w.Used, Bound: w.By, Signal: w.Signal, UntilMS: until.UnixMilli(), Tree: s.Last.Tree,
		}
	}
	w.UntilMS = until.UnixMilli()
	return w
}

// Drop takes the place or the grant of a run back: it waits for something else.
func (m *Machine) Drop(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.line.Drop(run)
}

// Note hears of every change of a run: one whose agent is at work has used its
// grant, however soon it ends, and one whose agent has ended left a slot.
func (m *Machine) Note(s run.State) {
	if s.AtWork() || s.Status != run.Live {
		m.noted.Lock()
		m.began = append(m.began, s.ID)
		m.noted.Unlock()
	}
	if s.AtWork() {
		return
	}
	select {
	case m.kick <- struct{}{}:
	default:
	}
}

// settle takes back the grants of those that have begun, or are over. m.mu is held.
// Who is at work is to be looked at after it: one that begins in between has a
// grant and is at work, which counts once; the other way round it had neither.
func (m *Machine) settle() {
	m.noted.Lock()
	began := m.began
	m.began = nil
	m.noted.Unlock()
	for _, run := range began {
		m.line.Drop(run)
	}
}

// Placed is a run with how its wait for the machine stands now: what is stored is
// how it was when it asked, and the line moves. There is no line yet where m is nil.
func (m *Machine) Placed(s run.State) run.State {
	if m == nil || !inLine(&s) {
		return s
	}
	c := m.resources()
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.gauge.latest()
	room := m.room(v, c)
	a, place, ok := m.line.At(s.ID, room, runsOf(m.at), m.cfg.Now())
	if !ok {
		return s
	}
	w := *s.Waiting
	until := w.UntilMS
	w.LimitWaiting = v.held(a, place, c, m.at, room)
	w.UntilMS = until
	s.Waiting = &w
	return s
}
