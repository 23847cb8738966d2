package ctl

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/projections/amount"
)

type queueRunOptions struct {
	forTime, until, usd string
	parallel            int
	detach, noConfig    bool
	env                 []string
}

func newQueueRun(a *app) *cobra.Command {
	var o queueRunOptions
	cmd := &cobra.Command{
		Use:   "run [QUEUE]",
		Short: "Work a queue off",
		Long: `Begins the items of a queue as runs, in the order of apctl queue schedule, and lands
what is done. The daemon does so: Ctrl-C leaves, and the queue goes on. It ends when
nothing is left that could begin, when its time is over, or when its runs have cost
what they may. Runs under way then go on to their own end.

Exit codes: 0 when all items are finished, 13 when something needs a person, else 1.`,
		Example:           "  apctl queue run --for 8h --parallel 2\n  apctl queue run night -d",
		Args:              upTo(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runQueueRun(cmd.Context(), a, o, optional(args)) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.parallel, "parallel", "p", 1, "`N` runs at once, as far as the machine allows")
	f.StringVar(&o.forTime, "for", "", "begin nothing after this `TIME`: 8h, 90m; runs end by then")
	f.StringVar(&o.until, "until", "", "begin nothing after this `TIME`: 07:00")
	f.StringVar(&o.usd, "max-usd", "", "begin nothing once all runs have cost this many `DOLLARS`")
	f.StringArrayVar(&o.env, "env", nil, "send `NAME` or NAME=VALUE to the agents, see apctl help environment")
	f.BoolVar(&o.noConfig, "no-config", false, "do not read the project's configuration")
	f.BoolVarP(&o.detach, "detach", "d", false, "do not watch it")
	return a.jsonFlag(cmd)
}

func runQueueRun(ctx context.Context, a *app, o queueRunOptions, name string) error {
	ref, err := a.queueRef(name)
	if err != nil {
		return err
	}
	req := wire.QueueOpenRequest{QueueRef: ref, Parallel: o.parallel, Settings: a.settings(), NoConfig: o.noConfig}
	if o.parallel < 1 {
		return render.BadCount("--parallel", o.parallel)
	}
	if req.UntilMS, err = o.end(a); err != nil {
		return err
	}
	if o.usd != "" {
		if req.MaxMicroUSD, err = amount.USD(o.usd); err != nil {
			return render.BadAmount("--max-usd", o.usd, "5 or 0.50")
		}
	}
	if req.Env, err = runEnv(a.Environ, o.env); err != nil {
		return err
	}
	var v wire.QueueView
	if err := a.trusting(ctx, ref.Workspace, func() error { return ask(ctx, a, wire.QueueOpen, req, &v) }); err != nil {
		return err
	}
	a.note(a.style(a.Err).QueueOpened(v))
	if o.detach {
		return a.answer(wire.SchemaQueue, v, func(s render.Style) string { return s.Queue(v) })
	}
	return a.watchQueue(ctx, v)
}

// end is when a queue begins nothing more, in Unix milliseconds; 0 is never.
func (o queueRunOptions) end(a *app) (int64, error) {
	var end time.Time
	if o.forTime != "" {
		d, err := parseDuration("--for", o.forTime)
		if err != nil {
			return 0, err
		}
		end = a.Now().Add(d)
	}
	if o.until != "" {
		until, err := parseUntil(o.until, a.Now(), a.Zone)
		if err != nil {
			return 0, err
		}
		if end.IsZero() || until.Before(end) {
			end = until
		}
	}
	if end.IsZero() {
		return 0, nil
	}
	return end.UnixMilli(), nil
}

func newQueueWatch(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "watch [QUEUE]", Short: "Follow a queue until it begins nothing more",
		Long:    "Prints a line for each change of an item, until the queue begins nothing more and no run\nof it is under way. Ctrl-C leaves; the queue goes on.",
		Example: "  apctl queue watch", Args: upTo(1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := a.queueRef(optional(args))
			if err != nil {
				return err
			}
			var v wire.QueueView
			if err := ask(cmd.Context(), a, wire.QueueShow, ref, &v); err != nil {
				return err
			}
			return a.watchQueue(cmd.Context(), v)
		},
	}
	return a.jsonFlag(cmd)
}

// watchQueue prints the changes of a queue until nothing of it is under way, then all of it.
func (a *app) watchQueue(ctx context.Context, v wire.QueueView) error {
	defer a.hear()()
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer func() { d.Close() }()
	ref := wire.QueueRef{Queue: v.ID}
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for v.State == wire.QueueIsOpen || v.Counts["running"]+v.Counts["landing"] > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.signals:
			a.note(a.style(a.Err).QueueLeft(v))
			return exitStatus(wire.ExitInterrupted)
		case <-tick.C:
		}
		before := v
		v = wire.QueueView{}
		err := client.Call(ctx, d, wire.QueueShow, ref, &v)
		if unreachable(err) {
			v = before
			next, cerr := a.connect(ctx, true)
			if cerr != nil {
				return cerr
			}
			d.Close()
			d = next
			continue
		}
		if err != nil {
			return err
		}
		if err := a.queueChanges(before, v); err != nil {
			return err
		}
	}
	if err := a.answer(wire.SchemaQueue, v, func(s render.Style) string { return s.Queue(v) }); err != nil {
		return err
	}
	return status(queueExit(v))
}

// queueChanges prints what has changed, on standard error.
func (a *app) queueChanges(before, now wire.QueueView) error {
	if !a.json {
		a.note(a.style(a.Err).QueueChanges(before, now))
	}
	return nil
}

// queueExit is the exit code of a queue that has ended.
func queueExit(v wire.QueueView) int {
	open, person := 0, v.LaneStopped || v.State == "trust"
	for state, n := range v.Counts {
		switch state {
		case "landed", "shown", "kept", "removed":
		case "escalated", "halted", "unresolved":
			person = true
			open += n
		default:
			open += n
		}
	}
	switch {
	case person:
		return wire.ExitPerson
	case open > 0:
		return wire.ExitFailed
	}
	return wire.ExitDone
}
