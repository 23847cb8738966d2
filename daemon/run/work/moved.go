package work

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
)

// This file compares trees around the gates: files that changed while they ran, and
// pinned paths that differ from the start of the run.

// movedHead bounds the list of changed files in a finding, in bytes.
const movedHead = 2 << 10

// compare records the tree again and returns the recorded paths that differ. Gates made
// the new files: they are left out, as are later changes to such files. A path of the
// start tree is never one of them, even if an agent removed it.
func (g *judgement) compare(ctx context.Context, on tree.Snapshot) (moved []string, now tree.Snapshot, err error) {
	if now, err = g.w.record(ctx, g.s, g.p, g.made); err != nil {
		return nil, now, fmt.Errorf("record the tree after the gates: %w", err)
	}
	defer func() { g.after = now }()
	if now.Tree == on.Tree {
		return nil, now, nil
	}
	changes, err := g.p.Repo.Changes(ctx, on.Tree, now.Tree)
	if err != nil {
		return nil, now, err
	}
	before, err := g.w.MadePaths(g.made)
	if err != nil {
		return nil, now, err
	}
	start, err := g.p.Repo.Files(ctx, g.s.Facts.Tree)
	if err != nil {
		return nil, now, err
	}
	var made []string
	for _, c := range changes {
		if c.OldMode == c.NewMode && slices.Contains(now.Nested, c.Path) {
			continue // gates may write into another repository as they may write new files
		}
		_, old := slices.BinarySearch(start, c.Path)
		if !old && (c.Status == tree.Added || slices.Contains(before, c.Path)) {
			made = append(made, c.Path)
		} else {
			moved = append(moved, c.Path)
		}
	}
	if len(made) == 0 {
		return moved, now, nil
	}
	if err := g.leaveOut(ctx, made); err != nil || len(moved) == 0 {
		return moved, now, err
	}
	now, err = g.w.record(ctx, g.s, g.p, g.made)
	return moved, now, err
}

// unstable fails every gate that passed while files changed under it, twice.
func (g *judgement) unstable(ctx context.Context, results []events.GateResult, moved []string) error {
	list := strings.Join(moved, "\n") + "\n"
	files, err := g.w.put(ctx, list)
	if err != nil {
		return err
	}
	text, err := g.w.put(ctx, gate.Excerpt([]byte(
		"These files changed while the gates ran, in both attempts, so the verdict is not about the present files:\n"+list,
	), gate.ExcerptBytes, 0, ""))
	if err != nil {
		return err
	}
	for i := range results {
		if results[i].Verdict == events.Pass {
			results[i].Verdict, results[i].Reason = events.Fail, events.ReasonTreeChanged
			results[i].Files, results[i].Excerpt = files, text
		}
	}
	return nil
}

// rewritten refuses gates that rewrite recorded files before any work. One rewrite counts
// where a person would have done it; a second one always counts. The text names the files
// and the remedy.
func (g *judgement) rewritten(ctx context.Context, results []events.GateResult, once, twice []string) (refused bool, err error) {
	if g.s.Loop.Iteration > 0 {
		return false, nil
	}
	if once, twice, err = g.byGates(ctx, once, twice); err != nil || len(once)+len(twice) == 0 {
		return false, err
	}
	indexed, err := g.p.Repo.Indexed(ctx, slices.Concat(once, twice))
	if err != nil {
		return false, err
	}
	r, refused := rule.Unsettled(once, twice, func(name string) bool { return slices.Contains(indexed, name) })
	if !refused {
		return false, nil
	}
	files, err := g.w.put(ctx, strings.Join(slices.Concat(r.Tracked, r.Others), "\n")+"\n")
	if err != nil {
		return false, err
	}
	text, err := g.w.put(ctx, gate.Excerpt([]byte(rewrittenText(r)), gate.ExcerptBytes, 0, ""))
	if err != nil {
		return false, err
	}
	for i := range results {
		results[i].Verdict, results[i].Reason = events.Fail, events.ReasonTreeChanged
		results[i].Files, results[i].Excerpt = files, text
	}
	return true, nil
}

