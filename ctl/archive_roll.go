package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newArchiveRoll(a *app) *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "roll",
		Short: "Begin a new log, and put the runs that are over into a bundle",
		Long: `Restarts the daemon. Before it serves again it proves its log, writes the events
of all runs that are over into a bundle, proves that, and begins a new log with
all else. Live runs go on, and so do their agents meanwhile. Places of apctl
events --after in the old log expire. Whatever goes wrong before the new log is
whole leaves the old one as it was.`,
		Example:           "  apctl archive roll --dry-run\n  apctl archive roll",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runArchiveRoll(cmd.Context(), a, dry) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be done, and do nothing")
	return a.jsonFlag(cmd)
}

func runArchiveRoll(ctx context.Context, a *app, dry bool) error {
	var v wire.RollView
	if err := ask(ctx, a, wire.ArchiveRoll, wire.RollRequest{DryRun: dry}, &v); err != nil {
		return err
	}
	if !dry && v.Runs > 0 {
		if err := a.restartRolling(ctx, v); err != nil {
			return err
		}
	}
	return a.answer(wire.SchemaRoll, v, func(s render.Style) string { return s.Rolled(v) })
}

// restartRolling restarts the daemon, which rolls before it serves, and looks
// whether it has.
func (a *app) restartRolling(ctx context.Context, v wire.RollView) error {
	done := a.saySoon(render.Rolling())
	err := a.restart(ctx)
	done()
	if err != nil {
		return err
	}
	var now wire.RollView
	if err := ask(ctx, a, wire.ArchiveRoll, wire.RollRequest{DryRun: true}, &now); err != nil {
		return err
	}
	if now.From < v.To {
		return render.NotRolled(now.Problem)
	}
	return nil
}

// restart ends the daemon and starts it again, by its service manager if that
// has started it.
func (a *app) restart(ctx context.Context) error {
	if a.isService(ctx) {
		m, err := a.manager()
		if err != nil {
			return err
		}
		if problem := a.tell(ctx, m.again); problem != "" {
			return render.NotRestarted(problem)
		}
		return nil
	}
	if _, err := a.stopDaemon(ctx, daemonStopOptions{}); err != nil {
		return err
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	return d.Close()
}
