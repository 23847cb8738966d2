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
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/holdout"
	"autopilot/events"
	"autopilot/projections/rule"
)

// heldPlace is the place of held-out gates: the work tree at its own path with all
// ignored files. The held-out files are laid over it for these gates alone. Their writes
// go to directories of the daemon and are removed with them, so that code under test
// carries nothing to the next agent:
//
//	<state>/clean/<run id>/held/{tree,cache}  what is laid over, and what is written
//	<state>/clean/<run id>/held/home          their HOME
//
// A host that cannot lay files over a tree runs them in a clean checkout.
type heldPlace struct {
	g      *judgement
	base   string
	gates  gate.Pinned
	suffix string            // of the names of effects
	plain  *checkout         // in place of layers
	folder holdout.Folder    // as laid over; zero if an effect has begun
	broken error             // why it could not be laid over
	layers []confine.Layer   // none in a checkout
	failed events.GateResult // of a failed set-up, for every gate
}

const heldName = "held"

// heldOut adds the results of the held-out gates. They run at the baseline, and when all
// other gates pass.
func (g *judgement) heldOut(ctx context.Context, results []events.GateResult, now events.Tree) ([]events.GateResult, error) {
	list := slices.DeleteFunc(slices.Clone(g.list), func(a asked) bool { return !a.isHeld() })
	if len(list) == 0 {
		return results, nil
	}
	if !g.worthHolding(results) {
		for _, a := range list {
			results = append(results, g.heldResult(a, events.Skipped, events.ReasonNotYet))
		}
		return results, nil
	}
	var (
		place  *heldPlace
		judged []events.GateResult
		err    error
	)
	if !g.w.cfg.Copies {
		if place, err = g.heldPlace(list[0]); err == nil {
			judged, err = place.judge(ctx, list)
		}
	}
	if g.w.cfg.Copies || err == nil && slices.ContainsFunc(judged, notBegun) {
		if place, err = g.heldCheckout(ctx, list[0], now); err == nil {
			judged, err = place.judge(ctx, list)
		}
	}
	if err := place.drop(err); err != nil {
		return nil, fmt.Errorf("judge held-out gates: %w", err)
	}
	return append(results, judged...), nil
}

// worthHolding says that held-out gates could still change the verdict.
func (g *judgement) worthHolding(results []events.GateResult) bool {
	return !slices.ContainsFunc(results, func(r events.GateResult) bool {
		if g.s.Loop.Iteration > 0 {
			return !rule.Passes(r) && r.Verdict != events.Open
		}
		return r.Verdict == events.Unverifiable || r.Reason == events.ReasonTreeChanged || r.Reason == events.ReasonSetup
	})
}

// notBegun says that the gate did not start. Its program is there, so the host could not
// seal it.
func notBegun(r events.GateResult) bool {
	return r.Reason == events.ReasonNotFound && r.Verdict == events.Fail
}

func (g *judgement) heldResult(a asked, v events.Verdict, reason events.Reason) events.GateResult {
	return events.GateResult{Gate: a.Name, Kind: events.GateHoldout, Role: g.s.Role(a.Name), Verdict: v, Reason: reason, Exit: -1}
}

// heldPlace makes the place, unless an effect in it has begun.
func (g *judgement) heldPlace(first asked) (*heldPlace, error) {
	boot, err := proc.Boot()
	if err != nil {
		return nil, err
	}
	base, work := filepath.Join(g.w.cleanDir(g.s.ID), heldName), g.p.Repo.Workspace().Path
	h := &heldPlace{
		g: g, base: base, gates: g.p.Gates.In(work, filepath.Join(base, "home")),
		suffix: "-" + heldName + "-" + strings.Map(alphanumeric, boot)[:8],
	}
	for i, kv := range h.gates.Env { // in the sandbox, the shared folder is their own
		if strings.HasPrefix(kv, "TMPDIR=") && h.gates.Temp != "" {
			h.gates.Env[i] = "TMPDIR=" + g.w.cfg.Sandbox.Temp
		}
	}
	at := func(part string) string { return filepath.Join(base, part) }
	h.layers = []confine.Layer{
		{Dir: work, Upper: at("tree"), Work: at("tree-work")},
	}
	if cache := g.p.Gates.Cache; cache != "" {
		h.layers = append(h.layers, confine.Layer{Dir: cache, Upper: at("cache"), Work: at("cache-work")})
	}
	if g.w.begun(effectOf(g.s, first.Name) + h.suffix) {
		return h, nil
	}
	if err := g.w.dropDir(base); err != nil {
		return nil, err
	}
	for _, part := range []string{"tree", "tree-work", "cache", "cache-work"} {
		if err := os.MkdirAll(at(part), 0o700); err != nil {
			return nil, fmt.Errorf("make a place for held-out gates: %w", err)
		}
	}
	if info, err := os.Stat(work); err == nil {
		if err := os.Chmod(at("tree"), info.Mode().Perm()); err != nil { // same mode as the work tree
			return nil, err
		}
	}
	h.lay(at("tree"), work)
	return h, h.gates.LayHome()
}

