package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// pin fixes the files that must stay: the default pins, files that gates name, and the
// user's own.
func (p *Plan) pin(ctx context.Context, t events.Tree) error {
	src, err := p.source(ctx, t)
	if err != nil {
		return err
	}
	pins := rule.Pins{
		Globs: rule.DefaultPins(), Manifests: rule.DefaultManifests(), Protect: p.Spec.Protect, Allow: p.Spec.AllowTests,
	}
	reached, scripts := rule.Follow(commands(p.Spec), src)
	p.Pins = pins.With(reached)
	if p.Pinned, err = pinnedFiles(ctx, p.Repo, t, p.Pins); err != nil {
		return err
	}
	helpers := p.Pins.Helpers(src, p.Pinned)
	p.Pins = p.Pins.With(helpers)
	p.Pinned = append(p.Pinned, helpers.Paths...)
	p.Hidden = p.hidden(src)
	p.Named = p.Pins.TaskNames(p.Task, p.Pinned)
	p.Pins = p.Pins.Without(p.Named)
	p.Pinned = slices.DeleteFunc(p.Pinned, func(f string) bool { return !p.Pins.Pinned(f) })
	scripts = slices.DeleteFunc(scripts, func(s rule.Script) bool { return p.Pins.Allowed(s.Path) })
	if err := p.Gates.PinScripts(scripts); err != nil {
		return err
	}
	return p.pinRoles(src)
}

// source reads the tree at the start, and the files beside it.
func (p *Plan) source(ctx context.Context, t events.Tree) (rule.Source, error) {
	files, err := p.Repo.Files(ctx, t)
	if err != nil {
		return rule.Source{}, fmt.Errorf("list the start tree: %w", err)
	}
	known := map[string][]byte{}
	read := func(name string) ([]byte, bool) {
		text, ok := known[name]
		if !ok {
			// An unreadable path, such as another repository, leads no further.
			if b, mode, err := p.Repo.File(ctx, t, name); err == nil && mode.IsRegular() {
				text = b
			}
			known[name] = text
		}
		return text, text != nil
	}
	return rule.Source{
		Files: files, Read: read, Prefetch: func(names []string) { p.prefetch(ctx, t, names, known) }, Root: p.Repo.Workspace().Path, OnDisk: p.Gates.IsFile, ReadDisk: p.Gates.ReadScript,
	}, nil
}

// pinnedFiles lists the pinned files of a tree: first those that gates and the user name,
// then all others.
func pinnedFiles(ctx context.Context, repo *tree.Repo, t events.Tree, pins rule.Pins) ([]string, error) {
	files, err := repo.Files(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("list the start tree: %w", err)
	}
	return pins.Among(files), nil
}

// prefetch reads files with one process. Callers read the failed ones one by one.
func (p *Plan) prefetch(ctx context.Context, t events.Tree, names []string, known map[string][]byte) {
	entries, err := p.Repo.Entries(ctx, t)
	if err != nil {
		return
	}
	wanted := map[string]bool{}
	for _, n := range names {
		if _, have := known[n]; !have {
			wanted[n] = true
		}
	}
	entries = slices.DeleteFunc(entries, func(e tree.Entry) bool { return !wanted[e.Path] || e.Kind != tree.Regular })
	texts, err := p.Repo.Texts(ctx, entries)
	if err != nil {
		return
	}
	for i, e := range entries {
		known[e.Path] = texts[i]
	}
}

// TaskPins lists the pinned files of a run that its task asks to change, as globs that
// permit the change.
func (w *records) TaskPins(id string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.plans[id]; p != nil {
		return p.Named
	}
	return nil
}

// hidden lists the exit codes that gates of the run and of its workflow hide.
func (p *Plan) hidden(src rule.Source) []wire.HiddenExit {
	var gates []stored.Gate
	for _, ph := range p.Flow.Phases {
		for _, a := range p.gatesOfPhase(ph) {
			gates = append(gates, a.Gate)
		}
	}
	if p.Held != nil {
		gates = append(gates, p.Held.Gates...)
	}
	return HiddenExits(slices.Concat(gates, p.Spec.Gates), src)
}

// HiddenExits lists the exit codes that gates hide, each once.
func HiddenExits(gates []stored.Gate, src rule.Source) []wire.HiddenExit {
	var out []wire.HiddenExit
	for _, g := range gates {
		if strings.TrimSpace(g.Command) == "" {
			continue
		}
		for _, h := range rule.HidesIn(command(g), src) {
			e := wire.HiddenExit{Gate: g.Name, Where: h.Where, What: h.What, Instead: h.Instead}
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// Hidden lists the exit codes that the gates of a run hide.
func (w *records) Hidden(id string) []wire.HiddenExit {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.plans[id]; p != nil {
		return p.Hidden
	}
	return nil
}

// pinGroups shows the pinned files by reason.
func (p *Plan) pinGroups() []wire.PinGroup {
	var out []wire.PinGroup
	at := map[rule.Why]int{}
	for _, f := range p.Pinned {
		why := p.Pins.Because(f)
		i, known := at[why]
		if !known {
			i = len(out)
			at[why], out = i, append(out, wire.PinGroup{Why: string(why.Kind), By: why.By})
		}
		if out[i].Count++; len(out[i].Files) < wire.MostPinned {
			out[i].Files = append(out[i].Files, f)
		}
	}
	return out
}

// Proven counts the files that had to stay unchanged, and lists those that changed by
// permission.
func (w *Worker) Proven(ctx context.Context, s run.State) (pinned int, allowed []string, err error) {
	repo, err := w.Repo(ctx, s)
	if err != nil {
		return 0, nil, err
	}
	var pins rule.Pins
	if err := w.decode(s.Facts.Pins, &pins); err != nil {
		return 0, nil, err
	}
	files, err := pinnedFiles(ctx, repo, s.Facts.Tree, pins)
	if err != nil {
		return 0, nil, err
	}
	changes, err := repo.Changes(ctx, s.Facts.Tree, s.Last.Tree)
	if err != nil {
		return len(files), nil, err
	}
	pins.Allow = nil
	return len(files), rule.Violations(ruleChanges(changes), pins), nil
}
