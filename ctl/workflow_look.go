package ctl

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/docs"
	"autopilot/events/wire"
)

func newWorkflowLint(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "lint [NAME|FILE]",
		Short: "Show every mistake; exit code 1 says that there is one",
		Long: `Checks a workflow with its prompts, a file, - for standard input, or all of the
project, and shows every mistake with line, column and the fix.`,
		Example:           "  apctl workflow lint\n  apctl workflow lint mine\n  apctl workflow lint drafts/mine.yaml",
		Args:              upTo(1),
		ValidArgsFunction: a.completeWorkflows,
		RunE:              func(cmd *cobra.Command, args []string) error { return runWorkflowLint(cmd.Context(), a, dir, args) },
	}
	return a.jsonFlag(directoryFlag(cmd, &dir))
}

func runWorkflowLint(ctx context.Context, a *app, dir string, args []string) error {
	req, err := a.about(dir, args)
	if err != nil {
		return err
	}
	var v wire.LintView
	if err := ask(ctx, a, wire.WorkflowLint, req, &v); err != nil {
		return err
	}
	if err := a.answer(wire.SchemaLint, v, func(s render.Style) string { return s.Lint(v) }); err != nil {
		return err
	}
	if len(v.Problems) > 0 {
		return status(wire.ExitFailed)
	}
	return nil
}

func newWorkflowGraph(a *app) *cobra.Command {
	var dir, format string
	cmd := &cobra.Command{
		Use:   "graph NAME|FILE",
		Short: "Draw a workflow: as text, Mermaid or SVG",
		Long: `Draws the phases of a workflow in order, who works in each, what its gates ask of
whom, and where it goes back. mermaid is for Markdown of code forges; svg is a
picture that stands alone.`,
		Example:           "  apctl workflow graph converge\n  apctl workflow graph mine --format svg > mine.svg",
		Args:              oneName,
		ValidArgsFunction: a.completeWorkflows,
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := a.about(dir, args)
			if err != nil {
				return err
			}
			req.Format = format
			var v wire.GraphView
			if err := ask(cmd.Context(), a, wire.WorkflowGraph, req, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaGraph, v, func(render.Style) string { return render.Clean(v.Text) })
		},
	}
	cmd.Flags().StringVar(&format, "format", wire.GraphText, "`FORMAT`: text, mermaid or svg")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(
		[]cobra.Completion{wire.GraphText, wire.GraphMermaid, wire.GraphSVG}, cobra.ShellCompDirectiveNoFileComp))
	return a.jsonFlag(directoryFlag(cmd, &dir))
}

func newWorkflowSchema(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of workflow files, for editors",
		Long: `With the schema an editor completes keys and shows mistakes. Most take it from the
first line of a file:

  # yaml-language-server: $schema=workflow.schema.json`,
		Example:           "  apctl workflow schema > .autopilot/workflows/workflow.schema.json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			v := wire.WorkflowSchemaView{Schema: docs.WorkflowSchema()}
			return a.answer(wire.SchemaWorkflowSchema, v, func(render.Style) string { return string(v.Schema) })
		},
	})
}

func newWorkflowSuggest(a *app) *cobra.Command {
	var dir, file string
	var labels []string
	cmd := &cobra.Command{
		Use:   "suggest TEXT",
		Short: "Say what a task would best be done with; nothing is started",
		Long: `Looks at the words of a task, and at the labels of its issue, and recommends: a
workflow of those that are here, or to continue, to stop, to plan first, to
answer, to edit, to review. It says why, and what else would do. It is advice:
nothing is started or switched.`,
		Example:           "  apctl workflow suggest \"the login test is flaky\"\n  apctl workflow suggest --label type:bug -f issue.md",
		Args:              upTo(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			req := wire.SuggestRequest{Labels: labels}
			var err error
			if req.Text, err = a.task(args, file); err != nil {
				return err
			}
			if len(req.Text) > maxWorkflow {
				return render.TooLarge("the text", int64(len(req.Text)), maxWorkflow)
			}
			if req.Workspace, err = a.workspace(dir); err != nil {
				return err
			}
			var v wire.SuggestionView
			if err := ask(cmd.Context(), a, wire.WorkflowSuggest, req, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaSuggestion, v, func(s render.Style) string { return s.Suggestion(v) })
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "the text is in `FILE`; - is standard input")
	cmd.Flags().StringArrayVar(&labels, "label", nil, "`LABEL` of the issue, as type:bug; repeatable")
	return a.jsonFlag(directoryFlag(cmd, &dir))
}

// inputText reads a text from standard input.
func (a *app) inputText(what string, limit int64) (string, error) {
	b, err := io.ReadAll(io.LimitReader(a.In, limit+1))
	if err != nil {
		return "", render.Unreadable(what+" from", "standard input", err)
	}
	if int64(len(b)) > limit {
		return "", render.TooLarge(what, int64(len(b)), limit)
	}
	return string(b), checkText(what, string(b))
}
