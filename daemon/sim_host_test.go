package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"autopilot/daemon/agent/price"
	"autopilot/daemon/api"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/auth/pin"
	"autopilot/daemon/config"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/host/account"
	"autopilot/daemon/host/budget"
	"autopilot/daemon/host/machine"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
	"autopilot/probe"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// A hostSim is the daemon's fleet, engine, accounts, line and bands over an
// in-memory log, on a clock that costs no time: its agents take what memory they
// are told to, and its machine goes through waves. It is watched by rules that
// know nothing of the line. It can be killed and begun again.

// simAgent is what each agent of a run is like.
type simAgent struct {
	takes   time.Duration
	needs   float64       // GiB, that it takes within grown
	records time.Duration // its work tree, before it begins
	need    int           // iterations until its gate is green
	lost    bool          // its first agent is lost
	limited time.Duration // its provider lets it do nothing, for so long
}

type hostSim struct {
	t       *testing.T
	seed    uint64
	log     log.Log
	user    atomic.Pointer[config.User]
	skew    atomic.Int64 // of the clock of its machine, in nanoseconds
	dir     string
	written int                                              // settings, so far
	wave    func(at time.Duration, h *hostSim) judge.Reading // of what is not the daemon's
	lies    bool                                             // bands are forgotten before each reading: flapping
	// loses takes grants back as soon as they are given, holds leaves one behind each.
	loses, holds bool

	*script
	d     *Daemon
	die   context.CancelFunc
	began time.Time
	alive time.Time // since when this daemon is

	mu     sync.Mutex
	plan   map[string]simAgent
	flows  map[string]workflow.Workflow
	at     map[string]agentOfSim // let in, and not over
	rooms  []roomAt
	sized  judge.Reading // the latest in which memory was known
	bands  map[judge.Policy]judge.Band
	idle   map[judge.Policy]time.Time // since when a slot is free and somebody waits
	passed map[string]time.Time       // runs that a younger one went before
	faults []string
	most   int
	grants int
	wait   time.Duration // the longest that anybody stood in line
}

// agentOfSim is an agent that was let in, and since when it is at work.
type agentOfSim struct {
	let, began time.Time
	needs      float64
	leads      bool
}

// roomAt is how many agents might be at work at a time, by policy.
type roomAt struct {
	at   time.Time
	room map[judge.Policy]int
}

func newHostSim(t *testing.T, seed uint64) *hostSim {
	h := &hostSim{
		t: t, seed: seed, log: log.NewMemory(log.MemoryConfig{}), dir: t.TempDir(), script: &script{now: time.Now},
		began: time.Now(), plan: map[string]simAgent{}, flows: map[string]workflow.Workflow{}, at: map[string]agentOfSim{},
		bands: map[judge.Policy]judge.Band{}, idle: map[judge.Policy]time.Time{}, passed: map[string]time.Time{},
		wave: func(time.Duration, *hostSim) judge.Reading { return measured(64, 0, 0) },
	}
	u := config.DefaultUser()
	h.user.Store(&u)
	return h
}

