package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	sized   judge.Reading // the latest in which memory was known
	bands   map[judge.Policy]judge.Band
	told    map[judge.Policy]events.ResourcesJudged // latest that is stored
	line    sched.Line
	at      []agentAt     // who was at work when the line was looked at last
	kick    chan struct{} // somebody has ended: look at the line

	telling sync.Mutex // one verdict at a time to those that wait

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
	// An agent has taken the memory that it needs after so long: before, what is
	// available does not show it.
	grownAfter = 30 * time.Second
)

// newMachine is a machine of which told was stored last.
func newMachine(store string, told map[string]events.ResourcesJudged) *machine {
	m := &machine{
		now:   time.Now,
		probe: probe.New(probe.Config{Store: store, Agents: agent.Overrides(nil).Names()}),
		bands: map[judge.Policy]judge.Band{}, told: map[judge.Policy]events.ResourcesJudged{}, kick: make(chan struct{}, 1),
	}
	for p, data := range told {
		m.told[judge.Policy(p)] = data
	}
	return m
}

// look takes a reading, and moves the bands.
func (d *Daemon) look(ctx context.Context, now time.Time) judge.Reading {
	m := d.machine
	m.sample.Lock()
	defer m.sample.Unlock()
	r := m.probe.Read(ctx, now, d.subject())
	r.Peers = d.peers.Count()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reading = r
	if _, known := r.MemoryAvailable.Get(); known {
		m.sized = r
	}
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
	for _, s := range d.fleet.LiveStates() {
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
	u, err := d.limits.User()
	if err != nil {
		return config.DefaultUser().Resources
	}
	return u.Resources
}

// judged is the verdict of a policy, steadied, with the cap that it has, and how
// many agents may be at work by it. Those that have just begun are still expected
// to need the memory of one more: else each start would make room for the next.
// Where nobody looks at the machine, the bound that a person has set holds alone.
func (m *machine) judged(b bound, c config.Resources, at []agentAt) (judge.Judgement, int, judge.Reason) {
	l := judge.Defaults()
	if c.Policy == config.NoResources {
		j := judge.Judgement{Verdict: judge.Green, Cap: judge.NoCap}
		room, by := judge.Room(judge.Reading{}, j, l, judge.Demand{Max: c.Agents})
		return j, room, by
	}
	j := judge.Judge(m.reading, b.policy, l)
	if band := m.bands[b.policy]; band.Verdict != "" {
		j = j.As(band.Verdict, b.policy, l)
	}
	r := m.reading
	if age := r.Time.Sub(m.sized.Time); age >= 0 && age < judge.Calm { // one look that does not find memory is no leave to begin them all
		r.MemoryAvailable = m.sized.MemoryAvailable
	}
	room, by := judge.Room(r, j, l, judge.Demand{Max: c.Agents, Running: grown(at, m.reading.Time), RAM: float64(b.ram)})
	return j, room, by
}

// bound is by what a run is held to the machine: how that is judged, and the memory
// that one more of its agents is expected to need.
type bound struct {
	policy judge.Policy
	ram    int64
}

// name is what the line calls it.
func (b bound) name() string { return fmt.Sprintf("%s/%d", b.policy, b.ram) }

// boundOf is that of a name.
func boundOf(name string) bound {
	policy, ram, _ := strings.Cut(name, "/")
	n, _ := strconv.ParseInt(ram, 10, 64) // it was written by name
	return bound{judge.Policy(policy), n}
}

// room is how many agents may be at work, by what those in line, and one more, are
// bound by. m.mu is held.
func (m *machine) room(c config.Resources, at []agentAt, more ...string) sched.Room {
	out := sched.Room{}
	for _, name := range slices.Concat(m.line.Policies(), more) {
		if _, ok := out[name]; !ok {
			_, out[name], _ = m.judged(boundOf(name), c, at)
		}
	}
	if c.Agents > 0 {
		out[sched.Own] = c.Agents
	}
	return out
}

// here notes who is at work. m.mu is held.
func (m *machine) here(at []agentAt) {
	m.at, m.line.Groups = at, make(map[string]string, len(at))
	for _, a := range at {
		m.line.Groups[a.run] = a.project
	}
}

// slot says whether an agent of the run may begin on this machine now, and how
// many sub-agents it may have. It waits for the moment that its start is given.
func (d *Daemon) slot(ctx context.Context, s run.State, now time.Time) (not events.Data, most int, err error) {
	c := d.resources()
	// An attempt that was lost is repeated at once: it was let in.
	if s.Stage != run.Ready && s.Stage != run.Judged {
		return nil, judge.NoCap, nil
	}
	a, err := d.wish(ctx, s, c)
	if err != nil {
		return nil, judge.NoCap, err
	}
	a.Until = now.Add(lineWait)
	d.fresh(ctx, now)
	place, held, most := d.ask(c, a, now)
	if !place.Granted() {
		return d.waitForSlot(s, held, a.Until), most, nil
	}
	select {
	case <-time.After(place.Begin.Sub(now)):
	case <-ctx.Done():
	}
	return nil, most, ctx.Err()
}

// wish is what a run asks the line for. One that has stood there since its latest
// agent has the age of that, whatever it waited for meanwhile.
func (d *Daemon) wish(ctx context.Context, s run.State, c config.Resources) (sched.Ask, error) {
	flow, err := d.fleet.Flow(ctx, s)
	bounds, lerr := d.limits.Bounds(s)
	a := sched.Ask{
		Run: s.ID, Priority: int(s.Facts.Priority), Policy: bound{c.PolicyOf(flow), bounds.RAM}.name(), Coordinator: flow.Resources.Coordinator == workflow.Always,
		Again: s.Loop.Iteration > 0, Group: treeOf(&s), Most: bounds.Agents,
	}
	if w := s.Waiting; w != nil {
		a.Since, a.Until = w.InLine, time.UnixMilli(w.UntilMS)
	}
	return a, errors.Join(err, lerr)
}

// treeOf is the work tree that a run belongs to, also if it has one of its own.
func treeOf(s *run.State) string { return cmp.Or(s.Facts.From, s.Facts.Project) }

// ask asks for a slot: with its place, what else there is to tell of the wait for
// it, and how many sub-agents may be at work.
func (d *Daemon) ask(c config.Resources, a sched.Ask, now time.Time) (p sched.Place, w events.LimitWaiting, most int) {
	m := d.machine
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	m.here(crowd(d.fleet.LiveStates(), a.Run))
	room := m.room(c, m.at, a.Policy)
	j, _, _ := m.judged(boundOf(a.Policy), c, m.at)
	p = m.line.Ask(a, room, runsOf(m.at), now)
	return p, m.held(a, p, c, room), judge.Lower(j.Cap, a.Most)
}

// slotsFor is how many agents may be at work for one more of them to begin.
func slotsFor(a sched.Ask, room sched.Room) int {
	if a.Coordinator {
		return room[sched.Own]
	}
	return max(0, room[a.Policy])
}

// waitForSlot is the event of a run that stands in line, or of one that was told
// not to.
func (d *Daemon) waitForSlot(s run.State, w events.LimitWaiting, until time.Time) events.Data {
	if s.Facts.Limits.NoWait {
		d.machine.drop(s.ID)
		return events.RunHalted{
			Reason: events.HaltLimit, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Value: string(events.LimitResources),
			Limit: w.Limit, Used: w.Used, Bound: w.By, Signal: w.Signal, UntilMS: until.UnixMilli(), Tree: s.Last.Tree,
		}
	}
	w.UntilMS = until.UnixMilli()
	return w
}

// settle takes back the grants of those that have begun, or are over. m.mu is held.
// Who is at work is to be looked at after it: one that begins in between has a
// grant and is at work, which counts once; the other way round it had neither.
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

// agentAt is a run whose agent is at work, of which project, and since when.
type agentAt struct {
	run, project string
	since        time.Time
	lost         bool // it is to begin again: what it had taken is free
}

// atWorkNow are the agents that are at work.
func (d *Daemon) atWorkNow() []agentAt { return crowd(d.fleet.LiveStates(), "") }

// crowd are the agents that are at work, but those of one run. A chat that drives a
// run is none of the daemon's; who looks at what it did is.
func crowd(live []*run.State, except string) []agentAt {
	var out []agentAt
	for _, s := range live {
		lost := s.Stage == run.Ended && s.Last.Agent.Outcome == events.Lost // it begins again at once, and asks nobody
		if (s.Stage == run.Looking || (s.Stage == run.Agent || lost) && !s.Driven()) && s.ID != except {
			out = append(out, agentAt{s.ID, treeOf(s), s.Clock.Agent, lost})
		}
	}
	return out
}

func runsOf(list []agentAt) []string {
	out := make([]string, 0, len(list))
	for _, a := range list {
		out = append(out, a.run)
	}
	return out
}

// grown counts the agents whose need a reading of that time shows.
func grown(list []agentAt, by time.Time) (n int) {
	for _, a := range list {
		if !a.lost && by.Sub(a.since) >= grownAfter {
			n++
		}
	}
	return n
}
