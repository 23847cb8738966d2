package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type discardOptions struct {
	dryRun bool
	yes    bool
}

func newDiscard(a *app) *cobra.Command {
	var o discardOptions
	cmd := &cobra.Command{
		Use:   "discard RUN",
		Short: "Take the work of a run away, with a way back",
		Long: `Takes the work of a run that is over away. A run in a work tree of its own loses
that and its branch. In your own tree the files go back to the start of the run,
unless somebody has changed files since. All of it is recorded first, and the
answer names the commands that take it back. A live or halted run has to be
cancelled before.`,
		Example:           "  apctl discard k3xq --dry-run\n  apctl discard k3xq",
		Args:              acceptArgs(render.DiscardWhat),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runDiscard(cmd.Context(), a, o, args[0]) },
	}
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "say what would go, and change nothing")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return a.jsonFlag(cmd)
}

func runDiscard(ctx context.Context, a *app, o discardOptions, run string) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	req := wire.DiscardRequest{RunRef: wire.RunRef{Run: run}, DryRun: true}
	var v wire.DiscardView
	if err := ask(ctx, a, wire.RunDiscard, req, &v); err != nil {
		return err
	}
	if err := render.DiscardProblem(v); err != nil {
		return err
	}
	if !o.dryRun && !v.Nothing() {
		if err := a.confirm(o.yes, func(s render.Style) string { return s.Discarded(v) }); err != nil {
			return err
		}
		req.DryRun, v = false, wire.DiscardView{}
		if err := ask(ctx, a, wire.RunDiscard, req, &v); err != nil {
			return err
		}
		if err := render.DiscardProblem(v); err != nil {
			return err
		}
	}
	return a.answer(wire.SchemaDiscard, v, func(s render.Style) string { return s.Discarded(v) })
}
