package ctl

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/atdd"
	"autopilot/ctl/render"
	"autopilot/events/place"
)

// sawCall says that these arguments tell of a call that atdd-kit's own function has
// answered: compat atdd saw CODE FUNCTION ARGUMENT...
func sawCall(args []string) (code int, call []string, ok bool) {
	if len(args) < 5 || args[0] != "compat" || args[1] != "atdd" || args[2] != "saw" {
		return 0, nil, false
	}
	code, err := strconv.Atoi(args[3])
	return code, args[4:], err == nil
}

// sawWithin bounds what a skill waits for: it is to run as before.
const sawWithin = 5 * time.Second

// saw keeps what was answered, and what would have been here. It says nothing and
// never fails: a skill that is disturbed is worse than a call that was not seen.
func (a *app) saw(ctx context.Context, code int, call []string) {
	if a.getenv(place.EnvEffect) != "" {
		return // what a run does is recorded by the daemon
	}
	ctx, cancel := context.WithTimeout(ctx, sawWithin)
	defer cancel()
	p, err := a.FindPlaces()
	if err != nil {
		return
	}
	v, ok := atdd.Saw(ctx, atdd.Call{Function: call[0], Args: call[1:], In: a.In, Environ: a.Environ, Dir: a.Dir, Now: a.Now()}, code)
	if ok && ctx.Err() == nil {
		_ = atdd.Keep(p.State, v)
	}
}

func newRailsShell(a *app) *cobra.Command {
	var observe bool
	cmd := &cobra.Command{
		Use:   "shell [DIR]",
		Short: "A bash file with the functions of that library",
		Long: `Prints a file for bash that defines fingerprint, record_iteration, check_stuck and
the other functions of atdd-kit's convergence library, each as a call of this
program. Put in the place of lib/autopilot_convergence.sh, the skill sources it
unchanged.

With --observe the functions are atdd-kit's own, from the library in DIR (a project, a
plugin or the file; no DIR: here and above): the skill runs as before, and this program
records what it would have answered. apctl compat atdd observe shows that. Put such a
file beside the library, or let install --observe do it.`,
		Example: "  apctl compat atdd shell >lib/autopilot_convergence.sh\n  apctl compat atdd shell --observe >lib/watched.sh",
		Args:    upTo(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.runShell(args, observe) },
	}
	cmd.Flags().BoolVar(&observe, "observe", false, "keep atdd-kit's own functions, and record what apctl would have answered")
	return cmd
}

func (a *app) runShell(args []string, observe bool) error {
	program, err := a.Program()
	switch {
	case err != nil:
		return err
	case !observe && len(args) > 0:
		return render.ShellTakesNoDir()
	case !observe:
		return a.say(atdd.Shell(program))
	}
	l, err := a.findLibrary(args)
	if err != nil {
		return err
	}
	e, err := l.install(program, true)
	if err != nil {
		return err
	}
	original := l.kept
	if e.keep { // it is where it was
		original = l.file
	}
	return a.say(atdd.ShellObserved(program, original))
}

func newSaw() *cobra.Command {
	return &cobra.Command{
		Use:    "saw CODE FUNCTION [ARGUMENT...]",
		Short:  "What a function of atdd-kit has answered, told by the file of shell --observe",
		Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}
