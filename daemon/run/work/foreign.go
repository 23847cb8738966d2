package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file looks for changes of a run's work tree by others than the agent. Between
// iterations no agent and no gate is at work. Changes since the last record, or since a
// resume, are foreign then. While gates run, changes are foreign that no gate makes.
// Writes during an agent's work look like the agent's own; this file does not look for
// them.

// foreign is the halt of a run whose work tree another program or person has changed. It
// is nil for an unchanged tree, and where the daemon cannot tell. A driving chat may
// always change it.
func (w *Worker) foreign(ctx context.Context, s run.State, p *Plan, now tree.Snapshot) *events.RunHalted {
	if s.Driven() || s.Clock.Taken.IsZero() || s.Stage != run.Ready && s.Stage != run.Judged {
		return nil
	}
	files, err := w.strange(ctx, s, p, now)
	if err == nil && len(files) > 0 {
		return w.foreignHalt(ctx, s, files, events.Head{})
	}
	head, moved, herr := w.headMoved(ctx, s, p)
	if moved {
		return w.foreignHalt(ctx, s, nil, head)
	}
	for _, err := range []error{err, herr} {
		if err != nil && ctx.Err() == nil {
			w.cfg.Log.Warn("look for changes of others", "run", s.ID, "error", err)
		}
	}
	return nil
}

func (w *Worker) foreignHalt(ctx context.Context, s run.State, files []string, head events.Head) *events.RunHalted {
	return &events.RunHalted{
		Reason: events.HaltForeign, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration,
		Files: w.Text(ctx, Lines(files)), Used: int64(len(files)), Head: head, Tree: s.Last.Tree,
	}
}

// Lines writes a list with one entry a line.
func Lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// strange lists the files that another program or person changed.
func (w *Worker) strange(ctx context.Context, s run.State, p *Plan, now tree.Snapshot) ([]string, error) {
	changes, err := p.Repo.Changes(ctx, s.Last.Work, now.Work)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	moved, err := movedAt(p.Repo, changes)
	return rule.Foreign(moved, s.Clock.Taken, w.late), err
}

// movedAt adds to changes when their files changed last.
func movedAt(repo *tree.Repo, changes []tree.Change) (moved []rule.Moved, err error) {
	for _, c := range changes {
		m := rule.Moved{Path: c.Path, Known: c.Status != tree.Added, Whole: c.OldMode != outside && c.NewMode != outside}
		if m.At, err = repo.ChangedAt(c.Path); err != nil {
			return nil, err
		}
		moved = append(moved, m)
	}
	return moved, nil
}

// findForeign notes the files that changed while the gates ran, and that no gate changes.
// Only an agent's work has an echo, so none is awaited at the baseline. A driving chat may
// change the work tree at any time.
func (g *judgement) findForeign(ctx context.Context, judged events.Tree) error {
	if g.s.Driven() || judged == g.s.Last.Tree {
		return nil
	}
	changes, err := g.p.Repo.Changes(ctx, g.s.Last.Tree, judged)
	if err != nil {
		return err
	}
	moved, err := movedAt(g.p.Repo, changes)
	if err != nil {
		return err
	}
	late := max(g.w.late, 0)
	if g.s.Loop.Iteration == 0 {
		late = 0
	}
	files := rule.Foreign(moved, g.s.Clock.Latest, late)
	if err := g.tryWrites(ctx, files); err != nil {
		return err
	}
	g.foreign = rule.Foreign(slices.DeleteFunc(moved, func(m rule.Moved) bool { return g.writes[m.Path] }), g.s.Clock.Latest, late)
	return nil
}

// countFiles counts the files that a run changed since its start, up to the end of an
// agent. What others changed, and this agent did not, is not of the run.
func (w *Worker) countFiles(ctx context.Context, s run.State, p *Plan, now events.Tree) (int, error) {
	changes, err := p.Repo.Changes(ctx, s.Facts.Work, now)
	if err != nil || len(s.Others) == 0 {
		return len(changes), err
	}
	others, err := w.others(s)
	if err != nil {
		return 0, err
	}
	latest, err := p.Repo.Changes(ctx, s.Last.Start.Work, now)
	for _, c := range latest {
		delete(others, c.Path)
	}
	n := 0
	for _, c := range changes {
		if !others[c.Path] {
			n++
		}
	}
	return n, err
}

// others is the set of files that others changed, as a person let them be.
func (w *Worker) others(s run.State) (map[string]bool, error) {
	set := map[string]bool{}
	for _, ref := range s.Others {
		list, err := w.lines(ref)
		if err != nil {
			return nil, err
		}
		for _, path := range list {
			set[path] = true
		}
	}
	return set, nil
}

