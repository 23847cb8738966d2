package work

import (
	"context"
	"slices"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
)

// judge judges a gate without a command on the files as they are.
type judge struct {
	judges func(*judgement, context.Context, asked, tree.Snapshot) (events.GateResult, error)
	reads  func(*judgement, context.Context, asked, events.Tree) // its later reads of recorded trees; nil: none
}

// judges has one for each kind, except commands and kinds that wait for a role or person.
var judges = map[events.GateKind]judge{
	events.GateProtected: {
		judges: func(g *judgement, ctx context.Context, _ asked, on tree.Snapshot) (events.GateResult, error) {
			return g.protected(ctx, on.Tree)
		},
		reads: func(g *judgement, ctx context.Context, _ asked, now events.Tree) {
			_, _ = g.reads.changes(ctx, g.s.Facts.Tree, now)
		},
	},
	events.GateArtifact: {
		judges: func(g *judgement, ctx context.Context, a asked, on tree.Snapshot) (events.GateResult, error) {
			return g.written(ctx, a, on.Tree)
		},
		reads: (*judgement).readWritten,
	},
	events.GateScope: {
		judges: func(g *judgement, ctx context.Context, a asked, on tree.Snapshot) (events.GateResult, error) {
			return g.scope(ctx, a, on.Tree)
		},
		reads: func(g *judgement, ctx context.Context, _ asked, now events.Tree) {
			_, _ = g.changed(ctx, entryTree(g.s), now)
		},
	},
	events.GateAnchor: {
		judges: func(g *judgement, ctx context.Context, a asked, on tree.Snapshot) (events.GateResult, error) {
			return g.anchor(ctx, a, on.Tree)
		},
		reads: func(g *judgement, ctx context.Context, a asked, _ events.Tree) {
			if at, err := g.approvedAt(ctx, a.decl.Of); err == nil {
				_, _ = g.reads.list(ctx, at)
			}
		},
	},
	events.GateRed: {judges: (*judgement).red},
	events.GateSession: {
		judges: func(g *judgement, ctx context.Context, a asked, _ tree.Snapshot) (events.GateResult, error) {
			return g.session(ctx, a)
		},
	},
	events.GateQA: {
		judges: (*judgement).qa,
		reads: func(g *judgement, ctx context.Context, a asked, now events.Tree) {
			if slices.Contains(a.decl.Skip, workflow.SkipDocs) {
				_, _ = g.changed(ctx, g.s.Facts.Tree, now)
			}
		},
	},
}

// other judges a gate without a command.
func (g *judgement) other(ctx context.Context, a asked, on tree.Snapshot) (events.GateResult, error) {
	if a.decl.Void {
		return events.GateResult{Gate: a.Name, Kind: a.Kind, Role: a.Role, Verdict: events.Skipped, Reason: events.ReasonVoidInput, Exit: -1}, nil
	}
	if j, ok := judges[a.Kind]; ok {
		return j.judges(g, ctx, a, on)
	}
	return g.open(ctx, a, on)
}

// readWritten reads the written files, and the tree to compare them with.
func (g *judgement) readWritten(ctx context.Context, a asked, now events.Tree) {
	from, _ := g.since(a.Role)
	_, _ = g.reads.changes(ctx, from, now)
	if a.Role == events.RoleCheck {
		_, _ = g.plain(ctx, now, a.Files)
	} else {
		_, _ = g.reads.list(ctx, now)
	}
}

// qa is open until a role has looked. Where the workflow allows, it skips changes of
// documentation alone.
func (g *judgement) qa(ctx context.Context, a asked, on tree.Snapshot) (events.GateResult, error) {
	if !slices.Contains(a.decl.Skip, workflow.SkipDocs) {
		return g.open(ctx, a, on)
	}
	docs, err := g.docsOnly(ctx, on.Tree)
	switch {
	case err != nil:
		return events.GateResult{}, err
	case !docs:
		return g.open(ctx, a, on)
	}
	return events.GateResult{Gate: a.Name, Kind: a.Kind, Role: a.Role, Verdict: events.Skipped, Reason: events.ReasonDocsOnly, Exit: -1}, nil
}
