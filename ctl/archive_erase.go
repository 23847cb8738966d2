package ctl

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

func newArchiveErase(a *app) *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "erase RUN",
		Short: "Remove what a run has written, for good",
		Long: `Removes the texts of a run that no other run has (task, prompts, findings, notes,
output), what its agents and gates printed, and its recorded trees. It cannot be
taken back. The events stay, so that what happened and in which order can still
be proven; they hold no text. What the run has done to your files stays too, and
so do transcripts that an agent keeps itself.

It needs a person at a terminal, who types the handle of the run, or the PIN
where one is set. Without a terminal, and when anything else is typed, nothing
changes and the exit code is 13. A run that is live or halted has to be cancelled
before.`,
		Example:           "  apctl archive erase k3xq --dry-run\n  apctl archive erase k3xq",
		Args:              eraseArgs,
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runArchiveErase(cmd.Context(), a, dry, args[0]) },
	}
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would be removed, and remove nothing")
	return a.jsonFlag(cmd)
}

func eraseArgs(cmd *cobra.Command, args []string) error {
	if err := runAnd(0)(cmd, args); err != nil {
		return err
	}
	if len(args) == 0 {
		return render.EraseWhat()
	}
	return nil
}

func runArchiveErase(ctx context.Context, a *app, dry bool, name string) error {
	if a.getenv(place.EnvEffect) != "" && !dry {
		return render.DecidesNothing()
	}
	req := wire.EraseRequest{RunRef: wire.RunRef{Run: name}}
	var v wire.EraseView
	if err := ask(ctx, a, wire.ArchiveErase, req, &v); err != nil {
		return err
	}
	if !dry && !v.Nothing() {
		typed, pin, err := a.proof(v.PIN, func(s render.Style) string { return s.EraseAsk(v) })
		if err != nil {
			return unasked(err, func(why error) error { return render.NotErased(v, why.Error()) })
		}
		if !strings.EqualFold(typed, v.Run) && pin == "" {
			return render.NotTyped(v, typed)
		}
		req.Run, req.Typed, req.PIN, v = v.ID, typed, pin, wire.EraseView{}
		if err := ask(ctx, a, wire.ArchiveErase, req, &v); err != nil {
			return err
		}
	}
	return a.answer(wire.SchemaErase, v, func(s render.Style) string { return s.Erased(v, dry) })
}
