package ctl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

const (
	goneEvery   = 20 * time.Millisecond
	goneTimeout = 30 * time.Second
)

func newDaemon(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Start, stop and look at the daemon",
		Long: `The daemon starts by itself when a command needs it, and ends after 30 idle
minutes; installed as a service it starts with your session. Agents and gates
outlive it and are found again by the next one.`,
		Example: "  apctl daemon status\n  apctl daemon restart\n  apctl daemon logs -f",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDaemonStart(a), newDaemonStop(a), newDaemonRestart(a), newDaemonStatus(a), newDaemonLogs(a),
		newDaemonInstall(a), newDaemonUninstall(a), newDaemonKey(a))
	return cmd
}

func newDaemonStart(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:               "start",
		Short:             "Start the daemon, if it does not run",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runDaemonStart(cmd.Context(), a) },
	})
}

func runDaemonStart(ctx context.Context, a *app) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	var view wire.DaemonView
	if err := askSoon(ctx, a, d, wire.DaemonStatus, wire.None{}, &view); err != nil {
		return err
	}
	return a.answer(wire.SchemaDaemon, view, func(s render.Style) string { return s.Daemon(view) })
}

type daemonStopOptions struct{ drain, force bool }

func (o *daemonStopOptions) flag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&o.drain, "drain", false, "wait for the iterations that run now")
	cmd.Flags().BoolVar(&o.force, "force", false, "kill the daemon if it does not answer; agents and gates go on")
	cmd.MarkFlagsMutuallyExclusive("drain", "force")
	return cmd
}

func newDaemonStop(a *app) *cobra.Command {
	var o daemonStopOptions
	return o.flag(&cobra.Command{
		Use:               "stop",
		Short:             "End the daemon; agents go on and are found again",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stopped, err := a.stopDaemon(cmd.Context(), o)
			if err != nil {
				return err
			}
			return a.say(a.style(a.Out).DaemonStopped(stopped))
		},
	})
}

func newDaemonRestart(a *app) *cobra.Command {
	var o daemonStopOptions
	return a.jsonFlag(o.flag(&cobra.Command{
		Use:               "restart",
		Short:             "End the daemon and start it again",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := a.stopDaemon(cmd.Context(), o); err != nil {
				return err
			}
			return runDaemonStart(cmd.Context(), a)
		},
	}))
}

// stopDaemon ends the daemon and waits until its process is gone. It returns
// the pid, 0 when none ran.
func (a *app) stopDaemon(ctx context.Context, o daemonStopOptions) (int, error) {
	pid, err := a.askToEnd(ctx, o)
	var e *wire.Error
	if !o.force || !errors.As(err, &e) || e.Code != wire.TimedOut {
		return pid, err
	}
	v, err := a.Holder(ctx, true)
	return v.PID, err
}

func (a *app) askToEnd(ctx context.Context, o daemonStopOptions) (int, error) {
	d, err := a.connect(ctx, false)
	if err = a.silent(ctx, err); unreachable(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer d.Close()
	var view wire.DaemonView
	if err := askSoon(ctx, a, d, wire.DaemonStatus, wire.None{}, &view); err != nil {
		return 0, err
	}
	// The daemon may be gone before its answer is here.
	if err := client.Call(ctx, d, wire.DaemonStop, wire.DaemonStopRequest{Drain: o.drain}, nil); err != nil && !unreachable(err) {
		return 0, err
	}
	if !o.drain {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, goneTimeout,
			render.Timeout(fmt.Sprintf("the daemon, pid %d, still runs", view.PID), render.Duration(goneTimeout)))
		defer cancel()
	}
	for a.Alive(view.PID) {
		if sleep(ctx, goneEvery) != nil {
			return 0, context.Cause(ctx)
		}
	}
	return view.PID, nil
}

func newDaemonStatus(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:               "status",
		Short:             "Whether the daemon runs, and what it holds",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runDaemonStatus(cmd.Context(), a) },
	})
}

func runDaemonStatus(ctx context.Context, a *app) error {
	var view wire.DaemonView
	d, err := a.connect(ctx, false)
	if err == nil {
		defer d.Close()
		err = askSoon(ctx, a, d, wire.DaemonStatus, wire.None{}, &view)
	}
	if err = a.silent(ctx, err); unreachable(err) {
		p, err := a.FindPlaces()
		if err != nil {
			return err
		}
		return render.NoDaemon(p.State, p.Socket, p.LogFile())
	}
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaDaemon, view, func(s render.Style) string { return s.Daemon(view) })
}
