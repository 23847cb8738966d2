package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newWhy(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:        "why [RUN]",
		SuggestFor: []string{"explain", "reason"},
		Short:      "Why a run ended, or has not yet",
		Long: `Explains a run: the rule that settled it, the iterations that the rule
compared, the failing tests, the last error and the next commands. Equal
fingerprints are marked with the iteration that they equal. No RUN means the
latest of this directory.`,
		Example:           "  apctl why\n  apctl why k3xq --json",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runWhy(cmd.Context(), a, args) },
	})
}

func runWhy(ctx context.Context, a *app, args []string) error {
	var w wire.WhyView
	if err := ask(ctx, a, wire.RunWhy, a.ref(args), &w); err != nil {
		return err
	}
	return a.answer(wire.SchemaWhy, w, func(s render.Style) string { return s.Why(w) })
}
