package ctl

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type usageOptions struct {
	since string
	by    string
	here  bool
}

func newUsage(a *app) *cobra.Command {
	var o usageOptions
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "What agents used, and what limits are left",
		Long: `Shows what agents used: tokens, cost, turns and time, by day, project, agent,
model or run. An agent counts when it has ended, on the day of your time zone.

A cost is what the agent program reports, or is computed from its tokens and a
table of prices, and then says so. What is not known is not counted as nothing:
">=" stands before a sum that some of is missing from.

Below are your limits of the day, how full the limits of providers are, as they
said last, and the accounts that have such a limit or whose runs are live.`,
		Example:           "  apctl usage\n  apctl usage --since yesterday --by model\n  apctl usage --since 30d --by project --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runUsage(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "7d", "from this `TIME` on: 7d, today, yesterday, 2026-01-02, all")
	f.StringVar(&o.by, "by", "day", "`WAY` to divide it: day, project, agent, model or run")
	f.BoolVar(&o.here, "here", false, "only of this project, and its limits")
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(wire.UsageWays(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("since", cobra.FixedCompletions([]cobra.Completion{"today", "yesterday", "7d", "30d", "all"}, cobra.ShellCompDirectiveNoFileComp))
	return a.jsonFlag(cmd)
}

func runUsage(ctx context.Context, a *app, o usageOptions) error {
	if !slices.Contains(wire.UsageWays(), o.by) {
		return render.BadWay(o.by)
	}
	req := wire.UsageRequest{By: o.by}
	if o.since != allTime {
		since, err := parseSince(o.since, a.Now(), a.Zone)
		if err != nil {
			return err
		}
		if strings.HasSuffix(o.since, "d") { // whole days
			since = time.Date(since.Year(), since.Month(), since.Day(), 0, 0, 0, 0, since.Location())
		}
		req.Since = since
	}
	if z := a.Zone.String(); z != "Local" {
		req.Zone = z
	}
	if o.here {
		req.Workspace = a.Dir
	}
	var v wire.UsageReport
	if err := ask(ctx, a, wire.UsageShow, req, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaUsage, v, func(s render.Style) string { return s.Usage(v) })
}