// foreignSeen is the report of foreign files; the zero value without any.
func (w *Worker) foreignSeen(ctx context.Context, files []string) events.ForeignSeen {
	return events.ForeignSeen{Files: w.Text(ctx, Lines(files)), Count: len(files)}
}

// outside is the mode of entries recorded by id alone.
const outside = "160000"

// headMoved says that another program or person moved HEAD, and where it is now.
func (w *Worker) headMoved(ctx context.Context, s run.State, p *Plan) (events.Head, bool, error) {
	is, was := w.head(ctx, p), s.Last.Head
	var err error
	leadsOn := func() (leads bool) {
		leads, err = p.Repo.LeadsOn(ctx, was.Commit, is.Commit)
		return leads || err != nil // an unknown state halts nothing
	}
	moved := rule.HeadMoved(rule.HeadSeen{Commit: was.Commit, Branch: string(was.Branch)}, rule.HeadSeen{Commit: is.Commit, Branch: string(is.Branch)}, leadsOn)
	return is, moved, err
}

// head is the present place of HEAD; the zero value if unreadable, as no verdict needs
// it.
func (w *Worker) head(ctx context.Context, p *Plan) events.Head {
	commit, branch, err := p.Repo.Workspace().Head()
	if err != nil {
		return events.Head{}
	}
	ref, err := w.putExact(ctx, branch)
	if err != nil {
		return events.Head{}
	}
	return events.Head{Commit: commit, Branch: ref}
}

// Changed lists, for a resume, the files that changed since the run last saw its work
// tree, and the move of HEAD. It is empty for a run whose own work may be among them. It
// is also empty for a run that has only its baseline and asks nobody. Files that others
// changed while the gates ran are among them.
func (w *Worker) Changed(ctx context.Context, s run.State) (files events.Ref, move events.HeadMove, err error) {
	recorded := s.Stage == run.Ready || s.Stage == run.Judged || s.Stage == run.Asking
	if !recorded || s.Loop.Iteration == 0 && s.Stage != run.Asking && s.Foreign == nil {
		return "", move, nil
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return "", move, err
	}
	if s.Status == run.Halted {
		defer w.forget(s.ID)
	}
	head, moved, herr := w.headMoved(ctx, s, p)
	if moved {
		move = events.HeadMove{From: s.Last.Head, To: head}
	}
	now, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return "", move, fmt.Errorf("record the tree that a run goes on with: %w", err)
	}
	changes, err := p.Repo.Changes(ctx, s.Last.Work, now.Work)
	if err != nil {
		return "", move, err
	}
	list := counting(changes, func(string) bool { return true })
	if s.Foreign != nil {
		seen, err := w.lines(s.Foreign.Files)
		if err != nil {
			return "", move, err
		}
		list = append(list, seen...)
		slices.Sort(list)
	}
	files, err = w.put(ctx, Lines(slices.Compact(list)))
	return files, move, errors.Join(err, herr)
}

// Resumable refuses a resume over pinned files that somebody else changed during the
// baseline. The run would end as refused, as the proof of its work is that of the start.
func (w *Worker) Resumable(ctx context.Context, s run.State) error {
	if s.Status != run.Halted || s.Loop.Iteration > 0 || s.Foreign == nil {
		return nil
	}
	p, err := w.plan(ctx, s)
	if err != nil {
		return err
	}
	now, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return fmt.Errorf("record the tree that a run goes on with: %w", err)
	}
	changes, err := p.Repo.Changes(ctx, s.Facts.Tree, now.Tree)
	if err != nil {
		return err
	}
	files := rule.Violations(ruleChanges(changes), p.Pins)
	if len(files) == 0 {
		return nil
	}
	return wire.Errorf(wire.Conflict, "run %s pins %s, and another session changed it during the baseline", s.Facts.Handle, named(files)).
		WithHint("apctl restore %[1]s 0   puts it back; then apctl resume %[1]s\na new run pins it as it is now", s.Facts.Handle)
}

// Strangers selects files that are not as the run knew them. It compares with the start
// of the open iteration, else with the last look at the work tree.
func (w *Worker) Strangers(ctx context.Context, s run.State, touched func(path string) bool) ([]string, error) {
	p, err := w.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	now, err := w.record(ctx, s, p, s.Last.Created)
	if err != nil {
		return nil, fmt.Errorf("record the tree that somebody else has written to: %w", err)
	}
	from := s.Last.Work
	if s.Stage == run.Agent {
		from = s.Last.Start.Work
	}
	changes, err := p.Repo.Changes(ctx, from, now.Work)
	if err != nil {
		return nil, err
	}
	return counting(changes, touched), nil
}

// counting lists changed paths that may be a person's or a session's.
func counting(changes []tree.Change, of func(path string) bool) []string {
	var files []string
	for _, c := range changes {
		if rule.Counts(c.Path) && of(c.Path) {
			files = append(files, c.Path)
		}
	}
	return files
}
