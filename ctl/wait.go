package ctl

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type waitOptions struct{ timeout string }

func newWait(a *app) *cobra.Command {
	var o waitOptions
	cmd := &cobra.Command{
		Use:   "wait [RUN]",
		Short: "Wait until a run ends, halts or asks you, and exit as it does",
		Long: `Waits until a run needs nothing more or halts, prints how it ended, and exits
with its code (apctl help exit-codes). When it asks a person it says so, and
exits with 13: the run stays live, and goes on when it is answered. With
--timeout it gives up: 12 if the run is waiting for a limit or a back-off then,
else 7. No RUN means the latest of this directory.`,
		Example:           "  apctl wait\n  apctl wait k3xq --timeout 4h && git commit -am done",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runWait(cmd.Context(), a, o, args) },
	}
	cmd.Flags().StringVar(&o.timeout, "timeout", "", "give up after this `TIME`")
	return a.jsonFlag(cmd)
}

func runWait(ctx context.Context, a *app, o waitOptions, args []string) error {
	var limit time.Duration
	if o.timeout != "" {
		var err error
		if limit, err = parseDuration("--timeout", o.timeout); err != nil {
			return err
		}
	}
	var v wire.RunView
	if err := ask(ctx, a, wire.RunGet, a.ref(args), &v); err != nil {
		return err
	}
	if v.Exit < 0 && v.Question == nil {
		waitCtx := ctx
		if limit > 0 {
			var cancel context.CancelFunc
			waitCtx, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		last, err := a.until(waitCtx, v)
		if errors.Is(waitCtx.Err(), context.DeadlineExceeded) && ctx.Err() == nil && last.Exit < 0 && last.Question == nil {
			return a.gaveUp(last, limit)
		}
		if err != nil {
			return err
		}
		v = last
	}
	if v.Question != nil {
		if err := a.answer(wire.SchemaRun, v, func(s render.Style) string { return s.AsksYou(v) }); err != nil {
			return err
		}
		return exitStatus(wire.ExitPerson)
	}
	if err := a.answer(wire.SchemaRun, v, func(s render.Style) string { return s.Live(v) + "\n" }); err != nil {
		return err
	}
	return status(v.Exit)
}

func (a *app) gaveUp(v wire.RunView, limit time.Duration) error {
	if v.State != "waiting" {
		return render.Timeout(render.Line(v.Handle)+" has not ended", render.Duration(limit))
	}
	if err := a.answer(wire.SchemaRun, v, func(s render.Style) string { return s.Live(v) + "\n" }); err != nil {
		return err
	}
	return exitStatus(wire.ExitWaiting)
}
