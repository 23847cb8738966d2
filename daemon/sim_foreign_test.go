package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// This file plays runs in whose work trees others are at work as well, with a person
// who lets them go on.

// outsiders are who changes the work tree of a run that is not theirs.
type outsiders struct {
	writes map[int]bool // while the agent of an iteration works; a host tells of it
	edits  map[int]bool // before an iteration begins
}

// edited is the halt of an iteration before which somebody has changed files that
// nobody took as they are.
func (o *outsiders) edited(s run.State, act engine.RunAgent) (events.RunHalted, bool) {
	if o == nil || act.Iteration < 2 || act.Attempt > 1 || !o.edits[act.Iteration] || s.Changed != "" {
		return events.RunHalted{}, false
	}
	return events.RunHalted{
		Reason: events.HaltForeign, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Tree: s.Last.Tree,
		Files: events.Ref(fmt.Sprintf("edit-%d", act.Iteration)), Used: 1,
	}, true
}

// intrudes has a chat write while an agent works, once in each of its iterations. It
// says whether the run was changed.
func (o *outsiders) intrudes(ctx context.Context, t testingT, l log.Log, f *fleet.Fleet, s run.State) bool {
	if o == nil || s.Stage != run.Agent || !o.writes[s.Last.Start.Iteration] {
		return false
	}
	seen := events.ForeignSeen{Files: events.Ref(fmt.Sprintf("write-%d", s.Last.Start.Iteration)), Count: 1, By: "chat"}
	for stored, err := range l.ReadAll(ctx, "") {
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		if stored.Event.Data == events.Data(seen) {
			return false
		}
	}
	after, err := f.Do(ctx, s.ID, engine.Foreign{ForeignSeen: seen}, events.ActorDaemon("sim"), "")
	return err == nil && after.Log.Seq > s.Log.Seq
}

// playBeside is play with a person who takes what others have changed as it is, and
// lets the run go on.
func playBeside(t testingT, l log.Log, w *script, kill func(run.State) bool) run.State {
	for range 50 {
		s := play(t, l, w, kill)
		if s.Status != run.Halted || s.Halt.Reason != events.HaltForeign {
			return s
		}
		if s.Halt.Files == "" || s.Halt.Used != 1 {
			t.Fatalf("halted, and no files are named: %+v", s.Halt)
		}
		ctx, die := context.WithCancel(context.Background())
		f := fleet.New(ctx, fleet.Config{Journal: journal.New(l, "sim", time.Now), Worker: w, Flow: w.flow, Host: "sim", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if err := f.Load(ctx, engine.Reboot{}); err != nil {
			t.Fatalf("load: %v", err)
		}
		_, err := f.Do(ctx, s.ID, engine.Resume{Changed: s.Halt.Files}, "person:1@sim/tty", fmt.Sprintf("resume-%d", s.Log.Seq))
		die()
		f.Close()
		if err != nil {
			t.Fatalf("resume: %v", err)
		}
	}
	t.Fatalf("it halts for ever")
	return run.State{}
}

func besetScript(rt *rapid.T) *script {
	w := &script{steps: steps().Draw(rt, "steps"), now: time.Now}
	for i := range w.steps {
		w.steps[i].Takes += time.Second // there is a moment in which another writes
	}
	points := rapid.MapOf(rapid.IntRange(1, 6), rapid.Just(true))
	w.outsiders = &outsiders{writes: points.Draw(rt, "writes"), edits: points.Draw(rt, "edits")}
	return w
}

// Field reports, B.4 61: what others change halts a run before it goes on, wherever
// its daemon is killed meanwhile.
func TestARunAmongOthersContinuesFromAnyPrefixToTheSameEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := besetScript(rt)
		seed := rapid.Uint64().Draw(rt, "seed")
		synctest.Test(t, func(t *testing.T) {
			l := log.NewMemory(log.MemoryConfig{})
			whole := playBeside(t, l, w, nil)
			cutAtRandom(8, seed, whole.Log.Seq, func(n uint64) {
				endsTheSame(t, fmt.Sprint("cut after event ", n), ended(whole), ended(playBeside(t, copyLog(t, l, n), w, nil)))
			})
			killed := playBeside(t, log.NewMemory(log.MemoryConfig{}), w, killedAtRandom(seed))
			endsTheSame(t, "killed", ended(whole), ended(killed))
		})
	})
}

// A run that halts for others has been halted at each point at which they came, and
// it is done all the same.
func TestEveryChangeOfOthersHaltsTheRunOnceUnlessItIsDone(t *testing.T) {
	t.Parallel()
	all := map[int]bool{1: true, 2: true, 3: true}
	for name, tt := range map[string]struct {
		others outsiders
		want   []events.Ref
	}{
		"nobody":             {outsiders{}, nil},
		"before each":        {outsiders{edits: all}, []events.Ref{"edit-2", "edit-3"}},
		"while each is open": {outsiders{writes: all}, []events.Ref{"write-1", "write-2"}},
		"at both, once":      {outsiders{writes: all, edits: all}, []events.Ref{"write-1", "write-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &script{now: time.Now, outsiders: &tt.others}
				for i := range 3 {
					w.steps = append(w.steps, step{Tree: i + 1, Failing: 2 - i, Takes: time.Minute})
				}
				l := log.NewMemory(log.MemoryConfig{})
				if s := playBeside(t, l, w, nil); s.End == nil || s.End.State != events.EndDone {
					t.Fatalf("%+v", endOf(s))
				}
				var got []events.Ref
				for stored, err := range l.ReadAll(t.Context(), "") {
					if h, is := stored.Event.Data.(events.RunHalted); err == nil && is {
						got = append(got, h.Files)
					}
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("halts (-want +got):\n%s", d)
				}
			})
		})
	}
}
