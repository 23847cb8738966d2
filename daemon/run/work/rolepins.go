package work

import (
	"context"
	"path/filepath"
	"slices"

	"autopilot/daemon/agent"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file pins the programs and scripts of agents that look at the work. Their verdicts
// count, so working agents may not change them.

// lookers are the agents of roles that look at a gate.
func (p *Plan) lookers() []*member {
	var out []*member
	for _, e := range p.Flow.Roles {
		if lookedBy(p.Flow, e.Key) == "" {
			continue
		}
		if len(e.Value.Agents) == 0 && given(p.Spec.Agent) {
			out = append(out, p.Own)
		}
		for _, name := range e.Value.Agents {
			if h := p.Members[name]; h != nil {
				out = append(out, h)
			}
		}
	}
	return out
}

// command is the command of an agent; ok is false for one without a program.
func (h *member) command() (c rule.Command, ok bool) {
	switch {
	case h.Spec.Script != "":
		return c, false
	case h.Spec.Profile != "":
		return h.call.Command.Command, true
	}
	return rule.Command{Text: h.Spec.Command}, h.Spec.Command != ""
}

// pinRoles pins the programs of agents that look: files of the work tree beside the
// tests, others by their sums.
func (p *Plan) pinRoles(src rule.Source) error {
	var outside []string
	for _, h := range p.lookers() {
		c, ok := h.command()
		if !ok {
			continue
		}
		reached, scripts := rule.Follow([]rule.Command{c}, src)
		p.Pins = p.Pins.With(rule.Pins{Paths: reached.Paths, Why: roleWhy(h, reached.Paths)})
		for _, name := range reached.Paths {
			if !slices.Contains(p.Pinned, name) && p.Pins.Pinned(name) {
				p.Pinned = append(p.Pinned, name)
			}
		}
		for _, s := range scripts {
			outside = append(outside, s.Path)
		}
		program := p.ownProgram(h, c)
		if rel, err := filepath.Rel(src.Root, program); program != "" && (err != nil || !slices.Contains(reached.Paths, rel)) {
			outside = append(outside, program)
		}
	}
	slices.Sort(outside)
	return p.Gates.PinRoles(slices.Compact(outside))
}

func roleWhy(h *member, paths []string) map[string]rule.Why {
	why := map[string]rule.Why{}
	for _, name := range paths {
		why[name] = rule.Why{Kind: rule.WhyRole, By: h.role}
	}
	return why
}

// ownProgram is the program of an agent, if it is the user's own. Programs with a shipped
// profile are left out: they update themselves while they work.
func (p *Plan) ownProgram(h *member, c rule.Command) string {
	env, _ := p.env(h)
	path, err := agent.Command{Command: c}.Resolve(agent.Lookup(env, "PATH"), p.Repo.Workspace().Path)
	if err != nil || path == "" || agent.IsShipped(filepath.Base(path)) {
		return ""
	}
	return path
}

// changedRoles lists programs and scripts of agents that look and that differ from the
// start.
func (p *Plan) changedRoles(ctx context.Context, s run.State) ([]string, error) {
	pins := rule.Pins{Allow: p.Pins.Allow}
	for name, why := range p.Pins.Why {
		if why.Kind == rule.WhyRole {
			pins.Paths = append(pins.Paths, name)
		}
	}
	if len(pins.Paths) == 0 {
		return p.Gates.ChangedRoles(), nil
	}
	changes, err := p.Repo.Changes(ctx, s.Facts.Tree, s.Last.Tree)
	if err != nil {
		return nil, err
	}
	return append(rule.Violations(ruleChanges(changes), pins), p.Gates.ChangedRoles()...), nil
}
