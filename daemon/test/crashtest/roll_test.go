//go:build linux

package crashtest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/failpoint"
	"autopilot/events/wire"
)

// rollKills are the places of a roll, each with a hit, and whether the roll is
// done from there on.
func rollKills() (kills []string, done map[string]bool) {
	done = map[string]bool{}
	committed := false
	for _, point := range failpoint.RollPoints() {
		committed = committed || point == failpoint.RollCommitted
		times := 1
		if point == failpoint.RollMarked {
			times = 3
		}
		for n := range times {
			kill := fmt.Sprintf("%s:%d", point, n+1)
			kills, done[kill] = append(kills, kill), committed
		}
	}
	return kills, done
}

// TestRollKilled kills the daemon at each place of a roll, while an agent works:
// the next daemon has the old log or finishes the new one, and every run is as it
// was.
func TestRollKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	goOn := w.path("go")
	w.repo(w.path("ws"), map[string]string{"keep": "keep\n"})
	w.repo(w.path("live"), map[string]string{"keep": "keep\n"})
	live := data[wire.RunView](t, w.must("run", "-d", "--json", "go on", "-C", w.path("live"), "--gate", "ok=test -f ok",
		"--agent-cmd", "echo begun > begun; while ! test -f "+goOn+"; do sleep 0.05; done; touch ok"))
	w.appears(w.path("live/begun"))
	kills, done := rollKills()
	rolled := 0
	for i, kill := range kills {
		w.must("run", "one", "-C", w.path("ws"), "--gate", fmt.Sprintf("ok=test -f ok%d", i), "--agent-cmd", fmt.Sprintf("touch ok%d", i))
		before := w.allRuns()
		w.must("daemon", "stop")
		w.askForRoll()
		if a := w.arm(kill); !a.killed() {
			t.Fatalf("the daemon was not killed at %s", kill)
		}
		if d := cmp.Diff(before, w.allRuns()); d != "" {
			t.Errorf("runs after a kill at %s (-before +after):\n%s", kill, d)
		}
		w.must("verify", "--all")
		if done[kill] {
			rolled++
		}
		if n := bytes.Count(w.must("events", "--all", "--type", "log.rolled", "--json").stdout, []byte(`"type":"log.rolled.v1"`)); n != rolled {
			t.Errorf("after a kill at %s the log says %d times that it was rolled, want %d", kill, n, rolled)
		}
		if _, err := os.Stat(w.path("state/roll")); err == nil {
			t.Errorf("a kill at %s leaves something of the roll", kill)
		}
	}
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.must("wait", live.ID, "--timeout", "60s")
	w.shows(live.ID, "done", "")
	w.history(live.ID) // each event once, in order
	w.close()
}

// askForRoll asks the next daemon for a roll, as apctl archive roll has the
// present one do.
func (w *world) askForRoll() {
	w.t.Helper()
	if err := os.MkdirAll(w.path("state/roll"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path("state/roll/request"), nil, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// allRuns is every run with its state and its last event, by id.
func (w *world) allRuns() []string {
	w.t.Helper()
	var out []string
	for _, v := range data[wire.ListReply](w.t, w.must("ls", "--all", "--json")).Runs {
		out = append(out, fmt.Sprintf("%s %s %s at event %d, %d files, tree %s", v.ID, v.State, v.Reason, v.Seq, v.Files, v.Tree))
	}
	slices.Sort(out)
	return out
}
