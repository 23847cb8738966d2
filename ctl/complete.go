package ctl

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// A shell waits for completion at every Tab.
const completeTimeout = 500 * time.Millisecond

// completeRuns offers the handles of runs. It starts no daemon.
func (a *app) completeRuns(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.complete(cmd.Context(), args, func(wire.RunView) bool { return true })
}

// completeLive offers the handles of live runs.
func (a *app) completeLive(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.complete(cmd.Context(), args, func(v wire.RunView) bool { return v.Exit < 0 })
}

// completeHalted offers the handles of runs that can be resumed.
func (a *app) completeHalted(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.complete(cmd.Context(), args, func(v wire.RunView) bool { return v.State == "halted" })
}

func (a *app) complete(ctx context.Context, args []string, want func(wire.RunView) bool) ([]cobra.Completion, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 {
		return nil, none
	}
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	d, err := a.connect(ctx, false)
	if err != nil {
		return nil, none
	}
	defer d.Close()
	var reply wire.ListReply
	if d.Call(ctx, wire.RunList, wire.ListRequest{}, &reply) != nil {
		return nil, none
	}
	var out []cobra.Completion
	s := a.style(a.Out)
	for _, v := range reply.Runs {
		if want(v) {
			out = append(out, cobra.CompletionWithDesc(render.Line(v.Handle), s.Brief(v)))
		}
	}
	return out, none | cobra.ShellCompDirectiveKeepOrder
}
