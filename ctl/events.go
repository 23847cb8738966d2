package ctl

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type eventsOptions struct {
	follow bool
	all    bool
	run    string
	types  []string
	since  string
	after  string
}

func newEvents(a *app) *cobra.Command {
	var o eventsOptions
	cmd := &cobra.Command{
		Use:   "events [RUN]",
		Short: "The record of a run, event by event",
		Long: `Shows the events of a run, a line for each: sequence, time, by whom, type, and
what happened. --json shows them as they are stored, each with a cursor; the last
line of a stream that has ended has only that. --after goes on behind a cursor:
of one run that is the sequence number; with --all, over everything, it is a
word to be kept as it is. No RUN means the latest of this directory.`,
		Example: `  apctl events
  apctl events k3xq -f --json
  apctl events --after 12
  apctl events --all --type 'run.*' --since yesterday --json`,
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runEvents(cmd.Context(), a, o, args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "wait for more")
	f.StringVar(&o.run, "run", "", "the events of `RUN`, as without the flag")
	f.BoolVar(&o.all, "all", false, "events of everything, in stored order")
	f.StringArrayVar(&o.types, "type", nil, "only types that match `GLOB`, as run.halted or 'run.*'; repeatable")
	f.StringVar(&o.since, "since", "", "only events since `WHEN`: yesterday, 7d, 12h, a date or a time")
	f.StringVar(&o.after, "after", "", "only events behind `CURSOR`")
	return a.jsonFlag(cmd)
}

// request is what the flags ask for.
func (o eventsOptions) request(a *app, args []string) (wire.EventsRequest, error) {
	if o.run != "" {
		if len(args) > 0 {
			return wire.EventsRequest{}, render.Exclusive("RUN", "--run")
		}
		args = []string{o.run}
	}
	if o.all && len(args) > 0 {
		return wire.EventsRequest{}, render.Exclusive("RUN", "--all")
	}
	q := wire.EventsRequest{RunRef: a.ref(args), Every: o.all, Follow: o.follow, Types: o.types}
	var err error
	if o.since != "" {
		if q.Since, err = parseSince(o.since, a.Now(), a.Zone); err != nil {
			return q, err
		}
	}
	if o.all {
		q.Cursor = o.after
	} else if o.after != "" {
		if q.After, err = strconv.ParseUint(o.after, 10, 64); err != nil {
			return q, render.BadAfter(o.after)
		}
	}
	return q, nil
}

func runEvents(ctx context.Context, a *app, o eventsOptions, args []string) error {
	q, err := o.request(a, args)
	if err != nil {
		return err
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	last := ""
	for f, err := range client.Stream(ctx, d, wire.RunEvents, q) {
		if err != nil {
			return goOnBehind(err, last, o.all)
		}
		last = f.Cursor
		if f.End && !a.json {
			break // what follows is for programs
		}
		if err := a.answer(wire.SchemaEvent, f, func(s render.Style) string { return s.Event(f) }); err != nil {
			return err
		}
	}
	return nil
}

// goOnBehind says where a stream that broke off can be gone on with. A place in
// the events of everything is gone when a roll begins a new log.
func goOnBehind(err error, cursor string, all bool) error {
	var e *wire.Error
	if cursor == "" || !errors.As(err, &e) || e.Cursor != "" {
		return err
	}
	broken := *e
	broken.Cursor = cursor
	if all {
		return broken.WithHint("go on with --after %s; after a roll of the log, without --after", cursor)
	}
	return broken.WithHint("go on with --after %s", cursor)
}
