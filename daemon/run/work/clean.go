package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/rule"
)

// A clean checkout is a directory of the daemon with the recorded tree and nothing else.
// A run's checkout always has the same path, so that compilers and tests print the same
// paths in each iteration:
//
//	<state>/clean/<run id>/tree/<name of the workspace>
//	<state>/clean/<run id>/home
//
// <state>/clean/<run id>/red/<gate> has the checkout of a test commit, for a gate of kind
// red.
//
// The daemon makes it before the first effect in it, never changes it, and keeps it as
// long as its gates. The names of its effects follow from the announced ids and the boot
// of the host. So the next daemon after a kill finds them, and a daemon after a power cut
// begins with a new checkout.

const cleanName = "clean"

// checkout is a clean checkout and its effects.
type checkout struct {
	g      *judgement
	tree   events.Tree
	of     string      // its content, in words
	base   string      // directory of everything in it
	gates  gate.Pinned // environment of the gates in it
	suffix string      // of the names of its effects
}

// clean runs every command gate again in a clean checkout of the recorded tree, and
// replaces the results. At the baseline, that shows whether set-up and invariants work
// there, and which goals are red there. Later it confirms a tree that passes in place.
func (g *judgement) clean(ctx context.Context, results []events.GateResult, now events.Tree) (events.Checkout, error) {
	if g.p.Spec.Checkout != events.CheckoutClean || !g.worthCleaning(results) || !slices.ContainsFunc(results, g.cleans) {
		return "", nil
	}
	c, err := g.newCheckout(now, g.w.cleanDir(g.s.ID), cleanName)
	if err != nil {
		return "", err
	}
	c.of = "the recorded files"
	if err := c.drop(c.judge(ctx, results)); err != nil {
		return "", fmt.Errorf("judge a clean checkout: %w", err)
	}
	return events.CheckoutClean, nil
}

// cleans says that a gate runs in the clean checkout: it is a command of the run.
func (g *judgement) cleans(r events.GateResult) bool {
	return r.Kind == events.GateCommand && r.Role != events.RoleCheck
}

// worthCleaning says whether a clean checkout could still change the verdict.
func (g *judgement) worthCleaning(results []events.GateResult) bool {
	return !slices.ContainsFunc(results, func(r events.GateResult) bool {
		if g.s.Loop.Iteration > 0 {
			return !rule.Passes(r) && r.Verdict != events.Open
		}
		return r.Verdict == events.Unverifiable || r.Reason == events.ReasonTreeChanged ||
			r.Verdict == events.Fail && r.Role == events.RoleInvariant
	})
}

func (w *places) cleanDir(run string) string { return filepath.Join(w.cfg.State, cleanName, run) }

func (g *judgement) newCheckout(now events.Tree, base, suffix string) (*checkout, error) {
	boot, err := proc.Boot()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(base, "tree", filepath.Base(g.p.Repo.Workspace().Path))
	c := &checkout{
		g: g, tree: now, base: base, gates: g.p.Gates.In(dir, filepath.Join(base, "home")),
		suffix: "-" + suffix + "-" + strings.Map(alphanumeric, boot)[:8],
	}
	c.gates.Settled = g.p.Spec.Setup != ""
	return c, nil
}

// drop removes the checkout when its gates are over. Else it stays for a repeated call
// with the same gates.
func (c *checkout) drop(err error) error {
	if err != nil && !errors.Is(err, errEnded) {
		return err
	}
	err = errors.Join(err, c.g.w.dropDir(c.base))
	for dir := c.base; dir != c.g.w.cleanDir(c.g.s.ID); {
		dir = filepath.Dir(dir)
		_ = os.Remove(dir) // fails while the directory has other entries
	}
	return err
}

