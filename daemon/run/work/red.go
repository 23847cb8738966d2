package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// The checkouts of a gate of kind red.
const (
	redName     = "red"     // of the test commit
	controlName = "control" // of the present files
)

// checkHistory refuses a run with a red gate on an unreadable history: no work would open
// the gate, and every iteration would be wasted.
//
// Source: atdd-kit, seeds 6.2 A31.
func (p *Plan) checkHistory(ctx context.Context) error {
	for _, a := range p.ownCommands() {
		if a.Kind != events.GateRed {
			continue
		}
		err := p.Repo.Judgeable(ctx)
		if refused := (*tree.HistoryError)(nil); errors.As(err, &refused) {
			return wire.Errorf(wire.Usage, "workflow %s, gate %s: the history of %s proves nothing: %s",
				p.Flow.Name, a.Name, p.Repo.Workspace().Path, refused.What).
				WithHint("start at a commit of a complete repository, or choose a workflow without a gate of kind red")
		}
		return gone(err)
	}
	return nil
}

// red judges a gate by the history of the workspace. HEAD and the recorded tree count as
// they are now; claims do not.
func (g *judgement) red(ctx context.Context, a asked, on tree.Snapshot) (events.GateResult, error) {
	red := gate.Red{Name: a.Name, Globs: a.Files, Times: a.decl.Times.N}
	h, commit, err := g.history(ctx, a, on)
	if err != nil {
		return events.GateResult{}, gone(err)
	}
	if r, texts, settled := red.Before(h); settled {
		return g.store(ctx, r, texts)
	}
	if r, texts, settled, err := g.row(red, h); settled || err != nil {
		if err != nil {
			return r, err
		}
		return g.store(ctx, r, texts)
	}
	cmd := gate.Command{Name: a.Name, Role: a.Role, Run: command(a.Gate)}
	if r, texts, bad := g.p.Gates.Unverifiable(cmd); bad {
		r.Kind = events.GateRed
		return g.store(ctx, r, texts)
	}
	r, err := g.inCommit(ctx, red, cmd, *h.Commit, commit.Tree)
	if err != nil || r.Reason != events.ReasonSeenRed && r.Reason != events.ReasonControl {
		return r, err
	}
	if r, err = g.controlled(ctx, red, cmd, *h.Commit, r, on.Tree); err == nil {
		r.Evidence, err = g.evidence(ctx, r, h)
	}
	return r, err
}

// evidence stores the evidence of a passed gate for later: a row for each test of the
// commit, and the newest commit of the work. A failed gate has none.
func (g *judgement) evidence(ctx context.Context, r events.GateResult, h gate.RedHistory) (events.Ref, error) {
	if r.Verdict != events.Pass {
		return "", nil
	}
	var rows []stored.RedRow
	for _, test := range h.Commit.Tests {
		row := stored.RedRow{Commit: h.Commit.ID, File: test}
		if len(h.Impl) > 0 {
			row.Impl = h.Impl[0]
		}
		rows = append(rows, row)
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return "", fmt.Errorf("keep what gate %s has seen: %w", r.Gate, err)
	}
	return g.w.put(ctx, string(text))
}

// redCheckout is a checkout for a gate of kind red, and the sum of everything that runs
// in it.
func (g *judgement) redCheckout(cmd gate.Command, of string, t events.Tree, name string) (*checkout, string, error) {
	c, err := g.newCheckout(t, filepath.Join(g.w.cleanDir(g.s.ID), name, string(cmd.Name)), name)
	if err != nil {
		return nil, "", err
	}
	var now events.GateResult
	c.gates.Stamp(&now, cmd, "")
	return c, gate.RedSet(of, g.p.Spec.Setup, now, c.gates.Came()...), nil
}

// inCommit is the result of the command in the test commit, new or from before.
func (g *judgement) inCommit(ctx context.Context, red gate.Red, cmd gate.Command, commit gate.TestCommit, t events.Tree) (events.GateResult, error) {
	c, set, err := g.redCheckout(cmd, commit.ID, t, redName)
	if err != nil {
		return events.GateResult{}, err
	}
	c.of = "commit " + commit.ID
	if r, ok, err := g.seen(ctx, red, set); ok || err != nil {
		return r, err
	}
	r, err := c.see(ctx, red, cmd, commit)
	r.Set = set
	return r, c.drop(err)
}

