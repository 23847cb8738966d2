package ctl

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

func newDoctor(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what could go wrong here",
		Long: `Looks at agents, PATH, git and the work tree, disk, file system, event store,
clock and limits of the system, the worst first, each with how to mend it. What
could not be looked at is unknown, which is not well.

Exits 1 if there is an error, else 0: notes and warnings are counted. When no
daemon answers it looks without one and says why.`,
		Example:           "  apctl doctor\n  apctl doctor -C ~/src/thing --json",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a, dir) },
	}
	cmd.Flags().StringVarP(&dir, "directory", "C", "", "look at `DIR`, not here")
	_ = cmd.MarkFlagDirname("directory")
	return a.jsonFlag(cmd)
}

func runDoctor(ctx context.Context, a *app, dir string) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	at, err := a.workspace(dir)
	if err != nil {
		return err
	}
	v, err := a.examine(ctx, at)
	if err != nil {
		return err
	}
	if err := a.answer(wire.SchemaDoctor, v, func(s render.Style) string { return s.Doctor(v) }); err != nil {
		return err
	}
	for _, f := range v.Findings {
		if f.Level == wire.LevelError {
			return exitStatus(wire.ExitFailed)
		}
	}
	return nil
}

// examine asks the daemon, or looks without one.
func (a *app) examine(ctx context.Context, dir string) (wire.DoctorView, error) {
	var v wire.DoctorView
	env, err := runEnv(a.Environ, nil)
	if err != nil {
		return v, err
	}
	defer a.saySoon(render.Examining())()
	why := a.askDoctor(ctx, wire.DoctorRequest{Workspace: dir, Env: env}, &v)
	if why == nil {
		return v, nil
	}
	if v, err = a.Examine(ctx, dir); err != nil {
		return v, errors.Join(why, err)
	}
	v.Findings = append([]wire.DoctorFinding{noDaemon(why)}, v.Findings...)
	return v, nil
}

// askDoctor asks once: what it looks at changes nothing, and an answer that does
// not come is a finding too.
func (a *app) askDoctor(ctx context.Context, req wire.DoctorRequest, v *wire.DoctorView) error {
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin,
		render.Timeout("the daemon did not look", render.Duration(answerWithin)).WithHint("apctl daemon logs"))
	defer cancel()
	return client.Call(ctx, d, wire.Doctor, req, v)
}

// noDaemon is why no daemon has answered, as the first finding.
func noDaemon(why error) wire.DoctorFinding {
	f := wire.DoctorFinding{Topic: "daemon", Level: wire.LevelError, What: why.Error(), Fix: "apctl daemon start"}
	var e *wire.Error
	if errors.As(why, &e) && e.Hint != "" {
		f.Fix, _, _ = strings.Cut(e.Hint, "\n")
	}
	return f
}
