package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file plays whole runs on the in-memory log, on a clock that costs no
// time: the real engine, actor, journal and fleet, with a worker that has a
// script instead of processes.

// step is what happens in one iteration of a played run.
type step struct {
	Lost    int  // attempts that are lost first
	Noops   int  // and then attempts that do nothing
	Limits  int  // and then attempts that meet a limit of the provider
	Tree    int  // content that it leaves
	Failing int  // failing tests of that content
	Pinned  bool // a pinned file differs
	Blocked bool
	Takes   time.Duration
}

// script is a worker that plays steps; the last one repeats. Like a real one it
// makes the same outcome again for the same announced effect.
type script struct {
	steps []step
	now   func() time.Time
	full  int // how often there is no room for the first iteration
	crews []events.Crew
	*phases
	*outsiders
}

func (w *script) step(iteration int) step {
	return w.steps[min(iteration, len(w.steps))-1]
}

func simTree(n int) events.Tree { return events.Tree(fmt.Sprintf("t%d", n)) }

func (w *script) BeginAgent(_ context.Context, s run.State, act engine.RunAgent) (events.Data, error) {
	if w.full > 0 {
		w.full--
		return events.IterationStarted{}, fmt.Errorf("record: %w", events.ErrNoRoom)
	}
	if s.Last.Agent.Result.Waits() && s.Waiting == nil {
		return events.LimitWaiting{Cause: events.LimitRate, UntilMS: w.now().Add(limitLasts).UnixMilli()}, nil
	}
	if halted, is := w.edited(s, act); is {
		return halted, nil
	}
	from := s.Last.Tree
	if act.Restore {
		from = s.Last.Start.Tree
	}
	who := s.Worker()
	return events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Agent: who.Agent, Level: who.Level, Account: who.Account,
		Effect: fmt.Sprintf("a-%d-%d", act.Iteration, act.Attempt), Tree: from, Work: from,
		Session: act.Resume, Resumes: act.Resume != "",
	}, nil
}

// limitLasts is how long the limit of a played provider lasts.
const limitLasts = 90 * time.Minute

func (w *script) Agent(ctx context.Context, s run.State, end <-chan struct{}) (events.AgentEnded, error) {
	l, st := s.Last.Start, w.step(s.Last.Start.Iteration)
	d := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect, Outcome: events.Exited,
		DurationMS: 60_000, Tree: simTree(st.Tree), Work: simTree(st.Tree),
	}
	select {
	case <-ctx.Done():
		return d, ctx.Err()
	case <-end:
		d.Outcome = events.Stopped
		return d, nil
	case <-time.After(st.Takes):
	}
	switch {
	case l.Attempt <= st.Lost:
		d.Outcome, d.Exit, d.Tree, d.Work = events.Lost, -1, simTree(1000+l.Attempt), simTree(1000+l.Attempt)
	case l.Attempt <= st.Lost+st.Noops:
		d.DurationMS, d.Tree, d.Work = 5, l.Tree, l.Work
	case l.Attempt <= st.Lost+st.Noops+st.Limits:
		d.Exit, d.Result, d.Session = 1, events.ResultRateLimited, "s1"
		d.Usage = events.Usage{Output: 10, TokensFrom: events.Reported}
		if l.Attempt%2 == 0 {
			d.Tree, d.Work = l.Tree, l.Work
		}
	case st.Blocked:
		d.Claim = events.ClaimBlocked
	}
	return d, nil
}

func (w *script) BeginGates(_ context.Context, _ run.State, act engine.RunGates) (events.GatesStarted, error) {
	if act.Entry {
		return events.GatesStarted{Phase: act.Phase, Iteration: act.Iteration, Entry: true}, nil
	}
	return events.GatesStarted{
		Phase: act.Phase, Iteration: act.Iteration,
		Effects: []events.EffectRef{{Gate: "test", Effect: fmt.Sprintf("g-%d", act.Iteration)}},
	}, nil
}

