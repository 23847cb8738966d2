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
	trees  bool
	all    bool
}

// pruneLeast is how long ago runs should be over at least. Less may be a slip of
// the finger, and takes what one still looks at.
const pruneLeast = time.Hour

func newArchivePrune(a *app) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune --older-than TIME | --worktrees",
		Short: "Remove the texts of runs that were over long ago, or work trees",
		Long: `Removes the texts, outputs and recorded trees of runs that were over before a
time, as far as no younger run has them too, and what nothing names and is older
than a day. It cannot be taken back. The events stay: how a run ended, what it
cost and when each thing happened can still be told and proven. Imported history
is pruned by the same age.

With --worktrees it removes work trees of this repository instead: those that runs
and sessions made, that nobody has used for --older-than (7d), and that hold nothing
which is nowhere else. Nothing is removed that is changed, not pushed, locked or in
use; each that stays is shown with the reason. Before one goes it is recorded, its
branch stays, and how to bring it back is printed.`,
		Example:           "  apctl archive prune --older-than 90d --dry-run\n  apctl archive prune --older-than 90d --yes\n  apctl archive prune --worktrees --dry-run\n  apctl archive prune --worktrees --older-than 30d",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.trees {
				return runPruneWorktrees(cmd.Context(), a, o)
			}
			return runArchivePrune(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.older, "older-than", "", "of runs that were over `TIME` ago, as 90d or 12h")
	cmd.Flags().BoolVar(&o.trees, "worktrees", false, "work trees of this repository instead of texts")
	cmd.Flags().BoolVar(&o.all, "all", false, "with --worktrees: those that no run or session made, too")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "say what would be removed, and remove nothing")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return a.jsonFlag(cmd)
}

func runArchivePrune(ctx context.Context, a *app, o pruneOptions) error {
	if o.all {
		return render.PruneAllWhat()
	}
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
		if err := ask(ctx, a, wire.ArchivePrune, req, &v); err != nil {
			return err
		}
	}
	if !o.dryRun && (o.yes || !v.Nothing()) {
		if err := a.confirm(o.yes, func(s render.Style) string { return s.Pruned(v) }); err != nil {
			return err
		}
		req.DryRun, v = false, wire.PruneView{}
		if err := ask(ctx, a, wire.ArchivePrune, req, &v); err != nil {
			return err
		}
	}
	return a.answer(wire.SchemaPrune, v, func(s render.Style) string { return s.Pruned(v) })
}
