package ctl

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type eventsOptions struct {
	follow bool
	all    bool
	after  uint64
	cursor string
}

func newEvents(a *app) *cobra.Command {
	var o eventsOptions
	cmd := &cobra.Command{
		Use:   "events [RUN]",
		Short: "The record of a run, event by event",
		Long: `Shows the events of a run, a line for each: sequence, time, by whom, type, and
what happened. --json shows them as they are stored. --after goes on behind a
sequence number; with --all, over every run, positions are cursors: --cursor.
No RUN means the latest of this directory.`,
		Example:           "  apctl events\n  apctl events k3xq -f --json\n  apctl events --after 12",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runEvents(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "wait for more")
	cmd.Flags().Uint64Var(&o.after, "after", 0, "only events behind sequence `N`")
	cmd.Flags().BoolVar(&o.all, "all", false, "events of everything, in stored order")
	cmd.Flags().StringVar(&o.cursor, "cursor", "", "with --all: go on behind `CURSOR`")
	return a.jsonFlag(cmd)
}

func runEvents(ctx context.Context, a *app, o eventsOptions, args []string) error {
	if o.all && len(args) > 0 {
		return render.Exclusive("RUN", "--all")
	}
	if o.cursor != "" && !o.all {
		return render.BadFlag("apctl events", fmt.Errorf("--cursor needs --all"))
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	req := wire.EventsRequest{RunRef: a.ref(args), Every: o.all, After: o.after, Cursor: o.cursor, Follow: o.follow}
	for b, err := range d.Stream(ctx, wire.RunEvents, req) {
		if err != nil {
			return err
		}
		var f wire.EventFrame
		if err := json.Unmarshal(b, &f); err != nil {
			return fmt.Errorf("read an event of the daemon: %w", err)
		}
		if err := a.answer(wire.SchemaEvent, f, func(s render.Style) string { return s.Event(f) }); err != nil {
			return err
		}
	}
	return nil
}
