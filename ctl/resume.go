package ctl

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type resumeOptions struct {
	note   string
	file   string // of findings
	phase  string
	detach bool
	keep   bool
}

func newResume(a *app) *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:        "resume [RUN]",
		SuggestFor: []string{"continue", "retry"},
		Short:      "Go on with a halted run, with a note for the agent",
		Long: `Goes on with a halted run. The note is put before the agent in its next
prompt, and gives the run its full budget again. A run that waits for a limit
tries again at once. No RUN means the latest of this directory.

A run that was halted by drift has changed what proves its work: put that back
first. To let it go on needs a person at a terminal, who types its handle, or the
PIN where one is set.`,
		Example:           "  apctl resume -m 'the bug is in parse.go'\n  apctl resume k3xq -d",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeHalted,
		RunE:              func(cmd *cobra.Command, args []string) error { return runResume(cmd.Context(), a, o, args) },
	}
	cmd.Flags().StringVarP(&o.note, "message", "m", "", "`NOTE` for the agent: an answer, or another approach")
	cmd.Flags().StringVar(&o.file, "findings", "", "hand over the findings in `FILE`, - is standard input; see apctl help findings")
	cmd.Flags().StringVar(&o.phase, "phase", "", "with --findings: the `PHASE` that works on them, else the first that works")
	cmd.Flags().BoolVarP(&o.detach, "detach", "d", false, "do not follow it")
	cmd.Flags().BoolVar(&o.keep, "keep", false, "the run continues after INT or TERM without a terminal")
	return a.jsonFlag(cmd)
}

func runResume(ctx context.Context, a *app, o resumeOptions, args []string) error {
	if err := checkText("the note", o.note); err != nil {
		return err
	}
	if len(o.note) > maxNote {
		return render.TooLarge("the note", int64(len(o.note)), maxNote)
	}
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	req := wire.ResumeRequest{RunRef: a.ref(args), Note: o.note, Phase: o.phase}
	var err error
	if req.Findings, err = a.findingsIn(o.file); err != nil {
		return err
	}
	defer a.hear()()
	var v wire.RunView
	err = ask(ctx, a, wire.RunResume, req, &v)
	if err = a.afterDrift(ctx, req, &v, err); err != nil {
		return err
	}
	if !a.json {
		a.note(a.style(a.Err).Resumed(v))
	}
	return a.goOn(ctx, v, v.Seq, o.detach, o.keep)
}

// afterDrift has a person at the terminal prove that a run which was halted by
// drift shall go on, and asks again. Any other error stays.
func (a *app) afterDrift(ctx context.Context, req wire.ResumeRequest, v *wire.RunView, err error) error {
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != wire.NeedsPerson || !a.interactive() {
		return err
	}
	var halted wire.RunView
	var set wire.PINView
	proves := []string{string(events.HaltDrift), string(events.HaltGit), string(events.HaltUnproven)}
	if ask(ctx, a, wire.RunGet, req.RunRef, &halted) != nil || !slices.Contains(proves, halted.Reason) ||
		ask(ctx, a, wire.PINStatus, wire.None{}, &set) != nil {
		return err
	}
	typed, pin, asked := a.proof(set.Set, func(s render.Style) string { return s.DriftAsk(halted, set.Set) })
	switch {
	case asked != nil:
		return unasked(asked, func(why error) error { return render.NotResumed(halted, why.Error()) })
	case typed == "" && pin == "":
		return render.NotResumed(halted, "nothing was typed")
	case pin == "" && !strings.EqualFold(typed, halted.Handle):
		return render.NotResumed(halted, "that is not "+halted.Handle)
	}
	req.Run, req.Typed, req.PIN = halted.ID, typed, pin
	return ask(ctx, a, wire.RunResume, req, v)
}
