package effect_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/events"
)

// grouped says whether the effect has a control group of its own, which
// depends on where the tests run.
func (b *rig) grouped() bool {
	b.Helper()
	claim, err := shim.ReadClaim(filepath.Join(b.dir.Path(), "ctl"))
	if err != nil {
		b.Fatal(err)
	}
	_, err = os.Stat(string(claim.Cgroup))
	return err == nil
}

// living waits for a look that shows a sign of the kind.
func (b *rig) living(kind string) {
	b.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		life, err := b.dir.LastLife()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Fatal(err)
		}
		if life.Kind == kind && err == nil {
			if age := time.Since(life.At); age < 0 || age > time.Hour {
				b.Errorf("last sign of life: %v ago", age)
			}
			return
		}
		if out, err := b.dir.Outcome(); err == nil {
			b.Fatalf("it ended without a sign of the kind %s: %+v", kind, out)
		}
		select {
		case <-b.Context().Done():
			b.Fatalf("no sign of the kind %s, the last is %+v", kind, life)
		case <-tick.C:
		}
	}
}

func TestB1ProgramThatStaysAfterItsResultIsEndedOnRequest(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	end := make(chan struct{})
	done, text := b.started(t.Context(), b.sh(`echo '{"type":"result","subtype":"success"}'; echo ready; exec sleep 3600`), end)
	close(end)
	got := <-done
	if got.err != nil || got.out.Outcome != events.Stopped || got.out.Signal != int(syscall.SIGTERM) || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	if !strings.Contains(text, "success") || !strings.Contains(b.output(), text) {
		t.Errorf("output %q, of which %q was read before the end", b.output(), text)
	}
}

func TestB2ProgramThatHoldsAConnectionInSilenceIsIdle(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if c, err := server.Accept(); err == nil {
			_, _ = c.Read(make([]byte, 1)) // until the other end is gone
			c.Close()
		}
	})
	b := newRig(t)
	s := b.helper("connected")
	s.Env = append(s.Env, "PEER="+server.Addr().String())
	s.Idle, s.Work = 300*time.Millisecond, t.TempDir()
	out := b.run(s)
	if out.Outcome != events.IdleTimeout || out.Exit != -1 || out.Left != 0 || b.output() != "init\n" {
		t.Errorf("outcome: %+v, output %q", out, b.output())
	}
	server.Close()
	serving.Wait()
}

func TestB8LeaderThatDiesLeavesNobody(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	out := b.run(b.sh("sh -c 'sleep 300 & echo $!; exec sleep 300' & echo $!; sleep 0.1; kill -9 $$"))
	if out.Outcome != events.Signaled || out.Signal != int(syscall.SIGKILL) || out.Killed < 2 || out.Left != 0 {
		t.Errorf("outcome: %+v", out)
	}
	b.gone(b.output())
}

func TestB11LiveGrandchildIsNoOrphan(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, pids := b.started(t.Context(), b.sh("setsid sh -c 'echo $$; echo ready; read x < $GO; exit 0' & wait; exit 7"), nil)
	b.restart() // whose look at what is there is a sweep, too
	b.r.Reap()
	if got := b.r.Survivors(); len(got) != 0 {
		t.Errorf("survivors: %v", got)
	}
	if live := b.r.Live(); len(live) != 1 {
		t.Errorf("live: %v", live)
	}
	if len(strings.Fields(pids)) != 1 {
		t.Fatalf("pids: %q", pids)
	}
	b.release()
	if got := <-done; got.err != nil || got.out.Exit != 7 || got.out.Killed != 0 {
		t.Errorf("outcome: %+v", got)
	}
}

func TestB14OurSignalIsToldFromOneFromOutside(t *testing.T) {
	t.Parallel()
	const script = "trap 'exit 143' TERM; echo $$; echo ready; while :; do sleep 300 & wait; done"
	for name, c := range map[string]struct {
		ours bool
		want events.Outcome
		exit int
	}{
		"ours":         {true, events.Stopped, -1},
		"from outside": {false, events.Exited, 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			end := make(chan struct{})
			done, text := b.started(t.Context(), b.sh(script), end)
			if c.ours {
				close(end)
			} else {
				kill(t, text, syscall.SIGTERM)
			}
			if got := <-done; got.err != nil || got.out.Outcome != c.want || got.out.Exit != c.exit || got.out.Left != 0 {
				t.Errorf("outcome: %+v", got)
			}
		})
	}
}

