package work

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/effect/confine"
	"autopilot/daemon/effect/proc"
	"autopilot/daemon/gate"
	"autopilot/daemon/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// variant is the work tree as one gate of a control sees it: at the same place and with
// everything that git ignores, but with recorded files as the control wants them. What
// the gate writes there, and in the caches of all gates, is thrown away.
//
//	<state>/clean/<run id>/<name>/<gate>/tree, cache and their work directories
type variant struct {
	g      *judging
	base   string
	gates  gate.Pinned
	effect string
}

func (w *Worker) variantDir(run, name string) string {
	return filepath.Join(w.cleanDir(run), "variants", name)
}

// variant makes one, unless its effect has begun.
func (g *judging) variant(ctx context.Context, name events.Name, of string, changes []tree.Change) (*variant, error) {
	boot, err := proc.Boot()
	if err != nil {
		return nil, err
	}
	v := &variant{
		g: g, base: filepath.Join(g.w.variantDir(g.s.ID, of), string(name)), gates: g.p.Gates,
		effect: effectOf(g.s, name) + "-" + of + "-" + strings.Map(alphanumeric, boot)[:8],
	}
	at := func(part string) string { return filepath.Join(v.base, part) }
	v.gates.Layers = []confine.Layer{{Dir: g.p.Repo.Workspace().Path, Upper: at("tree"), Work: at("tree-work")}}
	if cache := v.gates.Cache; cache != "" {
		v.gates.Layers = append(v.gates.Layers, confine.Layer{Dir: cache, Upper: at("cache"), Work: at("cache-work")})
	}
	if g.w.begun(v.effect) {
		return v, nil
	}
	if err := g.w.dropDir(v.base); err != nil {
		return nil, err
	}
	for _, part := range []string{"tree", "tree-work", "cache", "cache-work"} {
		if err := os.MkdirAll(at(part), 0o700); err != nil {
			return nil, fmt.Errorf("make a variant of the work tree: %w", err)
		}
	}
	return v, g.p.Repo.Layer(ctx, changes, at("tree"))
}

// run runs the gate once, with variables beside its own.
func (v *variant) run(ctx context.Context, name events.Name, env map[string]string) (events.GateResult, gate.Texts, error) {
	with := v.gates
	with.Env = withEnv(with.Env, env)
	cmd := gate.Command{Name: name, Role: v.g.s.Role(name), Run: v.g.commandOf(name)}
	return v.g.judge(ctx, with, cmd, v.effect)
}

// drop removes the variant when its gate is over. Else it is found again.
func (v *variant) drop(err error) error {
	c := checkout{g: v.g, base: v.base}
	return c.drop(err)
}

// notTried says that a gate did not begin: it has passed before, so its program is
// there, and the variant could not be made visible.
func notTried(r events.GateResult) bool { return r.Reason == events.ReasonNotFound && r.Exit < 0 }

// commandOf is the command of a gate that the run brought along.
func (g *judging) commandOf(name events.Name) rule.Command {
	i := slices.IndexFunc(g.p.Spec.Gates, func(s wire.GateSpec) bool { return s.Name == name })
	return command(g.p.Spec.Gates[i])
}
