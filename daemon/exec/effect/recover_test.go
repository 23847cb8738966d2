package effect_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/events"
)

func boot(t *testing.T) string {
	t.Helper()
	id, err := proc.Boot()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// intent makes a control directory as a daemon does before it starts a
// supervisor.
func (b *rig) intent(s shim.Spec, bootID string) string {
	b.Helper()
	ctl := filepath.Join(b.dir.Path(), "ctl")
	for _, dir := range []string{ctl, b.dir.Box()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
	}
	s.V, s.Boot = shim.Version, bootID
	if err := shim.WriteSpec(ctl, s); err != nil {
		b.Fatal(err)
	}
	return ctl
}

// bystander is a live process that no effect has anything to do with, unless
// env says otherwise. It leads a session.
func bystander(t *testing.T, env ...string) (proc.Process, *exec.Cmd) {
	t.Helper()
	c := exec.Command("sleep", "300")
	c.Env = append([]string{"X=1"}, env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	p, err := proc.Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// The kernel lets go of the starter a moment before it shows the environment.
	for _, entry := range env {
		id, ok := strings.CutPrefix(entry, proc.EffectVariable+"=")
		for ok && proc.Effect(p.PID) != id {
			runtime.Gosched()
		}
	}
	return p, c
}

func lives(t *testing.T, p proc.Process) {
	t.Helper()
	if now, err := proc.Read(p.PID); err != nil || !now.Same(p) || now.Zombie {
		t.Errorf("bystander %d was ended", p.PID)
	}
}

func TestRunningEffectIsAdopted(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("echo x >>$BOX/ran; echo ready; read x < $GO; exit 7")
	ctx, cancel := context.WithCancel(t.Context())
	done, _ := b.started(ctx, s, nil)
	before := b.shim()
	cancel()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Fatalf("let go: %+v", got)
	}
	b.restart()
	if now := b.shim(); now != before {
		t.Errorf("live before the adoption: supervisor %d, want %d", now, before)
	}
	done = b.start(t.Context(), s, nil)
	b.release()
	if got := <-done; got.err != nil || got.out.Outcome != events.Exited || got.out.Exit != 7 {
		t.Errorf("adopted: %+v", got)
	}
	if live := b.r.Live(); len(live) != 0 {
		t.Errorf("live after the end: %v", live)
	}
	ran(t, b, "x\n")
}

func ran(t *testing.T, b *rig, want string) {
	t.Helper()
	got, err := b.dir.ReadBox("ran")
	if err != nil || string(got) != want {
		t.Errorf("the program left %q (%v), want %q", got, err, want)
	}
}

func TestAdoptedEffectIsEndedOnRequest(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("sleep 300 & echo $! $$; echo ready; wait")
	ctx, cancel := context.WithCancel(t.Context())
	done, pids := b.started(ctx, s, nil)
	cancel()
	<-done
	b.restart()
	end := make(chan struct{})
	close(end)
	got := <-b.start(t.Context(), s, end)
	if got.err != nil || got.out.Outcome != events.Stopped || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	b.gone(pids)
}

func TestOutcomeOfAnEffectThatEndedWhileTheDaemonWasAwayIsTaken(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("echo x >>$BOX/ran; echo ready; read x < $GO; exit 7")
	ctx, cancel := context.WithCancel(t.Context())
	done, _ := b.started(ctx, s, nil)
	cancel()
	<-done
	b.release()
	for _, err := range b.dir.Follow(t.Context(), effect.Merged, 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	b.restart()
	for range 2 {
		if out := b.run(s); out.Outcome != events.Exited || out.Exit != 7 {
			t.Errorf("outcome: %+v", out)
		}
	}
	ran(t, b, "x\n")
}

func TestKilledSupervisorMeansLostAndNoSurvivor(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("sleep 300 & echo $! $$; EFFECT_TEST_HELPER=daemonize $HELPER; while ! test -e $PIDS; do sleep 0.01; done; cat $PIDS; echo; echo ready; wait")
	done, pids := b.started(t.Context(), s, nil)
	grouped := b.grouped()
	if err := syscall.Kill(b.shim(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	got := <-done
	if got.err != nil || got.out.Outcome != events.Lost || got.out.Exit != -1 || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	fields := strings.Fields(pids)
	b.gone(strings.Join(fields[:2], " "))
	if grouped {
		b.gone(pids)
	} else {
		// The one that left session and environment is known to nobody now.
		orphan, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(-orphan, syscall.SIGKILL) // it leads a group of its own
	}
	if again := b.run(s); again.Outcome != events.Lost {
		t.Errorf("asked again: %+v", again)
	}
}

func TestFollowEndsWhenTheSupervisorIsKilled(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	done, _ := b.started(ctx, b.sh("echo ready; read x < $GO"), nil)
	pid := b.shim()
	cancel()
	<-done
	_ = syscall.Kill(pid, syscall.SIGKILL)
	var got strings.Builder
	for c, err := range b.dir.Follow(t.Context(), effect.Merged, 0) {
		if err != nil {
			t.Fatal(err)
		}
		got.Write(c.Data)
	}
	if got.String() != "ready\n" {
		t.Errorf("output %q", got.String())
	}
	b.run(b.sh("true")) // buries what is left
}

func TestSupervisorAndRecoveringDaemonRaceForTheClaim(t *testing.T) {
	t.Parallel()
	for range 12 {
		b := newRig(t)
		s := b.sh("echo x >>$BOX/ran; exit 7")
		ctl := b.intent(s, boot(t))
		late := exec.Command(apshim, ctl)
		late.Env = []string{}
		if err := late.Start(); err != nil {
			t.Fatal(err)
		}
		if out := b.run(s); out.Outcome != events.Exited || out.Exit != 7 {
			t.Errorf("outcome: %+v", out)
		}
		// The Runner reaps a child that it adopts, and this one is.
		if err := late.Wait(); err != nil && !errors.Is(err, syscall.ECHILD) {
			t.Errorf("the other supervisor: %v", err)
		}
		ran(t, b, "x\n")
	}
}

func TestIntentWithoutAClaimIsAbandonedAndBegunAgain(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("echo x >>$BOX/ran; echo $BOX; exit 7")
	ctl := b.intent(s, boot(t))
	if out := b.run(s); out.Outcome != events.Exited || out.Exit != 7 {
		t.Errorf("outcome: %+v", out)
	}
	// A supervisor that comes too late does nothing.
	if out, err := exec.Command(apshim, ctl).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("late supervisor: %v %s", err, out)
	}
	ran(t, b, "x\n")
	if got := b.output(); got != b.dir.Box()+"\n" {
		t.Errorf("box: %q", got)
	}
}

func TestHalfAnIntentIsBegunAgain(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	if err := os.MkdirAll(filepath.Join(b.dir.Path(), "ctl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out := b.run(b.sh("exit 7")); out.Exit != 7 {
		t.Errorf("outcome: %+v", out)
	}
}

func TestSupervisorThatDiedAfterItsClaimIsLost(t *testing.T) {
	t.Parallel()
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	claim := shim.Claim{PID: dead.Process.Pid, Start: 1, Boot: boot(t)}
	t.Run("nothing lives", func(t *testing.T) {
		t.Parallel()
		b := newRig(t)
		if err := claim.Take(b.intent(b.sh("true"), claim.Boot)); err != nil {
			t.Fatal(err)
		}
		if out := b.run(b.sh("true")); out.Outcome != events.Lost || out.Killed != 0 {
			t.Errorf("outcome: %+v", out)
		}
	})
	t.Run("a process with the marker lives", func(t *testing.T) {
		t.Parallel()
		b := newRig(t)
		if err := claim.Take(b.intent(b.sh("true"), claim.Boot)); err != nil {
			t.Fatal(err)
		}
		other, _ := bystander(t, "AUTOPILOT_EFFECT="+b.id+"0")
		_, c := bystander(t, "A=1", "AUTOPILOT_EFFECT="+b.id)
		if out := b.run(b.sh("true")); out.Outcome != events.Lost || out.Killed != 1 || out.Left != 0 {
			t.Errorf("outcome: %+v", out)
		}
		if err := c.Wait(); err == nil || c.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Errorf("the survivor: %v", err)
		}
		lives(t, other)
	})
	t.Run("the claim is empty", func(t *testing.T) {
		t.Parallel()
		b := newRig(t)
		ctl := b.intent(b.sh("true"), claim.Boot)
		if err := os.WriteFile(filepath.Join(ctl, "claim"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, c := bystander(t, "AUTOPILOT_EFFECT="+b.id)
		if out := b.run(b.sh("true")); out.Outcome != events.Lost || out.Killed != 1 {
			t.Errorf("outcome: %+v", out)
		}
		if err := c.Wait(); err == nil {
			t.Error("the survivor ended by itself")
		}
	})
}
