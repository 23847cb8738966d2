package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type lsOptions struct {
	all   bool
	here  bool
	limit int
	trees bool
}

func newLs(a *app) *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Use:        "ls",
		SuggestFor: []string{"runs", "list"},
		Aliases:    []string{"ps"},
		Short:      "List runs",
		Long: `Lists live and halted runs and the last ten that ended, newest first.

With --worktrees it lists the work trees of this repository instead: who uses each
of them, and what is in it that is nowhere else.`,
		Example:           "  apctl ls\n  apctl ls --here --all\n  apctl ls --worktrees\n  apctl ps --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runLs(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "all runs that ended, too")
	cmd.Flags().BoolVar(&o.here, "here", false, "only runs of this directory")
	cmd.Flags().IntVarP(&o.limit, "limit", "n", 0, "at most `N` runs")
	cmd.Flags().BoolVar(&o.trees, "worktrees", false, "the work trees of this repository instead of runs")
	return a.jsonFlag(cmd)
}

func runLs(ctx context.Context, a *app, o lsOptions) error {
	if o.trees && (o.all || o.here || o.limit != 0) {
		return render.WorktreesAlone()
	}
	if o.trees {
		return runLsWorktrees(ctx, a)
	}
	if o.limit < 0 {
		return render.BadCount("--limit", o.limit)
	}
	req := wire.ListRequest{All: o.all, Limit: o.limit}
	if o.here {
		req.Workspace = a.Dir
	}
	var reply wire.ListReply
	if err := ask(ctx, a, wire.RunList, req, &reply); err != nil {
		return err
	}
	return a.answer(wire.SchemaRuns, reply, func(s render.Style) string { return s.List(reply) })
}
