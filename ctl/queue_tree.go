package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/ctl/worktree"
	"autopilot/events/wire"
)

// newWorktree is for the daemon: it makes the work tree of an item of a queue, with the
// user's own git, or finds it.
func newWorktree(a *app) *cobra.Command {
	var o treeOptions
	at, noConfig := "", false
	cmd := &cobra.Command{
		Use: "worktree", Short: "Make the work tree of a branch", Hidden: true, Args: upTo(0), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWorktree(cmd.Context(), a, o, at, noConfig) },
	}
	cmd.Flags().StringVar(&o.branch, "branch", "", "`NAME` of the branch")
	cmd.Flags().StringVar(&at, "at", "", "begin the branch at `REV`")
	cmd.Flags().BoolVar(&noConfig, "no-config", false, "do not read the project's configuration")
	return a.jsonFlag(cmd)
}

func runWorktree(ctx context.Context, a *app, o treeOptions, at string, noConfig bool) error {
	s, err := a.treeSettings(ctx, a.overOwn, wire.WorktreeRequest{Directory: a.Dir, NoConfig: noConfig})
	if err != nil {
		return err
	}
	p, err := a.planTree(ctx, o, s, worktree.Ask{Dir: a.Dir, At: at}, render.WithoutWorktree)
	if err != nil {
		return err
	}
	v, err := a.makeTree(ctx, p, render.WithoutWorktree)
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaWorktree, v, func(render.Style) string { return render.Line(v.Directory) + "\n" })
}