// controlled also runs the command on the present files, once for a tree. While another
// command fails, the gate does not pass anyway, and no control is needed.
func (g *judgement) controlled(ctx context.Context, red gate.Red, cmd gate.Command, commit gate.TestCommit, r events.GateResult, now events.Tree) (events.GateResult, error) {
	c, key, err := g.redCheckout(cmd, "tree "+string(now), now, controlName)
	if err != nil || r.Control == key {
		return r, err
	}
	r, text := red.Seen(commit, r)
	if text != "" {
		if r.Excerpt, err = g.w.put(ctx, text); err != nil {
			return r, err
		}
	}
	if r.Control = ""; g.failing {
		return r, nil
	}
	c.of = "the recorded files"
	r, err = c.control(ctx, red, cmd, commit, r, key)
	return r, c.drop(err)
}

// control runs the command on the present files.
func (c *checkout) control(ctx context.Context, red gate.Red, cmd gate.Command, commit gate.TestCommit, seen events.GateResult, key string) (events.GateResult, error) {
	failed, err := c.prepare(ctx, events.GateResult{Gate: cmd.Name, Role: cmd.Role})
	if err != nil {
		return seen, err
	}
	var r events.GateResult
	var texts gate.Texts
	if failed != nil {
		r = *failed
		if texts.Excerpt, err = c.g.w.text(r.Excerpt); err != nil {
			return seen, err
		}
	} else {
		s := gate.Series{Times: red.Times, InRow: true}
		if err = c.runs(ctx, &s, cmd); err != nil {
			return seen, err
		}
		r, texts = s.Result, s.Texts
	}
	lacks := ""
	if failed == nil && r.Verdict != events.Pass {
		lacks = c.differs(ctx)
	}
	ran := r.Exit >= 0
	if r, texts = red.Control(commit, seen, r, texts, c.g.p.Spec.Setup, lacks); ran {
		r.Control = key
	}
	if r.Verdict == events.Pass {
		return r, nil
	}
	ids := r.FailingIDs
	r, err = c.g.store(ctx, r, texts)
	r.FailingIDs = ids // of the test commit, like the rest of the evidence
	return r, err
}

// row compares the agent's most recent row for the gate. The order of events decides
// which one that is, then the order within an event.
//
// Source: atdd-kit, seeds Q34.
func (g *judgement) row(red gate.Red, h gate.RedHistory) (r events.GateResult, t gate.Texts, fails bool, err error) {
	for _, ref := range slices.Backward(g.s.Last.Reds) {
		text, err := g.w.text(ref)
		if err != nil {
			return r, t, false, err
		}
		rows, bad := wire.ReadRedRows([]byte(text))
		if bad != nil && ref == g.s.Last.Agent.Red {
			r, t = red.BadRow(bad.Message)
			return r, t, true, nil
		}
		for _, row := range slices.Backward(rows) {
			if row.Gate == "" || row.Gate == string(red.Name) {
				r, t, fails = red.Row(stored.RedRow(row), h)
				return r, t, fails, nil
			}
		}
	}
	return r, t, false, nil
}

// seen reuses an earlier result for the same input. The tools must be unchanged, as
// always.
func (g *judgement) seen(ctx context.Context, red gate.Red, set string) (r events.GateResult, ok bool, err error) {
	if changes, err := g.p.Gates.CheckTools(); err != nil || len(changes) > 0 {
		return r, false, err
	}
	for _, r := range slices.Concat(g.s.Last.Results, g.s.Last.Before, g.s.Last.Sent) {
		if !red.Conclusive(r, set) {
			continue
		}
		text, err := g.w.text(r.Excerpt)
		if err != nil {
			return r, false, err
		}
		r.Excerpt, err = g.w.put(ctx, gate.RedAgain(text))
		return r, true, err
	}
	return r, false, nil
}

// see runs the command in the test commit.
func (c *checkout) see(ctx context.Context, red gate.Red, cmd gate.Command, commit gate.TestCommit) (events.GateResult, error) {
	failed, err := c.prepare(ctx, events.GateResult{Gate: cmd.Name, Role: cmd.Role})
	if err != nil {
		return events.GateResult{}, err
	}
	if failed != nil {
		failed.Kind = events.GateRed
		return *failed, nil
	}
	found := c.gates.Starts(cmd, func(name string) bool {
		_, mode, err := c.g.p.Repo.File(ctx, c.tree, name)
		return err == nil && mode.IsRegular() && mode&0o100 != 0
	})
	s := gate.Series{Times: red.Times, Found: found}
	if err := c.runs(ctx, &s, cmd); err != nil {
		return s.Result, err
	}
	r, texts := red.Judge(commit, s.Result, s.Texts, found)
	return c.g.store(ctx, r, texts)
}

