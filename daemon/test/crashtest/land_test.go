//go:build linux

package crashtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"autopilot/daemon/failpoint"
	"autopilot/events/wire"
)

// Issue M 2: a daemon that is killed at any step of a landing leaves the branch as it was,
// or with the work on it once; nothing of the landing stays behind.
func TestALandingThatIsKilledLandsOnce(t *testing.T) {
	t.Parallel()
	for _, point := range []string{failpoint.BeforeAppend, failpoint.AfterAppend, failpoint.AfterLaunch, failpoint.AfterGate, failpoint.BeforeLand, failpoint.AfterLand} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ws := w.path("ws")
			w.repo(ws, map[string]string{"keep": "keep\n"})
			git := func(args ...string) string {
				cmd := exec.Command("git", append([]string{"-C", ws}, args...)...)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
				return strings.TrimSpace(string(out))
			}
			w.must("run", "-C", ws, "make ok", "-w", "--gate", "ok=test -f ok", "--agent-cmd", "touch ok")
			run := data[wire.ListReply](w.t, w.must("ls", "--all", "--json")).Runs[0].ID
			git("branch", "target")
			w.must("daemon", "stop")
			a := w.arm(point)
			w.must("accept", run, "--into", "target", "--yes")
			if !a.killed() {
				t.Fatal("the daemon was not killed")
			}
			if got := git("log", "--format=%s", "--first-parent", "target"); strings.Count(got, "Merge run ") != 1 {
				t.Errorf("the target has\n%s", got)
			}
			if got := git("show", "target:ok"); got != "" {
				t.Errorf("landed: %q", got)
			}
			if got := git("status", "--porcelain") + git("for-each-ref", "refs/autopilot"); got != "" {
				t.Errorf("left in the repository: %s", got)
			}
			w.must("daemon", "restart")
			if left, err := os.ReadDir(w.path("state/land")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
			w.close()
		})
	}
}
