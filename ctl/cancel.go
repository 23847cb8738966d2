package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newCancel(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:        "cancel [RUN]",
		SuggestFor: []string{"kill", "abort", "delete", "rm"},
		Short:      "End a run for good, keeping its work",
		Long: `Ends the agent, records its tree, and ends the run as cancelled. The files of
the workspace stay as they are. No RUN means the only live run of this
directory.`,
		Example:           "  apctl cancel\n  apctl cancel k3xq",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeLive,
		RunE:              func(cmd *cobra.Command, args []string) error { return runCancel(cmd.Context(), a, args) },
	})
}

func runCancel(ctx context.Context, a *app, args []string) error {
	var reply wire.StopReply
	if err := ask(ctx, a, wire.RunCancel, wire.StopRequest{RunRef: a.liveRef(args)}, &reply); err != nil {
		return err
	}
	return a.answer(wire.SchemaRuns, wire.ListReply{Runs: reply.Runs},
		func(s render.Style) string { return s.Stopped(reply.Runs) })
}