// runs runs the command of a gate in the checkout, as often as the series says.
func (c *checkout) runs(ctx context.Context, s *gate.Series, cmd gate.Command) error {
	return c.g.series(s, effectOf(c.g.s, cmd.Name)+c.suffix, func(id string) (events.GateResult, gate.Texts, error) {
		return c.g.judge(ctx, c.gates, cmd, id)
	})
}

// history finds the test commit, and compares it with the recorded tree.
func (g *judgement) history(ctx context.Context, a asked, on tree.Snapshot) (h gate.RedHistory, found tree.Commit, err error) {
	h.Base = g.s.Facts.Head
	if h.Base == "" {
		return h, found, nil
	}
	defer func() {
		if refused := (*tree.HistoryError)(nil); errors.As(err, &refused) {
			h.Refused, err = refused.What, nil
		}
	}()
	line, err := g.p.Repo.Line(ctx, h.Base)
	if err != nil {
		return h, found, err
	}
	isTest, note := matches(a.Files), matches(g.p.Flow.Notes)
	other := func(p string) bool { return !isTest(p) && !note(p) }
	if h.Commit, found, err = g.testCommit(ctx, line, isTest, other); err != nil || h.Commit == nil {
		return h, found, err
	}
	if err := g.p.Repo.Fill(ctx, found); err != nil {
		return h, found, err
	}
	if h.Differ, err = g.differing(ctx, found.Tree, on.Tree, isTest); err != nil {
		return h, found, err
	}
	if h.Impl, err = g.implementation(ctx, line, found.ID, other); err != nil {
		return h, found, err
	}
	h.Work, err = g.workAfter(ctx, line[len(line)-1], found, on, other)
	return h, found, err
}

func matches(globs []string) func(path string) bool {
	return func(p string) bool {
		return slices.ContainsFunc(globs, func(glob string) bool { return rule.GlobMatch(glob, p) })
	}
}

// testCommit is the newest commit of a line that changes a test; nil without one.
func (g *judgement) testCommit(ctx context.Context, line []tree.Commit, isTest, other func(string) bool) (*gate.TestCommit, tree.Commit, error) {
	for i, c := range line[:len(line)-1] {
		changes, err := g.p.Repo.Changes(ctx, line[i+1].Tree, c.Tree)
		if err != nil {
			return nil, c, err
		}
		found, touches := gate.TestCommit{ID: c.ID, Subject: c.Subject}, false
		for _, ch := range changes {
			switch {
			case other(ch.Path):
				found.Others = append(found.Others, ch.Path)
				continue
			case !isTest(ch.Path):
				continue
			case ch.Status != tree.Deleted:
				found.Tests = append(found.Tests, ch.Path)
			}
			touches = true
		}
		if touches {
			return &found, c, nil
		}
	}
	return nil, tree.Commit{}, nil
}

// implementation lists the commits of a line after the test commit that change a file
// other than tests and notes.
func (g *judgement) implementation(ctx context.Context, line []tree.Commit, test string, other func(string) bool) ([]string, error) {
	var out []string
	for i, c := range line {
		if c.ID == test {
			return out, nil
		}
		work, err := g.differing(ctx, line[i+1].Tree, c.Tree, other)
		if err != nil {
			return nil, err
		}
		if len(work) > 0 {
			out = append(out, c.ID)
		}
	}
	return out, nil
}

func (g *judgement) differing(ctx context.Context, from, to events.Tree, is func(string) bool) ([]string, error) {
	changes, err := g.p.Repo.Changes(ctx, from, to)
	var out []string
	for _, c := range changes {
		if is(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out, err
}

// workAfter lists the other files that changed after the test commit. It leaves out files
// that equal the start of the run and are the same in both commits. They may have changed
// before, or have other bytes on disk than in a commit.
func (g *judgement) workAfter(ctx context.Context, base, test tree.Commit, on tree.Snapshot, other func(string) bool) ([]string, error) {
	all := func(string) bool { return true }
	inRun, err := g.differing(ctx, g.s.Facts.Work, on.Work, all)
	if err != nil {
		return nil, err
	}
	inCommits, err := g.differing(ctx, base.Tree, test.Tree, all)
	if err != nil {
		return nil, err
	}
	return g.differing(ctx, test.Tree, on.Work, func(p string) bool {
		_, run := slices.BinarySearch(inRun, p)
		_, commits := slices.BinarySearch(inCommits, p)
		return (run || commits) && other(p)
	})
}
