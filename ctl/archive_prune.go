package ctl

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type pruneOptions struct {
	older  string
	dryRun bool
	yes    bool
}

// pruneLeast is how long ago runs should be over at least. Less may be a slip of
// the finger, and takes what one still looks at.
const pruneLeast = time.Hour

func newArchivePrune(a *app) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune --older-than TIME",
		Short: "Remove the texts of runs that were over long ago",
		Long: `Removes the texts, outputs and recorded trees of runs that were over before a
time, as far as no younger run has them too, and what nothing names and is older
than a day. It cannot be taken back. The events stay: how a run ended, what it
cost and when each thing happened can still be told and proven. Imported history
is pruned by the same age.`,
		Example:           "  apctl archive prune --older-than 90d --dry-run\n  apctl archive prune --older-than 90d --yes",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runArchivePrune(cmd.Context(), a, o) },
	}
	cmd.Flags().StringVar(&o.older, "older-than", "", "of runs that were over `TIME` ago, as 90d or 12h")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "say what would be removed, and remove nothing")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return a.jsonFlag(cmd)
}

func runArchivePrune(ctx context.Context, a *app, o pruneOptions) error {
	if o.older == "" {
		return render.PruneWhat()
	}
	ago, err := parseDuration("--older-than", o.older)
	if err != nil {
		return err
	}
	if ago < pruneLeast && !o.dryRun {
		if !o.yes {
			return render.PrunesNearlyAll(o.older)
		}
		a.note(render.PrunesYoung(o.older))
	}
	req := wire.PruneRequest{Before: a.Now().Add(-ago).UTC().Truncate(time.Millisecond), DryRun: true}
	var v wire.PruneView
	if o.dryRun || !o.yes {
		if err := a.ask(ctx, wire.ArchivePrune, req, &v); err != nil {
			return err
		}
	}
	if !o.dryRun && (o.yes || !v.Nothing()) {
		if err := a.confirm(o.yes, func(s render.Style) string { return s.Pruned(v) }); err != nil {
			return err
		}
		req.DryRun, v = false, wire.PruneView{}
		if err := a.ask(ctx, wire.ArchivePrune, req, &v); err != nil {
			return err
		}
	}
	return a.answer(wire.SchemaPrune, v, func(s render.Style) string { return s.Pruned(v) })
}
