//go:build linux

package crashtest

import (
	"testing"

	"autopilot/events/wire"
)

// omxAgent works and looks in each phase of omx. In $STOP it takes its time, so that the
// daemon is killed meanwhile.
const omxAgent = `says() { printf '%s' "$1" > "$AUTOPILOT_RESULT_FILE"; }
if [ "$AUTOPILOT_PHASE" = $STOP ]; then sleep 1; fi
case "$AUTOPILOT_ROLE-$AUTOPILOT_PHASE" in
interviewer-*) says '{"v":1,"clarity":{"goal":95,"constraints":95,"criteria":95,"context":95}}';;
architect-* | critic-*) says '{"v":1,"verdict":"approve"}';;
checker-*) says '{"v":1,"criteria":[{"id":"AC1","covered":true,"by":"t"}]}';;
reviewer-*) says '{"v":1,"verdict":"approve","architecture":"clear"}';;
tester-*) says '{"v":1,"verdict":"passed"}';;
*-deep-interview) mkdir -p .omx/specs .omx/context; echo x > .omx/specs/deep-interview-greet.md
for k in 'activation prompt' 'original task status' 'desired outcome' 'known facts' constraints unknowns touchpoints 'scope note'; do echo "- $k: x"; done > .omx/context/greet-1.md;;
*-ralplan) mkdir -p .omx/plans; echo AC1 > .omx/plans/prd-greet.md; echo AC1 > .omx/plans/test-spec-greet.md;;
*) mkdir -p .omx/ultragoal; echo hello > greet; { echo greet; echo "- team: not needed"; } > .omx/ultragoal/changes-greet.md;;
esac`

// TestOmxOfADaemonThatIsKilledInAPhase kills the daemon while somebody works or looks in
// each phase. The run ends as it does without.
func TestOmxOfADaemonThatIsKilledInAPhase(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"deep-interview", "ralplan", "ultragoal", "code-review", "ultraqa"} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ws := w.path("ws")
			w.repo(ws, map[string]string{"keep": "keep\n", ".gitignore": ".omx/\n"})
			args := []string{"run", "-C", ws, "-d", "greet", "--workflow", "omx", "--agent-cmd", "STOP=" + phase + "; " + omxAgent}
			for _, slot := range []string{"tests", "build", "lint", "typecheck"} {
				args = append(args, "--input", slot+"=true")
			}
			w.must(args...)
			id := data[wire.ListReply](t, w.must("ls", "--all", "--json")).Runs[0].ID
			for v := (wire.RunView{}); v.Phase != phase || v.Stage != "agent" && v.Stage != "looking"; {
				if v = data[wire.RunView](t, w.must("status", id, "--json")); v.Exit >= 0 {
					t.Fatalf("%s %s in phase %s", v.State, v.Reason, v.Phase)
				}
			}
			if !w.killDaemon() {
				t.Fatal("the daemon was not killed")
			}
			ended := w.apctl("wait", id, "--timeout", "60s")
			v := data[wire.RunView](t, w.must("status", id, "--json"))
			if v.State != "done" || v.Phase != "ultraqa" {
				t.Errorf("%s %s in phase %s\n%v", v.State, v.Reason, v.Phase, ended)
			}
			w.must("verify", id)
			w.close()
		})
	}
}
