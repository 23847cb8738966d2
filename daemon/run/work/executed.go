package work

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/rule"
)

// This file accepts an exit code of 0 only with the tests that the output proves to have
// run.

// atBaseline is the result of a gate before any work.
func (g *judgement) atBaseline(name events.Name) (events.GateResult, rule.Tests) {
	i := slices.IndexFunc(g.s.Last.Baseline, func(r events.GateResult) bool { return r.Gate == name })
	if i < 0 {
		return events.GateResult{}, rule.Tests{}
	}
	r := g.s.Last.Baseline[i]
	return r, g.w.ran(r)
}

// ran reads the tests in the output of a gate. It is empty where the output cannot be
// read any more.
func (w *Worker) ran(r events.GateResult) (t rule.Tests) {
	if r.Ran == "" || w.decode(r.Ran, &t) != nil {
		return rule.Tests{}
	}
	return t
}

// counted runs a command, and accepts a pass only with the tests of the baseline. Missing
// tests may be chance: then it runs once more.
func (g *judgement) counted(ctx context.Context, with gate.Pinned, c gate.Command, id string) (events.GateResult, gate.Texts, error) {
	r, t, err := g.judge(ctx, with, c, id)
	if err != nil {
		return r, t, err
	}
	r, t = g.evidenced(c, r, t)
	if !slices.Contains([]events.Reason{events.ReasonNoTests, events.ReasonMissingTests, events.ReasonNotSeen}, r.Reason) {
		return r, t, nil
	}
	if r, t, err = g.judge(ctx, with, c, id+"-sure"); err != nil {
		return r, t, err
	}
	r, t = g.evidenced(c, r, t)
	return r, t, nil
}

// evidenced compares a pass with the baseline of its gate.
func (g *judgement) evidenced(c gate.Command, r events.GateResult, t gate.Texts) (events.GateResult, gate.Texts) {
	_, tests := g.atBaseline(c.Name)
	return g.evidencedBy(tests, c, r, t)
}

// evidencedBy compares a pass with the gate's tests on the files of the start.
func (g *judgement) evidencedBy(tests rule.Tests, c gate.Command, r events.GateResult, t gate.Texts) (events.GateResult, gate.Texts) {
	if r.Verdict != events.Pass {
		return r, t
	}
	was, _ := g.atBaseline(c.Name)
	if short := shortOf(tests, r, t, was.Verdict == events.Fail, c.Run, rule.GoneWith(g.changedByPermission())); short.Reason != "" {
		return gate.Short(r, t, short)
	}
	return r, t
}

// shortOf says why a pass does not count. A command that mutes its output gives no
// evidence either way.
func shortOf(was rule.Tests, r events.GateResult, t gate.Texts, wasRed bool, c rule.Command, letGo func(string) bool) rule.Shortfall {
	if r.Verdict != events.Pass {
		return rule.Shortfall{}
	}
	short := rule.JudgeTests(was, t.Tests, wasRed, letGo)
	if len(t.Tests.Runners) == 0 && rule.Mutes(c) {
		return rule.Shortfall{}
	}
	return short
}

// changedByPermission lists proof files that changed with permission.
func (g *judgement) changedByPermission() []string {
	pins := g.p.Pins
	if len(pins.Allow) == 0 {
		return nil
	}
	changes, err := g.reads.changes(context.Background(), g.s.Facts.Tree, g.s.Last.Tree)
	if err != nil {
		return nil // an unread list permits nothing
	}
	pins.Allow = nil
	return rule.Violations(ruleChanges(changes), pins)
}

// seenRed lists the files that a gate of kind red has proven.
func (g *judgement) seenRed() (map[string]bool, error) {
	out := map[string]bool{}
	for _, r := range slices.Concat(g.s.Last.Seen, g.s.Last.Results) {
		if r.Kind != events.GateRed || r.Verdict != events.Pass || r.Evidence == "" {
			continue
		}
		var rows []stored.RedRow
		if err := g.w.decode(r.Evidence, &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			out[row.File] = true
		}
	}
	return out, nil
}

// encodeText stores a value as JSON, without secrets.
func (w *Worker) encodeText(ctx context.Context, v any) (events.Ref, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	return w.put(ctx, string(b))
}