// byGates keeps the files that the gates themselves change.
func (g *judgement) byGates(ctx context.Context, once, twice []string) (ofOnce, ofTwice []string, err error) {
	if err := g.tryWrites(ctx, slices.Concat(once, twice)); err != nil {
		return nil, nil, err
	}
	only := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(path string) bool { return !g.writes[path] })
	}
	return only(once), only(twice), nil
}

// tryWrites finds out which of the files the gates themselves write, and notes it in
// g.writes. The gates run once more on the files from before them, where nobody else
// writes: first the quickest, until all files are explained. A host that cannot make such
// a place explains all of them.
func (g *judgement) tryWrites(ctx context.Context, files []string) error {
	files = slices.DeleteFunc(slices.Clone(files), func(path string) bool { _, known := g.writes[path]; return known })
	if len(files) == 0 {
		return nil
	}
	now, err := g.w.record(ctx, g.s, g.p, g.made)
	if err != nil {
		return err
	}
	back, err := g.p.Repo.Changes(ctx, now.Tree, g.s.Last.Tree)
	if err != nil {
		return err
	}
	laid := map[string]bool{}
	for _, c := range back {
		laid[c.Path] = true
	}
	open := slices.Clone(files) // that no gate has written so far
	look := func(root *os.Root) (err error) {
		open = slices.DeleteFunc(open, func(path string) bool {
			if _, gone := root.Lstat(path); err != nil || !laid[path] && errors.Is(gone, fs.ErrNotExist) {
				return false // the gate left this file alone
			}
			var same bool
			same, err = g.asBefore(ctx, root, path)
			return err == nil && !same
		})
		return err
	}
	name := fmt.Sprintf("writes%d", g.tries)
	g.tries++
	for _, a := range g.quickest() {
		r, _, err := g.vary(ctx, variation{gate: a.Name, name: name, changes: back, ended: look})
		if err != nil {
			return err
		}
		if notTried(r) {
			open = nil
		}
		if len(open) == 0 {
			break
		}
	}
	if g.writes == nil {
		g.writes = map[string]bool{}
	}
	for _, path := range files {
		g.writes[path] = !slices.Contains(open, path)
	}
	return nil
}

// quickest lists the gates with a command, by the duration of their first run.
func (g *judgement) quickest() []asked {
	list := slices.DeleteFunc(slices.Clone(g.list), func(a asked) bool { return !isCommand(a.Gate) || a.Role == events.RoleCheck })
	slices.SortStableFunc(list, func(a, b asked) int { return cmp.Compare(g.took[a.Name], g.took[b.Name]) })
	return list
}

// asBefore says that a file in a folder has its content from before the gates. A missing
// file was not written, unless it was there before.
func (g *judgement) asBefore(ctx context.Context, root *os.Root, path string) (bool, error) {
	want, mode, err := g.p.Repo.File(ctx, g.s.Last.Tree, path)
	had := err == nil
	if err != nil && !errors.Is(err, tree.ErrNotFound) && !errors.Is(err, tree.ErrNotRecorded) {
		return false, err
	}
	info, err := root.Lstat(path)
	switch {
	case err != nil || !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0: // a device: removed
		return !had, nil
	case !had || info.Mode().Type() != mode.Type():
		return false, nil
	case mode&os.ModeSymlink != 0:
		target, err := root.Readlink(path)
		return err == nil && target == string(want), nil
	case info.Size() != int64(len(want)):
		return false, nil
	}
	text, err := root.ReadFile(path)
	return err == nil && bytes.Equal(text, want), nil
}

// rewrittenMost bounds the files in the text.
const rewrittenMost = 10

