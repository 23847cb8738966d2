package work

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// proving is a running control start-proof.
type proving struct {
	g     *judgement
	came  []string // new files that can steer gates
	names startNames
	on    tree.Snapshot

	leans []string // gates that pass only with the new files
	asked []string // gates whose baseline named no failing test: the task wanted new tests
	held  []string
	lost  []string // gates without a result
}

// prove tries one gate. A gate whose tests contradict its exit code fails by its own
// result.
func (p *proving) prove(ctx context.Context, r *events.GateResult) error {
	was, tests := p.g.atBaseline(r.Gate)
	env := p.g.verbose(tests, *r)
	named := env == nil
	switch {
	case len(p.came) == 0 && named:
		return nil
	case len(p.came) > 0 && was.Verdict == events.Fail && tests.Failed == 0 && len(tests.FailedIDs) == 0:
		p.asked = append(p.asked, string(r.Gate))
		if named {
			return nil
		}
		return p.confirm(ctx, r, nil, env)
	}
	return p.confirm(ctx, r, p.came, env)
}

// confirm runs a gate without files, and asks its runner to name each test. If that
// fails, it tries again with all files, then without the request for names, so that only
// the effect of the files counts.
func (p *proving) confirm(ctx context.Context, r *events.GateResult, without []string, env map[string]string) error {
	first, texts, err := p.try(ctx, r.Gate, "proof", without, env)
	switch {
	case err != nil:
		return err
	case first.Verdict == events.Pass:
		return p.holds(ctx, r, first, texts)
	case notTried(first):
		p.lost = append(p.lost, string(r.Gate))
		return nil
	}
	whole, wholeTexts, err := p.try(ctx, r.Gate, "whole", nil, env)
	switch {
	case err != nil:
		return err
	case len(without) > 0 && (whole.Verdict == events.Pass || whole.Exit == 0 && first.Exit != 0):
		p.leans = append(p.leans, string(r.Gate))
		return nil
	case whole.Verdict == events.Pass: // the first failure was chance
		return p.holds(ctx, r, whole, wholeTexts)
	case whole.Exit == 0: // its tests contradict the exit code, with or without the files
		stored, err := p.g.store(ctx, whole, wholeTexts)
		stored.Elsewhere = r.Elsewhere
		*r = stored
		return err
	}
	plain, _, err := p.try(ctx, r.Gate, "plain", without, nil)
	switch {
	case err != nil:
		return err
	case plain.Verdict == events.Pass:
		p.held = append(p.held, string(r.Gate))
	case len(without) == 0:
		p.lost = append(p.lost, string(r.Gate))
	default:
		return p.plainly(ctx, r)
	}
	return nil
}

// plainly tells apart files that gates need and a gate that fails in every variant.
func (p *proving) plainly(ctx context.Context, r *events.GateResult) error {
	whole, _, err := p.try(ctx, r.Gate, "plain-whole", nil, nil)
	list := &p.lost
	if whole.Verdict == events.Pass {
		list = &p.leans
	}
	*list = append(*list, string(r.Gate))
	return err
}

// holds records a gate that passes as it must, with its named tests.
func (p *proving) holds(ctx context.Context, r *events.GateResult, seen events.GateResult, t gate.Texts) error {
	p.held = append(p.held, string(r.Gate))
	if r.Tests.Named || !seen.Tests.Named {
		return nil
	}
	stored, err := p.g.store(ctx, seen, gate.Texts{Tests: t.Tests})
	r.Tests, r.Ran = stored.Tests, stored.Ran
	return err
}

// try runs a gate on a variant of the work tree.
func (p *proving) try(ctx context.Context, name events.Name, variant string, without []string, env map[string]string) (events.GateResult, gate.Texts, error) {
	changes := make([]tree.Change, 0, len(without))
	for _, path := range without {
		changes = append(changes, tree.Change{Path: path, Status: tree.Deleted})
	}
	r, t, err := p.g.vary(ctx, variation{gate: name, name: variant, changes: changes, env: env})
	if err == nil && !notTried(r) {
		_, tests := p.g.atBaseline(name)
		if names, known := p.names[name]; known && env != nil {
			tests = names
		}
		r, t = p.g.evidencedBy(tests, gate.Command{Name: name, Run: p.g.commandOf(name)}, r, t)
	}
	return r, t, err
}

// result is the result of the control.
func (p *proving) result(ctx context.Context) (events.GateResult, error) {
	of := func(v events.Verdict, reason events.Reason) events.GateResult {
		return controlResult(gate.StartProof, v, reason)
	}
	shown := gate.NamedList(p.came)
	switch {
	case len(p.leans) > 0:
		text := fmt.Sprintf("Tests or runners load these added files. Without them these gates fail: %s.\n%s"+
			"The tests of the start must pass without them.\n", strings.Join(p.leans, ", "), shown) + p.g.aboutCopies()
		return p.g.settle(ctx, of(events.Fail, events.ReasonLeans), p.came, text)
	case len(p.lost) > 0:
		return p.g.settle(ctx, of(events.Skipped, events.ReasonNotTried), p.came, "The control proves nothing about these gates: "+strings.Join(p.lost, ", ")+".\n"+p.g.aboutCopies())
	case len(p.asked) > 0:
		return p.g.settle(ctx, of(events.Skipped, events.ReasonWanted), p.came, "No test failed by name at the start, so new tests may be the task:\n"+shown)
	case len(p.held) == 0 || len(p.came) == 0:
		return of(events.Pass, events.ReasonNothingNew), nil
	}
	return p.g.settle(ctx, of(events.Pass, events.ReasonHeld), p.came, "The gates pass without these files, which were added:\n"+shown+p.g.aboutCopies())
}

// withEnv adds to variables of gates; it appends to an existing value.
func withEnv(env []string, more map[string]string) []string {
	if len(more) == 0 {
		return env
	}
	out := slices.Clone(env)
	for _, name := range slices.Sorted(maps.Keys(more)) {
		i := slices.IndexFunc(out, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		if i < 0 {
			out = append(out, name+"="+more[name])
			continue
		}
		out[i] = strings.TrimRight(out[i], " ") + " " + more[name]
	}
	slices.Sort(out)
	return out
}
