package effect_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/events"
)

// The faults come at places of the supervisor's life that no test can name, so
// they are spread over the time that a start takes.
const (
	faults    = 16
	faultStep = 700 * time.Microsecond
)

func TestSupervisorKilledAtAnyTimeLeavesNothing(t *testing.T) {
	t.Parallel()
	for i := range faults {
		b := newRig(t)
		s := b.sh("echo x >>$BOX/ran; sleep 300 & sleep 300 & wait")
		done := b.start(t.Context(), s, nil)
		for len(b.r.Live()) == 0 {
			select {
			case got := <-done:
				t.Fatalf("it ended by itself: %+v", got)
			case <-time.After(time.Millisecond):
			}
		}
		pid := b.shim()
		<-time.After(time.Duration(i) * faultStep)
		_ = syscall.Kill(pid, syscall.SIGKILL)
		got := <-done
		switch {
		case errors.Is(got.err, effect.ErrSupervisor): // before the claim
		case got.err != nil || got.out.Outcome != events.Lost || got.out.Left != 0:
			t.Errorf("outcome: %+v", got)
		}
		// Empty is a program that came as far as to open it.
		if text, err := b.dir.ReadBox("ran"); err == nil && len(text) > 0 && string(text) != "x\n" {
			t.Errorf("runs: %q", text)
		}
		b.clean()
	}
}

func TestEndAskedForAtAnyTimeIsStopped(t *testing.T) {
	t.Parallel()
	for i := range faults {
		b := newRig(t)
		end := make(chan struct{})
		done := b.start(t.Context(), b.sh("echo x >>$BOX/ran; sleep 300 & wait"), end)
		<-time.After(time.Duration(i) * faultStep)
		close(end)
		if got := <-done; got.err != nil || got.out.Outcome != events.Stopped || got.out.Left != 0 {
			t.Errorf("outcome: %+v", got)
		}
		if out := b.run(b.sh("true")); out.Outcome != events.Stopped {
			t.Errorf("asked again: %+v", out)
		}
		b.clean()
	}
}

func TestDaemonsThatComeAndGoAtAnyTimeRunItOnce(t *testing.T) {
	t.Parallel()
	for i := range faults {
		b := newRig(t)
		s := b.sh("echo x >>$BOX/ran; exit 7")
		for n := 0; ; n++ {
			b.restart()
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*faultStep)
			got := <-b.start(ctx, s, nil)
			cancel()
			if got.err == nil {
				if got.out.Outcome != events.Exited || got.out.Exit != 7 {
					t.Errorf("outcome: %+v", got)
				}
				break
			}
			if n == 20 {
				i = 10 * faults // long enough for one to get to the end
			}
		}
		ran(t, b, "x\n")
	}
}