// heldCheckout is the place on a host that cannot lay one directory over another.
func (g *judgement) heldCheckout(ctx context.Context, first asked, now events.Tree) (*heldPlace, error) {
	base := filepath.Join(g.w.cleanDir(g.s.ID), heldName+"-checkout")
	c, err := g.newCheckout(now, base, heldName+"-checkout")
	if err != nil {
		return nil, err
	}
	c.of = "the recorded files"
	h := &heldPlace{g: g, base: base, gates: c.gates, suffix: c.suffix, plain: c}
	if g.w.begun(effectOf(g.s, first.Name) + h.suffix) {
		return h, nil
	}
	failed, err := c.prepare(ctx, events.GateResult{Gate: first.Name, Role: first.Role})
	if err != nil {
		return nil, err
	}
	if failed != nil {
		h.failed = *failed
		return h, nil
	}
	h.lay(c.gates.Workspace, "")
	return h, nil
}

// lay lays the held-out files over the tree, and records their state.
func (h *heldPlace) lay(to, like string) {
	h.folder, h.broken = holdout.Lay(h.g.p.Held.Dir, to, like)
	if h.broken == nil && h.folder != h.g.p.Held.Folder {
		h.broken = errors.New("they were changed")
	}
	failpoint.Hit(failpoint.AfterCheckout)
}

// plan seals a gate, with the laid files in its view.
func (h *heldPlace) plan(c confinement, l gate.Launch, id string) *confine.Plan {
	home := h.gates.Home
	if h.plain != nil {
		return h.g.w.confineGate(c, l, id)
	}
	plan := h.g.w.cfg.Sandbox.Plan(sandbox.Request{
		Mode: events.SandboxGuard, Allow: c.allow, Env: l.Env, Work: c.work,
		Show:  slices.DeleteFunc([]string{h.g.w.box(id), home, l.With.Cache, l.With.Base}, func(dir string) bool { return dir == "" }),
		Write: []string{home}, Keep: l.With.Base, Gate: true, Sealed: true,
	})
	plan.Layers = h.layers
	return plan
}

// judge runs the gates in sequence.
func (h *heldPlace) judge(ctx context.Context, list []asked) ([]events.GateResult, error) {
	h.g.sealed = h
	defer func() { h.g.sealed = nil }()
	var out []events.GateResult
	for _, a := range list {
		r, err := h.gate(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("run gate %s: %w", a.Name, err)
		}
		out = append(out, r)
		failpoint.Hit(failpoint.AfterGate)
	}
	return out, nil
}

