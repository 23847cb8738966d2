package effect_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

// groups says whether supervisors can make control groups here: tests run
// where they cannot, too, and demand the other means there.
func groups(t *testing.T) bool {
	t.Helper()
	c := proc.OwnCgroup().Child(deadProcess(t))
	fd, err := c.Make()
	if err != nil {
		return false
	}
	unix.Close(fd)
	c.Remove()
	return true
}

// deadProcess is one that has ended.
func deadProcess(t *testing.T) proc.Process {
	t.Helper()
	c := exec.Command("true")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	p, err := proc.Read(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	return p
}

func (b *rig) claim() shim.Claim {
	b.Helper()
	claim, err := shim.ReadClaim(filepath.Join(b.dir.Path(), "ctl"))
	if err != nil {
		b.Fatal(err)
	}
	return claim
}

func there(g proc.Cgroup) bool {
	_, err := os.Stat(string(g))
	return err == nil
}

func TestEffectHasAControlGroupForAsLongAsItRuns(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, _ := b.started(t.Context(), b.sh("setsid -f env -i sleep 300; echo ready; read x < $GO; exit 7"), nil)
	claim := b.claim()
	if got := claim.Cgroup.Members(claim.Start); groups(t) != (len(got) > 0) {
		t.Errorf("members: %v", got)
	}
	for _, p := range claim.Cgroup.Members(claim.Start) {
		if maker, ok := proc.CgroupMaker(p.PID); !ok || maker.PID != claim.PID {
			t.Errorf("maker of the group of %d: %v %v", p.PID, maker, ok)
		}
	}
	b.release()
	got := <-done
	if got.err != nil || got.out.Exit != 7 || got.out.Killed != 1 || got.out.Left != 0 || got.out.Cgroup != groups(t) {
		t.Errorf("outcome: %+v", got)
	}
	if there(claim.Cgroup) {
		t.Errorf("%s is still there", claim.Cgroup)
	}
}

// escape is a program from which a process leaves its session, its parent and
// its environment.
const escape = `EFFECT_TEST_HELPER=daemonize $HELPER; while ! test -e $PIDS; do sleep 0.01; done; cat $PIDS; echo; echo ready; wait; read x < $GO`

func TestEscapedProcessIsFoundByItsGroupWhenNobodyElseKnowsIt(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh(escape)
	ctx, cancel := context.WithCancel(t.Context())
	done, text := b.started(ctx, s, nil)
	claim, pid := b.claim(), pidsIn(t, text)[0]
	cancel()
	<-done
	if !groups(t) { // there it is a descendant for as long as the supervisor lives
		end := make(chan struct{})
		close(end)
		<-b.start(t.Context(), s, end)
		b.gone(text)
		return
	}
	if err := syscall.Kill(claim.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for proc.Lives(proc.Process{PID: claim.PID, Start: claim.Start}) {
		runtime.Gosched()
	}
	b.restart()
	// Of the effect as long as the dead supervisor was not waited for, then of an
	// unknown one.
	if id, ok := b.r.Owner(pid); !ok || id != b.id && id != effect.Orphan {
		t.Errorf("owner of what escaped: %q %v", id, ok)
	}
	if out := b.run(s); out.Outcome != events.Lost || out.Killed < 1 || out.Left != 0 {
		t.Errorf("outcome: %+v", out)
	}
	b.gone(text)
	if there(claim.Cgroup) {
		t.Errorf("%s is still there", claim.Cgroup)
	}
}

func TestGroupsOfDeadSupervisorsAreRemovedAtTheStart(t *testing.T) {
	t.Parallel()
	if !groups(t) {
		return // there are none to remove
	}
	left := proc.OwnCgroup().Child(deadProcess(t))
	fd, err := left.Make()
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	b := newRig(t) // a Runner on an empty root
	if there(left) {
		left.Remove()
		t.Errorf("%s is still there", left)
	}
	b.run(b.sh("true"))
}

func TestProcessThatWasMovedIntoTheGroupIsNotEnded(t *testing.T) {
	t.Parallel()
	p, c := bystander(t)
	for deadProcess(t).Start == p.Start { // a supervisor of the same tick would be taken for older
		continue
	}
	b := newRig(t)
	done, _ := b.started(t.Context(), b.sh("trap '' TERM; sleep 300 & echo ready; read x < $GO"), nil)
	claim := b.claim()
	if groups(t) {
		procs := filepath.Join(string(claim.Cgroup), "cgroup.procs")
		if err := os.WriteFile(procs, []byte(strconv.Itoa(p.PID)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.release()
	if got := <-done; got.err != nil || got.out.Killed != 1 || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	lives(t, p)
	_ = c.Process.Kill()
	_ = c.Wait()
	claim.Cgroup.Remove()
}

// withoutGroup is a wrapper around the supervisor that takes the right to make
// control groups from it, where it runs as root.
func withoutGroup(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "apshim")
	script := "#!/bin/sh\nexec unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec \"$0\" \"$@\"' " + apshim + " \"$@\"\n"
	if err := proctest.WriteProgram(path, script); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWithoutAControlGroupTheOtherMeansDo(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	wrapper := apshim
	if groups(t) && os.Getuid() == 0 {
		wrapper = withoutGroup(t)
	}
	r, err := effect.New(effect.Config{Root: b.root, Shim: wrapper})
	if err != nil {
		t.Fatal(err)
	}
	b.r = r
	out := b.run(b.sh(strings.ReplaceAll(escape, "wait; read x < $GO", "exit 7")))
	if out.Exit != 7 || out.Killed < 1 || out.Left != 0 || wrapper != apshim && out.Cgroup {
		t.Errorf("outcome: %+v", out)
	}
	b.gone(strings.TrimSuffix(b.output(), "ready\n"))
}
