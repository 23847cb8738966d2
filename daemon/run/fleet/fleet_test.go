package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// patient takes its time, an hour where none is said: what was red is green then, or
// in a later iteration.
type patient struct {
	engine.Worker
	takes   time.Duration
	records time.Duration // how long what is done at an end takes
	fails   int           // iterations
}

func (patient) BeginAgent(_ context.Context, s run.State, act engine.RunAgent) (events.Data, error) {
	return events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Effect: fmt.Sprintf("a-%d-%d", act.Iteration, act.Attempt),
		Tree: s.Last.Tree, Work: s.Last.Work,
	}, nil
}

func (p patient) Agent(ctx context.Context, s run.State, end <-chan struct{}) (events.AgentEnded, error) {
	l := s.Last.Start
	tree := events.Tree(fmt.Sprintf("t%d", l.Iteration))
	d := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect, Outcome: events.Exited,
		DurationMS: 60_000, Tree: tree, Work: tree,
	}
	select {
	case <-ctx.Done():
		return d, ctx.Err()
	case <-end:
		d.Outcome = events.Stopped
	case <-time.After(cmp.Or(p.takes, time.Hour)):
	}
	return d, nil
}

func (patient) BeginGates(_ context.Context, _ run.State, act engine.RunGates) (events.GatesStarted, error) {
	return events.GatesStarted{
		Phase: act.Phase, Iteration: act.Iteration, Entry: act.Entry,
		Effects: []events.EffectRef{{Gate: "test", Effect: fmt.Sprintf("g-%d", act.Iteration)}},
	}, nil
}

func (p patient) Gates(_ context.Context, s run.State, _ <-chan struct{}) (events.GatesJudged, error) {
	test := events.GateResult{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Pass, Reason: events.ReasonExit}
	if s.Loop.Iteration <= p.fails {
		sum := sha256.Sum256(nil)
		test.Verdict, test.Exit, test.Failing, test.FailingSum = events.Fail, 1, 2, hex.EncodeToString(sum[:])
	}
	return events.GatesJudged{
		Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Results: []events.GateResult{test}, Tree: s.Last.Tree, Work: s.Last.Work,
	}, nil
}

func (p patient) Recorded(context.Context, run.State) error {
	time.Sleep(p.records)
	return nil
}

func (patient) Text(context.Context, string) events.Ref { return "e" }

// serving is a fleet on a log.
func serving(ctx context.Context, l log.Log, w patient, k *Kept) *Fleet {
	return New(ctx, Config{
		Journal: journal.New(l, "host", time.Now), Worker: w, Host: "host", Now: time.Now, Log: slog.New(slog.DiscardHandler), Kept: k,
		Flow: func(context.Context, run.State) (workflow.Workflow, error) {
			w := workflow.Default()
			w.Phases = []workflow.Phase{{Name: "work", Prompt: "work.md", Gates: []workflow.Gate{{Group: workflow.Goals}}}}
			return w, nil
		},
	})
}

func started(handle, project string) events.RunStarted {
	return events.RunStarted{
		Handle: handle, Project: project, Phase: "work", Tree: "t0", Work: "t0", Limits: events.Limits{Iterations: 6},
		Gates: []events.Gate{{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal}},
	}
}

func TestARepeatedStartWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, die := context.WithCancel(t.Context())
		f := serving(ctx, log.NewMemory(log.MemoryConfig{}), patient{}, nil)
		release, err := f.Hold("p", "req", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Hold("p", "req", ""); err == nil {
			t.Fatal("one request holds a workspace twice")
		}
		go func() {
			time.Sleep(time.Second)
			if _, err := f.Begin(ctx, "01SIMR", started("simr", "p"), "local:0@host/1", "req"); err != nil {
				t.Error(err)
			}
			release()
		}()
		if s, ok := f.Requested(ctx, "req"); !ok || s.ID != "01SIMR" {
			t.Errorf("the repeated request finds %q, %v", s.ID, ok)
		}
		if s, ok := f.Requested(ctx, "other"); ok {
			t.Errorf("another request finds %q", s.ID)
		}
		die()
		f.Close()
	})
}

func TestOnALowDiskEveryLiveRunWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, die := context.WithCancel(t.Context())
		f := serving(ctx, log.NewMemory(log.MemoryConfig{}), patient{}, nil)
		if _, err := f.Begin(ctx, "01SIMR", started("simr", "p"), "local:0@host/1", "req"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // its agent is at work, and asks for no room
		if got := f.Fulls(false); len(got) != 0 {
			t.Errorf("with room %d runs wait", len(got))
		}
		if got := f.Fulls(true); got["01SIMR"].Stage != run.Agent {
			t.Errorf("on a low disk these wait: %v", got)
		}
		time.Sleep(2 * time.Hour)
		if got := f.Fulls(true); len(got) != 0 {
			t.Errorf("a run that is over waits: %v", got)
		}
		die()
		f.Close()
	})
}

func TestAnOldStateNeverReplacesANewerOne(t *testing.T) {
	t.Parallel()
	f := serving(t.Context(), log.NewMemory(log.MemoryConfig{}), patient{}, nil)
	f.Serve(t.Context(), run.State{ID: "r", Status: run.Over, Log: run.Log{Seq: 2}}, engine.Reboot{})
	f.note(run.State{ID: "r", Log: run.Log{Seq: 1}})
	if s, _ := f.State("r"); s.Log.Seq != 2 {
		t.Errorf("the state is that after event %d", s.Log.Seq)
	}
}

