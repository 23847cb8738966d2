package claim

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/events"
	"autopilot/events/wire"
)

func (h *kept) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// process is one that stays until the test ends.
func (h *kept) process() *exec.Cmd {
	h.t.Helper()
	cmd := exec.Command("sleep", "600")
	h.must(cmd.Start())
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// ownerAt is a process of this host as the owner of a claim.
func (h *kept) ownerAt(pid int) events.ClaimOwner {
	h.t.Helper()
	p, err := proc.Read(pid)
	boot, berr := proc.Boot()
	if err != nil || berr != nil {
		h.t.Fatal(err, berr)
	}
	return events.ClaimOwner{Host: h.Host, PID: pid, Start: int64(p.Start), Boot: boot}
}

// Seeds 2.8.4, reaper invariants; S29: nothing that is live, no own process that goes
// on, nothing of another host. The process counts by all that proves it: one that
// stands still goes on, one that has ended unasked for does not, and one that has the
// number anew is another.
func TestWhatTheDaemonExpires(t *testing.T) {
	t.Parallel()
	h := keeps(t)
	stands, ended, reused := h.process(), h.process(), h.process()
	h.must(stands.Process.Signal(syscall.SIGSTOP))
	gone := h.ownerAt(ended.Process.Pid)
	h.must(ended.Process.Kill())
	h.must(unix.Waitid(unix.P_PID, ended.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)) // nobody has asked how it ended
	before := h.ownerAt(reused.Process.Pid)
	before.Start--
	rebooted := h.ownerAt(stands.Process.Pid)
	rebooted.Boot = "another"
	abroad := events.ClaimOwner{Host: "elsewhere", PID: 1, Start: 1, Boot: "b"}
	held := map[string]Key{}
	for name, o := range map[string]events.ClaimOwner{
		"a process that stands still": h.ownerAt(stands.Process.Pid), "one that has ended": gone, "one whose number another has": before,
		"one of before the host was started anew": rebooted, "one of another host": abroad, "itself": h.ownerAt(os.Getpid()),
	} {
		held[name] = h.holds("issue:"+name, o)
	}
	for _, step := range []struct {
		when    string
		late    time.Duration
		expired []string
	}{
		{"in time", TTL - time.Minute, nil},
		{"a week later", 7 * 24 * time.Hour, []string{"one that has ended", "one whose number another has", "one of before the host was started anew"}},
	} {
		now := time.Now().Add(step.late)
		h.Now = func() time.Time { return now }
		h.tend(t.Context())
		h.tend(t.Context())
		want := map[string]bool{}
		for _, name := range step.expired {
			want[name] = true
		}
		for name, k := range held {
			list := h.claimed(k)
			if _, expired := list[len(list)-1].(events.ClaimExpired); expired != want[name] || len(list) > 2 {
				t.Errorf("%s, %s: %+v", step.when, name, list)
			}
		}
	}
	for name, want := range map[string]string{"a process that stands still": wire.ClaimOverdue, "one of another host": wire.ClaimHeld, "itself": wire.ClaimOverdue} {
		if st, at, err := h.Peek(t.Context(), held[name]); err != nil || string(st.Standing(at)) != want {
			t.Errorf("%s: %s, %v", name, st.Standing(at), err)
		}
	}
	h.whole()
}
