package daemon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// A day of a host: 200 runs in bursts, 104 of them at once (field reports B.4,
// 67), on a machine that goes through waves, with a daemon that is killed.

// turnOf is what is done to the host at a time of its day.
type turnOf struct {
	at   time.Duration
	what string
	do   func()
}

// dayOf is what happens on a day, in its order. Each has a moment of its own,
// so that two days of one seed are one.
func (h *hostSim) dayOf(runs, hours int) []turnOf {
	r := rand.New(rand.NewPCG(h.seed, 24))
	var out []turnOf
	add := func(at time.Duration, what string, do func()) {
		out = append(out, turnOf{at + time.Duration(len(out))*time.Microsecond, what, do})
	}
	rushes := []time.Duration{time.Hour}
	for range 12 {
		rushes = append(rushes, time.Duration(r.IntN(hours*60))*time.Minute+7*time.Second)
	}
	for i := range runs {
		id, at := fmt.Sprintf("r%03d", i), rushes[0]
		if i >= runs*104/200 {
			at = rushes[1+r.IntN(12)]
		}
		a, change := h.anyRun(r)
		add(at, "begin "+id, func() { h.begin(id, a, change) })
		if r.IntN(10) == 0 {
			mode := []events.StopMode{events.StopNow, events.StopCancel, events.StopAfterIteration}[r.IntN(3)]
			add(at+time.Duration(1+r.IntN(60*60))*time.Second, "stop "+id, func() { _ = h.do(id, engine.Stop{Mode: mode}) }) // it may be over
		}
	}
	for range 3 {
		add(time.Duration(r.IntN(hours*60))*time.Minute+11*time.Second, "kill", func() {
			h.kill()
			time.Sleep(time.Duration(1+r.IntN(300)) * time.Second)
			h.open()
		})
	}
	slices.SortFunc(out, func(a, b turnOf) int { return cmp.Compare(a.at, b.at) })
	return out
}

func (h *hostSim) anyRun(r *rand.Rand) (simAgent, func(*events.RunStarted)) {
	one := func(of int) bool { return r.IntN(of) == 0 }
	a := simAgent{
		takes: time.Minute + time.Duration(r.IntN(8*60*1000))*time.Millisecond, needs: 0.2 + 0.8*r.Float64(),
		records: time.Duration(r.IntN(3000)) * time.Millisecond, need: 1 + r.IntN(3), lost: one(12),
	}
	if one(15) {
		a.records = time.Duration(40+r.IntN(60)) * time.Second
	}
	if one(20) {
		a.need = 99 // its gate is never green
	}
	flow := [...]events.Name{"sim", "sim", "sim", "sim", "tiers", "led"}[r.IntN(6)]
	if flow == "led" && one(2) {
		flow = "sim"
	}
	priority := [...]events.Priority{events.PriorityLow, 0, 0, 0, 0, 0, events.PriorityHigh}[r.IntN(7)]
	account := ""
	if one(8) {
		if account = simAccount; one(4) {
			a.limited = 30 * time.Minute
		}
	}
	return a, func(d *events.RunStarted) { d.Workflow, d.Priority, d.Account = flow, priority, account }
}

// waves are a machine that is short of memory, busy and swapping for a part of
// each five hours, with noise on all of it, and with values that cannot be read.
func waves(at time.Duration, h *hostSim) judge.Reading {
	wave := math.Sin(at.Hours() * 2 * math.Pi / 5)
	low := max(0, -wave)
	r := measured(15+11*wave+2*h.noise(at, 1), 4+6*low+2*h.noise(at, 2), 4*low*low)
	r.StallMemory, r.StallMemoryFull = judge.Known(30*low*h.noise(at, 3)), judge.Known(19*low*h.noise(at, 4))
	switch n := h.noise(at, 5); {
	case n < 0.02:
		r.MemoryAvailable = judge.Num{}
	case n < 0.04:
		r.MemoryAvailable, r.Load1 = judge.Known(math.NaN()), judge.Known(math.Inf(1))
	case n < 0.05:
		r = judge.Reading{}
	}
	return r
}

// playDay plays a day until every run has ended, and answers the log, without
// what is random of it.
func (h *hostSim) playDay(runs, hours int) []string {
	h.wave = waves
	h.flows["sim"] = simFlow()
	tiers, led := simFlow(), simFlow()
	tiers.Resources.Policy = judge.Tiers
	led.Resources.Coordinator = workflow.Always
	h.flows["tiers"], h.flows["led"] = tiers, led
	h.open()
	ctx, stop := context.WithCancel(context.Background())
	watched := make(chan struct{})
	go func() { defer close(watched); h.watch(ctx, 48*time.Hour) }()
	for _, d := range h.dayOf(runs, hours) {
		time.Sleep(time.Until(h.began.Add(d.at)))
		d.do()
	}
	for end := h.began.Add(40 * time.Hour); h.d.Fleet.Live() > 0 && time.Now().Before(end); {
		time.Sleep(time.Minute)
	}
	stop()
	<-watched
	h.kept(runs)
	h.kill()
	return h.record()
}