// open begins a daemon on the log. Only what has to do with runs is there.
func (h *hostSim) open() {
	h.t.Helper()
	ctx, die := context.WithCancel(context.Background())
	quiet := slog.New(slog.DiscardHandler)
	blobs, err := blob.Open(filepath.Join(h.dir, "blobs"), blob.Process)
	h.must(err)
	effects, err := effect.New(effect.Config{Root: filepath.Join(h.dir, "effects"), Shim: "/nonexistent", BootID: "boot"})
	h.must(err)
	prices, err := price.Shipped()
	h.must(err)
	d := &Daemon{
		cfg:        Config{Log: quiet, Home: h.dir, Boot: "boot", Places: place.Places{State: h.dir, Config: filepath.Join(h.dir, "config.yaml")}, machine: h.sees},
		Rooms:      &api.Rooms{HostID: "sim", Log: h.log, Blobs: blobs, Effects: effects, Settings: config.Hold(filepath.Join(h.dir, "config.yaml"))},
		background: background{ctx: ctx, cancel: die},
	}
	d.Daemon, d.api = d, api.New(d.Rooms)
	d.Consent = consent.New(person.System(), pin.Open(h.dir, time.Now, 2), person.Daemon{}, "sim")
	d.Limits = budget.NewLimits(d.Settings, prices, blobs)
	j := journal.New(h.log, "sim", time.Now)
	d.Journal = j
	d.HostLog, err = openHostLog(ctx, j, "sim", quiet)
	h.must(err)
	d.Chats = d.newChats()
	d.Peers, err = d.openPeers(ctx, j)
	h.must(err)
	d.Fleet = fleet.New(ctx, fleet.Config{Journal: j, Worker: h, Flow: h.flowOf, Host: "sim", Now: time.Now, Log: quiet, Draining: d.draining.Load})
	d.openBudget()
	d.Accounts = account.New(account.Config{
		Open: account.Own{Journal: j, Actor: "daemon:sim", Log: quiet}.Open, Runs: d.Fleet, Actor: "daemon:sim", Now: j.Now, Log: quiet,
	})
	d.Machine = d.newMachine()
	d.Fleet.Tell(fleet.Listener{
		Loading: func(ctx context.Context, open []run.State) error {
			for i := range open {
				d.Machine.LineUp(ctx, []*run.State{&open[i]})
			}
			return nil
		},
		Touched: d.Usage.Day.Changed,
		Noted: func(s run.State) {
			d.Accounts.Note(s)
			d.Machine.Note(s)
			h.seen(s)
		},
	})
	h.mu.Lock()
	h.d, h.die, h.alive = d, die, time.Now()
	h.mu.Unlock()
	h.must(d.Fleet.Load(ctx, engine.Reboot{}))
	for _, work := range []func(context.Context){d.Accounts.Run, d.Machine.Run} {
		d.background.Go(func() { work(ctx) })
	}
}

// sees has the machine be the simulated one.
func (h *hostSim) sees(c *machine.Config) {
	c.Sight.Probe = h
	c.Now = func() time.Time { return time.Now().Add(time.Duration(h.skew.Load())) }
	c.Sight.Steady = func(b judge.Band, v judge.Verdict, at time.Time) judge.Band {
		if h.lies {
			b = judge.Band{}
		}
		return b.Step(v, at)
	}
}

func (h *hostSim) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// configure changes the user's settings while the daemon reads them.
func (h *hostSim) configure(change func(*config.User)) {
	u := *h.user.Load()
	change(&u)
	h.user.Store(&u)
	h.written++ // a file that is written twice at once, by a clock that is coarse, has another length at least
	text := "{"
	if n := u.Resources.Agents; n > 0 {
		text += fmt.Sprintf("agents: %d, ", n)
	}
	if p := u.Resources.Policy; p != "" {
		text += fmt.Sprintf("policy: %q", p)
	}
	h.must(durable.Replace(filepath.Join(h.dir, "config.yaml"), fmt.Appendf(nil, "resources: %s}%*s#\n", text, h.written, "")))
}

// kill ends the daemon as a signal does: its runs are let go of.
func (h *hostSim) kill() {
	h.die()
	h.d.Fleet.Close()
	h.d.background.Wait()
}

func (h *hostSim) begin(id string, a simAgent, change ...func(*events.RunStarted)) {
	h.t.Helper()
	d := simStart()
	d.Handle, d.Project = id, id
	for _, c := range change {
		c(&d)
	}
	h.mu.Lock()
	h.plan[id] = a
	h.mu.Unlock()
	_, err := h.d.Fleet.Begin(h.d.background.ctx, id, d, "local:0@sim/1", "req"+id)
	h.must(err)
}

func (h *hostSim) do(id string, c engine.Command) error {
	_, err := h.d.Fleet.Do(h.d.background.ctx, id, c, "local:0@sim/1", "")
	return err
}

func (h *hostSim) state(id string) run.State {
	s, _ := h.d.Fleet.State(id)
	return s
}

// flowOf is the workflow of a run: that of the script, with the resources that its
// name was given.
func (h *hostSim) flowOf(_ context.Context, s run.State) (workflow.Workflow, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w, ok := h.flows[string(s.Facts.Workflow)]; ok {
		return w, nil
	}
	return simFlow(), nil
}

func (h *hostSim) of(id string) simAgent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.plan[id]
}

