package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type stopOptions struct {
	now bool
	all bool
}

func newStop(a *app) *cobra.Command {
	var o stopOptions
	cmd := &cobra.Command{
		Use:        "stop [RUN]",
		SuggestFor: []string{"halt", "pause", "end"},
		Short:      "Stop a run after its iteration, or now",
		Long: `Stops a run after the present iteration; --now ends the agent at once and
records its work. A stopped run is halted: apctl resume goes on with
it. No RUN means the only live run of this directory.`,
		Example:           "  apctl stop\n  apctl stop k3xq --now\n  apctl stop --all",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeLive,
		RunE:              func(cmd *cobra.Command, args []string) error { return runStop(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVar(&o.now, "now", false, "end the agent at once; its work is kept")
	cmd.Flags().BoolVar(&o.all, "all", false, "every live run")
	return a.jsonFlag(cmd)
}

func runStop(ctx context.Context, a *app, o stopOptions, args []string) error {
	req := wire.StopRequest{RunRef: a.liveRef(args), Now: o.now, All: o.all}
	if o.all {
		if len(args) > 0 {
			return render.Exclusive("RUN", "--all")
		}
		req.RunRef = wire.RunRef{}
	}
	var reply wire.StopReply
	if err := ask(ctx, a, wire.RunStop, req, &reply); err != nil {
		return err
	}
	return a.answer(wire.SchemaRuns, wire.ListReply{Runs: reply.Runs},
		func(s render.Style) string { return s.Stopped(reply.Runs) })
}
