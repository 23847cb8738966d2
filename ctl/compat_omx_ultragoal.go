package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/omx/goals"
	"autopilot/ctl/render"
)

func newOmxUltragoal(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "ultragoal create-goals|complete-goals|next|checkpoint|record-review-blockers|add-goal|steer|status [OPTION...] [--json]",
		Short: "Keep a plan of stories: what is next, what is done",
		Long: `Keeps .omx/ultragoal/goals.json, ledger.jsonl and brief.md, with the arguments and
answers of omx ultragoal. Answers go to standard output; errors go to standard error as
"[ultragoal] ...", with exit code 1. It needs no daemon.

` + goals.Usage() + `
It is always strict. The last story needs the whole quality gate, with or without
--strict. A story is completed or fails only while it is in progress, and a complete one
stays complete. create-goals --force keeps the plan and the ledger before under other
names. A ledger that cannot be read, or that has a story that goals.json lacks, is
refused, and the story is named. A lock whose process is gone holds nobody.`,
		Example: `  apctl compat omx ultragoal create-goals --brief-file brief.md
  apctl compat omx ultragoal next --json
  apctl compat omx ultragoal checkpoint --goal-id G001-parser --status complete --evidence "go test ./...: ok" --codex-goal-json goal.json
  apctl compat omx ultragoal status`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if helps("ultragoal", args) {
				return cmd.Help()
			}
			return status(a.omxUltragoal(cmd.Context(), args))
		},
	}
}

// ultragoalCall says that these arguments are a call on a plan of stories: a skill makes
// many, so none of them waits for all the other commands to be described.
func ultragoalCall(args []string) (rest []string, ok bool) {
	if len(args) < 4 || args[0] != "compat" || args[1] != "omx" || args[2] != "ultragoal" {
		return nil, false
	}
	return args[3:], !helps("ultragoal", args[3:])
}

// isoMillis is the form of times in the files of oh-my-codex.
const isoMillis = "2006-01-02T15:04:05.000Z"

// omxUltragoal makes a call and returns its exit code.
func (a *app) omxUltragoal(ctx context.Context, args []string) int {
	alive := a.Alive
	if alive == nil {
		alive = ProcessRuns
	}
	answer, err := goals.Run(ctx, goals.Call{
		Args: args, In: a.In, Getenv: a.getenv, Dir: a.Dir, Command: "apctl compat omx ultragoal",
		Store: goals.Store{Root: a.Dir, Now: func() string { return a.Now().UTC().Format(isoMillis) }, Alive: alive, Wait: goals.Waited},
	})
	if err == nil {
		err = a.say(answer.Text)
	}
	if err != nil {
		a.note("[ultragoal] " + render.Line(err.Error()) + "\n")
		return 1
	}
	return answer.Code
}
