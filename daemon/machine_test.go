package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/host/machine"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/probe"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// fakeMachine is the machine of a site: the host's own, until it gives the readings
// that a test wants, at a time of its own.
type fakeMachine struct {
	host machine.Prober

	mu        sync.Mutex
	faked     bool
	available float64
	skew      time.Duration
	stopped   time.Time     // the clock shows it, unless it is zero
	blind     chan struct{} // nobody looks until it is closed
}

// stands has a daemon be on it.
func (f *fakeMachine) stands(c *machine.Config) {
	f.host = c.Sight.Probe
	c.Sight.Probe, c.Now = f, f.now
}

func (f *fakeMachine) Read(ctx context.Context, now time.Time, of probe.Subject) judge.Reading {
	f.mu.Lock()
	faked, blind := f.faked, f.blind
	f.mu.Unlock()
	if !faked {
		return f.host.Read(ctx, now, of)
	}
	if blind != nil {
		select {
		case <-blind:
		case <-ctx.Done():
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return judge.Reading{Time: now, Cores: judge.Known(8), Load1: judge.Known(0), MemoryAvailable: judge.Known(f.available)}
}

func (f *fakeMachine) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped.IsZero() {
		return f.stopped
	}
	return time.Now().Add(f.skew)
}

func (f *fakeMachine) set(gib float64, later time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faked, f.available = true, gib*(1<<30)
	f.skew += later
}

// later sets the clock forward.
func (f *fakeMachine) later(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.skew += d
}

// looksAway has nobody see anything but what was seen last, until it is called back.
func (f *fakeMachine) looksAway() (back func()) {
	blind := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped, f.blind = time.Now().Add(f.skew), blind
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.stopped, f.blind = time.Time{}, nil
		close(blind)
	}
}

// onMachine has the site's machine leave so much memory, which is seen at once.
func onMachine(s *site, gib float64) *fakeMachine {
	s.t.Helper()
	s.host.set(gib, 0)
	s.looks()
	return s.host
}

