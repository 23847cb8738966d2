package ctl

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type askOptions struct {
	dir       string
	run       string
	at        atOptions
	options   []string
	recommend string
	because   string
	class     string
}

func newSessionAsk(a *app) *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "End an iteration with a question to a person",
		Long: `Ends the iteration that next has named with a question to a person: with two to
four options, of which one is recommended with a reason, or for a free text. The
gates run first; unless all pass the run then waits until a person answers it at
a terminal, with apctl answer, and next tells the answer.`,
		Example: `  apctl session ask "which port?" --option 80 --option 443 --recommend B --because "it is safe" --effect ID --phase work --iteration 1
  apctl session ask "what is it for?" --effect ID --phase work --iteration 1`,
		Args:              upTo(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSessionAsk(cmd.Context(), a, o, args)
		},
	}
	f := cmd.Flags()
	o.at.flags(cmd)
	f.StringArrayVar(&o.options, "option", nil, "answer to choose, as `TEXT` (repeatable)")
	f.StringVar(&o.recommend, "recommend", "", "`LETTER` of the option that is recommended")
	f.StringVar(&o.because, "because", "", "`REASON` of the recommendation")
	f.StringVar(&o.class, "class", "", "`CLASS` of the question, where the workflow has classes")
	f.StringVar(&o.run, "run", "", "the `RUN`, where it is not that of the directory")
	dirFlag(cmd, &o.dir)
	return a.jsonFlag(cmd)
}

func runSessionAsk(ctx context.Context, a *app, o askOptions, args []string) error {
	ref, err := a.chatRef(o.dir, nil)
	if err != nil {
		return err
	}
	ref.Run = o.run
	req := wire.SessionAskRequest{
		RunRef: ref, Effect: o.at.effect, Phase: o.at.phase, Iteration: o.at.iteration, Ask: wire.Ask{Options: o.options, Reason: o.because, Class: o.class},
	}
	if len(args) > 0 {
		req.Question = args[0]
	}
	if o.recommend != "" {
		letter := strings.ToUpper(o.recommend)
		if len(letter) != 1 || letter[0] < 'A' || int(letter[0]-'A') >= max(len(o.options), 1) {
			return render.BadOption(o.recommend, len(o.options))
		}
		req.Recommended = int(letter[0]-'A') + 1
	}
	if bad := req.Check(); bad != nil {
		return bad
	}
	text, err := json.Marshal(wire.SessionAskRequest{Effect: req.Effect, Phase: req.Phase, Iteration: req.Iteration, Ask: req.Ask})
	if err != nil {
		return err
	}
	return deliver(ctx, a, wire.SessionAsk, req, string(text))
}
