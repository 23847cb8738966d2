package ctl

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type chatAnswerOptions struct {
	dir, run string
	number   int
	answer   answerOptions
}

func newSessionAnswer(a *app) *cobra.Command {
	var o chatAnswerOptions
	cmd := &cobra.Command{
		Use:   "answer ok | no | A..D | TEXT",
		Short: "Say what the person in front of the chat has answered",
		Long: `Answers the question that the run waits with by what the person in front of the
chat has said, in a dialog of the chat's own, to all that next has shown of it.
It is for runs whose settings let their chat do so, and for gates that want no
more; elsewhere the exit code is 8, and a person answers at a terminal. It is
recorded, and shown wherever the answer counts, as the word of a chat.

next names the question and its set. ok approves all of it; no takes what was
found, a section each. The first answer counts.`,
		Example: `  apctl session answer ok --question 2 --set 3fa94c
  apctl session answer no --question 2 --set 3fa94c -m 'docs/plan.md:12: the order is wrong'
  apctl session answer 'use sqlite' --question 1`,
		Args:              upTo(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runSessionAnswer(cmd.Context(), a, o, args) },
	}
	f := cmd.Flags()
	f.IntVar(&o.number, "question", 0, "`NUMBER` of the question that next has named")
	f.StringVar(&o.answer.set, "set", "", "`HASH` of what was shown, or its first 6 characters")
	f.StringArrayVarP(&o.answer.findings, "message", "m", nil, "with no: what was found, `SECTION: TEXT` (repeatable)")
	f.StringVar(&o.run, "run", "", "the `RUN`, where it is not that of the directory")
	dirFlag(cmd, &o.dir)
	return a.jsonFlag(cmd)
}

func runSessionAnswer(ctx context.Context, a *app, o chatAnswerOptions, args []string) error {
	ref, err := a.chatRef(o.dir, nil)
	if err != nil {
		return err
	}
	ref.Run = o.run
	word := strings.TrimSpace(strings.Join(args, ""))
	if word == "" {
		return render.NoAnswer()
	}
	req, err := o.answer.request(ref, word)
	if err != nil {
		return err
	}
	return session(ctx, a, wire.SessionAnswer, wire.SessionAnswerRequest{
		RunRef: ref, Number: o.number, Set: o.answer.set, Answer: args[0], Findings: req.Findings,
	})
}
