package proc_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"autopilot/daemon/exec/proc"
)

// group makes a directory that reads like a control group.
func group(t *testing.T, files map[string]string) proc.Cgroup {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return proc.Cgroup(dir)
}

func TestGroupIsNamedForItsSupervisor(t *testing.T) {
	t.Parallel()
	child := proc.Cgroup("/cg/a b").Child(proc.Process{PID: 5, Start: 6})
	maker, ok := child.Maker()
	if child != "/cg/a b/autopilot-5-6" || child.Parent() != "/cg/a b" || !ok || maker != (proc.Process{PID: 5, Start: 6}) {
		t.Errorf("child %q of %q, made by %+v %v", child, child.Parent(), maker, ok)
	}
	for _, other := range []proc.Cgroup{"", "/", "/cg/user.slice", "/cg/autopilot-", "/cg/autopilot-5", "/cg/autopilot-x-6", "/cg/autopilot-0-6", "/cg/autopilot-5-6-7", "/cg/autopilot-5-6/below"} {
		if maker, ok := other.Maker(); ok {
			t.Errorf("%q is named for %+v", other, maker)
		}
	}
}

func TestNoGroupFindsNothingAndDoesNothing(t *testing.T) {
	t.Parallel()
	none := proc.Cgroup("")
	none.Kill(0)
	none.Remove()
	none.Sweep()
	if _, err := none.Make(); err == nil {
		t.Error("it was made")
	}
	if used, ok := none.CPU(); ok || len(none.Members(0)) != 0 || none.Child(proc.Process{PID: 5}) != "" || none.Parent() != "" {
		t.Errorf("it has used %v", used)
	}
}

func TestMembersOfAGroupAreThoseOfAllBelowButNoElders(t *testing.T) {
	t.Parallel()
	p, _ := sleeper(t)
	q, _ := sleeper(t)
	g := group(t, map[string]string{
		"cgroup.events": "populated 1\nfrozen 0\n", "cgroup.procs": "0\n1073741824\n" + strconv.Itoa(p.PID) + "\n",
		"below/cgroup.events": "populated 1\n", "below/cgroup.procs": strconv.Itoa(q.PID) + "\n",
		"empty/cgroup.events": "populated 0\n", "empty/cgroup.procs": strconv.Itoa(os.Getpid()) + "\n",
		"cgroup.kill": "", "cpu.stat": "usage_usec 1500\nuser_usec 1\n",
	})
	if got := g.Members(p.Start); len(got) != 2 || !got[0].Same(p) || !got[1].Same(q) {
		t.Errorf("members: %+v", got)
	}
	if got := g.Members(q.Start + 1); len(got) != 0 {
		t.Errorf("elders: %+v", got)
	}
	if used, ok := g.CPU(); used != 1500*time.Microsecond || !ok {
		t.Errorf("CPU time: %v %v", used, ok)
	}
	for since, want := range map[uint64]string{q.Start + 1: "", p.Start: "1"} {
		file := filepath.Join(string(g), "cgroup.kill")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		g.Kill(since)
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("kill since %d wrote %q %v, want %q", since, got, err, want)
		}
	}
}

func TestSweepTakesOnlyEmptyGroupsOfDeadSupervisors(t *testing.T) {
	t.Parallel()
	p, _ := sleeper(t)
	home := proc.Cgroup(t.TempDir())
	dead := proc.Process{PID: p.PID, Start: p.Start + 1}
	other := filepath.Join(string(home), "other")
	held := filepath.Join(string(home), "autopilot-1073741824-1")
	for _, dir := range []string{string(home.Child(dead)) + "/a/b", string(home.Child(p)), other, held} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(held, "cgroup.events"), []byte("populated 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	home.Sweep()
	for dir, want := range map[string]bool{string(home.Child(dead)): false, string(home.Child(p)): true, other: true, held: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", dir, err, want)
		}
	}
}
