package work

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
	"autopilot/events/stored"
	"autopilot/events/wire"
)

const minute = int64(60_000)

// timed is a workflow with its own limits everywhere.
func timed() workflow.Workflow {
	w := workflow.Default()
	w.Phases = []workflow.Phase{{Name: "plan"}, {Name: "build", Limits: workflow.Budget{Wall: time.Hour}}}
	w.Roles = strictyaml.Map[workflow.Role]{{Key: "reviewer", Value: workflow.Role{Wall: 20 * time.Minute}}}
	return w
}

func TestLimitsOfARunAreLaidOverThoseOfItsWorkflow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		t                             stored.Timeouts
		idle, wall, gate, build, look time.Duration
	}{
		"none":   {stored.Timeouts{}, 12 * time.Minute, 2 * time.Hour, 30 * time.Minute, time.Hour, 20 * time.Minute},
		"others": {stored.Timeouts{IdleMS: 300, AttemptMS: 30 * minute, GateMS: 60 * minute}, 300 * time.Millisecond, 30 * time.Minute, time.Hour, 30 * time.Minute, 20 * time.Minute},
		"more":   {stored.Timeouts{AttemptMS: 240 * minute}, 12 * time.Minute, 4 * time.Hour, 30 * time.Minute, time.Hour, 20 * time.Minute},
		"off":    {stored.Timeouts{IdleMS: -1, AttemptMS: -1}, 0, 0, 30 * time.Minute, time.Hour, 20 * time.Minute},
	} {
		own := timed()
		w := timeLimited(own, c.t)
		got := []time.Duration{w.Limits.Agent.Idle, w.Limits.Agent.Wall, w.Limits.Gate.Wall, w.Phases[1].Limits.Wall, w.Roles[0].Value.Wall, w.Phases[0].Limits.Wall}
		if diff := cmp.Diff([]time.Duration{c.idle, c.wall, c.gate, c.build, c.look, 0}, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if own.Phases[1].Limits.Wall != time.Hour {
			t.Errorf("%s: the workflow itself was changed", name)
		}
	}
	if got := timeouts(timeLimited(timed(), stored.Timeouts{IdleMS: -1})); got != (stored.Timeouts{IdleMS: -1, AttemptMS: 120 * minute, GateMS: 30 * minute}) {
		t.Errorf("in effect: %+v", got)
	}
}

func TestLimitsWithWhichWhatHangsNeverEndsAreRefused(t *testing.T) {
	t.Parallel()
	trusted := &stored.Timeouts{IdleMS: 15 * minute}
	for name, c := range map[string]struct {
		t       stored.Timeouts
		forMS   int64
		trusted *stored.Timeouts
		code    wire.Code
		want    string
	}{
		"none":                          {},
		"one is off":                    {t: stored.Timeouts{IdleMS: -1}},
		"the other is off":              {t: stored.Timeouts{AttemptMS: -1}},
		"both":                          {t: stored.Timeouts{IdleMS: -1, AttemptMS: -1}, code: wire.Usage, want: "neither --idle nor --iteration-timeout has a limit"},
		"both, in a run that ends":      {t: stored.Timeouts{IdleMS: -1, AttemptMS: -1}, forMS: 1},
		"a gate without a limit":        {t: stored.Timeouts{GateMS: -1}, code: wire.Usage, want: "--gate-timeout off"},
		"a chat says nothing":           {trusted: trusted},
		"a chat lowers":                 {t: stored.Timeouts{IdleMS: minute, AttemptMS: minute, GateMS: minute}, trusted: trusted},
		"a chat says the same":          {t: stored.Timeouts{IdleMS: 15 * minute, GateMS: 30 * minute}, trusted: trusted},
		"a chat raises":                 {t: stored.Timeouts{IdleMS: 16 * minute}, trusted: trusted, code: wire.Denied, want: "a chat cannot raise --idle from 15m to 16m"},
		"a chat lifts":                  {t: stored.Timeouts{IdleMS: -1}, trusted: trusted, code: wire.Denied, want: "a chat cannot raise --idle from 15m to off"},
		"a chat raises what is default": {t: stored.Timeouts{GateMS: 31 * minute}, trusted: trusted, code: wire.Denied, want: "a chat cannot raise --gate-timeout from 30m to 31m"},
		"a chat, where it is off":       {t: stored.Timeouts{IdleMS: 900 * minute}, trusted: &stored.Timeouts{IdleMS: -1}},
	} {
		err := checkTimeouts(order.Order{Spec: stored.Spec{Timeouts: c.t}, ForMS: c.forMS, Trusted: c.trusted}, workflow.Default())
		var e *wire.Error
		if errors.As(err, &e) != (c.want != "") || e != nil && (e.Code != c.code || !strings.Contains(e.Message, c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
