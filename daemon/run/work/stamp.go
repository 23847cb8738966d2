package work

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/rule"
)

// This file finds pinned files that are written while gates run and put back before the
// end. Trees do not show that, but change times do.

// stamps are the change times of pinned files, by path.
func (p *Plan) stamps() map[string]int64 {
	out := make(map[string]int64, len(p.Pinned))
	for _, name := range p.Pinned {
		if info, err := os.Lstat(filepath.Join(p.Repo.Workspace().Path, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
			out[name] = gate.ChangeTime(info)
		}
	}
	return out
}

// swapped lists pinned code files that were written between two looks, except those that
// the gates always write themselves. Data is left out: a test that rewrites its snapshot
// with equal bytes is honest.
func (g *judgement) swapped(before map[string]int64) []string {
	var out []string
	for name, now := range g.p.stamps() {
		if was, known := before[name]; known && was != now && rule.IsCode(path.Base(name)) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	g.w.mu.Lock()
	defer g.w.mu.Unlock()
	if g.s.Loop.Iteration == 0 {
		g.p.habits, g.p.habitsKnown = out, true // no agent has worked yet
		return nil
	}
	return slices.DeleteFunc(out, func(name string) bool { return !g.p.habitsKnown || slices.Contains(g.p.habits, name) })
}

// failSwapped fails passed gates if pinned files were written twice while they ran.
func (g *judgement) failSwapped(ctx context.Context, results []events.GateResult, names []string) error {
	list := strings.Join(names, "\n") + "\n"
	files, err := g.w.put(ctx, list)
	if err != nil {
		return err
	}
	text, err := g.w.put(ctx, gate.Excerpt([]byte(
		"These files prove the work. They were changed while the gates ran, in both attempts, and then reverted, so the verdict does not count:\n"+list,
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

// failingPins are the pins of files with tests that failed at the baseline.
func (g *judgement) failingPins(ctx context.Context) (rule.Pins, error) {
	g.w.mu.Lock()
	known := g.p.failing
	g.w.mu.Unlock()
	if known != nil || g.s.Loop.Iteration == 0 {
		return orNone(known), nil
	}
	var ids []string
	for _, r := range g.s.Last.Baseline {
		lines, err := g.w.lines(r.FailingIDs)
		if err != nil {
			return rule.Pins{}, err
		}
		ids = append(ids, lines...)
	}
	pins := rule.Pins{}
	if len(ids) > 0 {
		src, err := g.p.source(ctx, g.s.Facts.Tree)
		if err != nil {
			return pins, err
		}
		pins = g.p.Pins.Failing(src, ids)
		pins = pins.Without(g.p.Pins.With(pins).TaskNames(g.p.Task, pins.Paths))
	}
	g.w.mu.Lock()
	g.p.failing = &pins
	g.w.mu.Unlock()
	return pins, nil
}

func orNone(p *rule.Pins) rule.Pins {
	if p == nil {
		return rule.Pins{}
	}
	return *p
}
