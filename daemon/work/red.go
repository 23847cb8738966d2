package work

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"autopilot/daemon/gate"
	"autopilot/daemon/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

const redName = "red"

// checkHistory refuses a run with a gate that looks at a history of which nothing
// can be told: no work of an agent would open it, and every iteration would be
// spent for nothing.
//
// Source: atdd-kit, seeds 6.2 A31.
func (p *Plan) checkHistory(ctx context.Context) error {
	for _, a := range p.ownCommands() {
		if a.Kind != events.GateRed {
			continue
		}
		err := p.Repo.Judgeable(ctx)
		if refused := (*tree.HistoryError)(nil); errors.As(err, &refused) {
			return wire.Errorf(wire.Usage, "workflow %s, gate %s: nothing can be told from the history of %s: %s",
				p.Flow.Name, a.Name, p.Repo.Workspace().Path, refused.What).
				WithHint("begin at a commit of a whole repository, or take a workflow without a gate of kind red")
		}
		return gone(err)
	}
	return nil
}

// red judges a gate by the history of the workspace. HEAD and the recorded tree
// are what they are now; nothing that anybody says of them counts.
func (g *judging) red(ctx context.Context, a asked, on tree.Snapshot) (events.GateResult, error) {
	red := gate.Red{Name: a.Name, Globs: a.Files}
	h, commit, err := g.history(ctx, a, on)
	if err != nil {
		return events.GateResult{}, gone(err)
	}
	if r, texts, settled := red.Before(h); settled {
		return g.store(ctx, r, texts)
	}
	cmd := gate.Command{Name: a.Name, Role: a.Role, Run: command(a.GateSpec)}
	if r, texts, bad := g.p.Gates.Unverifiable(cmd); bad {
		r.Kind = events.GateRed
		return g.store(ctx, r, texts)
	}
	c, err := g.newCheckout(commit.Tree, filepath.Join(g.w.cleanDir(g.s.ID), redName, string(a.Name)), redName)
	if err != nil {
		return events.GateResult{}, err
	}
	c.of = "commit " + commit.ID
	var now events.GateResult
	c.gates.Stamp(&now, cmd, "")
	set := gate.RedSet(commit.ID, g.p.Spec.Setup, now)
	if r, ok, err := g.seen(ctx, red, set); ok || err != nil {
		return r, err
	}
	r, err := c.see(ctx, red, cmd, *h.Commit)
	r.Set = set
	return r, c.drop(err)
}

// seen is an earlier result about the same, which is taken as it was. The tools
// have to be what they were, as always.
func (g *judging) seen(ctx context.Context, red gate.Red, set string) (r events.GateResult, ok bool, err error) {
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
	r, texts, err := c.g.judge(ctx, c.gates, cmd, effectOf(c.g.s, cmd.Name)+c.suffix)
	if err != nil {
		return r, err
	}
	r, texts = red.Judge(commit, r, texts, c.gates.Starts(cmd, func(name string) bool {
		_, mode, err := c.g.p.Repo.File(ctx, c.tree, name)
		return err == nil && mode.IsRegular() && mode&0o100 != 0
	}))
	return c.g.store(ctx, r, texts)
}

// history finds the test commit, and compares it with what is recorded.
func (g *judging) history(ctx context.Context, a asked, on tree.Snapshot) (h gate.RedHistory, found tree.Commit, err error) {
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
	isTest := matches(a.Files)
	if h.Commit, found, err = g.testCommit(ctx, line, isTest); err != nil || h.Commit == nil {
		return h, found, err
	}
	if err := g.p.Repo.Fill(ctx, found); err != nil {
		return h, found, err
	}
	if h.Differ, err = g.differing(ctx, found.Tree, on.Tree, isTest); err != nil {
		return h, found, err
	}
	h.Work, err = g.workAfter(ctx, line[len(line)-1], found, on, isTest)
	return h, found, err
}

func matches(globs []string) func(path string) bool {
	return func(p string) bool {
		return slices.ContainsFunc(globs, func(glob string) bool { return rule.GlobMatch(glob, p) })
	}
}

// testCommit is the newest commit of a line that changes a test; nil without one.
func (g *judging) testCommit(ctx context.Context, line []tree.Commit, isTest func(string) bool) (*gate.TestCommit, tree.Commit, error) {
	for i, c := range line[:len(line)-1] {
		changes, err := g.p.Repo.Changes(ctx, line[i+1].Tree, c.Tree)
		if err != nil {
			return nil, c, err
		}
		found, touches := gate.TestCommit{ID: c.ID, Subject: c.Subject}, false
		for _, ch := range changes {
			switch {
			case !isTest(ch.Path):
				found.Others = append(found.Others, ch.Path)
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

func (g *judging) differing(ctx context.Context, from, to events.Tree, is func(string) bool) ([]string, error) {
	changes, err := g.p.Repo.Changes(ctx, from, to)
	var out []string
	for _, c := range changes {
		if is(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out, err
}

// workAfter lists the other files that were changed after the test commit. What is
// as it was when the run began, and is so in both commits, was not: it may have
// been changed before, or have other bytes on disk than in a commit.
func (g *judging) workAfter(ctx context.Context, base, test tree.Commit, on tree.Snapshot, isTest func(string) bool) ([]string, error) {
	all := func(string) bool { return true }
	inRun, err := g.differing(ctx, g.s.Facts.Work, on.Work, all)
	if err != nil {
		return nil, err
	}
	inCommits, err := g.differing(ctx, base.Tree, test.Tree, all)
	if err != nil {
		return nil, err
	}
	note := matches(g.p.Flow.Notes)
	return g.differing(ctx, test.Tree, on.Work, func(p string) bool {
		_, run := slices.BinarySearch(inRun, p)
		_, commits := slices.BinarySearch(inCommits, p)
		return (run || commits) && !isTest(p) && !note(p)
	})
}
