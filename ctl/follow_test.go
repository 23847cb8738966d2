package ctl

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

var runArgs = []string{"run", "x", "--gate", "t=make", "--agent-cmd", "a"}

func doneWhy() wire.WhyView {
	v := liveView()
	v.State, v.Exit, v.Iteration, v.ActiveMS = "done", 0, 3, 252_000
	return wire.WhyView{Run: v, Because: "every gate passes on one tree", Evidence: &wire.Evidence{
		Tree: "3f2a9c1b7788aa", Checkout: "in place", Pinned: 4,
		Gates: []wire.GateView{{Name: "t", Kind: "command", Verdict: "pass", Reason: "exit", Says: "exit 0", DurationMS: 1234, Command: "make"}},
	}}
}

func TestAPipedRunShowsPlainLinesAndItsEvidence(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{
		replies: map[string]any{"run.start": liveView(), "run.why": doneWhy()},
		streams: map[string][]any{"run.watch": {
			frame(2, -1, "running", "iteration 1 started"), frame(2, -1, "running", ""), frame(9, 0, "done", "done"),
		}},
	}
	w := newWorld(t, d, runArgs...)
	code(t, w, 0)
	want := `12:00:02  iteration 1 started
12:00:09  done
k3xq  done, 3 iterations, active 4m12s
  every gate passes on one tree
  ✓  t  pass  exit 0, 1.2s  make
  tree     3f2a9c1b77
  checked  in the work tree
  pinned   4 files unchanged
`
	if diff := cmp.Diff(want, w.out.String()); diff != "" {
		t.Error(diff)
	}
	contains(t, "stderr", w.err.String(), "k3xq  started in /home/u/p", "ends after 10 iterations")
}

func TestAFollowedRunExitsAsItEnds(t *testing.T) {
	t.Parallel()
	for state, exit := range map[string]int{"done": 0, "failed": 1, "refused": 2, "halted": 10, "cancelled": 14} {
		d := &fakeDaemon{
			replies: map[string]any{"run.get": liveView(), "run.why": fault(wire.Failed)},
			streams: map[string][]any{"run.watch": {frame(9, exit, state, "the end")}},
		}
		for _, command := range []string{"watch", "wait"} {
			w := newWorld(t, d, command)
			code(t, w, exit)
			contains(t, "stdout", w.out.String(), state)
		}
	}
}

func TestOnATerminalOneLineIsRefreshed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDaemon{
			replies: map[string]any{"run.start": liveView(), "run.why": doneWhy()},
			streams: map[string][]any{"run.watch": {frame(2, -1, "running", "iteration 1 started")}},
			hold:    make(chan struct{}),
		}
		w := newWorld(t, d, runArgs...).terminal()
		begin := time.Now()
		w.Now = func() time.Time { return noon.Add(time.Since(begin)) }
		done := make(chan int)
		go func() { done <- w.run(t) }()
		time.Sleep(3500 * time.Millisecond)
		synctest.Wait()
		for _, active := range []string{"0s", "1s", "2s", "3s"} {
			contains(t, "stdout", w.out.String(), "\r\x1b[?7l\x1b[1mk3xq\x1b[0m · work 2/10 · agent · "+active+"\x1b[K\x1b[?7h")
		}
		if strings.Contains(w.out.String(), "\n") {
			t.Error("more than one line")
		}
		w.signals <- os.Interrupt
		if got := <-done; got != wire.ExitInterrupted {
			t.Errorf("exit %d", got)
		}
	})
}

// follow starts a command in a bubble and returns its end.
func followed(t *testing.T, w *world) <-chan int {
	t.Helper()
	done := make(chan int, 1)
	go func() { done <- w.run(t) }()
	synctest.Wait()
	return done
}

func liveDaemon() *fakeDaemon {
	return &fakeDaemon{
		replies: map[string]any{"run.start": liveView(), "run.get": liveView(), "run.stop": wire.StopReply{}, "run.why": doneWhy()},
		streams: map[string][]any{"run.watch": {frame(2, -1, "running", "iteration 1 started")}},
		hold:    make(chan struct{}),
	}
}

func TestCtrlCDetaches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := liveDaemon()
		w := newWorld(t, d, runArgs...).terminal()
		done := followed(t, w)
		w.signals <- os.Interrupt
		if got := <-done; got != wire.ExitInterrupted {
			t.Errorf("exit %d", got)
		}
		contains(t, "stderr", w.err.String(), "k3xq goes on by itself", "apctl watch k3xq", "apctl stop k3xq")
		for _, c := range d.calls {
			if c.verb == wire.RunStop.Name {
				t.Error("the run was stopped")
			}
		}
	})
}

func TestCtrlCTwiceStopsAfterTheIteration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := liveDaemon()
		w := newWorld(t, d, runArgs...).terminal()
		done := followed(t, w)
		w.signals <- os.Interrupt
		time.Sleep(time.Second)
		w.signals <- os.Interrupt
		if got := <-done; got != wire.ExitInterrupted {
			t.Errorf("exit %d", got)
		}
		if got := d.body(t, wire.RunStop.Spec); got != `{"run":"01JGFJJZ00000000000000K3XQ"}` {
			t.Errorf("stop request %s", got)
		}
		contains(t, "stderr", w.err.String(), "k3xq stops after this iteration")
	})
}

