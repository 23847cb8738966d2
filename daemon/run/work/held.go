package work

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/holdout"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// held are the held-out gates of a run. They are a text of their own, and only views for
// people read it. The run's other texts name neither folder nor commands.
type held struct {
	Salt    string         `json:"salt"` // keeps others from guessing the text by its hash
	Dir     string         `json:"dir"`  // its real path
	Folder  holdout.Folder `json:"folder"`
	Gates   []stored.Gate  `json:"gates"`
	InSight string         `json:"in_sight,omitzero"` // why the agents can see the folder
}

func (w *records) heldOf(s run.State) (*held, error) {
	if s.Facts.Holdout == "" {
		return nil, nil
	}
	h := &held{}
	return h, w.decode(s.Facts.Holdout, h)
}

// Held shows the held-out gates of a run to people; nil without them.
func (w *records) Held(s run.State) (*wire.HoldoutView, error) {
	h, err := w.heldOf(s)
	return h.view(), err
}

func (h *held) view() *wire.HoldoutView {
	if h == nil {
		return nil
	}
	return &wire.HoldoutView{Dir: h.Dir, Files: h.Folder.Files, Gates: order.Shown(h.Gates), InSight: h.InSight}
}

const holdoutExample = "apctl run TASK --gate test=CMD --holdout-dir ../held --holdout accept=CMD"

// hearHeld drops held-out gates of the settings that no phase judges, and refuses typed
// ones.
func (p *Plan) hearHeld(q order.Order) (order.Holdout, error) {
	if p.Flow.Judges(events.RoleGoal) {
		return q.Holdout, nil
	}
	for _, g := range q.Holdout.Gates {
		if !slices.Contains(q.Standing, g.Name) {
			return order.Holdout{}, wire.Errorf(wire.Usage, "no phase of workflow %s judges the goals of a run, so held-out gate %s would prove nothing", p.Flow.Name, g.Name).
				WithHint("leave it out, or run a workflow with such a phase")
		}
	}
	return order.Holdout{}, nil
}

// checkHeld refuses held-out gates that cannot run.
func checkHeld(h order.Holdout, taken func(events.Name) bool) error {
	switch {
	case len(h.Gates) == 0 && h.Dir == "":
		return nil
	case len(h.Gates) == 0:
		return wire.Errorf(wire.Usage, "--holdout-dir is set, but no held-out gate").WithHint("%s", holdoutExample)
	case h.Dir == "":
		return wire.Errorf(wire.Usage, "held-out gate %s needs a folder: --holdout-dir", h.Gates[0].Name).WithHint("%s", holdoutExample)
	}
	seen := map[events.Name]bool{}
	for _, g := range h.Gates {
		switch {
		case !g.Name.Valid():
			return wire.Errorf(wire.Usage, "gate name %q: use letters a-z, digits, - and _", g.Name)
		case g.Name == gate.ProtectedName || g.Name == gate.GitName || seen[g.Name] || taken(g.Name):
			return wire.Errorf(wire.Usage, "gate name %q is given twice, or is taken", g.Name)
		case strings.TrimSpace(g.Command) == "" || strings.ContainsRune(g.Command, 0):
			return wire.Errorf(wire.Usage, "gate %s has no usable command", g.Name)
		}
		seen[g.Name] = true
	}
	return nil
}

// taken says that a gate of the run or of its workflow has the name.
func taken(spec stored.Spec, flow workflow.Workflow) func(events.Name) bool {
	return func(name events.Name) bool {
		return slices.ContainsFunc(spec.Gates, func(g stored.Gate) bool { return g.Name == name }) ||
			slices.ContainsFunc((&Plan{Flow: flow}).declares(), func(g events.Gate) bool { return g.Name == name })
	}
}

