//go:build linux

package crashtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/events/wire"
)

// hoard is an agent that takes memory and writes to each page of it: MiB, and for
// how long it keeps them. The test program is it, when its arguments say so.
func hoard(args []string) error {
	mib, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	keep, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	b := make([]byte, mib<<20)
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 1
	}
	<-time.After(keep)
	b[0]++ // all of it is kept until here
	return os.WriteFile("ok", nil, 0o600)
}

// herd is a number of agents at work, as one sees them who knows only processes.
type herd struct {
	most  atomic.Int64 // at once
	bytes atomic.Int64 // that they held together, at most
	looks atomic.Int64
	agent string // what the command line of one begins with
}

// observe looks at the processes of the world that are agents until ctx ends.
func (h *herd) observe(ctx context.Context, w *world) {
	for tick := time.NewTicker(50 * time.Millisecond); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		var n, bytes int64
		for _, p := range w.processes() {
			if strings.HasPrefix(p.cmdline, h.agent) {
				n, bytes = n+1, bytes+resident(p.PID)
			}
		}
		h.looks.Add(1)
		h.most.Store(max(h.most.Load(), n))
		h.bytes.Store(max(h.bytes.Load(), bytes))
	}
}

// resident is the memory that a process has now; 0 when it is gone.
func resident(pid int) int64 {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if f := strings.Fields(string(b)); err == nil && len(f) > 1 {
		n, _ := strconv.ParseInt(f[1], 10, 64)
		return n * int64(os.Getpagesize())
	}
	return 0
}

// drive starts so many agents at once, and waits until all of them are done.
func (h *herd) drive(w *world, runs, mib int, keep string) {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	h.agent = exe + " hoard "
	ctx, stop := context.WithCancel(context.Background())
	watched := make(chan struct{})
	go func() { defer close(watched); h.observe(ctx, w) }()
	repo := func(i int) string { return w.path(fmt.Sprintf("ws/%d", i)) }
	w.repo(repo(0), map[string]string{"n": "0\n"})
	for i := 1; i < runs; i++ {
		must(w.t, "cp", "-r", repo(0), repo(i))
	}
	agent := fmt.Sprintf("exec %s%d %s", h.agent, mib, keep)
	begun := make([]answer, runs)
	done := make(chan int)
	for i := range begun {
		go func() {
			begun[i] = w.must("run", "-d", "--json", "end", "-C", repo(i), "--gate", "ok=test -f ok", "--agent-cmd", agent)
			done <- i
		}()
	}
	for range begun {
		<-done
	}
	for _, a := range begun {
		v := data[wire.RunView](w.t, a)
		if v = data[wire.RunView](w.t, w.apctl("wait", v.ID, "--json", "--timeout", "300s")); v.State != "done" {
			w.t.Errorf("run %s is %s %s, want done", v.ID, v.State, v.Reason)
		}
	}
	stop()
	<-watched
	w.t.Logf("%d runs: at most %d at work, with %d MiB, in %d looks", runs, h.most.Load(), h.bytes.Load()>>20, h.looks.Load())
	if n := len(data[wire.ListReply](w.t, w.must("ls", "--all", "--json")).Runs); n != runs {
		w.t.Errorf("%d runs are listed, %d were started", n, runs)
	}
	for _, p := range w.processes() {
		if strings.HasPrefix(p.cmdline, h.agent) {
			w.t.Errorf("an agent is left: %s", p.cmdline)
		}
	}
}

func (w *world) configure(text string) {
	w.t.Helper()
	if err := os.MkdirAll(w.path("config/autopilot"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path("config/autopilot/config.yaml"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// TestAHerdOfAgentsKeepsToTheCap: agents that take memory, started at once; what
// others see of them is that never more were at work than may be, and all get done.
func TestAHerdOfAgentsKeepsToTheCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.configure("resources: {agents: 3}\n")
	var h herd
	h.drive(w, 8, 64, "500ms")
	if n := h.most.Load(); n > 3 || n == 0 {
		t.Errorf("%d agents were at work at once, and 3 may be", n)
	}
	w.close()
}

// TestHerd is the same with 24, and with no bound but the memory that there is.
func TestHerd(t *testing.T) {
	w := newWorld(t)
	free := available(t)
	const may = 5
	w.configure(fmt.Sprintf("resources: {ram_per_agent: %dMiB}\n", (free-2<<30)*2/(2*may+1)>>20))
	var h herd
	h.drive(w, 24, 200, "3s")
	// What others on the machine take, or give back, moves the bound.
	if n, bound := h.most.Load(), 2+int64(may)*max(free, available(t))/free; n == 0 || n > bound {
		t.Errorf("%d agents were at work at once, and there was memory for %d", n, may)
	}
	w.close()
}

// available is the memory of the host that may be had.
func available(t *testing.T) int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemAvailable:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("the kernel does not say")
	return 0
}

// TestHerdInAGroup: a group with 3 GiB, in which agents take so much that the
// machine becomes critical: the others wait until they have given it back.
func TestHerdInAGroup(t *testing.T) {
	leave, err := enter(3 << 30)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := leave(); err != nil {
			t.Error(err)
		}
	}()
	w := newWorld(t)
	w.configure("resources: {ram_per_agent: 450MiB}\n")
	var h herd
	h.drive(w, 4, 900, "5s")
	if n := h.most.Load(); n == 0 || n > 2 {
		t.Errorf("%d agents were at work at once, and there was memory for 2", n)
	}
	critical := 0
	for _, v := range data[wire.ListReply](t, w.must("ls", "--all", "--json")).Runs {
		if strings.Contains(string(w.must("events", v.ID, "--json").stdout), `"verdict":"critical"`) {
			critical++
		}
	}
	if critical == 0 {
		t.Error("no run was told that the machine is critical")
	}
	w.close()
}

// memoryGroup is the group of this process in the hierarchy of memory, and what its
// limit is called; empty without one.
func memoryGroup() (dir, limit string) {
	b, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", ""
	}
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) == 3 && f[1] == "memory" {
			return filepath.Join("/sys/fs/cgroup/memory", f[2]), "memory.limit_in_bytes"
		}
	}
	return "", ""
}

// enter takes this process, and what it starts from now on, into a group with so
// much memory.
func enter(bytes int64) (leave func() error, err error) {
	home, limit := memoryGroup()
	dir := filepath.Join(home, fmt.Sprintf("ap-herd-%d", os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	self := []byte(strconv.Itoa(os.Getpid()))
	leave = func() error {
		return errors.Join(os.WriteFile(filepath.Join(home, "cgroup.procs"), self, 0), unix.Rmdir(dir))
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, limit), []byte(strconv.FormatInt(bytes, 10)), 0),
		os.WriteFile(filepath.Join(dir, "cgroup.procs"), self, 0))
	if err != nil {
		return nil, errors.Join(err, leave())
	}
	return leave, nil
}
