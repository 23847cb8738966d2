package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/rule"
)

// A control tries passed gates again, on a variant of the work tree:
//
//	start-proof  the product as it is, with the proof of the start: without the files
//	             that came since and that tests or runners load
//	still-red    the files of the start, with today's surroundings: what failed then
//	             has to fail now, else something outside turned it green
//
// Controls run after all other gates have passed, once for a tree. A control that cannot
// run says so, and proves nothing.
//
// Source: DESIGN section 9, what done proves.

// controls adds the results of the controls when all gates pass.
func (g *judgement) controls(ctx context.Context, results []events.GateResult, on tree.Snapshot) ([]events.GateResult, error) {
	if !g.worthControls(results) {
		return results, nil
	}
	red, names, err := g.stillRed(ctx, results, on)
	if err != nil {
		return nil, fmt.Errorf("try the files of the start: %w", err)
	}
	proof, err := g.startProof(ctx, results, names, on)
	if err != nil {
		return nil, fmt.Errorf("try the proof of the start: %w", err)
	}
	if slices.ContainsFunc(results, func(r events.GateResult) bool { return !passesOrOpen(r) }) || proof.Verdict == events.Fail {
		return append(results, proof), nil
	}
	return append(results, proof, red), nil
}

// worthControls says that the run has judged goals and invariants, and none fails.
func (g *judgement) worthControls(results []events.GateResult) bool {
	return g.s.Loop.Iteration > 0 && !g.p.Spec.NoControls && slices.ContainsFunc(results, g.cleans) &&
		!slices.ContainsFunc(results, func(r events.GateResult) bool { return !passesOrOpen(r) })
}

func passesOrOpen(r events.GateResult) bool { return rule.Passes(r) || r.Verdict == events.Open }

func controlResult(name events.Name, v events.Verdict, reason events.Reason) events.GateResult {
	return events.GateResult{Gate: name, Kind: events.GateControl, Role: events.RoleInvariant, Verdict: v, Reason: reason, Exit: -1}
}

// settle makes the result of a control, with its text and the files in it.
func (g *judgement) settle(ctx context.Context, r events.GateResult, files []string, text string) (events.GateResult, error) {
	if r.Verdict == events.Fail {
		r.OutputSum = rule.OutputSum([]byte(strings.Join(files, "\n") + string(r.Reason)))
	}
	t := gate.Texts{Excerpt: gate.Excerpt([]byte(text), gate.ExcerptBytes, 0, "")}
	if len(files) > 0 {
		t.Files = strings.Join(files, "\n") + "\n"
	}
	return g.store(ctx, r, t)
}