// BeginAgent lets an agent in as the real worker does: asks, and then records.
func (h *hostSim) BeginAgent(ctx context.Context, s run.State, act engine.RunAgent) (events.Data, error) {
	asked := time.Now()
	_, not, err := h.d.admit(ctx, s, s.Facts.Account)
	if err != nil || not != nil {
		return not, err
	}
	h.letIn(s, asked)
	if h.loses {
		h.d.Machine.Drop(s.ID)
	}
	if h.holds {
		nobody := run.State{ID: "nobody-" + s.ID, Stage: run.Ready}
		nobody.Facts.Workflow, nobody.Loop.Iteration = "led", 1 // it begins in any case, and at once
		if _, _, err := h.d.Machine.Slot(ctx, nobody); err != nil {
			return nil, err
		}
	}
	select {
	case <-time.After(h.of(s.ID).records):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	id := fmt.Sprintf("e-%s-%d-%d", s.ID, act.Iteration, act.Attempt)
	return events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Effect: id, Account: s.Facts.Account, Tree: s.Last.Tree, Work: s.Last.Work,
	}, nil
}

func (h *hostSim) Agent(ctx context.Context, s run.State, end <-chan struct{}) (events.AgentEnded, error) {
	l, a := s.Last.Start, h.of(s.ID)
	d := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect, Outcome: events.Exited, DurationMS: a.takes.Milliseconds(),
		Tree: events.Tree(fmt.Sprintf("%s-%d", s.ID, l.Iteration)), Work: events.Tree(fmt.Sprintf("%s-%d", s.ID, l.Iteration)),
	}
	left := time.Until(s.Clock.Agent.Add(a.takes + time.Duration(l.Iteration)*time.Millisecond)) // one that is found again goes on
	select {
	case <-ctx.Done():
		return d, ctx.Err()
	case <-end:
		if s := h.state(s.ID); s.Stop == "" {
			h.fault("%s: its agent was ended, and nobody has asked for that", s.ID)
		}
		d.Outcome = events.Stopped
	case <-time.After(left):
		if a.lost && l.Attempt == 1 {
			d.Outcome, d.Exit = events.Lost, -1
		}
		if a.limited > 0 && l.Attempt == 1 {
			d.Result, d.Exit, d.ResetMS, d.Tree, d.Work = events.ResultRateLimited, 1, time.Now().Add(a.limited).UnixMilli(), l.Tree, l.Work
		}
	}
	return d, nil
}

func (h *hostSim) Gates(ctx context.Context, s run.State, end <-chan struct{}) (events.GatesJudged, error) {
	select {
	case <-ctx.Done():
		return events.GatesJudged{}, ctx.Err()
	case <-end:
		return events.GatesJudged{}, context.Canceled
	case <-time.After(time.Second):
	}
	failing := max(0, h.of(s.ID).need-s.Loop.Iteration)
	d := events.GatesJudged{Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Tree: s.Last.Tree, Work: s.Last.Work}
	g := events.GateResult{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Pass, Reason: events.ReasonExit}
	if failing > 0 {
		g.Verdict, g.Exit, g.Failing, g.FailingSum = events.Fail, 1, failing, fmt.Sprint(failing)
	}
	d.Results = []events.GateResult{g}
	return d, nil
}

// measured is a machine of 8 cores with so much memory (GiB), load and swap (GiB).
func measured(available, load, swap float64) judge.Reading {
	return judge.Reading{
		Cores: judge.Known(8), Load1: judge.Known(load), Load5: judge.Known(load),
		MemoryAvailable: judge.Known(max(0, available) * (1 << 30)), SwapUsed: judge.Known(swap * (1 << 30)),
	}
}

// Read implements machine.Prober: what others leave, less what the agents have taken.
func (h *hostSim) Read(_ context.Context, now time.Time, _ probe.Subject) judge.Reading {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.wave(now.Sub(h.began), h)
	r.Time = now
	if v, ok := r.MemoryAvailable.Get(); ok {
		for _, id := range slices.Sorted(maps.Keys(h.at)) { // a sum depends on its order
			if a := h.at[id]; !a.began.IsZero() {
				v -= a.needs * (1 << 30) * min(1, float64(now.Sub(a.began))/float64(grown))
			}
		}
		r.MemoryAvailable = judge.Known(max(0, v))
	}
	h.judge(r)
	return r
}
