package ctl

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"autopilot/ctl/live"
	"autopilot/events/wire"
)

func newWatch(a *app) *cobra.Command {
	plain := false
	cmd := &cobra.Command{
		Use:   "watch [RUN]",
		Short: "Watch runs on a full screen, or follow one line by line",
		Long: `On a terminal: a screen with all runs of this host, those of this directory
first, with what is known of the selected one and the end of its log. ? shows
the keys, and the command line that does the same as each. It changes nothing
but what you confirm, and leaving it (q, Ctrl-C) leaves the runs alone. It exits
with 0, after Ctrl-C with 130.

In a pipe, with --plain or --json, and where TERM is dumb: a line for each step
of one run until it ends, no RUN being the latest of this directory. It exits
as the run ends.`,
		Example:           "  apctl watch\n  apctl watch k3xq\n  apctl watch k3xq --plain\n  apctl watch k3xq --json",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runWatch(cmd.Context(), a, plain, args) },
	}
	cmd.Flags().BoolVar(&plain, "plain", false, "follow one run, without the full screen")
	return a.jsonFlag(cmd)
}

func runWatch(ctx context.Context, a *app, plain bool, args []string) error {
	if !plain && !a.json && a.InIsTTY && a.refreshes(a.Out) {
		return a.fullScreen(ctx, args)
	}
	var v wire.RunView
	if err := ask(ctx, a, wire.RunGet, a.ref(args), &v); err != nil {
		return err
	}
	defer a.hear()()
	return a.follow(ctx, v, 0, followWatch{})
}

// fullScreen shows all runs, and opens on the one that is named.
func (a *app) fullScreen(ctx context.Context, args []string) error {
	var v wire.RunView
	err := ask(ctx, a, wire.RunGet, a.ref(args), &v)
	var e *wire.Error
	if none := errors.As(err, &e) && e.Code == wire.NotFound; err != nil && (len(args) > 0 || !none) {
		return err
	}
	run := ""
	if len(args) > 0 {
		run = v.ID
	}
	src := &watched{a: a}
	defer src.close()
	defer a.hear()()
	interrupted, err := live.Show(ctx, live.New(a.style(a.Out), a.Dir, v.Workspace, run), live.Options{
		Source: src, In: a.In, Out: a.Out.Writer, Environ: a.Environ, Now: a.Now, Signals: a.signals,
	})
	if err == nil && interrupted {
		return exitStatus(wire.ExitInterrupted)
	}
	return err
}
