package ctl

import (
	"context"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type resumeOptions struct {
	note   string
	detach bool
	keep   bool
}

func newResume(a *app) *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Go on with a halted run, with a note for the agent",
		Long: `Goes on with a halted run. The note is put before the agent in its next
prompt, and gives the run its full budget again. A run that waits for a limit
tries again at once. No RUN means the latest of this directory.`,
		Example:           "  apctl resume -m 'the bug is in parse.go'\n  apctl resume k3xq -d",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeHalted,
		RunE:              func(cmd *cobra.Command, args []string) error { return runResume(cmd.Context(), a, o, args) },
	}
	cmd.Flags().StringVarP(&o.note, "message", "m", "", "`NOTE` for the agent: an answer, or another approach")
	cmd.Flags().BoolVarP(&o.detach, "detach", "d", false, "do not follow it")
	cmd.Flags().BoolVar(&o.keep, "keep", false, "INT or TERM without a terminal leaves the run to itself")
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
	defer a.hear()()
	var v wire.RunView
	if err := a.ask(ctx, wire.RunResume, wire.ResumeRequest{RunRef: a.ref(args), Note: o.note}, &v); err != nil {
		return err
	}
	if !a.json {
		a.note(a.style(a.Err).Resumed(v))
	}
	return a.goOn(ctx, v, v.Seq, o.detach, o.keep)
}