func kill(t *testing.T, text string, sig syscall.Signal) {
	t.Helper()
	for _, pid := range pidsIn(t, text) {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
}

func pidsIn(t *testing.T, text string) []int {
	t.Helper()
	var pids []int
	for _, f := range strings.Fields(text) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func TestB15ProgramThatNeverEndsIsNotStartedTwice(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("echo x >>$BOX/ran; echo ready; exec sleep 3600")
	end := make(chan struct{})
	done, _ := b.started(t.Context(), s, end)
	for range 5 {
		if _, err := b.r.Run(t.Context(), s, nil, nil); !errors.Is(err, effect.ErrRunning) {
			t.Errorf("started again: %v", err)
		}
	}
	close(end)
	<-done
	ran(t, b, "x\n")
}

func TestSilentProgramThatWorksIsNotIdle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string // empty is a program that changes a file
		kind   string
	}{
		"it computes":        {"while ! test -e $STOP; do :; done; exit 7", shim.LifeCPU},
		"its children do":    {"while ! test -e $STOP; do sh -c 'i=0; while test $i -lt 2000; do i=$((i+1)); done'; done; exit 7", shim.LifeCPU},
		"files change":       {"", shim.LifeFiles},
		"a transcript grows": {"", shim.LifeWatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			work, stop := t.TempDir(), filepath.Join(t.TempDir(), "stop")
			file := filepath.Join(work, "file")
			s := b.helper("touch")
			if c.script != "" {
				s = b.sh(c.script)
			}
			s.Env = append(s.Env, "STOP="+stop, "TOUCH="+file)
			s.Idle = 2 * time.Second
			switch c.kind {
			case shim.LifeFiles:
				s.Work = work
			case shim.LifeWatch:
				s.Watch = []string{filepath.Join(work, "none"), file}
			}
			done := b.start(t.Context(), s, nil)
			b.living(c.kind)
			if err := os.WriteFile(stop, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := <-done; got.err != nil || got.out.Exit != 7 || got.out.Bytes != 0 {
				t.Errorf("outcome: %+v", got)
			}
		})
	}
}

func TestIdleLimitHoldsWhileTheDaemonIsAway(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("echo $$; echo ready; exec sleep 3600")
	s.Idle, s.Work = 300*time.Millisecond, t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	done, pids := b.started(ctx, s, nil)
	cancel()
	<-done
	for _, err := range b.dir.Follow(t.Context(), effect.Merged, 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	b.restart()
	if out := b.run(s); out.Outcome != events.IdleTimeout || out.Left != 0 {
		t.Errorf("outcome: %+v", out)
	}
	b.gone(pids)
}

func TestLastLifeIsOutputWhereNobodyLooks(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	if _, err := b.dir.LastLife(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before the start: %v", err)
	}
	b.run(b.sh("echo hello"))
	printed, err := b.dir.LastOutput()
	if err != nil {
		t.Fatal(err)
	}
	life, err := b.dir.LastLife()
	if err != nil || life.Kind != shim.LifeOutput || !life.At.Equal(printed) {
		t.Errorf("life: %+v, %v, last output %v", life, err, printed)
	}
}

func TestCrowdThatForksIsEnded(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	// 200 at a time that ignore the polite signal and are replaced as they go.
	s := b.sh(`crowd='trap "" TERM; while :; do sleep 5; done'
i=0; while test $i -lt 200; do sh -c "$crowd" & i=$((i+1)); done; echo ready; wait`)
	s.Grace = 100 * time.Millisecond
	end := make(chan struct{})
	done, _ := b.started(t.Context(), s, end)
	close(end)
	got := <-done
	if got.err != nil || got.out.Outcome != events.Stopped || got.out.Killed < 200 || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	if left := proc.Marked(func(id string) bool { return id == b.id }, 0); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