// startProof runs the gates without the files that came since the start and that tests or
// runners load. Where the output in place has no test names, it takes them from this run.
// It compares them with the names of the start.
func (g *judgement) startProof(ctx context.Context, results []events.GateResult, names startNames, on tree.Snapshot) (events.GateResult, error) {
	came, err := g.came(ctx, on.Tree)
	if err != nil {
		return events.GateResult{}, err
	}
	p := &proving{g: g, came: came, names: names, on: on}
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

// came lists new files since the start that can steer gates.
func (g *judgement) came(ctx context.Context, now events.Tree) ([]string, error) {
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

// startNames are the test names of gates on the files of the start, from runners asked to
// name each test.
type startNames map[events.Name]rule.Tests

// stillRed runs the red gates of the baseline on the files of the start. One failure is
// enough: a gate that fails sometimes is red too. A gate also runs there for its test
// names, if its baseline output does not have them all.
func (g *judgement) stillRed(ctx context.Context, results []events.GateResult, on tree.Snapshot) (events.GateResult, startNames, error) {
	back, err := g.reads.changes(ctx, on.Tree, g.s.Facts.Tree)
	if err != nil {
		return events.GateResult{}, nil, err
	}
	s := starting{g: g, back: back, names: startNames{}}
	var green []string
	tried := false
	for _, r := range results {
		if !g.cleans(r) {
			continue
		}
		was, tests := g.atBaseline(r.Gate)
		env := g.verbose(tests, r)
		if was.Verdict != events.Fail {
			if env != nil {
				_, _, err = s.try(ctx, r.Gate, 0, env)
			}
			if err != nil {
				return events.GateResult{}, nil, err
			}
			continue
		}
		passes, known, err := s.passes(ctx, r, env)
		if err != nil {
			return events.GateResult{}, nil, err
		}
		tried = tried || known
		if passes {
			green = append(green, string(r.Gate))
		}
	}
	switch {
	case len(green) > 0:
		r, err := g.settle(ctx, controlResult(gate.StillRed, events.Fail, events.ReasonElsewhere), nil,
			"These gates now pass with the files of the start too: "+strings.Join(green, ", ")+
				". Something outside the recorded files turned them green.\n")
		return r, s.names, err
	case !tried:
		return controlResult(gate.StillRed, events.Skipped, events.ReasonNotTried), s.names, nil
	}
	return controlResult(gate.StillRed, events.Pass, events.ReasonHeld), s.names, nil
}

// verbose are the variables that ask the runner of a gate to name each test; nil if it
// does so anyway, or has none.
func (g *judgement) verbose(tests rule.Tests, r events.GateResult) map[string]string {
	env := rule.Verbose(tests, g.commandOf(r.Gate))
	if r.Tests.Named || len(env) == 0 || len(tests.Runners) == 0 {
		return nil
	}
	if env["GOFLAGS"] != "" {
		env["GOFLAGS"] += " -count=1" // a cached result is no execution
	}
	return env
}

// starting runs gates on the files of the start.
type starting struct {
	g     *judgement
	back  []tree.Change // from now to the start
	names startNames
}

// mostTries is how often files of the start must pass to count as green.
const mostTries = 3

// passes says whether a gate passes every try, and whether it could run at all.
func (s starting) passes(ctx context.Context, r events.GateResult, env map[string]string) (passes, known bool, err error) {
	for n := range mostTries {
		passes, known, err := s.try(ctx, r.Gate, n, env)
		if known && !passes && err == nil {
			known, err = s.tells(ctx, r.Gate, passes)
		}
		if !passes || err != nil {
			return false, known, err
		}
		env = nil
	}
	if known, err := s.tells(ctx, r.Gate, true); !known || err != nil {
		return false, false, err
	}
	if s.g.p.Spec.Checkout == events.CheckoutClean {
		return s.g.passesClean(ctx, r)
	}
	return true, true, nil
}

func (s starting) try(ctx context.Context, name events.Name, n int, env map[string]string) (passes, known bool, err error) {
	seen, texts, err := s.g.vary(ctx, variation{gate: name, name: fmt.Sprintf("start-%d", n), changes: s.back, env: env})
	if err != nil || notTried(seen) {
		return false, false, err
	}
	if env != nil && texts.Tests.Named {
		s.names[name] = texts.Tests
	}
	return seen.Verdict == events.Pass, true, nil
}

// tells says whether a verdict from a copy is about the files of the start. A failure is
// if the work passes there. A pass is if the gate fails there without the product's
// changed files: installed packages may lead back to the work tree.
func (s starting) tells(ctx context.Context, name events.Name, passed bool) (bool, error) {
	if !s.g.onCopies() {
		return true, nil
	}
	v := variation{gate: name, name: "whole"}
	if passed {
		v.name = "bare"
		if v.changes = s.bare(); len(v.changes) == 0 {
			return false, nil
		}
	}
	seen, _, err := s.g.vary(ctx, v)
	return err == nil && !notTried(seen) && (seen.Verdict == events.Pass) != passed, err
}

// bare lists the changes back to the start, without the product's changed files.
func (s starting) bare() []tree.Change {
	around, product := s.g.p.Gates.Surroundings(), false
	out := make([]tree.Change, 0, len(s.back))
	for _, c := range s.back {
		if rule.Steers(c.Path, around) == rule.SteersNot {
			if c.Status == tree.Added {
				continue
			}
			c.Status, product = tree.Deleted, true
		}
		out = append(out, c)
	}
	if !product {
		return nil
	}
	return out
}

// passesClean confirms in a clean checkout: it has the files of the start, and nothing
// that git ignores. The work has passed in such a checkout.
func (g *judgement) passesClean(ctx context.Context, r events.GateResult) (passes, known bool, err error) {
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
