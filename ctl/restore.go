package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type restoreOptions struct {
	dryRun bool
	yes    bool
}

func newRestore(a *app) *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:        "restore RUN K",
		SuggestFor: []string{"undo", "rollback", "revert"},
		Short:      "Take the workspace back to iteration K of a run",
		Long: `Makes the files of the workspace what they were after iteration K of a run; 0
is the start. The present is recorded first, and the answer names the command
that takes it back. Ignored files, large ones and repositories inside stay as
they are, and so do your index and branches. A run that is live in the
workspace has to be stopped before.

Where the repository itself was removed or damaged, each restore brings it back
first, as it was recorded last: commits, branches, tags, stashes and the index,
with the configuration of the start. With git in the place of K that is all it
does. It says what could not be brought back.`,
		Example:           "  apctl restore k3xq 2 --dry-run\n  apctl restore k3xq 2\n  apctl restore k3xq undo-1\n  apctl restore k3xq git",
		Args:              restoreArgs,
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runRestore(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "say which files would change, and change none")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return a.jsonFlag(cmd)
}

func restoreArgs(cmd *cobra.Command, args []string) error {
	if err := runAnd(1)(cmd, args); err != nil {
		return err
	}
	if len(args) < 2 {
		return render.RestoreWhat()
	}
	return nil
}

func runRestore(ctx context.Context, a *app, o restoreOptions, args []string) error {
	req := wire.RestoreRequest{RunRef: wire.RunRef{Run: args[0]}, To: args[1], DryRun: true}
	var v wire.RestoreView
	if err := ask(ctx, a, wire.RunRestore, req, &v); err != nil {
		return err
	}
	if !o.dryRun && !v.Unchanged {
		if err := a.confirm(o.yes, func(s render.Style) string { return s.Restored(v) }); err != nil {
			return err
		}
		req.DryRun, v = false, wire.RestoreView{}
		if err := ask(ctx, a, wire.RunRestore, req, &v); err != nil {
			return err
		}
	}
	return a.answer(wire.SchemaRestore, v, func(s render.Style) string { return s.Restored(v) })
}
