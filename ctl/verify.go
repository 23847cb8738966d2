package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type verifyOptions struct{ all bool }

func newVerify(a *app) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [RUN]",
		Short: "Prove that the record of a run is whole",
		Long: `Proves hash chain and sequence of a run, that each event is the one which was
acknowledged, that the texts which it names are there, and that its state built
anew from the record equals the live one. With --all also the log of the team, as
far as its servers keep it. No RUN means the latest of this
directory. Exits 1 when there is a problem; the first one names the first bad
event. For a store that no daemon can open: autopilotd verify --offline.`,
		Example:           "  apctl verify\n  apctl verify --all --json",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runVerify(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "every run and all else that is recorded")
	return a.jsonFlag(cmd)
}

func runVerify(ctx context.Context, a *app, o verifyOptions, args []string) error {
	if o.all && len(args) > 0 {
		return render.Exclusive("RUN", "--all")
	}
	var reply wire.VerifyReply
	if err := ask(ctx, a, wire.Verify, wire.VerifyRequest{RunRef: a.ref(args), Every: o.all}, &reply); err != nil {
		return err
	}
	if err := a.answer(wire.SchemaVerify, reply, func(s render.Style) string { return s.Verify(reply) }); err != nil {
		return err
	}
	if len(reply.Problems) > 0 || reply.Team != nil && len(reply.Team.Problems) > 0 {
		return exitStatus(wire.ExitFailed)
	}
	return nil
}