func (w *script) Gates(ctx context.Context, s run.State, end <-chan struct{}) (events.GatesJudged, error) {
	select {
	case <-ctx.Done():
		return events.GatesJudged{}, ctx.Err()
	case <-end:
		return events.GatesJudged{}, errors.New("ended")
	case <-time.After(time.Second):
	}
	if w.phases != nil && (s.Last.Gates.Entry || s.Loop.Iteration > 0) {
		return w.judge(s, w.step(max(s.Loop.Iteration, 1))), nil
	}
	st := step{Failing: 3}
	if s.Loop.Iteration > 0 {
		st = w.step(s.Loop.Iteration)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d", st.Failing))
	test := events.GateResult{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Pass, Reason: events.ReasonExit}
	if st.Failing > 0 {
		test.Verdict, test.Exit, test.Failing, test.FailingSum = events.Fail, 1, st.Failing, hex.EncodeToString(sum[:])
	}
	pins := events.GateResult{Gate: "protected", Kind: events.GateProtected, Role: events.RoleInvariant, Verdict: events.Pass, Reason: events.ReasonUnchanged}
	if st.Pinned {
		pins.Verdict, pins.Reason = events.Fail, events.ReasonPinChanged
	}
	return events.GatesJudged{
		Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Results: []events.GateResult{test, pins},
		Tree: s.Last.Tree, Work: s.Last.Work,
	}, nil
}

func (w *script) Recorded(context.Context, run.State) error { return nil }
func (w *script) Text(context.Context, string) events.Ref   { return "e" }

func (w *script) flow(context.Context, run.State) (workflow.Workflow, error) {
	if w.phases != nil {
		return phasedFlow(), nil
	}
	return simFlow(), nil
}

func simFlow() workflow.Workflow {
	w := workflow.Default()
	w.Name, w.Phases = "sim", []workflow.Phase{{Name: "work", Prompt: "work.md", Gates: []workflow.Gate{{Group: workflow.Goals}}}}
	return w
}

func simStart() events.RunStarted {
	return events.RunStarted{
		Handle: "simr", Project: "p", Phase: "work", Tree: "t0", Work: "t0", Limits: events.Limits{Iterations: 6},
		Gates: []events.Gate{{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal}},
	}
}

// end is what must be the same however a run got there.
type end struct {
	Status run.Status
	Halt   events.Halt
	State  events.End
	Tree   events.Tree
	Loop   run.Loop
}

func endOf(s run.State) end {
	e := end{Status: s.Status, Tree: s.Last.Tree, Loop: s.Loop}
	if s.Halt != nil {
		e.Halt = s.Halt.Reason
	}
	if s.End != nil {
		e.State = s.End.State
	}
	return e
}

// play serves the log until its run is not live. kill says after which stored
// event the daemon dies and another takes over; it may be nil.
func play(t testingT, l log.Log, w *script, kill func(run.State) bool) run.State {
	for lives := 0; lives < 200; lives++ {
		ctx, die := context.WithCancel(context.Background())
		f := fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: w, Flow: w.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if err := f.Load(ctx, engine.Reboot{}); err != nil {
			die()
			t.Fatalf("load: %v", err)
		}
		if len(f.States()) == 0 {
			_, err := f.Begin(ctx, "01SIMR", w.start(), "local:0@sim/1", "req")
			for tries := 0; err != nil && tries < 20; tries++ { // a log that loses answers may lose all of one start
				_, err = f.Begin(ctx, "01SIMR", w.start(), "local:0@sim/1", "req")
			}
			if err != nil {
				die()
				t.Fatalf("begin: %v", err)
			}
		}
		for {
			changed := f.Wait()
			s, _ := f.State("01SIMR")
			if s.Status != run.Live || kill != nil && kill(s) {
				break
			}
			if w.answers(ctx, f, s) || w.intrudes(ctx, t, l, f, s) {
				continue
			}
			<-changed
		}
		die()
		f.Close()
		if s := reload(t, l); s.Status != run.Live {
			return s
		}
	}
	t.Fatalf("the run does not end")
	return run.State{}
}

type testingT interface{ Fatalf(string, ...any) }

func reload(t testingT, l log.Log) run.State {
	s, err := journal.New(l, "sim", time.Now).Load(context.Background(), "01SIMR")
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return s
}

// copyLog makes a log of the first n events of another.
func copyLog(t testingT, from log.Log, n uint64) log.Log {
	to := log.NewMemory(log.MemoryConfig{})
	for stored, err := range from.ReadAll(context.Background(), "") {
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		if stored.Event.Seq > n {
			break
		}
		if _, err := to.Append(context.Background(), stored.Event, log.Ordinary); err != nil {
			t.Fatalf("append: %v", err)
		}
	}
	return to
}

func steps() *rapid.Generator[[]step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			Lost:    rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "lost"),
			Noops:   rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "noops"),
			Limits:  rapid.SampledFrom([]int{0, 0, 0, 1, 4}).Draw(t, "limits"),
			Tree:    rapid.IntRange(1, 4).Draw(t, "tree"),
			Failing: rapid.SampledFrom([]int{0, 1, 2, 3}).Draw(t, "failing"),
			Pinned:  rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "pinned"),
			Blocked: rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "blocked"),
			Takes:   time.Duration(rapid.IntRange(0, 300).Draw(t, "takes")) * time.Second,
		}
	}), 1, 6)
}

// endsTheSame compares the end of a run with that of one whose daemon had it harder.
func endsTheSame[E any](t testingT, what string, whole, other E) {
	if d := cmp.Diff(whole, other); d != "" {
		t.Fatalf("%s (-whole +%s):\n%s", what, what, d)
	}
}

// cutAtRandom calls with so many places of a log.
func cutAtRandom(times int, seed, events uint64, at func(n uint64)) {
	r := rand.New(rand.NewPCG(seed, 3))
	for range times {
		at(1 + r.Uint64N(events))
	}
}

func TestARunContinuesFromAnyPrefixToTheSameEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &script{steps: steps().Draw(rt, "steps"), now: time.Now}
		seed := rapid.Uint64().Draw(rt, "seed")
		synctest.Test(t, func(t *testing.T) {
			l := log.NewMemory(log.MemoryConfig{})
			whole := play(t, l, w, nil)
			cutAtRandom(12, seed, whole.Log.Seq, func(n uint64) {
				endsTheSame(t, fmt.Sprint("cut after event ", n), endOf(whole), endOf(play(t, copyLog(t, l, n), w, nil)))
			})
		})
	})
}

