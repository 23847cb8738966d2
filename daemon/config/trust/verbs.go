package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/run/workflow/graph"
	"autopilot/daemon/run/workflow/library"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/route"
)

// around reads the workflows of the work tree that a directory is in. Outside
// of one there are those that ship.
func around(ctx context.Context, dir string) (agreed, error) {
	ws, err := tree.Find(ctx, dir)
	if err != nil && !errors.Is(err, tree.ErrNotRepository) {
		return agreed{}, work.NoWorkspace(dir, err)
	}
	a, err := agreedOf(ws)
	a.ws = ws
	return a, err
}

// checked are the same for who asks what is wrong with them: the agents that
// they name have to be there, as far as the configuration can be read.
func (fs *Flows) checked(ctx context.Context, dir string) (agreed, error) {
	a, err := around(ctx, dir)
	if l := fs.layers(a.ws); err == nil && l.Err() == nil {
		a.flows.Agents = l.Agents().Names()
	}
	return a, err
}

// List answers which workflows there are, or all of one.
func (fs *Flows) List(ctx context.Context, _ auth.Request, body wire.WorkflowRequest) (wire.WorkflowsView, error) {
	a, err := fs.checked(ctx, body.Workspace)
	if err != nil {
		return wire.WorkflowsView{}, err
	}
	return fs.keeper.flowsView(a, body.Name)
}

func (k *Keeper) flowsView(a agreed, name string) (wire.WorkflowsView, error) {
	v := wire.WorkflowsView{Root: a.ws.Path, Workflows: []wire.WorkflowView{}}
	names := a.flows.Names()
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		f, err := a.flows.Find(n)
		if err != nil {
			return v, noWorkflow(a.flows, n, err)
		}
		one, err := k.flowView(a, f)
		if err != nil {
			return v, err
		}
		if name != "" {
			more(&one, f)
		}
		v.Workflows = append(v.Workflows, one)
	}
	return v, nil
}

func (k *Keeper) flowView(a agreed, f library.Found) (wire.WorkflowView, error) {
	v := wire.WorkflowView{
		Name: f.Name, Origin: string(f.Origin), Path: f.Path, Hides: f.Hides,
		Description: f.Flow.Description, Language: string(f.Flow.Language), Phases: []string{}, Problems: len(f.Problems),
	}
	for _, p := range f.Flow.Phases {
		v.Phases = append(v.Phases, p.Name)
	}
	var err error
	v.Trusted, err = k.trusts(a, f)
	return v, err
}

// more fills in what is told of one workflow.
func more(v *wire.WorkflowView, f library.Found) {
	v.Source = string(f.Source)
	if len(f.Problems) == 0 {
		v.Graph = graph.Text(f.Flow)
	}
	for _, e := range f.Flow.Inputs {
		v.Inputs = append(v.Inputs, wire.WorkflowInput{
			Name: e.Key, Kind: string(e.Value.Is()), About: e.Value.About, Default: e.Value.Default, Find: e.Value.Find,
			Of: e.Value.Of, Optional: e.Value.Optional,
		})
	}
	for _, p := range f.Prompts {
		v.Prompts = append(v.Prompts, wire.WorkflowPrompt{File: p.File, Origin: string(p.Origin), Path: p.Path, Hides: p.Hides})
	}
}

// Lint checks a text, a workflow, or all of the project.
func (fs *Flows) Lint(ctx context.Context, _ auth.Request, body wire.WorkflowTextRequest) (wire.LintView, error) {
	v := wire.LintView{Checked: []string{}, Problems: []wire.ConfigProblem{}}
	a, err := fs.checked(ctx, body.Workspace)
	if err != nil {
		return v, err
	}
	found, err := chosenFlows(a.flows, body)
	if err != nil {
		return v, err
	}
	for _, f := range found {
		name := f.Name
		if body.File != "" {
			name = body.File
		}
		v.Checked = append(v.Checked, name)
		for _, p := range f.Problems {
			if !slices.Contains(v.Problems, p) { // of a prompt that two workflows name
				v.Problems = append(v.Problems, p)
			}
		}
	}
	return v, nil
}