// kept looks at what has come of the day.
func (h *hostSim) kept(runs int) {
	if n := h.d.Fleet.Count(); n != runs {
		h.fault("there are %d runs of %d", n, runs)
	}
	for _, s := range h.d.Fleet.LiveStates() {
		h.fault("%s does not end: %s, %+v", s.ID, s.Stage, s.Waiting)
	}
	p, err := h.d.Machine.Show(h.d.background.ctx, auth.Request{}, wire.ProbeRequest{})
	h.must(err)
	if n := len(p.Waiting); n > 0 {
		h.fault("%d stand in line", n)
	}
	if len(h.at) > 0 {
		h.fault("at work are %v", slices.Collect(maps.Keys(h.at)))
	}
	if h.wait > 4*time.Hour {
		h.fault("somebody stood in line for %v", h.wait)
	}
}

// record is the log in the order of its times, and what it says by itself is
// looked at: verdicts keep to the rules of calm, and every wait is explained.
func (h *hostSim) record() []string {
	var out []string
	told := map[events.Name]time.Time{}
	changes := 0
	states := map[string]run.State{}
	for st, err := range h.log.ReadAll(context.Background(), "") {
		h.must(err)
		e := st.Event
		data, err := json.Marshal(e.Data, json.Deterministic(true))
		h.must(err)
		out = append(out, fmt.Sprintf("%s %s %4d %s %s", e.Time.Format(time.RFC3339Nano), e.Aggregate.ID, e.Seq, e.Data.EventType(), data))
		if e.Aggregate.Kind == events.KindRun {
			states[e.Aggregate.ID] = h.follows(states[e.Aggregate.ID], e)
		}
		if d, ok := e.Data.(events.ResourcesJudged); ok && e.Aggregate.Kind == events.KindHost {
			changes++
			better := judge.Verdict(d.Before).Worse(judge.Verdict(d.Verdict))
			if last, ok := told[d.Policy]; ok && better && e.Time.Sub(last) < judge.Calm {
				h.fault("by %s: %s after %s, %v after it", d.Policy, d.Verdict, d.Before, e.Time.Sub(last))
			}
			told[d.Policy] = e.Time
		}
	}
	if changes > 150 { // ten waves, with steps, by two policies
		h.fault("verdicts changed %d times", changes)
	}
	slices.Sort(out)
	return out
}

// follows is the next state of a run, of which each wait for the machine has to say
// why, and comes to something that the record has too.
func (h *hostSim) follows(s run.State, e events.Event) run.State {
	if w, ok := e.Data.(events.LimitWaiting); ok && w.Cause == events.LimitResources && w.Place <= 1 && w.Used < w.Limit {
		h.fault("%s waits, %d of %d slots are in use, and it is next", s.ID, w.Used, w.Limit)
	}
	if _, begins := e.Data.(events.IterationStarted); begins && inLine(&s) && e.Time.Before(time.UnixMilli(s.Waiting.UntilMS)) {
		h.fault("%s begins, and nothing has ended its wait", s.ID)
	}
	return run.Evolve(s, e)
}

func TestADayOf200RunsOnAHostWithWavesOfPressure(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHostSim(t, seed)
				h.playDay(200, 20)
				for _, f := range h.faults {
					t.Error(f)
				}
				t.Logf("%d agents, %d at once, the longest wait %v", h.grants, h.most, h.wait)
			})
		})
	}
}

// TestADayIsTheSameAgain: one seed is one log.
func TestADayIsTheSameAgain(t *testing.T) {
	t.Parallel()
	var days [2][]string
	for i := range days {
		synctest.Test(t, func(t *testing.T) { days[i] = newHostSim(t, 9).playDay(40, 3) })
	}
	if d := gocmp.Diff(days[0], days[1]); d != "" {
		t.Error(d)
	}
}

// TestTheDayFindsWhatIsBroken: a rule that is broken on purpose is told of.
func TestTheDayFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, finds string
		breaks      func(*hostSim)
	}{
		{"slots are forgotten", "there was room for", func(h *hostSim) { h.loses = true }},
		{"slots are kept", "and there is room for", func(h *hostSim) { h.holds = true }},
		{"no verdict is steadied", "by signals: green after", func(h *hostSim) { h.lies = true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHostSim(t, 1)
				tt.breaks(h)
				h.playDay(60, 3)
				if !strings.Contains(strings.Join(h.faults, "\n"), tt.finds) {
					t.Errorf("it has found: %v", h.faults)
				}
			})
		})
	}
}
