package session

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/projections/run"
)

// A chat that has joined while the daemon is at work waits for it.
func TestAChatWithNothingToDoIsToldToWait(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state  run.State
		joined bool
		first  string
		stops  bool
	}{
		"while the baseline runs":         {run.State{Stage: run.Started}, true, "apctl session next k3xq --wait 10m", false},
		"while gates run":                 {run.State{Stage: run.Gates}, true, "apctl session next k3xq --wait 10m", false},
		"while it decides":                {run.State{Stage: run.Judged}, true, "apctl session next k3xq --wait 10m", false},
		"who has not joined may watch it": {run.State{Stage: run.Gates}, false, "apctl watch k3xq", true},
		"a limit is shown too": {
			run.State{Stage: run.Ready, Waiting: &run.Waiting{LimitWaiting: events.LimitWaiting{Cause: events.LimitResources}}},
			true,
			"apctl session next k3xq --wait 10m", true,
		},
	} {
		tt.state.Status, tt.state.Facts.Handle = run.Live, "k3xq"
		next, stops := idle(tt.state, tt.joined), false
		for _, n := range next {
			stops = stops || strings.HasPrefix(n.Command, "apctl stop")
		}
		if len(next) == 0 || next[0].Command != tt.first || stops != tt.stops {
			t.Errorf("%s: %+v", name, next)
		}
	}
}
