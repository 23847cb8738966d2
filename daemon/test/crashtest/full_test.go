//go:build linux

package crashtest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/events/wire"
)

// TestDiskFull fills the file system that the state is on while runs are at
// work: nothing is lost, people can still end runs, and the others go on by
// themselves when there is room.
func TestDiskFull(t *testing.T) {
	w := newWorld(t)
	mount(t, w.path("state"), "-t", "tmpfs", "-o", "size=192m", "tmpfs")
	goOn := w.path("go")
	working := "echo begun > begun; while ! test -f " + goOn + "; do sleep 0.05; done; touch ok"
	runs := map[string]string{}
	for name, agent := range map[string]string{
		"looping": `echo "$AUTOPILOT_ITERATION" >> n; test -f ` + goOn + ` && touch ok; sleep 0.05`,
		"working": working, "stopped": working, "cancelled": working,
	} {
		w.repo(w.path(name), map[string]string{"keep": "keep\n"})
		v := data[wire.RunView](t, w.must("run", "-d", "--json", "go on", "-C", w.path(name), "--max-iterations", "10000",
			"--gate", "ok=test -f ok", "--agent-cmd", agent))
		runs[name] = v.ID
	}
	for _, name := range []string{"working", "stopped", "cancelled"} {
		w.appears(filepath.Join(w.path(name), "begun"))
	}
	f := w.follow(runs["looping"])
	w.fill()
	for _, name := range []string{"looping", "working", "stopped"} {
		w.shows(runs[name], "waiting", "disk")
	}
	w.must("stop", "--now", runs["stopped"])
	w.must("cancel", runs["cancelled"])
	w.shows(runs["stopped"], "halted", "stopped")
	w.shows(runs["cancelled"], "cancelled", "")
	w.shows(runs["looping"], "waiting", "disk")
	if a := w.apctl("run", "-d", "one more", "-C", w.path("cancelled"), "--gate", "ok=test -f ok2", "--agent-cmd", "true"); a.code == 0 {
		t.Errorf("a run was started on a full disk: %v", a)
	}

	if err := os.Remove(w.path("state/filler")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"looping", "working"} {
		w.must("wait", runs[name], "--timeout", "60s")
		w.shows(runs[name], "done", "")
	}
	w.must("resume", runs["stopped"])
	w.shows(runs["stopped"], "done", "")
	seen := f.end(t)
	if log := w.history(runs["looping"]); len(log) < len(seen) {
		t.Errorf("%d events were seen, %d are there", len(seen), len(log))
	}
	w.close()
}

// appears waits for a file.
func (w *world) appears(path string) {
	w.t.Helper()
	w.eventually(path+" to appear", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// shows waits until the status of a run says so.
func (w *world) shows(run, state, reason string) {
	w.t.Helper()
	var v wire.RunView
	w.eventually("run "+run+" to be "+state+" "+reason, func() bool {
		v = data[wire.RunView](w.t, w.must("status", run, "--json"))
		return v.State == state && (reason == "" || v.Reason == reason)
	})
	if w.t.Failed() {
		w.t.Logf("run %s is %s %s at %s", run, v.State, v.Reason, v.Stage)
	}
}

func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !is(); <-tick.C {
		if time.Now().After(end) {
			w.t.Fatalf("waited for %s", what)
		}
	}
}

// fill takes every byte of the state's file system.
func (w *world) fill() {
	w.t.Helper()
	f, err := os.Create(w.path("state/filler"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for block := make([]byte, size); err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, unix.ENOSPC) {
			w.t.Fatal(err)
		}
		err = nil
	}
}
