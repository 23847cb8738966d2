package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newStatus(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:               "status [RUN]",
		Short:             "Where a run stands",
		Long:              "Shows a run: what it does now, its limits and its gates. No RUN means the latest of this directory.",
		Example:           "  apctl status\n  apctl status k3xq --json",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runStatus(cmd.Context(), a, args) },
	})
}

func runStatus(ctx context.Context, a *app, args []string) error {
	var v wire.RunView
	if err := a.ask(ctx, wire.RunGet, a.ref(args), &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaRun, v, func(s render.Style) string { return s.Status(v) })
}
