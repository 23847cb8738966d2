package daemon

import (
	"context"
	"slices"
	"sync"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/config"
	"autopilot/daemon/sched"
	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/probe"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// machine is what the host can bear, and who may begin an agent on it: the latest
// reading, its verdict by each policy, and the line of those that wait.
type machine struct {
	sample sync.Mutex // one sample at a time
	probe  prober
	trees  map[events.Ref]string // paths of the work trees of the runs that were live at the latest sample
	now    func() time.Time

	mu      sync.Mutex
	reading judge.Reading
	bands   map[judge.Policy]judge.Band
	told    map[judge.Policy]events.ResourcesJudged // latest that is stored
	line    sched.Line
	kick    chan struct{} // somebody has ended: look at the line

	noted sync.Mutex // of began alone: it is held under the fleet's lock, which those who hold mu take
	began []string   // runs that need their grant no more, since the line was looked at
}

// prober takes a sample of the machine.
type prober interface {
	Read(ctx context.Context, now time.Time, of probe.Subject) judge.Reading
}

// How often the machine is looked at while a run is live, and how old a reading
// may be that an agent is let in by.
const (
	sampleEvery = 2 * time.Second
	sampleFresh = 5 * time.Second
	// A run in line asks again by itself after so long. It is let go by others.
	lineWait = 10 * time.Minute
)

func newMachine(store string) *machine {
	return &machine{
		now:   time.Now,
		probe: probe.New(probe.Config{Store: store, Agents: agent.Overrides(nil).Names()}),
		bands: map[judge.Policy]judge.Band{}, told: map[judge.Policy]events.ResourcesJudged{}, kick: make(chan struct{}, 1),
	}
}

// look takes a reading, and moves the bands.
func (d *Daemon) look(ctx context.Context, now time.Time) judge.Reading {
	m := d.machine
	m.sample.Lock()
	defer m.sample.Unlock()
	r := m.probe.Read(ctx, now, d.subject())
	r.Peers = d.countPeers()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reading = r
	for _, p := range []judge.Policy{judge.Signals, judge.Tiers} {
		m.bands[p] = m.bands[p].Step(judge.Judge(r, p, judge.Defaults()).Verdict, now)
	}
	return r
}

// fresh is the latest reading, or a new one where that is old.
func (d *Daemon) fresh(ctx context.Context, now time.Time) judge.Reading {
	d.machine.mu.Lock()
	r := d.machine.reading
	d.machine.mu.Unlock()
	if age := now.Sub(r.Time); age >= 0 && age < sampleFresh {
		return r
	}
	return d.look(ctx, now)
}

// subject is which workspaces and processes belong to runs. The lock of the sample
// is held.
func (d *Daemon) subject() probe.Subject {
	out := probe.Subject{Roots: map[string][]int{}}
	trees := map[events.Ref]string{}
	shims := map[string]int{}
	for _, l := range d.effects.Live() {
		shims[l.Effect] = l.Shim
	}
	for _, s := range d.fleet.liveStates() {
		ref := s.Facts.Workspace
		ws, known := d.machine.trees[ref]
		if !known {
			ws = d.text(ref)
		}
		if trees[ref] = ws; ws != "" {
			out.Work = append(out.Work, ws)
		}
		own := []string{s.Last.Session.Effect}
		for _, e := range s.Last.Gates.Effects {
			own = append(own, e.Effect)
		}
		for _, id := range own {
			if pid, ok := shims[id]; ok {
				out.Roots[s.Facts.Handle] = append(out.Roots[s.Facts.Handle], pid)
			}
		}
	}
	d.machine.trees = trees
	slices.Sort(out.Work)
	out.Work = slices.Compact(out.Work)
	return out
}

// resources are the user's settings of the machine.
func (d *Daemon) resources() config.Resources {
	u, err := d.budgetUser()
	if err != nil {
		return config.DefaultUser().Resources
	}
	return u.Resources
}

// judged is the verdict of a policy, steadied, with the cap that it has, and how
// many agents may be at work by it.
func (m *machine) judged(p judge.Policy, c config.Resources, running int) (judge.Judgement, int, judge.Reason) {
	l := judge.Defaults()
	j := judge.Judge(m.reading, p, l)
	if b := m.bands[p]; b.Verdict != "" {
		j = j.As(b.Verdict, p, l)
	}
	room, by := judge.Room(m.reading, j, l, judge.Demand{Max: c.Agents, Running: running, RAM: float64(c.Bytes())})
	return j, room, by
}

func (m *machine) room(c config.Resources, running int) sched.Room {
	out := sched.Room{}
	for p := range m.bands {
		_, out[string(p)], _ = m.judged(p, c, running)
	}
	return out
}

// slot says whether an agent of the run may begin on this machine now, and how
// many sub-agents it may have. It waits for the moment that its start is given.
func (d *Daemon) slot(ctx context.Context, s run.State, now time.Time) (not events.Data, most int, err error) {
	c := d.resources()
	// An attempt that was lost is repeated at once: it was let in.
	if c.Policy == config.NoResources || s.Stage != run.Ready && s.Stage != run.Judged {
		return nil, judge.NoCap, nil
	}
	flow, err := d.fleet.flow(ctx, s)
	if err != nil {
		return nil, judge.NoCap, err
	}
	d.fresh(ctx, now)
	at := d.atWorkNow(s.ID)
	place, room, most := d.machine.ask(c, sched.Ask{
		Run: s.ID, Priority: int(s.Facts.Priority), Policy: string(c.PolicyOf(flow)), Coordinator: flow.Resources.Coordinator == workflow.Always, Again: s.Loop.Iteration > 0,
	}, at, now)
	if !place.Granted() {
		return d.waitForSlot(s, place, room, len(at), now), most, nil
	}
	select {
	case <-time.After(place.Begin.Sub(now)):
	case <-ctx.Done():
	}
	return nil, most, ctx.Err()
}

// ask asks for a slot: with its place, how many there are and the cap of the
// verdict.
func (m *machine) ask(c config.Resources, a sched.Ask, at []string, now time.Time) (p sched.Place, slots, most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	room := m.room(c, len(at))
	j, _, _ := m.judged(judge.Policy(a.Policy), c, len(at))
	return m.line.Ask(a, room, at, now), room[a.Policy], j.Cap
}

// waitForSlot is the event of a run that stands in line, or of one that was told
// not to.
func (d *Daemon) waitForSlot(s run.State, p sched.Place, slots, working int, now time.Time) events.Data {
	until := now.Add(lineWait).UnixMilli()
	if s.Facts.Limits.NoWait {
		d.machine.drop(s.ID)
		return events.RunHalted{
			Reason: events.HaltLimit, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Value: string(events.LimitResources), UntilMS: until, Tree: s.Last.Tree,
		}
	}
	return events.LimitWaiting{
		Cause: events.LimitResources, UntilMS: until, Place: p.Number, Used: int64(working), Limit: int64(max(slots, 0)),
	}
}

// settle takes back the grants of those that have begun, or are over. m.mu is held.
func (m *machine) settle() {
	m.noted.Lock()
	began := m.began
	m.began = nil
	m.noted.Unlock()
	for _, run := range began {
		m.line.Drop(run)
	}
}

func (m *machine) drop(run string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.line.Drop(run)
}

// atWorkNow are the runs, but one, whose agent is at work.
func (d *Daemon) atWorkNow(except string) []string {
	var out []string
	for _, s := range d.fleet.liveStates() {
		if s.AtWork() && !s.Driven() && s.ID != except {
			out = append(out, s.ID)
		}
	}
	return out
}
