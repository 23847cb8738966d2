package api

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// guards are texts that would lead an agent around a guard.
var guards = []string{"resume", " -m", "--allow-test-changes", "--start-green", "--until-green", "apctl trust", "apctl cancel", "apctl stop", "git worktree"}

func TestWhyNeverTellsAnAgentTheWayAroundAGuard(t *testing.T) {
	t.Parallel()
	for _, h := range []events.Halt{
		events.HaltDrift, events.HaltLogIntegrity, events.HaltSameness, events.HaltStuck, events.HaltSignature, events.HaltUnverifiable,
		events.HaltIterations, events.HaltHours, events.HaltTokens, events.HaltCost, events.HaltTurns, events.HaltLimit, events.HaltAuthFailed,
		events.HaltBilling, events.HaltNoop, events.HaltAgentLost, events.HaltAgentHung, events.HaltAgentFailed, events.HaltStopped, events.HaltInternal,
		events.HaltNeedsPerson, events.HaltRebooted, events.HaltWorkspaceGone,
	} {
		t.Run(string(h), func(t *testing.T) {
			t.Parallel()
			s := run.State{Status: run.Halted, Facts: events.RunStarted{Handle: "k3xq"}, Halt: &events.RunHalted{Reason: h, Iterations: []int{1, 2}}}
			rule, because := explain.Why(s)
			v := wire.WhyView{Rule: rule, Because: because, Next: explain.Next(s), Tried: []wire.WhyTried{{Line: "resumed after " + string(h), Note: "use --allow-test-changes"}}}
			if got := forCaller(auth.Request{Identity: auth.Identity{Kind: auth.KindLocal}}, v); len(got.Next) != len(v.Next) || got.Tried[0].Note == "" {
				t.Errorf("a person is told less: %+v", got)
			}
			v.Tried[0].Line = "" // that a person has helped is no secret
			for _, nobody := range []auth.Request{{Identity: auth.Identity{Kind: auth.KindEffect, Effect: "01EFFECT"}}, {}} {
				b, err := json.Marshal(forCaller(nobody, v))
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range guards {
					if strings.Contains(string(b), g) {
						t.Errorf("an agent is told %q: %s", g, b)
					}
				}
			}
		})
	}
}