// rewrittenText names the remedy against gates that rewrite recorded files.
func rewrittenText(r rule.Rewritten) string {
	var b strings.Builder
	list := func(head string, lines []string) {
		if len(lines) == 0 {
			return
		}
		b.WriteString(head + "\n")
		for _, l := range lines[:min(len(lines), rewrittenMost)] {
			b.WriteString("  " + l + "\n")
		}
		if more := len(lines) - rewrittenMost; more > 0 {
			fmt.Fprintf(&b, "  and %d more\n", more)
		}
	}
	list("The gates rewrite files that git neither tracks nor ignores. Add to .gitignore:", phrase.IgnoreLines(r.Others))
	list("The gates rewrite files that git tracks. Let them check only (gofmt -l, prettier --check, ruff check), or write elsewhere:", r.Tracked)
	return b.String()
}

// sayMoved adds to every failed gate the files that the gates themselves changed before:
// the agent did not. Gates tried in a commit alone have no such changes.
func (g *judgement) sayMoved(ctx context.Context, results []events.GateResult) error {
	if len(g.moved) == 0 {
		return nil
	}
	head := gate.Excerpt([]byte("The gates changed recorded files, so they ran once more on the changed files:\n  "+
		strings.Join(g.moved, "\n  ")+"\n"), movedHead, 0, "")
	for i, r := range results {
		if r.Verdict != events.Fail || r.Reason == events.ReasonTreeChanged || r.Set != "" {
			continue
		}
		text, err := g.w.text(r.Excerpt)
		if err != nil {
			return err
		}
		if results[i].Excerpt, err = g.w.put(ctx, gate.Headed(head, text)); err != nil {
			return err
		}
	}
	return nil
}

// protected compares the pinned paths with the start of the run.
func (g *judgement) protected(ctx context.Context, now events.Tree) (events.GateResult, error) {
	repo, start := g.p.Repo, g.s.Facts.Tree
	changes, err := g.reads.changes(ctx, start, now)
	if err != nil {
		return events.GateResult{}, err
	}
	list := ruleChanges(changes)
	for i, c := range list {
		changed := c.Kind == rule.Changed && g.p.Pins.Partial(c.Path)
		if !changed && (c.Kind != rule.Added || !g.p.Pins.Looked(c.Path)) {
			continue
		}
		var errs [2]error
		if changed {
			list[i].Old, _, errs[0] = repo.File(ctx, start, c.Path)
		}
		list[i].New, _, errs[1] = repo.File(ctx, now, c.Path)
		if err := errors.Join(errs[:]...); err != nil {
			return events.GateResult{}, err
		}
	}
	failing, err := g.failingPins(ctx)
	if err != nil {
		return events.GateResult{}, err
	}
	pins, foreign := g.p.Pins.With(failing), g.p.Gates.ChangedRoles()
	for _, name := range foreign {
		list = append(list, rule.Change{Path: name, Kind: rule.Changed})
	}
	pins.Paths = slices.Concat(pins.Paths, foreign)
	var diffErr error
	r, texts := gate.Protected(list, pins, func(paths []string) string {
		var b bytes.Buffer
		paths = slices.DeleteFunc(slices.Clone(paths), func(name string) bool { return slices.Contains(foreign, name) })
		if len(paths) == 0 {
			return ""
		}
		diffErr = repo.Diff(ctx, start, now, paths, &b)
		return b.String()
	})
	if diffErr != nil {
		return r, fmt.Errorf("show the changes of pinned files: %w", diffErr)
	}
	return g.store(ctx, r, texts)
}

func ruleChanges(changes []tree.Change) []rule.Change {
	kinds := map[tree.Status]rule.ChangeKind{
		tree.Added: rule.Added, tree.Modified: rule.Changed, tree.Deleted: rule.Removed, tree.TypeChange: rule.Replaced,
	}
	out := make([]rule.Change, 0, len(changes))
	for _, c := range changes {
		kind := kinds[c.Status]
		if kind == rule.Changed && c.OldMode != c.NewMode {
			kind = rule.Replaced
		}
		out = append(out, rule.Change{Path: c.Path, Kind: kind})
	}
	return out
}
