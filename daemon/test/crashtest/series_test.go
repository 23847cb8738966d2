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

// aSession takes its time, and adds its record to the ledger.
const aSession = `sleep 0.3; mkdir -p .orchestrator/metrics
printf '{"session_id":"s-%s","agent_summary":{"complete":1,"failed":0,"spiral":0},"autopilot_run_id":"%s"}\n' "$AUTOPILOT_ITERATION" "$AUTOPILOT_RUN_ID" >> .orchestrator/metrics/sessions.jsonl`

// TestSeeds216ARunOfSessionsHasOneLineWhereverTheDaemonIsKilled kills it while a session
// works, at the end of the run, and before and behind the line.
func TestSeeds216ARunOfSessionsHasOneLineWhereverTheDaemonIsKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		failpoint.AfterLaunch, failpoint.AfterAgent, failpoint.AfterAppend + ":4", failpoint.AfterAppend + ":9",
		failpoint.BeforeTelemetry, failpoint.AfterTelemetry,
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ws := w.path("ws")
			w.repo(ws, map[string]string{
				"keep": "keep\n", ".claude/STATE.md": "---\nrecommended-mode: deep\n---\n",
			})
			a := w.arm(point)
			w.apctl("run", "-C", ws, "-d", "--workflow", "sessions", "--max-sessions", "1", "--confidence-threshold", "0.4", "--agent-cmd", aSession)
			if !a.killed() {
				t.Fatal("the daemon was not killed")
			}
			runs := data[wire.ListReply](t, w.must("ls", "--all", "--json")).Runs
			if len(runs) != 1 {
				t.Fatalf("%d runs", len(runs))
			}
			w.apctl("wait", runs[0].ID, "--timeout", "120s")
			v := data[wire.RunView](t, w.must("status", runs[0].ID, "--json"))
			w.must("daemon", "stop")
			text, err := os.ReadFile(filepath.Join(ws, ".orchestrator/metrics/autopilot.jsonl"))
			if n := strings.Count(string(text), `"autopilot_run_id"`); err != nil || n != 1 || !strings.HasSuffix(string(text), "}\n") {
				t.Errorf("%s %s: %d lines, %v: %s", v.State, v.Reason, n, err, text)
			}
			if v.State != "ended" || !strings.Contains(string(text), `"iterations_completed":1,"kill_switch":"max-sessions-reached"`) {
				t.Errorf("%s %s: %s", v.State, v.Reason, text)
			}
			w.must("verify", runs[0].ID)
			w.close()
		})
	}
}
