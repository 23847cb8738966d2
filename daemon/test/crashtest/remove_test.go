//go:build linux

package crashtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/failpoint"
	"autopilot/events/wire"
)

func TestARemovalThatIsKilledIsFinishedAndSaidOnce(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		failpoint.AfterAnnounce, failpoint.DuringRemoval, failpoint.DuringRemoval + ":5", failpoint.BeforeAppend, failpoint.AfterRemoval,
		failpoint.AfterAppend, failpoint.AfterFact,
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ws := w.path("ws")
			w.repo(ws, map[string]string{"keep": "keep\n"})
			w.must("run", "-C", ws, "make ok", "--gate", "ok=test -f ok", "--agent-cmd", "echo said; touch ok")
			run := data[wire.ListReply](t, w.must("ls", "--all", "--json")).Runs[0]
			w.must("daemon", "stop")
			a := w.arm(point)
			// The next daemon is asked again by itself: whatever it answers, it is said once.
			w.must("archive", "prune", "--older-than", "1ms", "--yes")
			if !a.killed() {
				t.Fatal("the daemon was not killed")
			}
			for w.pending() {
				w.must("archive", "prune", "--older-than", "1ms", "--yes") // waits for it
			}
			events := w.must("events", "--all", "--type", "texts.pruned", "--json").stdout
			if n := strings.Count(string(events), `"texts.pruned.v1"`); n != 1 {
				t.Errorf("it is said %d times: %s", n, events)
			}
			if a := w.apctl("logs", run.ID); a.code != 4 || !strings.Contains(a.stderr, "was pruned on") {
				t.Errorf("%v", a)
			}
			w.must("why", run.ID)
			w.close()
		})
	}
}

// pending says that a removal is written down.
func (w *world) pending() bool {
	_, err := os.Stat(filepath.Join(w.path("state"), "removal"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	return err == nil
}
