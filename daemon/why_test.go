package daemon

import (
	"slices"
	"strings"
	"testing"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// inside is a request of a process that the daemon has started.
func inside() auth.Request {
	return auth.Request{Identity: auth.Identity{Kind: auth.KindEffect, Effect: "01EFFECT"}, ID: "r"}
}

func TestAnAgentThatAsksForAReplayIsToldNoMore(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("false", "echo $AUTOPILOT_ITERATION > n", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	frames, err := s.replay(inside(), wire.ReplayRequest{RunRef: wire.RunRef{Run: st.ID}, At: "iteration:1"})
	for _, f := range frames {
		for _, n := range f.Why.Next {
			if strings.Contains(n.Command, "resume") || strings.Contains(n.Command, "stop") {
				t.Errorf("it is told %q", n.Command)
			}
		}
	}
	if err != nil || len(frames) != 1 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
}

func TestWhyKeepsWhatPeopleTriedAndWhatSettledARun(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("false", "echo $AUTOPILOT_ITERATION > n", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "look at n"}); err != nil {
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
