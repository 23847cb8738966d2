package ctl

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
	rules "autopilot/projections/omx"
)

func newOmxImport(a *app) *cobra.Command {
	session := ""
	cmd := a.jsonFlag(&cobra.Command{
		Use:   "import [DIR]",
		Short: "What a state of oh-my-codex says, and what it lacks",
		Long: `Reads the state of autopilot in .omx/state of DIR (no DIR: this one), also in the
middle of a phase, and shows the phase, and the evidence that the phases behind it lack
here. Nothing is written. The daemon believes only what it has seen itself, so the run
that goes on with the task begins at the interview, with the files that are there: its
agents adopt the spec and the plan, and architect and critic look at them anew. apctl
answer RUN skip goes past an interview that has nothing more to ask. A state in phase
ralph stays in that lane.`,
		Example: "  apctl compat omx import\n  apctl compat omx import ../notes --json",
		Args:    upTo(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := a.Dir
			if len(args) > 0 {
				dir = a.absolute(args[0])
			}
			return a.omxImport(dir, session)
		},
	})
	cmd.Flags().StringVar(&session, "session", "", "read the state of the session `ID`")
	return cmd
}

func (a *app) omxImport(dir, session string) error {
	if err := sessionOK(session); err != nil {
		return err
	}
	s, err := a.openOmx(dir)
	if err != nil {
		return err
	}
	o, there, gaps, err := s.Unproven(session)
	if err != nil || !there {
		return errors.Join(err, noRun(there || err != nil))
	}
	o = rules.Flatten(o)
	cycle, _, _ := o.Count("review_cycle") // an unreadable counter counts nothing
	v := wire.OmxView{
		Dir: s.Dir, Phase: o.Text("current_phase"), Active: o.True("active"), Task: o.Text("task_description"),
		ReviewCycle: cycle, Missing: []wire.OmxGap{}, Command: "apctl run --workflow omx",
	}
	if rules.Phase(v.Phase) == rules.Ralph {
		v.Command += " --legacy-ralph"
	}
	if slug := rules.SlugOf(o); slug != "" {
		v.Command += " --input slug=" + slug
	}
	v.Command += " " + render.Word(v.Task)
	for _, g := range gaps {
		v.Missing = append(v.Missing, wire.OmxGap{Gate: g.Gate, Missing: g.Missing, Message: g.Message})
	}
	return a.answer(wire.SchemaOmx, v, func(s render.Style) string { return s.Omx(v) })
}

func sessionOK(session string) error {
	if session == "" {
		return nil
	}
	return rules.CheckID(session)
}

func newOmxObserve(a *app) *cobra.Command {
	session, follow := "", false
	cmd := a.jsonFlag(&cobra.Command{
		Use:   "observe [DIR]",
		Short: "Watch oh-my-codex's own skill, and say what would have been refused",
		Long: `The skill of oh-my-codex runs as before; this reads the state of autopilot in .omx/state
of DIR (no DIR: this one) and says of each change whether it would have been refused
here, and why. It changes nothing and holds nothing up: the exit code is 0 whatever it
finds. Without -f it judges the state as it is, as if it had been written at once.`,
		Example: "  apctl compat omx observe -f",
		Args:    upTo(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := a.Dir
			if len(args) > 0 {
				dir = a.absolute(args[0])
			}
			return a.omxObserve(cmd.Context(), dir, session, follow)
		},
	})
	f := cmd.Flags()
	f.StringVar(&session, "session", "", "read the state of the session `ID`")
	f.BoolVarP(&follow, "follow", "f", false, "wait for more, until Ctrl-C or the end of the state")
	return cmd
}

func (a *app) omxObserve(ctx context.Context, dir, session string, follow bool) error {
	if err := sessionOK(session); err != nil {
		return err
	}
	if s, err := a.openOmx(dir); err != nil || !exists(filepath.Dir(s.Base)) {
		return cmp.Or(err, render.NoOmx(dir))
	}
	defer a.hear()()
	var was rules.Object
	first := follow // what is there at first was judged by nobody
	for {
		s, err := a.openOmx(dir) // anew, for its time
		if err != nil {
			return err
		}
		next, changed, refused, err := s.Watch(session, was)
		if err != nil {
			a.note(render.OmxError(err)) // a file that is being written is whole the next time
		}
		if changed && !first {
			if err := a.omxChange(was, next, refused); err != nil {
				return err
			}
		}
		was, first = next, false
		if !follow {
			return noRun(changed || err != nil)
		}
		select {
		case <-a.signals:
			return exitStatus(wire.ExitInterrupted)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

func (a *app) omxChange(was, next rules.Object, refused error) error {
	v := wire.OmxChange{At: a.Now(), From: rules.Flatten(was).Text("current_phase"), To: rules.Flatten(next).Text("current_phase")}
	if refused != nil {
		v.Refused = refused.Error()
	}
	return a.answer(wire.SchemaOmxChange, v, func(s render.Style) string { return s.OmxChange(v) })
}
