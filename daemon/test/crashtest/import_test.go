//go:build linux

package crashtest

import (
	"os"
	"strings"
	"testing"

	"autopilot/daemon/failpoint"
	"autopilot/events/wire"
)

// foreign plays a run in another state directory, and is its bundle and its id.
func (w *world) foreign(task string) (bundle, run string) {
	w.t.Helper()
	ws := w.path("ws")
	w.repo(ws, map[string]string{"keep": "keep\n"})
	w.must("run", "-C", ws, task, "--gate", "ok=test -f ok", "--agent-cmd", "touch ok")
	run = data[wire.ListReply](w.t, w.must("ls", "--all", "--json")).Runs[0].ID
	bundle = w.path("runs.zip")
	w.must("archive", "export", run, "-o", bundle)
	w.must("daemon", "stop")
	if err := os.Rename(w.path("state"), w.path("foreign")); err != nil {
		w.t.Fatal(err)
	}
	return bundle, run
}

// noted is how often an import is recorded.
func (w *world) noted() int {
	w.t.Helper()
	return strings.Count(string(w.must("events", "--all", "--type", "bundle.imported", "--json").stdout), `"bundle.imported.v1"`)
}

func TestAnImportThatIsKilledIsWholeOrNotThereAndSaidOnce(t *testing.T) {
	t.Parallel()
	for _, point := range []string{failpoint.DuringImport, failpoint.AfterImport, failpoint.BeforeAppend, failpoint.AfterAppend} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			bundle, run := w.foreign("make ok")
			a := w.arm(point)
			// The next daemon is asked again by itself.
			w.must("archive", "import", bundle)
			if !a.killed() {
				t.Fatal("the daemon was not killed")
			}
			w.eventually("the import to be recorded", func() bool { return w.noted() > 0 })
			if why := w.must("why", run); !strings.Contains(string(why.stdout), "make ok") {
				t.Errorf("%v", why)
			}
			w.must("archive", "import", bundle)
			w.must("daemon", "restart")
			if n := w.noted(); n != 1 {
				t.Errorf("it is said %d times", n)
			}
			w.close()
		})
	}
}

// TestDiskFullImport imports where there is no room: nothing of it stays.
func TestDiskFullImport(t *testing.T) {
	w := newWorld(t)
	bundle, run := w.foreign("make ok")
	mount(t, w.path("state"), "-t", "tmpfs", "-o", "size=192m", "tmpfs")
	w.must("ls")
	w.fill()
	if a := w.apctl("archive", "import", bundle); a.code != wire.ExitFailed || !strings.Contains(a.stderr, "there is no room for it") {
		t.Errorf("%v", a)
	}
	if err := os.Remove(w.path("state/filler")); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(w.path("state/archive")); err != nil || len(left) != 0 || w.noted() != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	w.must("archive", "import", bundle)
	w.must("why", run)
	w.close()
}
