package ctl

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
)

// streams are the names that --agent of classify takes.
func streams() (names []cobra.Completion) {
	for _, p := range events.AgentPrograms() {
		names = append(names, p.Name)
	}
	return append(names, "text")
}

func newAgentClassify(a *app) *cobra.Command {
	var name string
	var exit int
	cmd := &cobra.Command{
		Use:   "classify",
		Short: "Tell how an agent ended from its output",
		Long: `Reads what an agent printed on standard input and says how it ended: the outcome,
which signal decides it, and which signals say otherwise; with usage, cost and the
time at which a limit ends, where the agent told them. Runs nothing and records
nothing. The agent is found out from the sample; text is any that prints what it
likes. Without --exit the exit code is unknown.

ended means only that: no agent's word makes its work done.`,
		Example:           "  apctl agent classify < agent.log\n  apctl logs --agent --raw | apctl agent classify --exit 1 --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := wire.ClassifyRequest{Agent: name}
			if cmd.Flags().Changed("exit") {
				req.Exit = &exit
			}
			return runAgentClassify(cmd.Context(), a, req)
		},
	}
	f := cmd.Flags()
	f.StringVar(&name, "agent", "", "read it as the stream of `NAME`: "+strings.Join(streams(), ", "))
	f.IntVar(&exit, "exit", 0, "the program exited with `N`")
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(streams(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("exit", cobra.NoFileCompletions)
	return a.jsonFlag(cmd)
}

func runAgentClassify(ctx context.Context, a *app, req wire.ClassifyRequest) error {
	sample, err := io.ReadAll(io.LimitReader(a.In, wire.MaxBlob+1))
	if err != nil {
		return render.Unreadable("the sample from", "standard input", err)
	}
	if len(sample) > wire.MaxBlob {
		return render.SampleTooLarge(wire.MaxBlob)
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	if req.Sample = sample; len(sample) > wire.MaxChunk {
		req.Sample = nil
		if req.SampleRef, err = d.Put(ctx, sample); err != nil {
			return err
		}
	}
	var v wire.OutcomeView
	if err := client.Call(ctx, d, wire.AgentClassify, req, &v); err != nil {
		return err
	}
	return a.answer(wire.SchemaOutcome, v, func(s render.Style) string { return s.Outcome(v) })
}
