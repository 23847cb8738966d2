package daemon

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// inside is a request of a process that the daemon has started.
func inside() bus.Request {
	return bus.Request{Identity: bus.Identity{Kind: bus.KindEffect, Effect: "01EFFECT"}, ID: "r"}
}

// guards is what would lead around one.
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
			if got := forCaller(bus.Request{Identity: bus.Identity{Kind: bus.KindLocal}}, v); len(got.Next) != len(v.Next) || got.Tried[0].Note == "" {
				t.Errorf("a person is told less: %+v", got)
			}
			v.Tried[0].Line = "" // that a person has helped is no secret
			for _, nobody := range []bus.Request{inside(), {}} {
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

func TestAnAgentThatAsksForAReplayIsToldNoMore(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("false", "echo $AUTOPILOT_ITERATION > n", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	err := s.d.runReplay(t.Context(), inside(), wire.ReplayRequest{RunRef: wire.RunRef{Run: st.ID}, At: "iteration:1"}, func(v any) error {
		for _, n := range v.(wire.ReplayFrame).Why.Next {
			if strings.Contains(n.Command, "resume") || strings.Contains(n.Command, "stop") {
				t.Errorf("it is told %q", n.Command)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhyKeepsWhatPeopleTriedAndWhatSettledARun(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("false", "echo $AUTOPILOT_ITERATION > n", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	if _, err := s.d.runResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "look at n"}); err != nil {
		t.Fatal(err)
	}
	st = s.until(st.ID, func(st run.State) bool { return settled(st) && st.Loop.Iteration == 2 })
	w := s.why(st.ID)
	if len(w.Tried) != 1 || w.Tried[0].Note != "look at n" || w.Tried[0].Line != "resumed after iterations" || w.Tried[0].By == "" {
		t.Errorf("tried %+v", w.Tried)
	}
	if w.Settled == nil || w.Settled.Type != events.TypeRunHalted || w.Settled.Seq != st.Log.Seq {
		t.Errorf("settled %+v of %d", w.Settled, st.Log.Seq)
	}
	i := slices.IndexFunc(w.Left, func(l wire.WhyLeft) bool { return l.Kind == "iterations" })
	if i < 0 || w.Left[i] != (wire.WhyLeft{Kind: "iterations", Limit: 1, Used: 1}) {
		t.Errorf("left %+v", w.Left)
	}
	s.stop(st.ID, events.StopCancel)
	w = s.why(st.ID)
	if w.Rule != "cancelled" || len(w.Left) != 0 || w.Because != "cancelled on request after 2 iterations; the work so far is kept" {
		t.Errorf("%s: %s, %+v", w.Rule, w.Because, w.Left)
	}
}
