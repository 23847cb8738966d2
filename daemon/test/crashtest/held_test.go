//go:build linux

package crashtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/failpoint"
	"autopilot/events/wire"
)

// TestHeldOutFilesOfADaemonThatIsKilled kills the daemon when held-out files are laid and
// while their gate runs, at the baseline and after an agent. The next agent finds nothing
// of them, and the run ends as it does without.
func TestHeldOutFilesOfADaemonThatIsKilled(t *testing.T) {
	t.Parallel()
	const word = "zanzibar"
	for _, point := range []string{
		failpoint.AfterCheckout + ":1", failpoint.AfterCheckout + ":2", failpoint.AfterLaunch + ":2", failpoint.AfterLaunch + ":5",
		failpoint.AfterGate + ":2",
	} {
		t.Run(strings.ReplaceAll(point, ":", "-"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ws, vault := w.path("ws"), w.path("coffer")
			w.repo(ws, map[string]string{"keep": "keep\n"})
			for _, dir := range []string{vault, w.path("found")} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			held := "# " + word + "\necho 1..1; sleep 0.2; if [ \"$(sh add.sh 2 2)\" = 4 ]; then echo ok 1; else echo not ok 1; exit 1; fi\n"
			if err := os.WriteFile(filepath.Join(vault, word+".sh"), []byte(held), 0o600); err != nil {
				t.Fatal(err)
			}
			agent := `{ find . "` + w.root + `" -name '` + word + `*'; grep -rl '# ` + word + `' . "` + w.root + `"; } > "` + w.path("found") + `/$AUTOPILOT_ITERATION" 2> /dev/null
				if [ $AUTOPILOT_ITERATION = 1 ]; then echo 'echo 3' > add.sh; else echo 'echo $(($1 + $2))' > add.sh; fi`
			a := w.arm(point)
			w.apctl("run", "-C", ws, "-d", "add", "--gate", `seen=test "$(sh add.sh 1 2)" = 3`, "--holdout", "accept=sh "+word+".sh",
				"--holdout-dir", vault, "--sandbox", "guard", "--agent-cmd", agent)
			if !a.killed() {
				t.Fatal("the daemon was not killed")
			}
			runs := data[wire.ListReply](t, w.must("ls", "--all", "--json")).Runs
			if len(runs) != 1 {
				t.Fatalf("there are %d runs", len(runs))
			}
			ended := w.apctl("wait", runs[0].ID, "--timeout", "60s")
			v := data[wire.RunView](t, w.must("status", runs[0].ID, "--json"))
			if v.State != "done" || v.Iteration != 2 {
				t.Errorf("%s %s in iteration %d\n%v", v.State, v.Reason, v.Iteration, ended)
			}
			for _, n := range []string{"1", "2"} {
				if found, err := os.ReadFile(w.path("found/" + n)); err != nil || len(found) > 0 {
					t.Errorf("agent %s finds %q, %v", n, found, err)
				}
			}
			if _, err := os.Lstat(filepath.Join(ws, word+".sh")); err == nil {
				t.Error("it lies in the work tree")
			}
			w.close()
		})
	}
}
