package engine_test

import (
	"slices"
	"testing"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
)

const redFlow = `name: red
version: 1
phases:
  - name: work
    prompt: converge.md
    gates:
      - {name: red, kind: red, run: make, files: ["tests/**"]}
      - {name: green, kind: command, run: make}
      - {name: covered, kind: coverage, role: critic, of: [stories.md]}
roles: {critic: {prompt: look.md}}
`

// Seeds 3.4 (9), lesson A31: what only lacks that it was seen red is not worked on
// until the budget is spent, but who looks has to have found it covered.
func TestWorkThatWasNeverRedHaltsAtOnceWhereTheWorkflowSaysSo(t *testing.T) {
	t.Parallel()
	iteration := func(reason events.Reason, green events.Verdict, more ...events.Data) []events.Data {
		gates := []events.GateResult{
			{Gate: "red", Kind: events.GateRed, Role: events.RoleCheck, Verdict: events.Fail, Reason: reason},
			{Gate: "green", Kind: events.GateCommand, Role: events.RoleCheck, Verdict: green},
			open("covered", events.GateCoverage, "s"),
		}
		d := started(func(d *events.RunStarted) {
			d.Gates = append(d.Gates, events.Gate{Name: "covered", Kind: events.GateCoverage, Role: events.RoleCheck, Phase: "work", Roles: []events.Name{"critic"}})
		})
		return slices.Concat([]events.Data{
			d,
			events.GatesStarted{Phase: "work"},
			judged(0, "t0", result(events.Fail, "")),
			agent(1, 1), ended(1, "t1"),
			events.GatesStarted{Phase: "work", Iteration: 1},
			judged(1, "t1", gates),
		}, more)
	}
	all, one := events.Opinion{Covered: 2}, events.Opinion{Covered: 1, Uncovered: 1}
	then := func(o events.Opinion) []events.Data {
		return append(role("covered", "critic", "s", o), record(1, events.Fail, "p"))
	}
	for name, tt := range map[string]struct {
		rails  string
		events []events.Data
		rule   string
	}{
		"somebody looks all the same":        {"rails: {red: halt}", iteration(events.ReasonNotRed, events.Pass), "look"},
		"covered, and not red":               {"rails: {red: halt}", iteration(events.ReasonNotRed, events.Pass, then(all)...), "never-red"},
		"covered, and in no commit":          {"rails: {red: halt}", iteration(events.ReasonNoCommit, events.Pass, then(all)...), "never-red"},
		"covered, and with the work":         {"rails: {red: halt}", iteration(events.ReasonAncestry, events.Pass, then(all)...), "never-red"},
		"covered, but a row does not agree":  {"rails: {red: halt}", iteration(events.ReasonRow, events.Pass, then(all)...), "start"},
		"covered, but red in every checkout": {"rails: {red: halt}", iteration(events.ReasonControl, events.Pass, then(all)...), "start"},
		"not covered":                        {"rails: {red: halt}", iteration(events.ReasonNotRed, events.Pass, then(one)...), "start"},
		"not green":                          {"rails: {red: halt}", iteration(events.ReasonNotRed, events.Fail, record(1, events.Fail, "p")), "start"},
		"not green, so nobody looks":         {"rails: {red: halt}", iteration(events.ReasonNotRed, events.Fail), "record"},
		"a workflow without the rail":        {"", iteration(events.ReasonNotRed, events.Pass), "record"},
		"and its work goes on":               {"", iteration(events.ReasonNotRed, events.Pass, record(1, events.Fail, "p")), "start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := workflow.Parse([]byte(redFlow + tt.rails + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			rule, act := engine.Explain(history(tt.events...), w, start)
			if rule != tt.rule {
				t.Errorf("%s: %+v, want %s", rule, act, tt.rule)
			}
			if h, ok := act.(engine.Halt); ok && (h.Reason != events.HaltUnverifiable || h.Gate != "red") {
				t.Errorf("%+v", h)
			}
		})
	}
}
