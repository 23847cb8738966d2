package ctl

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type reportOptions struct {
	since string
	here  bool
	limit int
}

// mostReported is how many runs of each part people are shown unasked.
const mostReported = 20

func newReport(a *app) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report",
		Short: "What became of runs, what it cost, and what needs you first",
		Long: `Tells what became of runs: what needs you, what is done, what was halted, what
waits, each with the next command; then what agents used. Without --since it is
since yesterday; runs that need you are shown however old they are. Of each part
the latest twenty are shown, --json has all.`,
		Example:           "  apctl report\n  apctl report --since 7d --here\n  apctl report --since 2026-01-02 --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("limit") && !a.json {
				o.limit = mostReported
			}
			return runReport(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.since, "since", "yesterday", "since `WHEN`: yesterday, today, 7d, 12h, a date, a time, or all")
	cmd.Flags().BoolVar(&o.here, "here", false, "only runs of this directory")
	cmd.Flags().IntVarP(&o.limit, "limit", "n", 0, "at most `N` runs of each part; 0 is all")
	return a.jsonFlag(cmd)
}

func runReport(ctx context.Context, a *app, o reportOptions) error {
	if o.limit < 0 {
		return render.BadCount("--limit", o.limit)
	}
	var since time.Time
	if o.since != allTime {
		var err error
		if since, err = parseSince(o.since, a.Now(), a.Zone); err != nil {
			return err
		}
	}
	v, err := a.reportOn(ctx, true, wire.ReportRequest{Since: since, Limit: o.limit, Workspace: a.hereIf(o.here)})
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaReport, v, func(s render.Style) string { return s.Report(v) })
}

// hereIf is the directory of the caller, where only its runs are meant.
func (a *app) hereIf(here bool) string {
	if here {
		return a.Dir
	}
	return ""
}

func (a *app) reportOn(ctx context.Context, start bool, q wire.ReportRequest) (v wire.ReportView, err error) {
	d, err := a.connect(ctx, start)
	if err != nil {
		return v, err
	}
	defer d.Close()
	return v, client.Call(ctx, d, wire.ReportMake, q, &v)
}

// aNight is how far back bare apctl looks.
const aNight = 24 * time.Hour

// runHome is the short form of a report. It starts the daemon only if there is
// anything to look at: what was halted in the night needs someone, and a run
// that a reboot cut short goes on.
func runHome(ctx context.Context, a *app) error {
	v, err := a.reportOn(ctx, a.hasHistory(), wire.ReportRequest{Since: a.Now().Add(-aNight), Limit: mostReported})
	var e *wire.Error
	if errors.As(err, &e) && e.Code == wire.Unreachable {
		v, err = wire.ReportView{Parts: []wire.ReportPart{}}, nil
	}
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaReport, v, func(s render.Style) string { return s.Home(v) })
}

func newInbox(a *app) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "What waits for you",
		Long: `Lists what waits for a person, the oldest first, each with its next command:
questions of agents, runs that were halted, limits that have ended for runs that
were told not to wait, and configurations that keep a run from being started. A
run that you stopped yourself is not in it. The oldest twenty are shown, and how
many more there are; --json has all.`,
		Example:           "  apctl inbox\n  apctl inbox --limit 0\n  apctl inbox --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return render.BadCount("--limit", limit)
			}
			if !cmd.Flags().Changed("limit") && !a.json {
				limit = mostReported
			}
			var v wire.InboxView
			if err := ask(cmd.Context(), a, wire.InboxList, wire.InboxRequest{Limit: limit}, &v); err != nil {
				return err
			}
			return a.answer(wire.SchemaInbox, v, func(s render.Style) string { return s.Inbox(v) })
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "at most `N` items, the oldest; 0 is all")
	return a.jsonFlag(cmd)
}