func TestRunsThatAreStartedAtOnceGetDifferentHandles(t *testing.T) {
	t.Parallel()
	f := serving(t.Context(), log.NewMemory(log.MemoryConfig{}), patient{}, nil)
	old := run.State{ID: "01OLDABCD", Status: run.Over}
	old.Facts.Handle = "abcd"
	f.Serve(t.Context(), old, engine.Reboot{})
	if got := f.NewHandle("01XZZZABCE"); got != "abce" {
		t.Errorf("the handle is %q, and nobody has its last four", got)
	}
	// Neither of the next is stored when the other is named.
	if a, b := f.NewHandle("01P1ABCD"), f.NewHandle("01Q1ABCD"); a != "1abcd" || b != "q1abcd" {
		t.Errorf("handles %q and %q", a, b)
	}
}

func TestACommandWhoseEventGotLostIsDecidedAgain(t *testing.T) {
	t.Parallel()
	for _, fault := range []log.Fault{log.FaultConflict, log.FaultUnavailable, log.FaultUnavailableStored} {
		t.Run(fmt.Sprint(fault), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				failed := map[string]bool{}
				l := log.NewMemory(log.MemoryConfig{Faults: func(e events.Event, _ int) log.Fault {
					typ := e.Data.EventType()
					if failed[typ] || typ != events.TypeStopRequested && typ != events.TypeRunResumed {
						return log.FaultNone
					}
					failed[typ] = true
					return fault
				}})
				ctx, die := context.WithCancel(t.Context())
				f := serving(ctx, l, patient{}, nil)
				s, err := f.Begin(ctx, "01SIMR", started("simr", "p"), "local:0@host/1", "req")
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if s, err = f.Do(ctx, s.ID, engine.Stop{Mode: events.StopNow}, "local:0@host/1", "stop"); err != nil || s.Stop != events.StopNow {
					t.Fatalf("stop: %q, %v", s.Stop, err)
				}
				time.Sleep(time.Minute)
				if s, err = f.Do(ctx, s.ID, engine.Resume{}, "local:0@host/1", "resume"); err != nil || s.Status != run.Live {
					t.Fatalf("resume: %s, %v", s.Status, err)
				}
				die()
				f.Close()
			})
		})
	}
}

// untilOver waits for the end of a run to be known.
func untilOver(f *Fleet, id string) {
	for {
		changed := f.Wait()
		if s, _ := f.State(id); s.Status == run.Over {
			return
		}
		<-changed
	}
}

func TestARunIsSettledWhenItsTreeHasItsName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, die := context.WithCancel(t.Context())
		f := serving(ctx, log.NewMemory(log.MemoryConfig{}), patient{takes: time.Minute, records: time.Hour}, nil)
		s, err := f.Begin(ctx, "01SIMR", started("simr", "p"), "local:0@host/1", "req")
		if err != nil {
			t.Fatal(err)
		}
		untilOver(f, s.ID)
		over := time.Now()
		if err := f.Settle(ctx, s.ID); err != nil || time.Since(over) != time.Hour {
			t.Errorf("it waited %v: %v", time.Since(over), err)
		}
		if err := f.Settle(ctx, "01NOBODY"); err != nil {
			t.Error(err)
		}
		die()
		f.Close()
	})
}

func TestAStateThatComesLateIsNotHeardOf(t *testing.T) {
	t.Parallel()
	f := serving(t.Context(), log.NewMemory(log.MemoryConfig{}), patient{}, nil)
	var heard []uint64
	f.Tell(Listener{Noted: func(s run.State) { heard = append(heard, s.Log.Seq) }})
	at := func(seq uint64) (s run.State) {
		s.ID, s.Status, s.Log.Seq = "01SIMR", run.Over, seq
		return s
	}
	f.Serve(t.Context(), at(1), engine.Reboot{})
	for _, seq := range []uint64{1, 2, 1, 2, 3} { // 2 again: that a run waits for room is no event
		f.note(at(seq))
	}
	if d := gocmp.Diff([]uint64{1, 2, 2, 3}, heard); d != "" {
		t.Errorf("heard of (-want +got):\n%s", d)
	}
}

func TestARunThatCannotBeServedKeepsNoDaemonFromStarting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := log.NewMemory(log.MemoryConfig{})
		ctx, die := context.WithCancel(t.Context())
		f := serving(ctx, l, patient{}, nil)
		if _, err := f.Begin(ctx, "01SIMR", started("simr", "p"), "local:0@host/1", "req"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		die()
		f.Close()

		ctx, die = context.WithCancel(t.Context())
		gone := func(context.Context, run.State) (workflow.Workflow, error) {
			return workflow.Workflow{}, errors.New("its workflow is gone")
		}
		f = New(ctx, Config{Journal: journal.New(l, "host", time.Now), Worker: patient{}, Flow: gone, Host: "host", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if err := f.Load(ctx, engine.Reboot{Booted: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // its actor halts it
		if f.Busy() {
			t.Error("a run that is not served is waited for by a drain")
		}
		die()
		f.Close()
	})
}

func TestNoRunIsServedAfterTheEnd(t *testing.T) {
	t.Parallel()
	ctx, die := context.WithCancel(t.Context())
	f := serving(ctx, log.NewMemory(log.MemoryConfig{}), patient{}, nil)
	die()
	f.Close()
	f.Serve(t.Context(), run.State{ID: "01LATE", Status: run.Live}, engine.Reboot{})
	if f.actorOf("01LATE") != nil {
		t.Error("a run is served after the end")
	}
}
