package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/rule"
)

// variation is the work tree for one gate of a control: all ignored files, and recorded
// files as the control wants them. The writes of the gate are discarded.
type variation struct {
	gate    events.Name
	name    string        // unique for the gate
	changes []tree.Change // from the work tree to it
	env     map[string]string
	// ended gets the folder with the gate's writes, before they are discarded. Files that
	// equal the work tree may be missing in it. It may be nil.
	ended func(root *os.Root) error
}

// vary runs the gate once on a variation: at the place of the work tree, with files and
// shared caches laid over. A host that cannot lay files over runs it in a copy. A gate
// that could not run is notTried, and the reason is recorded.
//
//	<state>/clean/<run id>/variants/<name>/<gate>  tree, cache and their work directories
//	<state>/clean/<run id>/variants/<name>-copy/<gate>  the copy, and its HOME
func (g *judgement) vary(ctx context.Context, v variation) (events.GateResult, gate.Texts, error) {
	if !g.onCopies() {
		r, t, err := g.laidOver(ctx, v)
		if err != nil || !notTried(r) {
			return r, t, err
		}
		g.copies = true
	}
	return g.copied(ctx, v)
}

func (g *judgement) onCopies() bool { return g.copies || g.w.cfg.Copies }

// aboutCopies says where controls ran, or why they did not.
func (g *judgement) aboutCopies() string {
	switch {
	case g.uncopied != "":
		return "This host cannot overlay the work tree, and the copy failed: " + g.uncopied + ".\n"
	case g.onCopies():
		return "Tried in copies of the work tree, because this host cannot overlay it.\n"
	}
	return ""
}

// notTried says that a gate did not begin. It has passed before, so its program exists:
// the variation could not be made.
func notTried(r events.GateResult) bool { return r.Reason == events.ReasonNotFound && r.Exit < 0 }

func (w *places) variantDir(run, name string) string {
	return filepath.Join(w.cleanDir(run), "variants", name)
}

func (g *judgement) laidOver(ctx context.Context, v variation) (events.GateResult, gate.Texts, error) {
	boot, err := proc.Boot()
	if err != nil {
		return events.GateResult{}, gate.Texts{}, err
	}
	base, gates := filepath.Join(g.w.variantDir(g.s.ID, v.name), string(v.gate)), g.p.Gates
	effect := effectOf(g.s, v.gate) + "-" + v.name + "-" + strings.Map(alphanumeric, boot)[:8]
	at := func(part string) string { return filepath.Join(base, part) }
	gates.Layers = []confine.Layer{{Dir: g.p.Repo.Workspace().Path, Upper: at("tree"), Work: at("tree-work")}}
	if cache := gates.Cache; cache != "" {
		gates.Layers = append(gates.Layers, confine.Layer{Dir: cache, Upper: at("cache"), Work: at("cache-work")})
	}
	if !g.w.begun(effect) {
		if err := g.w.dropDir(base); err != nil {
			return events.GateResult{}, gate.Texts{}, err
		}
		for _, part := range []string{"tree", "tree-work", "cache", "cache-work"} {
			if err := os.MkdirAll(at(part), 0o700); err != nil {
				return events.GateResult{}, gate.Texts{}, fmt.Errorf("lay files over the work tree: %w", err)
			}
		}
		if err := g.p.Repo.Layer(ctx, v.changes, at("tree")); err != nil {
			return events.GateResult{}, gate.Texts{}, err
		}
	}
	return g.runVaried(ctx, v, gates, effect, base, at("tree"))
}

// runVaried runs the gate with further variables, and removes the place at the end. Else
// the place stays for a repeated call. The gate's writes are in a folder of the place.
func (g *judgement) runVaried(ctx context.Context, v variation, gates gate.Pinned, effect, base, left string) (events.GateResult, gate.Texts, error) {
	gates.Env = withEnv(gates.Env, v.env)
	cmd := gate.Command{Name: v.gate, Role: g.s.Role(v.gate), Run: g.commandOf(v.gate)}
	r, t, err := g.judge(ctx, gates, cmd, effect)
	if err == nil && v.ended != nil && !notTried(r) {
		var root *os.Root
		if root, err = os.OpenRoot(left); err == nil {
			err = errors.Join(v.ended(root), root.Close())
		}
	}
	c := checkout{g: g, base: base}
	return r, t, c.drop(err)
}

// The bounds of a copy of the work tree.
const (
	copyEntries = 100_000
	copyBytes   = 1 << 30
	copyShare   = 4 // part of the free room on the state's disk: one in four
)

// copied runs the gate in a copy. The copy has another path, and a failure may have that
// cause alone.
func (g *judgement) copied(ctx context.Context, v variation) (events.GateResult, gate.Texts, error) {
	base := filepath.Join(g.w.variantDir(g.s.ID, v.name+"-copy"), string(v.gate))
	c, err := g.newCheckout("", base, v.name+"-copy")
	if err != nil {
		return events.GateResult{}, gate.Texts{}, err
	}
	effect := effectOf(g.s, v.gate) + c.suffix
	if !g.w.begun(effect) {
		switch err := g.makeCopy(ctx, c, v.changes); {
		case ctx.Err() != nil:
			return events.GateResult{}, gate.Texts{}, ctx.Err()
		case err != nil:
			g.uncopied = err.Error()
			return events.GateResult{Gate: v.gate, Reason: events.ReasonNotFound, Exit: -1}, gate.Texts{}, c.drop(nil)
		}
	}
	return g.runVaried(ctx, v, c.gates, effect, base, c.gates.Workspace)
}

func (g *judgement) makeCopy(ctx context.Context, c *checkout, changes []tree.Change) error {
	if err := g.w.dropDir(c.base); err != nil {
		return err
	}
	if err := os.MkdirAll(c.gates.Workspace, 0o700); err != nil {
		return fmt.Errorf("copy the work tree: %w", err)
	}
	free, err := g.w.free()
	if err != nil {
		return err
	}
	most := tree.CopyBounds{Entries: copyEntries, Bytes: int64(min(copyBytes, free/copyShare))}
	if err := g.p.Repo.Copy(ctx, changes, c.gates.Workspace, most); err != nil {
		return err
	}
	if err := g.freshCaches(); err != nil {
		return err
	}
	return g.w.freshPlace(c.gates)
}

// commandOf is the command of a gate of the run.
func (g *judgement) commandOf(name events.Name) rule.Command {
	i := slices.IndexFunc(g.p.Spec.Gates, func(s stored.Gate) bool { return s.Name == name })
	return command(g.p.Spec.Gates[i])
}
