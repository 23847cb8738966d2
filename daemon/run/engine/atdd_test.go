package engine_test

import (
	"testing"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

// Seeds 3.4, rail precedence: the first that fires halts, in the order ac-drift,
// log-integrity, MAX_ITERATIONS, sameness-detector, stuck. A log that is not whole is
// before all else here, as nothing can be told from it. Lesson A26: the halt is an
// event with its reason, and no iteration.
func TestSeeds34TheFirstRailThatFiresHalts(t *testing.T) {
	t.Parallel()
	budget := func(n int) []events.Data {
		return baseline(func(d *events.RunStarted) { d.Limits.Iterations = n })
	}
	for name, tt := range map[string]struct {
		given []events.Data
		gap   bool
		rule  string
	}{
		"a broken log before drift":          {join(budget(2), drift(1), drift(2)), true, "log-integrity"},
		"drift before the budget":            {join(budget(2), drift(1), drift(2)), false, "drift"},
		"the budget before sameness":         {join(budget(2), failed(1, "a"), failed(2, "a")), false, "iterations"},
		"sameness before stuck":              {join(budget(9), failed(1, "b"), failed(2, "a"), failed(3, "a")), false, "sameness"},
		"A1: stuck, where the last differ":   {join(budget(9), failed(1, "a"), failed(2, "b"), failed(3, "a")), false, "stuck"},
		"a budget of 8 is 8 iterations":      {join(budget(8), eight()), false, "iterations"},
		"and the one before it goes on":      {join(budget(9), eight()), false, "start"},
		"A4: a budget of one is not endless": {join(budget(1), failed(1, "a")), false, "iterations"},
	} {
		s := history(tt.given...)
		if tt.gap {
			s = run.Evolve(s, events.Event{Aggregate: events.Run("01R"), Seq: uint64(len(tt.given)) + 2, Time: start, Data: agent(3, 1)})
		}
		rule, act := engine.Explain(s, flow(), start)
		if rule != tt.rule {
			t.Errorf("%s: rule %q, want %q", name, rule, tt.rule)
			continue
		}
		h, halts := act.(engine.Halt)
		if halts != (rule != "start") || halts && h.Reason == "" {
			t.Errorf("%s: %+v", name, act)
		}
		if after := run.Evolve(s, events.Event{Aggregate: events.Run("01R"), Seq: uint64(len(tt.given)) + 1, Time: start, Data: h.RunHalted}); halts && !tt.gap &&
			(after.Loop.Iteration != s.Loop.Iteration || len(after.Loop.History.Fails) != len(s.Loop.History.Fails)) {
			t.Errorf("%s: the halt counts as an iteration", name)
		}
	}
}

// eight are as many failed iterations, each with another failure.
func eight() (out []events.Data) {
	for n, sum := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		out = append(out, failed(n+1, sum)...)
	}
	return out
}
