package ctl

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/atdd"
	"autopilot/ctl/render"
)

func newCompat(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compat",
		Short: "Keep the skills of other autopilot systems working",
		Long: `What the skills of other systems keep in files of their own, done by this program:
their rails in code, their logs from what the daemon has recorded.`,
		Example: "  apctl compat atdd shell >lib/autopilot_convergence.sh",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	kit := &cobra.Command{
		Use:   "atdd",
		Short: "atdd-kit: rails, audit log, pins",
		Long: `The autopilot of atdd-kit: its convergence rails on its own log and pin files, what
these files say, and the files that it would have kept of a run.`,
		Example: "  apctl compat atdd observe docs/issues/24-search -f\n  apctl compat atdd install --dry-run\n  apctl compat atdd export",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	kit.AddCommand(newRails(a), newRailsShell(a), newAtddInstall(a), newAtddUninstall(a), newAtddExport(a), newAtddImport(a), newAtddObserve(a), newSaw())
	cmd.AddCommand(kit, newOmx(a), newPolicy(a))
	return cmd
}

func newRails(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rails FUNCTION [ARGUMENT...]",
		Short: "One function of atdd-kit's convergence library",
		Long: `Does what the function of that name does in lib/autopilot_convergence.sh, with the
same arguments. It needs no daemon and says nothing where all is well. Exit codes: 0 go
on, 1 the rail fired, 2 invalid input, 3 corrupt log; all but 0 are a halt.

` + railTable() + `
Other than there, a blank payload has no fingerprint, a window is 2 or more, a verdict
is PASS or FAIL, findings are a JSON list with an evidence_ref each, no argument is
missing or one too many, a log that is not a regular file is corrupt, the implementation is another commit
than the tests and the one that the row names, and rows are read as JSON.`,
		Example:            "  apctl compat atdd rails fingerprint <payload.json\n  apctl compat atdd rails check-sameness autopilot-log.jsonl running-atdd-cycle",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{""} // never 0: a rail that was not named has not said go on
			}
			if args[0] == "--help" || args[0] == "-h" {
				return cmd.Help()
			}
			return status(a.rail(cmd.Context(), args))
		},
	}
}

func railTable() string {
	var b strings.Builder
	for _, f := range atdd.Functions() {
		fmt.Fprintf(&b, "  %s %s\n        %s\n", f.Name, f.Usage, f.Short)
	}
	return b.String()
}

// railCall says that these arguments are a call of one function: a skill makes
// several at each iteration, so none of them waits for all the other commands to be
// described.
func railCall(args []string) ([]string, bool) {
	if len(args) < 4 || args[0] != "compat" || args[1] != "atdd" || args[2] != "rails" || strings.HasPrefix(args[3], "-") {
		return nil, false
	}
	return args[3:], true
}

// rail calls a function, and returns its exit code.
func (a *app) rail(ctx context.Context, args []string) int {
	out, err := atdd.Run(ctx, atdd.Call{
		Function: args[0], Args: args[1:], In: a.In, Environ: a.Environ, Dir: a.Dir, Now: a.Now(),
	})
	if err == nil {
		err = a.say(out)
	}
	if err != nil {
		a.note(render.Rail(args[0], err))
	}
	return atdd.Exit(err)
}
