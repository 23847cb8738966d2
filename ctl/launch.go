package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newProbeLaunch(a *app) *cobra.Command {
	var q wire.LaunchRequest
	var dir string
	cmd := &cobra.Command{
		Use:   "launch",
		Short: "Whether a run may be launched here without asking a person",
		Long: `Says whether a run may be launched in this repository without asking a person,
for a dispatcher, a cron job or a chat. It changes nothing and starts nothing.

  suitable       every gate passes    exit 0
  not suitable   one does not         exit 5

  confidence   of who would launch it, 0 to 1, is at least the floor; without one
               it is closed
  kill-rate    less than one in five of the runs of this repository was stopped
               by a rail, a limit or a kill switch, and not brought on; a person's
               own stop is none. Under five runs it is left out, with a warning
  ci           the state of the last build is not red; without one it is open,
               with a warning
  resources    the machine is not critical, by the policy of the workflow

What is missing or malformed is judged and named, never refused.`,
		Example:           "  apctl probe launch --confidence 0.72\n  apctl probe launch --confidence 0.9 --floor 0.85 --ci green --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if q.Workspace, err = a.here(dir); err != nil {
				return err
			}
			return a.launch(cmd.Context(), q)
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Confidence, "confidence", "", "`SHARE` from 0 to 1 that who would launch it is sure of")
	f.StringVar(&q.Floor, "floor", "0.5", "the least confidence: `SHARE` from 0 to 1")
	f.StringVar(&q.CI, "ci", "", "`STATE` of the last build: green, red or another word")
	f.StringVar(&q.Workflow, "workflow", workflowConverge, "`NAME` of the workflow that would be run")
	fixed := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	_ = cmd.RegisterFlagCompletionFunc("ci", fixed("green", "red"))
	_ = cmd.RegisterFlagCompletionFunc("confidence", fixed())
	_ = cmd.RegisterFlagCompletionFunc("floor", fixed())
	dirFlag(cmd, &dir)
	return a.jsonFlag(cmd)
}

// launch shows a verdict, and ends as it says.
func (a *app) launch(ctx context.Context, q wire.LaunchRequest) error {
	var v wire.LaunchView
	if err := ask(ctx, a, wire.ProbeLaunch, q, &v); err != nil {
		return err
	}
	if err := a.answer(wire.SchemaLaunch, v, func(s render.Style) string { return s.Launch(v) }); err != nil {
		return err
	}
	if v.ExitCode != wire.ExitDone {
		return exitStatus(v.ExitCode)
	}
	return nil
}
