package daemon

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/run"
)

// These tests look for slots and places in line that get lost: each takes a run
// out of its way to an agent, and asks that the others begin as if it had never
// been there, or that it keeps its place.

// onHost plays on a host with room for so many agents, and ends with every rule
// kept.
func onHost(t *testing.T, slots int, play func(*hostSim)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHostSim(t, 1)
		h.configure(func(u *config.User) { u.Resources.Agents = slots })
		h.open()
		play(h)
		h.kill()
		for _, f := range h.faults {
			t.Error(f)
		}
	})
}

// quick is an agent of one iteration.
func quick(takes time.Duration) simAgent { return simAgent{takes: takes, need: 1} }

// pass lets time go by while the host is watched.
func (h *hostSim) pass(d time.Duration) {
	done := make(chan struct{})
	ctx := h.d.background.ctx
	go func() { defer close(done); h.watch(ctx, d) }()
	<-done
}

func (h *hostSim) wantsAtWork(what string, ids ...string) {
	h.t.Helper()
	for _, id := range ids {
		if s := h.state(id); !s.AtWork() {
			h.t.Errorf("%s: %s is not at work: %s/%s %+v", what, id, s.Status, s.Stage, s.Waiting)
		}
	}
}

func (h *hostSim) wantsInLine(what string, ids ...string) {
	h.t.Helper()
	for i, id := range ids {
		if s := h.state(id); !inLine(&s) || h.d.Machine.Placed(s).Waiting.Place != i+1 {
			h.t.Errorf("%s: %s does not stand in line at %d: %s/%s %+v", what, id, i+1, s.Status, s.Stage, s.Waiting)
		}
	}
}

func TestAnAgentThatIsStoppedBeforeItsStartGivesItsSlotBack(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		slow := quick(time.Minute)
		slow.records = time.Minute
		h.begin("a", slow)
		time.Sleep(time.Millisecond)
		h.begin("b", quick(time.Minute))
		h.pass(10 * time.Second)
		h.wantsInLine("while the first prepares", "b")
		h.must(h.do("a", engine.Stop{Mode: events.StopNow}))
		h.pass(65 * time.Second) // it records to its end
		h.wantsAtWork("the first was stopped", "b")
	})
}

func TestWhoPreparesForLongKeepsItsSlot(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		slow := quick(time.Minute)
		slow.records = 2 * time.Minute
		h.begin("a", slow)
		time.Sleep(time.Millisecond)
		h.begin("b", quick(time.Minute))
		h.pass(110 * time.Second)
		h.wantsInLine("while the first prepares", "b")
		h.pass(5 * time.Minute)
	})
}

func TestARunThatIsCancelledInLineLeavesItsPlace(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		for i := range 4 {
			h.begin(fmt.Sprint("r", i), quick(time.Minute))
			time.Sleep(time.Second)
		}
		h.pass(5 * time.Second)
		h.wantsInLine("at first", "r1", "r2", "r3")
		h.must(h.do("r1", engine.Stop{Mode: events.StopCancel}))
		h.pass(5 * time.Second)
		h.wantsInLine("one is gone", "r2", "r3")
		h.pass(time.Minute)
		h.wantsAtWork("the next", "r2")
	})
}

// TestWhoWaitsForItsAccountHoldsNoSlot: it was let go, and its account has no
// place; nor does the account hold one for who waits for the machine.
func TestWhoWaitsForItsAccountHoldsNoSlot(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		billed := func(d *events.RunStarted) { d.Account = simAccount }
		first := quick(time.Minute)
		first.limited = 2 * time.Hour
		h.begin("first", first, billed)
		time.Sleep(time.Second)
		h.begin("a", quick(10*time.Minute))
		time.Sleep(time.Second)
		h.begin("b", quick(time.Minute), billed)
		time.Sleep(time.Second)
		h.begin("c", quick(time.Minute))
		h.pass(5 * time.Minute)
		h.wantsAtWork("at first", "a")
		h.wantsInLine("at first", "b", "c")
		h.pass(6*time.Minute + 10*time.Second)
		if s := h.state("b"); s.Waiting == nil || s.Waiting.Cause != events.LimitRate || s.Waiting.InLine.IsZero() {
			t.Errorf("b: %+v", s.Waiting)
		}
		h.wantsAtWork("the account lets nobody in", "c")
	})
}

// TestADaemonThatIsKilledKeepsTheLine: who waits is let go by the next one in its
// order, and does not wait until it asks again by itself.
func TestADaemonThatIsKilledKeepsTheLine(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		h.begin("old", quick(5*time.Minute))
		for i := range 3 {
			time.Sleep(time.Second)
			h.begin(fmt.Sprint("r", i), quick(time.Minute))
		}
		h.pass(time.Minute)
		h.kill()
		time.Sleep(time.Hour)
		h.open()
		h.pass(3 * time.Second)
		h.wantsAtWork("after an hour", "r0") // the first has ended meanwhile
		h.begin("new", quick(time.Minute))
		h.pass(3 * time.Second)
		h.wantsInLine("with one that is new", "r1", "r2", "new")
	})
}

// TestADrainedDaemonLetsNobodyGo: the next one does, in the same order.
func TestADrainedDaemonLetsNobodyGo(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		h.begin("a", quick(time.Minute))
		for i := range 2 {
			time.Sleep(time.Second)
			h.begin(fmt.Sprint("r", i), quick(time.Minute))
		}
		h.pass(10 * time.Second)
		h.d.draining.Store(true)
		h.pass(2 * time.Minute)
		h.wantsInLine("drained", "r0", "r1")
		h.kill()
		h.open()
		h.pass(3 * time.Second)
		h.wantsAtWork("the next daemon", "r0")
	})
}

