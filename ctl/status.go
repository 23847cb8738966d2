package ctl

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type statusOptions struct {
	line   bool
	format string
	colour bool
}

func newStatus(a *app) *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Where a run stands",
		Long: `Shows a run: what it does now, its limits and its gates. No RUN means the latest
of this directory.

--line is one line of at most 80 columns for status bars: the latest run of this
directory, then how many runs need you, are halted, wait, run, and were done or
failed in the last 24 hours. It starts no daemon and never waits. It says idle
where a daemon has ended with nothing live: the rest is as it left it. Where none
answers otherwise it says off or silent, and how old the rest is.

--format fills in fields: {live} {running} {waiting} {halted} {needs} {done}
{failed} {cost} {tokens}, the cost in dollars of 24 hours; {daemon} is on, idle,
off or silent, {age} of all this in seconds; of the run here {run} {state} {reason}
{stage} {phase} {iteration} {limit}, and {quiet}, seconds without a sign of
life. {{ is a brace.`,
		Example: `  apctl status
  apctl status k3xq --json
  apctl status --line
  apctl status --line --format 'ap {needs}! {live}'`,
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runStatus(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVar(&o.line, "line", false, "one line for a status bar")
	cmd.Flags().StringVar(&o.format, "format", "", "with --line: a `TEMPLATE` with fields as {live}")
	cmd.Flags().BoolVar(&o.colour, "color", false, "with --line: in colour")
	return a.jsonFlag(cmd)
}

func runStatus(ctx context.Context, a *app, o statusOptions, args []string) error {
	switch {
	case o.line && len(args) > 0:
		return render.Exclusive("RUN", "--line")
	case o.line:
		return runLine(ctx, a, o.format, o.colour)
	case o.format != "" || o.colour:
		return render.BadFlag("apctl status", errors.New("--format and --color need --line"))
	}
	var v wire.RunView
	if err := ask(ctx, a, wire.RunGet, a.ref(args), &v); err != nil {
		return err
	}
	if a.getenv(place.EnvEffect) != "" {
		v.Question = nil // it is not asked
	}
	return a.answer(wire.SchemaRun, v, func(s render.Style) string { return s.Status(v) })
}
