package ctl

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// maxWorkflow bounds a file that travels in a request, in bytes.
const maxWorkflow = 48 << 10

func newWorkflow(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workflow",
		Short: "List, check, draw and write workflows",
		Long: `A workflow is a YAML file: phases in order, each with gates. Those of a project are
.autopilot/workflows/NAME.yaml, with prompts in .autopilot/prompts/FILE.md; others
ship. Of a name that both have it is the project's. A workflow of the project
counts only as a person has agreed to it: apctl trust.`,
		Example: "  apctl workflow ls\n  apctl workflow new mine\n  apctl workflow lint\n  apctl workflow graph mine",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWorkflowLs(a), newWorkflowShow(a), newWorkflowLint(a), newWorkflowGraph(a),
		newWorkflowSchema(a), newWorkflowSuggest(a), newWorkflowNew(a))
	return cmd
}

func newWorkflowLs(a *app) *cobra.Command {
	var dir string
	return a.jsonFlag(directoryFlag(&cobra.Command{
		Use:               "ls",
		Short:             "List workflows: the project's, and those that ship",
		Example:           "  apctl workflow ls",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.workflows(cmd.Context(), wire.WorkflowList, dir, "")
			if err != nil {
				return err
			}
			return a.answer(wire.SchemaWorkflows, v, func(s render.Style) string { return s.Workflows(v) })
		},
	}, &dir))
}

func newWorkflowShow(a *app) *cobra.Command {
	var dir string
	var source bool
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a workflow: where it is from, its phases, its prompts",
		Example:           "  apctl workflow show converge\n  apctl workflow show converge --source",
		Args:              oneName,
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := a.workflows(cmd.Context(), wire.WorkflowList, dir, args[0])
			if err != nil {
				return err
			}
			return a.answer(wire.SchemaWorkflows, v, func(s render.Style) string {
				if source {
					return render.Clean(v.Workflows[0].Source)
				}
				return s.Workflow(v.Workflows[0])
			})
		},
	}
	cmd.Flags().BoolVar(&source, "source", false, "the YAML itself")
	return a.jsonFlag(directoryFlag(cmd, &dir))
}

func newWorkflowNew(a *app) *cobra.Command {
	var dir string
	return a.jsonFlag(directoryFlag(&cobra.Command{
		Use:   "new NAME",
		Short: "Write a workflow of the project, with comments",
		Long: `Writes .autopilot/workflows/NAME.yaml: two phases that can be run as they are, and
comments that say what else there is. A file that is there stays as it is.`,
		Example:           "  apctl workflow new mine",
		Args:              oneName,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := a.workflows(cmd.Context(), wire.WorkflowNew, dir, args[0])
			if err != nil {
				return err
			}
			return a.answer(wire.SchemaWorkflows, v, func(s render.Style) string { return s.WorkflowWritten(v.Workflows[0]) })
		},
	}, &dir))
}

// workflows asks for workflows, or has one made.
func (a *app) workflows(ctx context.Context, verb wire.Verb[wire.WorkflowRequest, wire.WorkflowsView], dir, name string) (v wire.WorkflowsView, err error) {
	req := wire.WorkflowRequest{Name: name}
	if req.Workspace, err = a.workspace(dir); err != nil {
		return v, err
	}
	err = ask(ctx, a, verb, req, &v)
	return v, err
}

// about is the request about a workflow of that name or, with a folder or an
// extension, about a file.
func (a *app) about(dir string, args []string) (q wire.WorkflowTextRequest, err error) {
	if q.Workspace, err = a.workspace(dir); err != nil || len(args) == 0 {
		return q, err
	}
	if !strings.ContainsRune(args[0], filepath.Separator) && filepath.Ext(args[0]) == "" && args[0] != "-" {
		q.Name = args[0]
		return q, nil
	}
	if q.File = args[0]; q.File == "-" {
		q.File = "standard input"
		q.Text, err = a.inputText("the workflow", maxWorkflow)
		return q, err
	}
	if q.Text, err = a.readFile("the workflow", q.File, maxWorkflow); err != nil {
		return q, err
	}
	return q, checkText("the workflow", q.Text)
}

// completeWorkflows offers the workflows. It starts no daemon.
func (a *app) completeWorkflows(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return offer(cmd.Context(), a, args, wire.WorkflowList, wire.WorkflowRequest{Workspace: a.Dir},
		func(v wire.WorkflowsView, add func(word, says string)) {
			for _, w := range v.Workflows {
				add(w.Name, w.Description)
			}
		})
}
