package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events/wire"
)

// maxTask bounds a task from a file, in bytes.
const maxTask = 1 << 20

// fill puts the run's inputs into its workflow, and reads its task from a file if none
// was typed. Without a typed path, it reads files inside the work tree alone.
func (w *Worker) fill(ctx context.Context, p *Plan, q *order.Order) error {
	if len(p.Flow.Inputs) == 0 && len(q.Spec.Inputs) == 0 && len(p.Flow.Task) == 0 {
		return nil
	}
	ws, err := w.Workspace(ctx, q.Workspace)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(ws.Path)
	if err != nil {
		return fmt.Errorf("look for the inputs of the workflow: %w", err)
	}
	defer func() { _ = root.Close() }()
	issue, _ := wire.ParseIssue(q.Spec.Issue) // checkOrder refuses a malformed one
	p.Spec.Inputs, err = p.Flow.Resolve(workflow.Given{Typed: q.Spec.Inputs, Settings: q.Inputs, Issue: issue.Number, Files: root.FS(), Task: q.Task})
	if err != nil {
		return noInput(p.Flow, err)
	}
	p.Flow = p.Flow.Fill(p.Spec.Inputs)
	if q.Task == "" && q.TaskRef == "" {
		q.Task, err = taskIn(root.FS(), p.Flow.Task)
		if err == nil && len(p.Flow.Task) > 0 && strings.TrimSpace(q.Task) == "" {
			return wire.Errorf(wire.NeedsPerson, "workflow %s takes its task from %s, which is blank or missing", p.Flow.Name, strings.Join(p.Flow.Task, ", ")).
				WithHint("write it first")
		}
	}
	return err
}

// taskIn is the first file that exists.
func taskIn(files fs.FS, names []string) (string, error) {
	for _, name := range names {
		info, err := fs.Stat(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxTask {
			return "", wire.Errorf(wire.Usage, "the task cannot be read: %s is no file of at most %d MiB", name, maxTask>>20)
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return "", wire.Errorf(wire.Usage, "the task cannot be read: %v", err)
		}
		return string(b), nil
	}
	return "", nil
}

// missingInputs reports all inputs that a run lacks.
func missingInputs(flow workflow.Workflow, names []string) error {
	var lines, typed, set []string
	optional := false
	for _, name := range names {
		in, _ := flow.Inputs.Get(name)
		if optional = optional || in.Optional; in.About != "" {
			lines = append(lines, name+", which "+in.About)
		} else {
			lines = append(lines, name)
		}
		typed, set = append(typed, "--input "+name+"=..."), append(set, name+": ...")
	}
	hint := strings.Join(typed, " ") + "   or in .autopilot/config.yaml   inputs: {" + strings.Join(set, ", ") + "}"
	if optional {
		hint += "\n" + workflow.NotApplicable + " says that a check does not apply here"
	}
	return wire.Errorf(wire.Usage, "workflow %s needs %s", flow.Name, strings.Join(lines, "; ")).WithHint("%s", hint)
}

// noInput reports an input without which a run cannot begin.
func noInput(flow workflow.Workflow, err error) error {
	var e *workflow.InputError
	if !errors.As(err, &e) {
		return err
	}
	about := ""
	if e.Input.About != "" {
		about = ", which " + e.Input.About
	}
	switch {
	case errors.Is(err, workflow.ErrUnknownInput):
		var names []string
		for _, in := range flow.Inputs {
			names = append(names, in.Key)
		}
		if len(names) == 0 {
			return wire.Errorf(wire.Usage, "workflow %s has no input %q; it has no inputs", flow.Name, e.Name).WithHint("leave --input out")
		}
		return wire.Errorf(wire.Usage, "workflow %s has no input %q", flow.Name, e.Name).WithHint("it has %s", strings.Join(names, ", "))
	case errors.Is(err, workflow.ErrNoInput) && e.Input.Is() == workflow.IssueInput:
		return wire.Errorf(wire.Usage, "workflow %s needs an issue", flow.Name).WithHint("--issue 24")
	case errors.Is(err, workflow.ErrNoInput):
		return missingInputs(flow, e.More)
	case errors.Is(err, workflow.ErrNotFound):
		missing := wire.Errorf(wire.NeedsPerson, "workflow %s needs %s, which does not exist in the work tree%s", flow.Name, e.Found[0], about)
		if e.Input.Missing != "" {
			return missing.WithHint("%s", e.Input.Missing)
		}
		return missing
	case errors.Is(err, workflow.ErrAmbiguous):
		return wire.Errorf(wire.NeedsPerson, "workflow %s needs one path as its input %s, and several match: %s", flow.Name, e.Name, strings.Join(e.Found, ", ")).
			WithHint("remove or rename all but one of them")
	}
	return wire.Errorf(wire.Usage, "input %s cannot be used: %s", e.Name, e.Why)
}
