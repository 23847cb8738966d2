package work

import (
	"context"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Guarded are the files of a run's work tree that touches of paths in it would
// change and that have to stay as they are: those that are pinned, and in a phase
// that keeps to it what a person has approved.
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

// anchored are the touched paths that such globs mean, or lie above.
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