func TestADaemonThatIsKilledAtEveryEventEndsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &script{steps: steps().Draw(rt, "steps"), now: time.Now}
		synctest.Test(t, func(t *testing.T) {
			whole := play(t, log.NewMemory(log.MemoryConfig{}), w, nil)
			last := uint64(0)
			killed := play(t, log.NewMemory(log.MemoryConfig{}), w, func(s run.State) bool {
				die := s.Log.Seq > last
				last = s.Log.Seq
				return die
			})
			endsTheSame(t, "killed", endOf(whole), endOf(killed))
		})
	})
}

func TestLostAnswersOfTheLogChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &script{steps: steps().Draw(rt, "steps"), now: time.Now}
		seed := rapid.Uint64().Draw(rt, "seed")
		synctest.Test(t, func(t *testing.T) {
			whole := play(t, log.NewMemory(log.MemoryConfig{}), w, nil)
			r := rand.New(rand.NewPCG(seed, 1))
			l := log.NewMemory(log.MemoryConfig{Faults: func(events.Event, int) log.Fault {
				return log.Fault(r.IntN(8)) // the higher ones are no fault
			}})
			faulty := play(t, l, w, nil)
			endsTheSame(t, "faulty", endOf(whole), endOf(faulty))
			report, err := log.Check(l.ReadAll(t.Context(), ""))
			if err != nil || !report.OK() {
				t.Fatalf("log: %v %v", report.Bad, err)
			}
		})
	})
}

func TestFoldingInPiecesEqualsFoldingAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &script{steps: steps().Draw(rt, "steps"), now: time.Now}
		synctest.Test(t, func(t *testing.T) {
			l := log.NewMemory(log.MemoryConfig{})
			whole := play(t, l, w, nil)
			var es []events.Event
			for stored, err := range l.ReadAll(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				es = append(es, stored.Event)
			}
			for n := range es {
				if diff := cmp.Diff(whole, run.Fold(run.Fold(run.State{}, es[:n]...), es[n:]...)); diff != "" {
					t.Fatalf("folded in two at %d:\n%s", n, diff)
				}
			}
		})
	})
}

func TestNoRunIsDoneWithoutAGreenGate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := &script{steps: steps().Draw(rt, "steps"), now: time.Now}
		synctest.Test(t, func(t *testing.T) {
			s := play(t, log.NewMemory(log.MemoryConfig{}), w, nil)
			if s.End == nil || s.End.State != events.EndDone {
				return
			}
			last := w.step(s.End.Iteration)
			if last.Failing > 0 || last.Pinned {
				t.Fatalf("done with %+v", last)
			}
		})
	})
}

func TestAFullDiskIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &script{steps: []step{{Tree: 1, Takes: time.Minute}}, full: 100}
		ctx, die := context.WithCancel(t.Context())
		f := fleet.New(ctx, fleet.Config{Journal: journal.New(log.NewMemory(log.MemoryConfig{}), "sim", time.Now), Worker: w, Flow: w.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		s, err := f.Begin(ctx, "01SIMR", simStart(), "local:0@sim/1", "req")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if s, _ := f.State(s.ID); s.Status != run.Live || !f.Full(s.ID) {
			t.Fatalf("on a full disk: %+v, full %v", endOf(s), f.Full(s.ID))
		}
		time.Sleep(time.Hour)
		if s, _ := f.State(s.ID); s.Status != run.Over || s.End.State != events.EndDone || f.Full(s.ID) {
			t.Fatalf("with room again: %+v", endOf(s))
		}
		die()
		f.Close()
	})
}

func TestStoppingALiveRunKeepsItsWorkAndItCanGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &script{steps: []step{{Tree: 1, Failing: 2, Takes: time.Minute}, {Tree: 2, Takes: time.Minute}}}
		l := log.NewMemory(log.MemoryConfig{})
		ctx, die := context.WithCancel(t.Context())
		f := fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: w, Flow: w.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		s, err := f.Begin(ctx, "01SIMR", simStart(), "local:0@sim/1", "req")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second) // within the agent of the first iteration, on the bubble's clock
		if _, err := f.Do(ctx, s.ID, engine.Stop{Mode: events.StopNow}, "local:0@sim/1", "stop"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		s, _ = f.State(s.ID)
		if s.Status != run.Halted || s.Halt.Reason != events.HaltStopped || s.Last.Agent.Outcome != events.Stopped {
			t.Fatalf("stopped: %+v", s)
		}
		if _, err := f.Do(ctx, s.ID, engine.Resume{}, "local:0@sim/1", "resume"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		s, _ = f.State(s.ID)
		if s.Status != run.Over || s.End.State != events.EndDone || s.Loop.Iteration != 2 {
			t.Fatalf("resumed: %+v", endOf(s))
		}
		if n := rule.ExitCode(string(s.End.State), ""); n != 0 {
			t.Fatalf("exit %d", n)
		}
		die()
		f.Close()
	})
}