// chosenFlows are those that a request is about.
func chosenFlows(flows library.Project, body wire.WorkflowTextRequest) ([]library.Found, error) {
	switch {
	case body.File != "":
		return []library.Found{flows.Check(body.File, []byte(body.Text))}, nil
	case body.Name != "":
		f, err := flows.Find(body.Name)
		if err != nil {
			return nil, noWorkflow(flows, body.Name, err)
		}
		return []library.Found{f}, nil
	}
	var out []library.Found
	for _, own := range flows.Workflows {
		f, err := flows.Find(own.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// Graph draws one workflow.
func (fs *Flows) Graph(ctx context.Context, _ auth.Request, body wire.WorkflowTextRequest) (wire.GraphView, error) {
	draw := map[string]func(workflow.Workflow) string{
		wire.GraphText: graph.Text, wire.GraphMermaid: graph.Mermaid, wire.GraphSVG: graph.SVG,
	}[body.Format]
	if draw == nil {
		return wire.GraphView{}, wire.Errorf(wire.Usage, "a graph is not drawn as %q", body.Format).WithHint("--format text, mermaid or svg")
	}
	a, err := around(ctx, body.Workspace)
	if err != nil {
		return wire.GraphView{}, err
	}
	found, err := chosenFlows(a.flows, body)
	if err != nil {
		return wire.GraphView{}, err
	}
	if len(found) != 1 {
		return wire.GraphView{}, wire.Errorf(wire.Usage, "one workflow is to be named")
	}
	f := found[0]
	if n := len(f.Problems); n > 0 {
		return wire.GraphView{}, wire.Errorf(wire.Usage, "the workflow has mistakes, so it is not drawn: %s", f.Problems[0].Message).
			WithHint("apctl workflow lint   shows all")
	}
	return wire.GraphView{Name: f.Name, Format: body.Format, Text: draw(f.Flow)}, nil
}

// Schema is the schema of workflow files.
func (fs *Flows) Schema(context.Context, auth.Request, struct{}) (wire.WorkflowSchemaView, error) {
	b, err := workflow.Schema()
	return wire.WorkflowSchemaView{Schema: jsontext.Value(b)}, err
}

// New writes a workflow of the project that can be run as it is, with
// comments. It never writes over a file.
func (fs *Flows) New(ctx context.Context, _ auth.Request, body wire.WorkflowRequest) (wire.WorkflowsView, error) {
	ws, err := tree.Find(ctx, body.Workspace)
	if err != nil {
		return wire.WorkflowsView{}, work.NoWorkspace(body.Workspace, err)
	}
	if !events.Name(body.Name).Valid() {
		return wire.WorkflowsView{}, wire.Errorf(wire.Usage, "%q is not a name", body.Name).
			WithHint("use up to 64 lower-case letters, digits, - and _")
	}
	if err := writeNew(library.Path(ws.Path, body.Name), workflow.Template(body.Name)); err != nil {
		return wire.WorkflowsView{}, err
	}
	a, err := around(ctx, ws.Path)
	if err != nil {
		return wire.WorkflowsView{}, err
	}
	return fs.keeper.flowsView(a, body.Name)
}

// writeNew writes a file that must not be there.
func writeNew(path string, src []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return wire.Errorf(wire.Usage, "the directory cannot be made: %v", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return wire.Errorf(wire.Conflict, "%s is there already, and stays as it is", path).WithHint("choose another name")
	}
	if err != nil {
		return wire.Errorf(wire.Usage, "%v", err)
	}
	if _, err = f.Write(src); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Suggest recommends what to do with a text.
func (fs *Flows) Suggest(ctx context.Context, _ auth.Request, body wire.SuggestRequest) (wire.SuggestionView, error) {
	a, err := around(ctx, body.Workspace)
	if err != nil {
		return wire.SuggestionView{}, err
	}
	return route.Suggest(body.Text, body.Labels, a.flows.Names()).View(), nil
}
