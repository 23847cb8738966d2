package effect_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/events"
)

func TestMembersOfTheSessionAreHuntedWithoutTheirMarker(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	leader := exec.Command("sh", "-c", "env -i sleep 300 >/dev/null 2>&1 & echo $!; read x; exit 0")
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := leader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	leader.Stdout = &out
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	p, err := proc.Read(leader.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	_ = leader.Wait() // read fails without input, so the code is not 0 everywhere
	if err := (shim.Claim{PID: p.PID, Start: p.Start, Boot: boot(t)}).Take(b.intent(b.sh("true"), boot(t))); err != nil {
		t.Fatal(err)
	}
	if got := b.run(b.sh("true")); got.Outcome != events.Lost || got.Killed != 1 || got.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	b.gone(out.String())
}

func TestReusedPidIsNotSignalled(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	p, _ := bystander(t)
	claim := shim.Claim{PID: p.PID, Start: p.Start - 1, Boot: boot(t)}
	if err := claim.Take(b.intent(b.sh("true"), claim.Boot)); err != nil {
		t.Fatal(err)
	}
	b.restart()
	if live := b.r.Live(); len(live) != 0 {
		t.Errorf("live: %v", live)
	}
	if out := b.run(b.sh("true")); out.Outcome != events.Lost || out.Killed != 0 {
		t.Errorf("outcome: %+v", out)
	}
	lives(t, p)
}

func TestAnotherBootMeansLost(t *testing.T) {
	t.Parallel()
	const earlier = "00000000-0000-0000-0000-000000000000"
	t.Run("claimed", func(t *testing.T) {
		t.Parallel()
		b := newRig(t)
		p, _ := bystander(t)
		if err := (shim.Claim{PID: p.PID, Start: p.Start, Boot: earlier}).Take(b.intent(b.sh("true"), earlier)); err != nil {
			t.Fatal(err)
		}
		b.restart()
		if out := b.run(b.sh("true")); out.Outcome != events.Lost || !strings.Contains(out.Err, "started again") {
			t.Errorf("outcome: %+v", out)
		}
		lives(t, p)
	})
	t.Run("no claim, as it may not have reached the disk", func(t *testing.T) {
		t.Parallel()
		b := newRig(t)
		b.intent(b.sh("true"), earlier)
		if out := b.run(b.sh("true")); out.Outcome != events.Lost {
			t.Errorf("outcome: %+v", out)
		}
	})
	t.Run("finished", func(t *testing.T) {
		t.Parallel()
		b := newRig(t)
		b.run(b.sh("exit 7"))
		r, err := effect.New(effect.Config{Root: b.root, Shim: apshim, BootID: earlier})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := r.Run(t.Context(), b.sh("exit 7"), nil, nil); err != nil || out.Exit != 7 {
			t.Errorf("outcome: %+v, %v", out, err)
		}
	})
}

func TestSurvivorsAreProcessesOfFinishedEffectsOnly(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	b.run(b.sh("true"))
	if got := b.r.Survivors(); len(got) != 0 {
		t.Errorf("survivors: %v", got)
	}
	p, c := bystander(t, "AUTOPILOT_EFFECT="+b.id)
	bystander(t, "AUTOPILOT_EFFECT="+newID())
	if got := b.r.Survivors(); len(got) != 1 || got[0] != (effect.Survivor{Effect: b.id, PID: p.PID}) {
		t.Errorf("survivors: %v", got)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
}

func TestRemoveDeletesAlsoWhatTheEffectLocked(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	b.run(b.sh("mkdir -p $BOX/outbox/a/b && chmod 0 $BOX/outbox/a && ln -s /etc $BOX/link"))
	for range 2 {
		if err := b.r.Remove(b.id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.dir.Outcome(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("outcome after removal: %v", err)
	}
	if left, err := os.ReadDir(b.root); err != nil || len(left) != 0 {
		t.Errorf("left in the root: %v, %v", left, err)
	}
}

func TestEffectThatDeletesItsRecordsIsLostAndNotRunAgain(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"all":     "rm -rf ${BOX%/box}",
		"control": "rm -rf $BOX/../ctl",
		"files":   "rm -rf $BOX/../ctl/*",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			ran := filepath.Join(t.TempDir(), "ran")
			s := b.sh("echo x >>" + ran + "; " + script + "; sleep 300 & exit 0")
			out := b.run(s)
			if name == "files" {
				// The supervisor still had a place for its record.
				if out.Outcome != events.Exited {
					t.Errorf("outcome: %+v", out)
				}
			} else if out.Outcome != events.Lost || !strings.Contains(out.Err, "deleted") {
				t.Errorf("outcome: %+v", out)
			}
			if again := b.run(s); again.Outcome != out.Outcome {
				t.Errorf("asked again: %+v", again)
			}
			if got, err := os.ReadFile(ran); err != nil || string(got) != "x\n" {
				t.Errorf("runs: %q, %v", got, err)
			}
		})
	}
}

func TestRunningEffectWithoutItsClaimIsEndedAndNotRunAgain(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("echo x >>$BOX/ran; rm $BOX/../ctl/*; sleep 300 & echo $! $$ >$PIDS; read x < $GO")
	ctx, cancel := context.WithCancel(t.Context())
	done := b.start(ctx, s, nil)
	f, err := os.OpenFile(b.fifo, os.O_WRONLY, 0) // opens when the program reads
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cancel()
	<-done
	b.restart()
	// Its supervisor may get to write down the signal before we say lost.
	if out := b.run(s); out.Outcome != events.Lost && out.Outcome != events.Signaled || out.Left != 0 {
		t.Errorf("outcome: %+v", out)
	}
	ran(t, b, "x\n")
	pids, err := b.dir.ReadBox("pids")
	if err != nil {
		t.Fatal(err)
	}
	b.gone(string(pids))
}

func TestProcessWithTheMarkerOutsideOfTheTreeIsEndedWithTheEffect(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, _ := b.started(t.Context(), b.sh("echo ready; read x < $GO"), nil)
	_, c := bystander(t, "AUTOPILOT_EFFECT="+b.id)
	b.release()
	if got := <-done; got.err != nil || got.out.Outcome != events.Exited || got.out.Killed != 1 || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	if err := c.Wait(); err == nil {
		t.Error("it ended by itself")
	}
}

func TestRunWithAnEndedContextStartsNothing(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.r.Run(ctx, b.sh("true"), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
	if _, err := os.Stat(b.dir.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory: %v", err)
	}
}
