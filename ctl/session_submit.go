package ctl

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type submitOptions struct {
	dir, file string
	at        atOptions
	done      bool
	progress  bool
	blocked   string
	summary   string
	evidence  []string
}

// atOptions say which iteration is meant, as next has named it.
type atOptions struct {
	effect, phase string
	iteration     int
}

func (o *atOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.effect, "effect", "", "`ID` that next has named")
	cmd.Flags().StringVar(&o.phase, "phase", "", "`NAME` of the phase that next has named")
	cmd.Flags().IntVar(&o.iteration, "iteration", 0, "its `NUMBER`")
}

func newSessionSubmit(a *app) *cobra.Command {
	var o submitOptions
	cmd := &cobra.Command{
		Use:   "submit [RUN]",
		Short: "Deliver the work of an iteration; the daemon then runs the gates",
		Long: `Delivers the work of the iteration that next has named. The files are taken as
they are in the work tree; what is claimed of them is kept for people, and proves
nothing. Give flags, or a file with one JSON object, which is read to the letter:

  {"v":1,"effect":"ID","phase":"work","iteration":1,"claim":"done",
   "summary":"what was done","evidence":[{"evidence_ref":"out.txt:12","detail":"green"}]}

claim is done, progress or blocked; blocked needs a "reason", which a person is
asked. Where a gate wants it, "session" tells how the session went, as next shows;
"red" names commits of tests that were seen to fail:
  [{"commit":"ID","impl_sha":"ID","at_file":"tests/a.sh"}]`,
		Example: `  apctl session submit --effect ID --phase work --iteration 1 --done -m "parser rewritten" --evidence out.txt:12
  apctl session submit --effect ID --phase work --iteration 1 --blocked "which port shall it listen on?"
  apctl session submit --file result.json`,
		Args:              runAnd(0),
		ValidArgsFunction: a.completeLive,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSessionSubmit(cmd.Context(), a, &o, cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "read it from `FILE`, - is standard input")
	o.at.flags(cmd)
	f.BoolVar(&o.done, "done", false, "claim that the work of the phase is done")
	f.BoolVar(&o.progress, "progress", false, "claim that there is progress")
	f.StringVar(&o.blocked, "blocked", "", "claim that it cannot go on, for this `REASON`")
	f.StringVarP(&o.summary, "message", "m", "", "`TEXT` on what was done")
	f.StringArrayVar(&o.evidence, "evidence", nil, "refer to `REF` or REF=DETAIL (repeatable)")
	dirFlag(cmd, &o.dir)
	return a.jsonFlag(cmd)
}

func runSessionSubmit(ctx context.Context, a *app, o *submitOptions, cmd *cobra.Command, args []string) error {
	ref, err := a.chatRef(o.dir, args)
	if err != nil {
		return err
	}
	req := wire.SessionSubmitRequest{RunRef: ref}
	if req.Submission, err = o.text(a, cmd.Flags().Changed); err != nil {
		return err
	}
	return deliver(ctx, a, wire.SessionSubmit, req, req.Submission)
}

// text is the delivery as it is sent: the file as it is, or what the flags say.
func (o *submitOptions) text(a *app, typed func(string) bool) (string, error) {
	if o.file != "" {
		for _, flag := range []string{"effect", "phase", "iteration", "done", "progress", "blocked", "message", "evidence"} {
			if typed(flag) {
				return "", render.Exclusive("--file", "--"+flag)
			}
		}
		return a.readText("the delivery", o.file, wire.MaxSubmission)
	}
	claims := 0
	sub := wire.Submission{V: 1, Effect: o.at.effect, Phase: o.at.phase, Iteration: o.at.iteration, Summary: o.summary}
	for _, c := range []struct {
		claim string
		given bool
	}{{"done", o.done}, {"progress", o.progress}, {"blocked", typed("blocked")}} {
		if c.given {
			sub.Claim = c.claim
			claims++
		}
	}
	if claims != 1 {
		return "", render.OneClaim(claims)
	}
	sub.Reason = o.blocked
	for _, e := range o.evidence {
		at, detail, _ := strings.Cut(e, "=")
		sub.Evidence = append(sub.Evidence, wire.EvidenceRef{Ref: at, Detail: detail})
	}
	b, err := json.Marshal(sub)
	return string(b), err
}