func TestWithoutATerminalASignalStopsTheRunAndWaits(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		synctest.Test(t, func(t *testing.T) {
			d := liveDaemon()
			w := newWorld(t, d, runArgs...)
			done := followed(t, w)
			w.signals <- sig
			synctest.Wait()
			if got := d.body(t, wire.RunStop.Spec); got != `{"run":"01JGFJJZ00000000000000K3XQ","now":true}` {
				t.Errorf("stop request %s", got)
			}
			select {
			case <-done:
				t.Fatal("it did not wait for the end of the run")
			default:
			}
			d.streams["run.watch"] = []any{frame(9, 11, "halted", "halted: stopped")}
			close(d.hold)
			if got := <-done; got != wire.ExitLimit {
				t.Errorf("exit %d", got)
			}
			contains(t, "stderr", w.err.String(), "stopping k3xq; its work is kept")
		})
	}
}

func TestKeepLeavesTheRunAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, liveDaemon(), append(append([]string(nil), runArgs...), "--keep")...)
		done := followed(t, w)
		w.signals <- syscall.SIGTERM
		if got := <-done; got != wire.ExitInterrupted {
			t.Errorf("exit %d", got)
		}
		contains(t, "stderr", w.err.String(), "k3xq goes on by itself")
	})
}

func TestLeavingAWatchSaysNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, liveDaemon(), "watch")
		done := followed(t, w)
		w.signals <- os.Interrupt
		if got := <-done; got != wire.ExitInterrupted || w.err.Len() > 0 {
			t.Errorf("exit %d, stderr %q", got, w.err.String())
		}
	})
}

func TestALostDaemonIsFoundAgainBehindTheLastSequence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := &fakeDaemon{
			replies: map[string]any{"run.get": liveView()},
			streams: map[string][]any{"run.watch": {frame(5, -1, "running", "iteration 1 started"), fault(wire.Unreachable)}},
		}
		second := &fakeDaemon{
			replies: map[string]any{"run.why": doneWhy()},
			streams: map[string][]any{"run.watch": {frame(6, 0, "done", "done")}},
		}
		w := newWorld(t, nil, "watch")
		tries := 0
		w.Connect = connectInTurn(&tries, first, first, nil, nil, second, second)
		code(t, w, 0)
		if want := `{"after":5,"run":"01JGFJJZ00000000000000K3XQ"}`; sorted(t, second.body(t, wire.RunWatch.Spec)) != want {
			t.Errorf("attached with %s", second.body(t, wire.RunWatch.Spec))
		}
		if want := "the daemon is gone; waiting for it\nthe daemon is back; the run is followed again\n"; w.err.String() != want {
			t.Errorf("stderr %q", w.err.String())
		}
	})
}

func TestALostDaemonIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDaemon{
			replies: map[string]any{"run.get": liveView()},
			streams: map[string][]any{"run.watch": {fault(wire.Unreachable)}},
		}
		w := newWorld(t, nil, "watch")
		tries := 0
		w.Connect = connectInTurn(&tries, d, d)
		code(t, w, wire.ExitUnreachable)
		if tries < 10 {
			t.Errorf("gave up after %d tries", tries)
		}
	})
}

func TestWaitGivesUp(t *testing.T) {
	t.Parallel()
	for state, exit := range map[string]int{"running": wire.ExitTimedOut, "waiting": wire.ExitWaiting} {
		synctest.Test(t, func(t *testing.T) {
			d := liveDaemon()
			d.streams["run.watch"] = []any{frame(2, -1, state, "")}
			w := newWorld(t, d, "wait", "--timeout", "1h")
			code(t, w, exit)
		})
	}
}

func TestAFollowedRunSpeaksJSONLines(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{
		replies: map[string]any{"run.start": liveView()},
		streams: map[string][]any{"run.watch": {frame(2, -1, "running", "x"), frame(3, 10, "halted", "y")}},
	}
	w := newWorld(t, d, append(append([]string(nil), runArgs...), "--json")...)
	code(t, w, wire.ExitRail)
	if n := strings.Count(w.out.String(), `{"schema":"autopilot.watch","version":1,"data":{"view":{`); n != 2 || w.err.Len() > 0 {
		t.Errorf("%d frames, stderr %q:\n%s", n, w.err.String(), w.out.String())
	}
}

func TestADaemonThatDoesNotAnswerIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &fakeDaemon{replies: map[string]any{"run.get": silence{}}}, "status")
		code(t, w, wire.ExitTimedOut)
		contains(t, "stderr", w.err.String(), "the daemon did not answer run.get after 1m", "apctl daemon logs")
	})
}

func TestAPipedRunSaysOnceThatItWaitsAndThatItGoesOn(t *testing.T) {
	t.Parallel()
	waiting := func(reason string) wire.WatchFrame {
		f := frame(0, -1, "waiting", "")
		wake := noon.Add(5 * time.Minute)
		f.View.Reason, f.View.NextWake = reason, &wake
		return f
	}
	d := &fakeDaemon{
		replies: map[string]any{"run.get": liveView(), "run.why": fault(wire.Failed)},
		streams: map[string][]any{"run.watch": {
			frame(2, -1, "running", "iteration 1 started"),
			waiting("noop"), waiting("noop"), frame(3, -1, "running", "iteration 1 started again"), frame(3, -1, "running", ""),
			waiting("disk"), waiting("disk"), frame(3, -1, "running", ""), frame(9, 0, "done", "done"),
		}},
	}
	w := newWorld(t, d, "watch")
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), `12:00:02  iteration 1 started
12:00:00  waits until 12:05 (no change)
12:00:03  iteration 1 started again
12:00:00  waits for free disk space, goes on by itself
12:00:00  goes on
12:00:09  done
`)
}