// looks has the daemon look at its machine.
func (s *site) looks() wire.ProbeView {
	s.t.Helper()
	v, err := s.d.Machine.Show(s.t.Context(), s.request(), wire.ProbeRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// TestOnACriticalMachineNothingNewBegins: a run waits with its reason and its
// place in line, is told when that changes, and begins after a calm minute.
func TestOnACriticalMachineNothingNewBegins(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	f := onMachine(s, 1)
	back := f.looksAway() // a verdict is told when it changes: not before the run waits
	v := s.start(s.spec("test -e done", "touch done"))
	waits := func(st run.State) bool { return settled(st) || st.WaitsForLimit() }
	st := s.until(v.ID, waits)
	if settled(st) || st.Waiting.Cause != events.LimitResources || st.Waiting.Place != 1 {
		t.Fatalf("it is %s, %+v", st.Status, st.Waiting)
	}
	if why := s.why(v.ID); !strings.Contains(why.Because, "the machine has no resources for more agents now") {
		t.Errorf("why: %s", why.Because)
	}
	back()
	s.until(v.ID, func(st run.State) bool { return settled(st) || st.Waiting != nil && st.Waiting.Judged != nil })
	f.set(16, 0)
	s.looks()
	f.set(16, judge.Calm)
	st = s.until(v.ID, settled)
	s.wants(st, "done")
	var judged []events.ResourcesJudged
	for _, data := range s.dataOf(v.ID) {
		if d, ok := data.(events.ResourcesJudged); ok {
			judged = append(judged, d)
		}
	}
	if len(judged) == 0 || len(judged) > 3 || judged[0].Verdict != "critical" || judged[0].Axis != "memory" || judged[0].Slots != 0 {
		t.Errorf("the run was told %+v", judged)
	}
}

// TestSeeds224ACoordinatorBeginsOnACriticalMachine: where its workflow says so.
func TestSeeds224ACoordinatorBeginsOnACriticalMachine(t *testing.T) {
	t.Parallel()
	s := flowSite(t, `name: led
version: 1
resources: {coordinator: always}
phases:
  - {name: work, prompt: converge.md, gates: [goals, invariants, protected]}
`)
	onMachine(s, 1)
	v := s.start(s.spec("test -e done", `echo "cap $AUTOPILOT_AGENT_CAP" >done`, func(spec *wire.RunSpec) { spec.Workflow = "led" }))
	s.wants(s.until(v.ID, settled), "done")
	if got := s.read("done"); got != "cap 0\n" {
		t.Errorf("it was told %q", got)
	}
}

// TestNoWaitEndsInsteadOfWaitingForTheMachine: as for every limit.
func TestNoWaitEndsInsteadOfWaitingForTheMachine(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	onMachine(s, 1)
	v := s.start(s.spec("test -e done", "touch done", func(spec *wire.RunSpec) { spec.NoWait = true }))
	st := s.until(v.ID, settled)
	if st.Status != run.Halted || st.Halt.Reason != events.HaltLimit || st.Halt.Value != string(events.LimitResources) {
		t.Errorf("%s %+v", st.Status, st.Halt)
	}
	if h := st.Halt; h.Bound != "verdict" || h.Signal.Of != "memory_available_bytes" || h.Signal.Value != 1<<30 {
		t.Errorf("it was told %+v", h)
	}
	const why = "the machine has no resources for more agents now (it is critical: memory available 1.0 GiB, limit 2.0 GiB), and the run must not wait"
	if got := s.why(v.ID).Because; !strings.Contains(got, why) {
		t.Errorf("why: %s", got)
	}
}

// TestAnAgentThatEndsAtOnceGivesItsSlotBack: nobody has to have looked at the line
// while it was at work.
func TestAnAgentThatEndsAtOnceGivesItsSlotBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	s.configure("resources: {agents: 2}\n")
	onMachine(s, 64)
	for i := range 5 {
		v := s.start(s.spec("test -e done-"+fmt.Sprint(i), "touch done-"+fmt.Sprint(i)))
		st := s.until(v.ID, func(st run.State) bool { return settled(st) || st.WaitsForLimit() })
		if st.WaitsForLimit() {
			t.Fatalf("run %d waits: %+v", i, st.Waiting)
		}
		s.wants(st, "done")
	}
}

// TestNoMoreAgentsWorkThanTheUserSays: real agents, each in a work tree of its
// own, that stay until they are let go, and note how many were there.
func TestNoMoreAgentsWorkThanTheUserSays(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	s.configure("resources: {agents: 3}\n")
	onMachine(s, 64)
	at := t.TempDir()
	agent := fmt.Sprintf(`mkdir -p %[1]s/in; touch %[1]s/in/$$; ls %[1]s/in | wc -l >>%[1]s/seen; while ! test -e %[1]s/go; do sleep 0.05; done; rm %[1]s/in/$$; touch done`, at)
	var ids []string
	for range 9 {
		s.work = t.TempDir()
		proctest.Repository(t, s.work)
		s.write(map[string]string{"a": "x"})
		ids = append(ids, s.start(s.spec("test -e done", agent)).ID)
	}
	held := func() (n int) {
		for _, st := range s.d.Fleet.LiveStates() {
			if st.WaitsForLimit() && st.Waiting.Cause == events.LimitResources {
				n++
			}
		}
		return n
	}
	s.until(ids[8], func(run.State) bool { return held() == 6 && s.looks().Running == 3 })
	if err := os.WriteFile(filepath.Join(at, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		s.wants(s.until(id, settled), "done")
	}
	b, err := os.ReadFile(filepath.Join(at, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range strings.Fields(string(b)) {
		if n > "3" {
			t.Errorf("%s agents were at work, seen: %v", n, strings.Fields(string(b)))
		}
	}
}
