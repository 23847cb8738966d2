package work

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// This file lists additions that may weaken the proof: suppressions, files that look like
// tests, and paths outside of the passed tree. It gives no verdict.

// The bounds of the search and of the list.
const (
	mostAddedTests = 20
	mostUnrecorded = 20
	mostLooked     = 4000     // changed files of code
	lookedAtOnce   = 500      // files in one call of git: a command line is limited
	diffBytes      = 32 << 20 // size of the diff
)

// added compares a passing tree with the tree of the start, and names paths that no tree
// holds. It is empty if a gate fails.
func (g *judgement) added(ctx context.Context, results []events.GateResult, now events.Tree) (events.Ref, error) {
	if g.s.Loop.Iteration == 0 || slices.ContainsFunc(results, func(r events.GateResult) bool { return !passesOrOpen(r) }) {
		return "", nil
	}
	changes, err := g.reads.changes(ctx, g.s.Facts.Tree, now)
	if err != nil {
		return "", err
	}
	var a wire.Additions
	var code []string
	for _, c := range changes {
		if c.Status == tree.Added && rule.TestLike(c.Path) {
			a.Tests = append(a.Tests, c.Path)
		}
		if rule.MaySuppress(c.Path) {
			code = append(code, c.Path)
		}
	}
	if n := len(a.Tests) - mostAddedTests; n > 0 {
		a.Tests, a.MoreTests = a.Tests[:mostAddedTests], n
	}
	if n := len(code) - mostLooked; n > 0 {
		code, a.Unread = code[:mostLooked], n
	}
	diff := bounded{left: diffBytes}
	for files := range slices.Chunk(code, lookedAtOnce) {
		if diff.left <= 0 {
			a.Unread += len(files)
			continue
		}
		if err := g.p.Repo.Diff(ctx, g.s.Facts.Tree, now, files, &diff); err != nil {
			return "", fmt.Errorf("look for suppressions: %w", err)
		}
	}
	a.Suppressions, a.MoreSuppressions = rule.AddedSuppressions(diff.text.String())
	a.Unrecorded, a.MoreUnrecorded = unrecorded(g.after)
	if len(a.Suppressions)+len(a.Tests)+len(a.Unrecorded)+a.Unread == 0 {
		return "", nil
	}
	for i := range a.Tests {
		a.Tests[i] = strings.ToValidUTF8(a.Tests[i], "\uFFFD") // JSON holds valid UTF-8 alone
	}
	for i := range a.Suppressions {
		a.Suppressions[i].File = strings.ToValidUTF8(a.Suppressions[i].File, "\uFFFD")
	}
	return g.w.encodeText(ctx, a)
}

// unrecorded lists the first paths without recorded content, and counts the rest.
func unrecorded(on tree.Snapshot) (list []wire.Unrecorded, more int) {
	for why, paths := range map[string][]string{"large": on.Large, "unreadable": on.Skipped} {
		for _, path := range paths {
			list = append(list, wire.Unrecorded{Path: strings.ToValidUTF8(path, "\uFFFD"), Why: why})
		}
	}
	slices.SortFunc(list, func(a, b wire.Unrecorded) int { return strings.Compare(a.Path, b.Path) })
	if more = len(list) - mostUnrecorded; more > 0 {
		return list[:mostUnrecorded], more
	}
	return list, 0
}

// bounded keeps the beginning of its input.
type bounded struct {
	text bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), max(0, b.left))
	b.left -= n
	b.text.Write(p[:n])
	return len(p), nil
}