func alphanumeric(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// judge replaces the results of command gates.
func (c *checkout) judge(ctx context.Context, results []events.GateResult) error {
	first := slices.IndexFunc(results, c.g.cleans)
	failed, err := c.prepare(ctx, results[first])
	if err != nil {
		return err
	}
	for i, r := range results {
		switch {
		case !c.g.cleans(r):
			continue
		case failed != nil && i == first:
			results[i] = *failed
			continue
		case failed != nil:
			results[i] = events.GateResult{
				Gate: r.Gate, Kind: r.Kind, Role: r.Role, Verdict: events.Skipped, Reason: events.ReasonSetup, Exit: -1,
			}
			continue
		}
		if results[i], err = c.gate(ctx, r); err != nil {
			return fmt.Errorf("run gate %s: %w", r.Gate, err)
		}
		failpoint.Hit(failpoint.AfterGate)
	}
	return nil
}

// prepare makes the checkout, if none of its effects has begun, and sets it up. A set-up
// without a known end may have left any state, so it begins with a new checkout. If the
// set-up fails, the first gate has that result.
func (c *checkout) prepare(ctx context.Context, first events.GateResult) (*events.GateResult, error) {
	if c.g.p.Spec.Setup == "" {
		return nil, c.make(ctx, effectOf(c.g.s, first.Gate)+c.suffix)
	}
	return c.setUp(ctx, first, c.make)
}

// setUp runs the set-up command in a place that ready has made for it.
func (c *checkout) setUp(ctx context.Context, first events.GateResult, ready func(ctx context.Context, id string) error) (*events.GateResult, error) {
	name := effectOf(c.g.s, first.Gate) + c.suffix
	cmd := gate.Command{Name: first.Gate, Role: first.Role, Run: rule.Command{Text: c.g.p.Spec.Setup}}
	for n := 0; ; n++ {
		id := retryName(name+"-setup", n)
		if err := ready(ctx, id); err != nil {
			return nil, err
		}
		out, err := c.g.once(ctx, c.gates.Launch(cmd), id)
		switch {
		case err != nil:
			return nil, err
		case out.Outcome == events.Lost && n < c.g.p.Flow.Limits.Losses:
			continue
		case out.Outcome == events.Exited && out.Exit == 0:
			return nil, nil
		}
		return c.setupFailed(ctx, cmd, id, out)
	}
}

func (c *checkout) setupFailed(ctx context.Context, cmd gate.Command, id string, out effect.Outcome) (*events.GateResult, error) {
	printed, err := c.g.w.printed(id)
	if err != nil {
		return nil, err
	}
	r, texts := gate.Judge(cmd, gate.Process{
		Outcome: out.Outcome, Exit: out.Exit, Signal: out.Signal, Active: out.Active, Bytes: out.Bytes, Limit: c.g.p.Flow.Limits.Gate.Wall,
	}, printed)
	c.gates.Stamp(&r, cmd, id)
	r.Reason = events.ReasonSetup
	head := "The set-up command fails in a clean checkout of " + c.of + ", so the gates were not run there:\n  " +
		strings.ReplaceAll(c.g.p.Spec.Setup, "\n", "\n  ") + "\n"
	texts.Excerpt = gate.Headed(head+c.differs(ctx), texts.Excerpt)
	r, err = c.g.store(ctx, r, texts)
	return &r, err
}

// gate runs one gate. A failure that does not happen in place says so, with possible
// causes.
func (c *checkout) gate(ctx context.Context, inPlace events.GateResult) (events.GateResult, error) {
	spec := slices.IndexFunc(c.g.p.Spec.Gates, func(s stored.Gate) bool { return s.Name == inPlace.Gate })
	cmd := gate.Command{Name: inPlace.Gate, Role: inPlace.Role, Run: command(c.g.p.Spec.Gates[spec])}
	r, texts, err := c.g.counted(ctx, c.gates, cmd, effectOf(c.g.s, inPlace.Gate)+c.suffix)
	if err != nil {
		return r, err
	}
	r.Elsewhere = inPlace.Elsewhere
	if r.Verdict == events.Fail && r.Reason != events.ReasonToolChanged && inPlace.Verdict == events.Pass {
		texts.Excerpt = gate.Headed("It passes in the work tree and fails in a clean checkout of the recorded files.\n"+c.differs(ctx), texts.Excerpt)
	}
	return c.g.store(ctx, r, texts)
}

// make writes the checkout unless an effect in it has begun.
func (c *checkout) make(ctx context.Context, first string) error {
	if c.g.w.begun(first) {
		return nil
	}
	if err := c.g.w.dropDir(c.base); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.gates.Workspace), 0o700); err != nil {
		return fmt.Errorf("make a clean checkout: %w", err)
	}
	if _, err := c.g.p.Repo.Checkout(ctx, c.tree, c.gates.Workspace); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterCheckout)
	if err := c.g.freshCaches(); err != nil {
		return err
	}
	return c.g.w.freshPlace(c.gates)
}

// dropCheckout removes the clean checkout of a run. It sets aside what it cannot remove,
// such as root's files from a container, or mounts. Such files say nothing about the
// gates, and the next checkout needs the place. The daemon tries again at its next start.
func (w *places) dropCheckout(run string) error { return w.dropDir(w.cleanDir(run)) }

func (w *places) dropDir(base string) error {
	err := w.remove(base)
	if err == nil {
		return nil
	}
	if moved := os.Rename(base, base+"-left-"+w.newID()); moved != nil {
		return errors.Join(err, moved)
	}
	return nil
}

// The bounds of the search for files that a clean checkout lacks.
const (
	differDirs  = 2000
	differNames = 20
)

// differs names files of the workspace that a clean checkout lacks: ignored files, files
// that gates made, and files recorded without content.
func (c *checkout) differs(ctx context.Context) string {
	names, more := c.lacking(ctx)
	if len(names) == 0 {
		return "\n"
	}
	var b strings.Builder
	b.WriteString("The checkout lacks ignored and unrecorded files. The work tree also has:\n")
	for _, n := range names {
		b.WriteString("  " + strings.ToValidUTF8(n, "\uFFFD") + "\n")
	}
	if more {
		b.WriteString("  and more\n")
	}
	return b.String() + "\n"
}

func (c *checkout) lacking(ctx context.Context) (names []string, more bool) {
	recorded, err := c.g.p.Repo.Files(ctx, c.tree)
	if err != nil {
		return nil, false // the result is only a hint
	}
	root, err := os.OpenRoot(c.g.p.Repo.Workspace().Path)
	if err != nil {
		return nil, false
	}
	defer root.Close()
	known, dirs := map[string]bool{".git": true}, []string{"."}
	for _, f := range recorded {
		known[f] = true
		for d := path.Dir(f); d != "." && !known[d]; d = path.Dir(d) {
			known[d], dirs = true, append(dirs, d)
		}
	}
	slices.Sort(dirs)
	for _, d := range dirs[:min(len(dirs), differDirs)] {
		entries, err := fs.ReadDir(root.FS(), d)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := path.Join(d, e.Name())
			if known[name] || strings.ContainsAny(name, "\n\r") {
				continue
			}
			if len(names) == differNames {
				return names, true
			}
			if e.IsDir() {
				name += "/"
			}
			names = append(names, name)
		}
	}
	return names, len(dirs) > differDirs
}

// sweepCheckouts removes the clean checkouts that no run needs: a killed daemon may have
// left them.
func (w *places) sweepCheckouts(needed func(id string) bool) error {
	entries, err := os.ReadDir(filepath.Join(w.cfg.State, cleanName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		if !needed(e.Name()) {
			errs = append(errs, w.remove(w.cleanDir(e.Name())))
		}
	}
	return errors.Join(errs...)
}