func (h *heldPlace) gate(ctx context.Context, a asked) (events.GateResult, error) {
	switch {
	case h.broken != nil:
		r := h.g.heldResult(a, events.Fail, events.ReasonHoldoutChanged)
		var err error
		r.Held, err = h.g.w.heldBlob(ctx, heldText{Text: fmt.Sprintf("The held-out files in %s are not those of the start: %v\n", h.g.p.Held.Dir, h.broken)})
		return r, err
	case h.failed.Gate != "":
		r := h.g.heldResult(a, events.Fail, events.ReasonSetup)
		text, err := h.g.w.text(h.failed.Excerpt)
		if err == nil {
			r.Held, err = h.g.w.heldBlob(ctx, heldText{Text: text})
		}
		return r, err
	}
	cmd := gate.Command{Name: a.Name, Role: h.g.s.Role(a.Name), Run: command(a.Gate)}
	if r, texts, bad := h.g.p.Gates.Unverifiable(cmd); bad {
		return h.g.keepHeld(ctx, a, r, texts, nil)
	}
	r, texts, err := h.g.judge(ctx, h.gates, cmd, effectOf(h.g.s, a.Name)+h.suffix)
	if err != nil {
		return r, err
	}
	var printed []byte
	if r.Effect != "" {
		if printed, err = h.g.w.printed(r.Effect); err != nil {
			return r, err
		}
	}
	return h.g.keepHeld(ctx, a, r, texts, printed)
}

// heldText is the text of a held-out gate for people, and the base of the next
// comparison.
type heldText struct {
	Text  string     `json:"text"`
	Tests rule.Tests `json:"tests"`
}

// HeldText is the output of a held-out gate, for people.
func (w *Worker) HeldText(r events.GateResult) (string, error) {
	t, err := w.heldText(r)
	return t.Text, err
}

func (w *Worker) heldText(r events.GateResult) (t heldText, err error) {
	if r.Held != "" {
		err = w.decode(r.Held, &t)
	}
	return t, err
}

// keepHeld removes from a result everything that could tell an agent about the gate, and
// keeps it in a text for people. Tests that passed before, or failed at the baseline,
// must visibly run.
func (g *judgement) keepHeld(ctx context.Context, a asked, r events.GateResult, t gate.Texts, printed []byte) (events.GateResult, error) {
	out := g.heldResult(a, r.Verdict, r.Reason)
	out.Effect, out.Env, out.DurationMS = r.Effect, r.Env, r.DurationMS
	text := heldText{Text: t.Excerpt, Tests: rule.ReadTests(printed)}
	if text.Text == "" {
		text.Text = gate.Excerpt(printed, gate.ExcerptBytes, 0, "")
	}
	if r.Reason == events.ReasonExit {
		out.Exit = min(r.Exit, 1) // a code would tell more than pass or fail
		text.Text = fmt.Sprintf("exit %d\n", r.Exit) + text.Text
	}
	if r.Verdict == events.Pass {
		short, err := g.heldShort(a.Name, text.Tests)
		if err != nil {
			return out, err
		}
		if short.Reason != "" {
			out.Verdict, out.Reason = events.Fail, short.Reason
			text.Text = fmt.Sprintf("%d tests were executed, and %d at the baseline. Not seen: %s\n", short.Is, short.Was, strings.Join(short.IDs, ", ")) + text.Text
		}
	}
	out.Failing = max(text.Tests.Failed, r.Failing)
	out.Used, out.Of = int64(out.Failing), int64(max(text.Tests.Executed(), out.Failing))
	if out.Verdict != events.Pass {
		out.FailingSum = sum(fmt.Sprintf("%d of %d", out.Used, out.Of))
	}
	var err error
	out.Held, err = g.w.heldBlob(ctx, text)
	return out, err
}

func (w *Worker) heldBlob(ctx context.Context, t heldText) (events.Ref, error) {
	t.Text = w.hidden().Text(t.Text)
	return w.encode(ctx, t)
}

// heldShort compares a gate that exits 0 with its baseline.
func (g *judgement) heldShort(name events.Name, is rule.Tests) (rule.Shortfall, error) {
	i := slices.IndexFunc(g.s.Last.Baseline, func(r events.GateResult) bool { return r.Gate == name })
	if i < 0 {
		return rule.JudgeTests(rule.Tests{}, is, false, nil), nil
	}
	was, err := g.w.heldText(g.s.Last.Baseline[i])
	return rule.JudgeTests(was.Tests, is, g.s.Last.Baseline[i].Verdict == events.Fail, nil), err
}

// drop removes the place when its gates are over. Else it stays for a repeated call.
func (h *heldPlace) drop(err error) error {
	if h == nil {
		return err
	}
	c := checkout{g: h.g, base: h.base}
	return c.drop(err)
}
