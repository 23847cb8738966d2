package trust

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/work"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/run/workflow/library"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/regex"
	"autopilot/projections/rule"
)

// Flows are the workflows of work trees.
type Flows struct {
	keeper *Keeper
	layers func(ws tree.Workspace) config.Layers
}

// NewFlows knows of trust what a Keeper knows. layers reads the configuration that
// counts for a work tree.
func NewFlows(k *Keeper, layers func(ws tree.Workspace) config.Layers) *Flows {
	return &Flows{k, layers}
}

// Find finds a workflow as a run in a work tree would use it, with all its
// prompts, checks it, and says whether a person has agreed to what of it is the
// project's. It is read once: what is trusted are the bytes that are found. One
// with problems is found too, and must not be run. Outside of a work tree there
// are those that ship.
func (fs *Flows) Find(ws tree.Workspace, name string) (f library.Found, trusted bool, err error) {
	a, err := agreedOf(ws)
	if err != nil {
		return library.Found{}, false, err
	}
	if f, err = a.flows.Find(name); err != nil {
		return f, false, noWorkflow(a.flows, name, err)
	}
	trusted, err = fs.keeper.trusts(a, f)
	return f, trusted, err
}

// agreedOf reads what counts of a work tree, if there is one.
func agreedOf(ws tree.Workspace) (agreed, error) {
	if ws.Path == "" {
		return agreed{}, nil
	}
	return agreedIn(ws, config.ReadProject(config.ProjectPath(ws.Path)).File)
}

// trusts says whether a workflow may be run. One that ships, with prompts
// that ship, asks nobody.
func (k *Keeper) trusts(a agreed, f library.Found) (bool, error) {
	if !f.Asks() {
		return true, nil
	}
	_, ok, err := k.find(a.ws, events.Ref(a.hash()))
	return ok, err
}

// noWorkflow is a name that nothing has.
func noWorkflow(flows library.Project, name string, err error) error {
	if !errors.Is(err, workflow.ErrUnknown) {
		return err
	}
	e := wire.Errorf(wire.NotFound, "there is no workflow %q", name)
	if near := strictyaml.Nearest(name, flows.Names()); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e.WithHint("apctl workflow ls   lists them; apctl workflow new NAME   writes one")
}

// Of finds the workflow of a run that is to be started: with its settings,
// which are those of the work tree that the run's own is made from. Where the
// project's configuration is not read, its workflows are not either.
func (fs *Flows) Of(ctx context.Context, q order.Order) (library.Found, error) {
	var ws tree.Workspace
	dir := cmp.Or(q.Spec.From, q.Workspace)
	if !q.NoConfig {
		var err error
		if ws, err = tree.Find(ctx, dir); err != nil {
			return library.Found{}, work.NoWorkspace(dir, err)
		}
	}
	f, trusted, err := fs.Find(ws, q.Workflow)
	switch {
	case err != nil:
		return f, err
	case len(f.Problems) > 0:
		p := f.Problems[0]
		return f, wire.Errorf(wire.Usage, "workflow %s: %s:%d:%d: %s", f.Name, p.File, p.Line, p.Column, p.Message).WithHint("%s", p.Fix)
	case !trusted:
		fs.keeper.blocked.note(config.ProjectPath(ws.Path), time.Now())
		return f, wire.Errorf(wire.NeedsPerson, "workflow %s has files of the project that are not trusted, so it is not run", f.Name).
			WithHint("apctl trust   shows them, and asks a person at a terminal")
	}
	return f, nil
}

// placeholders are those of inputs in the texts of a workflow.
var placeholders = regex.New(`\$\{\{[^}]*\}\}`)

// LookedFor are the programs that gates of workflows look for, each with who does: of the
// project's own workflows, and of those that ship where their inputs can be found in it.
func LookedFor(ws tree.Workspace) map[string]string {
	out := map[string]string{}
	a, err := agreedOf(ws)
	if err != nil || ws.Path == "" {
		return out
	}
	for _, name := range slices.Sorted(slices.Values(a.flows.Names())) {
		f, err := a.flows.Find(name)
		if err != nil || len(f.Problems) > 0 || f.Origin == library.Shipped && !fits(ws.Path, f.Flow) {
			continue
		}
		add := func(text string) {
			for _, program := range rule.LooksFor(rule.Command{Text: placeholders.ReplaceAllString(text, "x")}) {
				if out[program] == "" {
					out[program] = "workflow " + name
				}
			}
		}
		for _, e := range f.Flow.Inputs {
			if e.Value.Is() == workflow.CommandInput {
				add(e.Value.Default)
			}
		}
		for _, ph := range f.Flow.Phases {
			for _, g := range slices.Concat(ph.Entry, ph.Gates) {
				add(g.Run)
			}
		}
	}
	return out
}

// fits says that a project has the folder in which a workflow looks for its inputs.
func fits(root string, f workflow.Workflow) bool {
	return slices.ContainsFunc(f.Inputs, func(e strictyaml.Entry[workflow.Input]) bool {
		fixed, _, _ := strings.Cut(e.Value.Find, "${{")
		dir := filepath.Dir(fixed + "x")
		info, err := os.Stat(filepath.Join(root, dir))
		return fixed != "" && dir != "." && err == nil && info.IsDir()
	})
}

// NamedAgents are the profiles that the workflows of a project name, each with who
// needs it. A workflow that cannot be read names none: lint says what is wrong.
func NamedAgents(ws tree.Workspace) map[string]string {
	out := map[string]string{}
	a, err := agreedOf(ws)
	if err != nil {
		return out
	}
	for _, own := range a.flows.Workflows {
		f, err := a.flows.Find(own.Name)
		if err != nil {
			continue
		}
		for _, role := range f.Flow.Roles {
			for _, name := range role.Value.Agents {
				if out[name] == "" {
					out[name] = "role " + role.Key + " of workflow " + f.Name
				}
			}
		}
	}
	return out
}
