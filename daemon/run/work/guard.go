package work

import (
	"context"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Guarded lists files that touches of paths would change and that must stay: pinned
// files, and in a phase with an anchor the approved files.
func (w *Worker) Guarded(ctx context.Context, s run.State, touches []rule.Touch) (pinned, approved []string, err error) {
	p, err := w.plan(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	for _, a := range p.gatesOf(events.GatesStarted{Phase: s.Loop.Phase, Iteration: max(s.Loop.Iteration, 1)}) {
		if a.Kind == events.GateAnchor {
			approved = append(approved, anchored(a.decl.Of, touches)...)
		}
	}
	slices.Sort(approved)
	return p.Pins.Touched(p.Pinned, touches), slices.Compact(approved), nil
}

// anchored lists the touched paths that match the globs, or lie above a match.
func anchored(globs []string, touches []rule.Touch) []string {
	var out []string
	for _, t := range touches {
		if slices.ContainsFunc(globs, func(glob string) bool {
			return rule.GlobMatch(glob, t.Path) || t.Gone && strings.HasPrefix(glob, t.Path+"/")
		}) {
			out = append(out, t.Path)
		}
	}
	return out
}