// hold reads the folder of held-out files and records it in the plan.
func (w *Worker) hold(ctx context.Context, p *Plan, q order.Order) error {
	spec := q.Holdout
	if len(spec.Gates) == 0 {
		return nil
	}
	h := &held{Salt: rand.Text(), InSight: w.inSight(p.Spec)}
	for _, g := range spec.Gates {
		h.Gates = append(h.Gates, stored.Gate{Name: g.Name, Kind: events.GateHoldout, Role: events.RoleGoal, Command: g.Command})
	}
	refuse := func(what string) error {
		return wire.Errorf(wire.Usage, "held-out files in %s: %s", spec.Dir, what).WithHint("%s", holdoutExample)
	}
	var err error
	if h.Dir, err = filepath.EvalSymlinks(spec.Dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return refuse("there is no such folder")
		}
		return refuse(err.Error())
	}
	if h.Folder, err = holdout.Read(h.Dir); err != nil {
		return refuse(err.Error())
	}
	if h.Folder.Files == 0 {
		return refuse("the folder is empty")
	}
	p.Held = h
	return w.placed(ctx, p, refuse)
}

// placed refuses a folder that cannot be hidden alone, or that the repository shows in
// another way.
func (w *Worker) placed(ctx context.Context, p *Plan, refuse func(string) error) error {
	dir, work := p.Held.Dir, p.Repo.Workspace().Path
	for _, of := range []struct{ path, what string }{
		{work, "it contains the work tree"},
		{w.cfg.State, "it contains the daemon's state"},
		{w.cfg.Sandbox.Home, "it contains your home directory"},
		{w.cfg.Sandbox.Temp, "it contains the folder for temporary files"},
	} {
		if of.path != "" && sandbox.Within(dir, of.path) {
			return refuse("it cannot be hidden from agents: " + of.what)
		}
	}
	if strings.ContainsAny(dir, "\n\r") {
		return refuse("its path has a line break")
	}
	if !sandbox.Within(work, dir) {
		return nil
	}
	where, err := p.Repo.Tracked(ctx, p.heldBelow()[0])
	if err != nil || where == "" {
		return gone(err)
	}
	return refuse("git shows them to every agent, because they are in " + where + "; keep them outside of the repository")
}

// inSight says why the agents of a run can see held-out files.
func (w *Worker) inSight(spec stored.Spec) string {
	switch {
	case spec.Driver == events.DriverSession:
		return "a chat does the work, and no sandbox confines a chat"
	case spec.Sandbox == events.SandboxOff || spec.Sandbox == "":
		return "the sandbox is off"
	case w.cfg.Unhidden != nil:
		return w.cfg.Unhidden()
	}
	return ""
}

// heldBelow is the folder relative to the work tree, if it is inside.
func (p *Plan) heldBelow() []string {
	if p.Held == nil {
		return nil
	}
	return below(p.Repo.Workspace().Path, []string{p.Held.Dir})
}

func (p *Plan) heldCommands() []rule.Command {
	if p.Held == nil {
		return nil
	}
	var out []rule.Command
	for _, g := range p.Held.Gates {
		out = append(out, command(g))
	}
	return out
}

func (p *Plan) checkHeldCommands() error {
	if p.Held == nil {
		return nil
	}
	for _, g := range p.Held.Gates {
		if _, texts, bad := p.Gates.Unverifiable(gate.Command{Name: g.Name, Run: command(g)}); bad {
			return wire.Errorf(wire.Usage, "held-out gate %s: %s", g.Name, strings.TrimSpace(texts.Excerpt)).
				WithHint("correct --holdout %s=CMD", g.Name)
		}
	}
	return nil
}

// heldGates lists the held-out gates in the names of run.started.
func (p *Plan) heldGates() []events.Gate {
	if p.Held == nil {
		return nil
	}
	var out []events.Gate
	for _, g := range p.Held.Gates {
		out = append(out, events.Gate{Name: g.Name, Kind: events.GateHoldout, Role: g.Role})
	}
	return out
}

// remembers hides the folder from every later effect.
func (w *Worker) remembers(p *Plan) error {
	if p.Held == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.cfg.Sandbox.Hold(p.Held.Dir); err != nil {
		return fmt.Errorf("hide the held-out files: %w", err)
	}
	return nil
}

// heldFinding is the whole text for an agent about a failed held-out gate.
func heldFinding(r events.GateResult) string {
	count := ""
	if r.Of > 0 {
		count = fmt.Sprintf(" (%d of %d)", r.Used, r.Of)
	}
	return fmt.Sprintf("Held-out gate %s: %s%s. It checks the task with cases that you do not see. "+
		"Solve the task in general, not only for the cases of the visible tests.", r.Gate,
		cmp.Or(map[events.Verdict]string{events.Unverifiable: "cannot be run"}[r.Verdict], "failed"), count)
}