// TestAWaitThatAPersonEndsKeepsItsPlace: it asks, there is no room, and it stands
// where it stood.
func TestAWaitThatAPersonEndsKeepsItsPlace(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		h.begin("a", quick(time.Hour))
		for i := range 3 {
			time.Sleep(time.Second)
			h.begin(fmt.Sprint("r", i), quick(time.Minute))
		}
		h.pass(5 * time.Minute)
		h.must(h.do("r0", engine.Lift{}))
		h.pass(5 * time.Second)
		h.wantsInLine("a person wants it to try now", "r0", "r1", "r2")
		h.pass(20 * time.Minute) // they all ask again
		h.wantsInLine("after their own time", "r0", "r1", "r2")
	})
}

// TestALostAgentKeepsItsSlot: it begins again at once, and nobody comes between.
func TestALostAgentKeepsItsSlot(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		lost := quick(time.Minute)
		lost.lost, lost.records = true, 20*time.Second
		h.begin("a", lost)
		time.Sleep(time.Second)
		h.begin("b", quick(time.Minute))
		h.pass(10 * time.Minute)
		for _, id := range []string{"a", "b"} {
			if s := h.state(id); s.Status != run.Over {
				t.Errorf("%s: %s", id, s.Status)
			}
		}
		if h.most > 1 {
			t.Errorf("%d at work", h.most)
		}
	})
}

// TestEachStartDoesNotMakeRoomForTheNext: what an agent is about to take is not
// there for another, though nothing shows it yet.
func TestEachStartDoesNotMakeRoomForTheNext(t *testing.T) {
	onHost(t, 0, func(h *hostSim) {
		h.wave = func(time.Duration, *hostSim) judge.Reading { return measured(8.5, 0, 0) }
		for i := range 24 {
			h.begin(fmt.Sprintf("r%02d", i), simAgent{takes: 10 * time.Minute, need: 1, needs: 1})
		}
		h.pass(5 * time.Minute)
		if h.most != 6 { // 2.5 GiB are left
			t.Errorf("%d at work at once", h.most)
		}
		h.pass(time.Hour)
		if n := h.d.Fleet.Live(); n > 0 {
			t.Errorf("%d are not done", n)
		}
	})
}

// TestLookingAtNothingLetsAllGo: a person who turns it off waits for no machine.
func TestLookingAtNothingLetsAllGo(t *testing.T) {
	onHost(t, 0, func(h *hostSim) {
		h.wave = func(time.Duration, *hostSim) judge.Reading { return measured(1, 0, 0) }
		for i := range 3 {
			h.begin(fmt.Sprint("r", i), quick(5*time.Minute))
			time.Sleep(time.Second)
		}
		h.pass(time.Minute)
		h.wantsInLine("on a critical machine", "r0", "r1", "r2")
		h.configure(func(u *config.User) { u.Resources.Policy = "off" })
		h.pass(5 * time.Second)
		h.wantsAtWork("with policy off", "r0", "r1", "r2")
	})
}

// TestLookingAtNothingKeepsTheBoundOfAPerson: for who stood in line before it was
// turned off, and for who comes after. Fewer is no reading of the machine.
func TestLookingAtNothingKeepsTheBoundOfAPerson(t *testing.T) {
	onHost(t, 2, func(h *hostSim) {
		h.wave = func(time.Duration, *hostSim) judge.Reading { return measured(1, 0, 0) }
		h.begin("r0", quick(5*time.Minute))
		time.Sleep(time.Second)
		h.begin("r1", quick(5*time.Minute))
		h.pass(time.Minute)
		h.wantsInLine("on a critical machine", "r0", "r1")
		h.configure(func(u *config.User) { u.Resources.Policy = "off" })
		h.pass(5 * time.Second)
		h.begin("r2", quick(5*time.Minute))
		h.pass(10 * time.Second)
		h.wantsAtWork("with policy off", "r0", "r1")
		if w := h.d.Machine.Placed(h.state("r2")).Waiting; w == nil || w.By != "max" || w.Limit != 2 || w.Used != 2 || w.Place != 1 || w.Signal.Of != "" {
			t.Errorf("the third waits %+v", w)
		}
		h.pass(10 * time.Minute)
		if s := h.state("r2"); s.Status != run.Over {
			t.Errorf("the third: %s", s.Status)
		}
	})
}

// TestAHostThatHasSleptLetsTheSameGo: its clock is hours further at once.
func TestAHostThatHasSleptLetsTheSameGo(t *testing.T) {
	onHost(t, 1, func(h *hostSim) {
		h.begin("a", quick(10*time.Minute))
		for i := range 2 {
			time.Sleep(time.Second)
			h.begin(fmt.Sprint("r", i), quick(time.Minute))
		}
		h.pass(time.Minute)
		h.skew.Store(int64(8 * time.Hour))
		h.pass(8 * time.Minute)
		h.wantsInLine("after its sleep", "r0", "r1")
		h.pass(time.Minute + 10*time.Second)
		h.wantsAtWork("the next", "r0")
		h.skew.Store(0) // and it was set back
		h.pass(time.Minute)
		h.wantsAtWork("the last", "r1")
	})
}
