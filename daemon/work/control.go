package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/gate"
	"autopilot/daemon/tree"
	"autopilot/events"
	"autopilot/projections/rule"
)

// A control tries once more what has passed, on a variant of the work tree:
//
//	start-proof  the product as it is, with the proof of the start: without the files
//	             that came since and that tests or runners load
//	still-red    the files of the start, with today's surroundings: what failed then
//	             has to fail now, else something outside turned it green
//
// They run after everything else has passed, once for a tree. What cannot be tried is
// told, and proves nothing.
//
// Source: DESIGN section 9, what done proves.

// controls adds the results of the controls to those of gates that all pass.
func (g *judging) controls(ctx context.Context, results []events.GateResult, on tree.Snapshot) ([]events.GateResult, error) {
	if !g.worthControls(results) {
		return results, nil
	}
	proof, err := g.startProof(ctx, results, on)
	if err != nil {
		return nil, fmt.Errorf("try the proof of the start: %w", err)
	}
	if slices.ContainsFunc(results, func(r events.GateResult) bool { return !passesOrOpen(r) }) || proof.Verdict == events.Fail {
		return append(results, proof), nil
	}
	red, err := g.stillRed(ctx, results, on)
	if err != nil {
		return nil, fmt.Errorf("try the files of the start: %w", err)
	}
	return append(results, proof, red), nil
}

// worthControls says that goals and invariants of the run are judged, and nothing
// fails.
func (g *judging) worthControls(results []events.GateResult) bool {
	return g.s.Loop.Iteration > 0 && !g.p.Spec.NoControls && slices.ContainsFunc(results, g.cleans) &&
		!slices.ContainsFunc(results, func(r events.GateResult) bool { return !passesOrOpen(r) })
}

func passesOrOpen(r events.GateResult) bool { return rule.Passes(r) || r.Verdict == events.Open }

func controlResult(name events.Name, v events.Verdict, reason events.Reason) events.GateResult {
	return events.GateResult{Gate: name, Kind: events.GateControl, Role: events.RoleInvariant, Verdict: v, Reason: reason, Exit: -1}
}

// settle makes the result of a control, with what it says and the files that it names.
func (g *judging) settle(ctx context.Context, r events.GateResult, files []string, text string) (events.GateResult, error) {
	if r.Verdict == events.Fail {
		r.OutputSum = rule.OutputSum([]byte(strings.Join(files, "\n") + string(r.Reason)))
	}
	t := gate.Texts{Excerpt: gate.Excerpt([]byte(text), gate.ExcerptBytes, 0, "")}
	if len(files) > 0 {
		t.Files = strings.Join(files, "\n") + "\n"
	}
	return g.store(ctx, r, t)
}

// startProof runs the gates without the files that came since the start and that tests
// or runners load. It takes the names of tests from there too, where the output in
// place has none.
func (g *judging) startProof(ctx context.Context, results []events.GateResult, on tree.Snapshot) (events.GateResult, error) {
	came, err := g.came(ctx, on.Tree)
	if err != nil {
		return events.GateResult{}, err
	}
	p := &proving{g: g, came: came, on: on}
	for i, r := range results {
		if !g.cleans(r) {
			continue
		}
		if err := p.prove(ctx, &results[i]); err != nil {
			return events.GateResult{}, err
		}
	}
	return p.result(ctx)
}

// came lists the files that came since the start and can steer gates.
func (g *judging) came(ctx context.Context, now events.Tree) ([]string, error) {
	changes, err := g.reads.changes(ctx, g.s.Facts.Tree, now)
	if err != nil {
		return nil, err
	}
	seen, err := g.seenRed()
	if err != nil {
		return nil, err
	}
	around := g.p.Gates.Surroundings()
	var out []string
	for _, c := range changes {
		if c.Status == tree.Added && rule.Steers(c.Path, around) != rule.SteersNot && !seen[c.Path] && !g.p.Pins.Allowed(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out, nil
}

// stillRed runs what was red at the baseline on the files of the start. One failure is
// enough: what fails at times is red as well.
func (g *judging) stillRed(ctx context.Context, results []events.GateResult, on tree.Snapshot) (events.GateResult, error) {
	back, err := g.reads.changes(ctx, on.Tree, g.s.Facts.Tree)
	if err != nil {
		return events.GateResult{}, err
	}
	var green []string
	tried := false
	for _, r := range results {
		if was, _ := g.atBaseline(r.Gate); !g.cleans(r) || was.Verdict != events.Fail {
			continue
		}
		passes, known, err := g.passesAtStart(ctx, r, back)
		if err != nil {
			return events.GateResult{}, err
		}
		tried = tried || known
		if passes {
			green = append(green, string(r.Gate))
		}
	}
	switch {
	case len(green) > 0:
		return g.settle(ctx, controlResult(gate.StillRed, events.Fail, events.ReasonElsewhere), nil,
			"With the files of the start these gates pass too, as things are today: "+strings.Join(green, ", ")+
				". So something that is not recorded turned them green.\n")
	case !tried:
		return controlResult(gate.StillRed, events.Skipped, events.ReasonNotTried), nil
	}
	return controlResult(gate.StillRed, events.Pass, events.ReasonHeld), nil
}

// mostTries is how often files of the start have to pass before they count as green.
const mostTries = 3

// passesAtStart says whether a gate passes with the files of the start each time that
// it is tried, and whether it could be tried at all.
func (g *judging) passesAtStart(ctx context.Context, r events.GateResult, back []tree.Change) (passes, known bool, err error) {
	for n := range mostTries {
		st, err := g.variant(ctx, r.Gate, fmt.Sprintf("start-%d", n), back)
		if err != nil {
			return false, false, err
		}
		seen, _, err := st.run(ctx, r.Gate, nil)
		if err = st.drop(err); err != nil {
			return false, false, err
		}
		if notTried(seen) {
			return false, false, nil
		}
		if seen.Verdict != events.Pass {
			return false, true, nil
		}
	}
	if g.p.Spec.Checkout == events.CheckoutClean {
		return g.passesClean(ctx, r)
	}
	return true, true, nil
}

// passesClean is the clean confirmation: the files of the start in a checkout without
// anything that git ignores. That the work passes in one has been seen.
func (g *judging) passesClean(ctx context.Context, r events.GateResult) (passes, known bool, err error) {
	c, err := g.newCheckout(g.s.Facts.Tree, g.w.variantDir(g.s.ID, "start-clean"), "start-clean")
	if err != nil {
		return false, false, err
	}
	c.of = "the files of the start"
	failed, err := c.prepare(ctx, r)
	if err != nil {
		return false, false, err
	}
	if failed != nil {
		return false, true, c.drop(nil)
	}
	cmd := gate.Command{Name: r.Gate, Role: r.Role, Run: g.commandOf(r.Gate)}
	seen, _, err := g.judge(ctx, c.gates, cmd, effectOf(g.s, r.Gate)+c.suffix)
	return seen.Verdict == events.Pass, true, c.drop(err)
}
