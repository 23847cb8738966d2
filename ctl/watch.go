package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/events/wire"
)

func newWatch(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "watch [RUN]",
		Short: "Follow a run until it ends",
		Long: `Follows a run: one line that is refreshed on a terminal, else a line for each
step. Leaving it (Ctrl-C) leaves the run alone. Exits as the run ends. No RUN
means the latest of this directory.`,
		Example:           "  apctl watch\n  apctl watch k3xq --json",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runWatch(cmd.Context(), a, args) },
	})
}

func runWatch(ctx context.Context, a *app, args []string) error {
	var v wire.RunView
	if err := a.ask(ctx, wire.RunGet, a.ref(args), &v); err != nil {
		return err
	}
	defer a.hear()()
	return a.follow(ctx, v, 0, followWatch{})
}
