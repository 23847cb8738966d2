package ctl

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
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
	s := a.style(a.Out)
	return offer(ctx, a, args, wire.RunList, wire.ListRequest{}, func(reply wire.ListReply, add func(word, says string)) {
		for _, v := range reply.Runs {
			if want(v) {
				add(v.Handle, s.Brief(v))
			}
		}
	})
}

// offer completes the first argument by what a running daemon answers to a verb.
// It starts none, and says nothing where it cannot know.
func offer[Q, A any](ctx context.Context, a *app, args []string, verb wire.Verb[Q, A], body Q,
	each func(answer A, add func(word, says string)),
) ([]cobra.Completion, cobra.ShellCompDirective) {
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
	var answer A
	if client.Call(ctx, d, verb, body, &answer) != nil {
		return nil, none
	}
	var out []cobra.Completion
	each(answer, func(word, says string) {
		out = append(out, cobra.CompletionWithDesc(render.Line(word), render.Line(says)))
	})
	return out, none | cobra.ShellCompDirectiveKeepOrder
}
