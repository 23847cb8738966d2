package ctl

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/omx"
	"autopilot/ctl/render"
	rules "autopilot/projections/omx"
)

func newOmx(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "omx",
		Short: "oh-my-codex: the state of its modes, with its gates in code",
		Long: `The state files of oh-my-codex, as its skill, its hooks and its HUD read and write
them, with its gates in code: a write that lacks evidence is refused and says what is
missing. Only export needs the daemon.`,
		Example: "  apctl compat omx state read --mode autopilot --json\n  apctl compat omx autopilot start --task \"add a search box\"\n  apctl compat omx cancel",
		Args:    group,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newOmxState(a), newOmxAutopilot(a), newOmxCancel(a), newOmxUltragoal(a), newOmxImport(a), newOmxExport(a), newOmxObserve(a),
		newOmxHook(), newOmxInstall(a), newOmxUninstall(a))
	return cmd
}

func newOmxState(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "state read|write|clear|list-active|get-status [--input JSON|--input-file FILE] [--mode MODE] [--json]",
		Short: "Read and write the state of a mode",
		Long: `Reads and writes .omx/state/MODE-state.json, or the file of a session, with the
arguments and answers of omx state. The JSON is one object: mode, session_id, workingDirectory, and
the members to set, at the top or in "state". --mode wins over the one in it. Answers go
to standard output; {"error": ...} goes to standard error, with exit code 1.

A write of autopilot that skips a gate is refused, and the file stays as it was; so are
an unknown phase, counters that a caller sets, and a file that cannot be read as JSON.
With --profile advisory (write) it succeeds as in oh-my-codex 0.21.6, with "advisory".

  read         the state, or {"exists":false}
  write        sets members; hand-overs are merged one by one
  clear        removes the state; "all_sessions": true in the JSON: in all sessions
  list-active  the modes that are active
  get-status   all states, or only the one of --mode`,
		Example: `  apctl compat omx state read --mode autopilot --json
  apctl compat omx state write --input '{"mode":"autopilot","active":true,"current_phase":"deep-interview"}' --json
  apctl compat omx state clear --mode ralph
  apctl compat omx state get-status`,
		DisableFlagParsing: true,
		RunE:               func(cmd *cobra.Command, args []string) error { return a.omxCommand(cmd, "state", args) },
	}
}

func newOmxAutopilot(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "autopilot start|status|next|advance [--task TEXT] [--to PHASE] [--handoff-json JSON|FILE] [--session ID] [--json]",
		Short: "Start autopilot for a task, and hand its phases over",
		Long: `Does what omx autopilot does, on the state of mode autopilot:

  start --task TEXT   begins a run at the interview; one that is active is left as it is
  status, next        the phase, and the skill that is next
  advance --to ralplan|ultragoal --handoff-json JSON|FILE
                      sets the members of the JSON, and goes to that phase

A phase without the evidence of the one before it is refused, with exit code 1. With
--profile advisory start and advance do what oh-my-codex 0.21.6 does.`,
		Example: `  apctl compat omx autopilot start --task "add a search box" --json
  apctl compat omx autopilot next
  apctl compat omx autopilot advance --to ralplan --handoff-json handoff.json`,
		DisableFlagParsing: true,
		RunE:               func(cmd *cobra.Command, args []string) error { return a.omxCommand(cmd, "autopilot", args) },
	}
}

func newOmxCancel(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel [--force]",
		Short: "End all modes that are active in this session",
		Long: `Ends every mode that is active in the session of the caller; without a session, every
mode at the root. Their phase is cancelled, what was recorded stays, and autopilot can
go on from its phase. Other sessions are not touched. If a state cannot be read, nothing
ends. --force also forgets what the stop hook of oh-my-codex remembers of the session.`,
		Example:            "  apctl compat omx cancel",
		DisableFlagParsing: true,
		RunE:               func(cmd *cobra.Command, args []string) error { return a.omxCommand(cmd, "cancel", args) },
	}
}

// omxCommand is the way of a call through the tree of commands: help, and what is no
// call.
func (a *app) omxCommand(cmd *cobra.Command, verb string, args []string) error {
	if helps(verb, args) {
		return cmd.Help()
	}
	return status(a.omx(verb, args))
}

// helps says that arguments ask for help, wherever the word stands (lesson O43: help has
// no effect).
func helps(verb string, args []string) bool {
	if len(args) == 0 {
		return verb != "cancel"
	}
	return args[0] == "help" || slices.ContainsFunc(args, func(s string) bool { return s == "--help" || s == "-h" })
}

// omxCall says that these arguments are a call on the states of oh-my-codex: hooks make
// many, so none of them waits for all the other commands to be described.
func omxCall(args []string) (verb string, rest []string, ok bool) {
	if len(args) < 3 || args[0] != "compat" || args[1] != "omx" {
		return "", nil, false
	}
	verb, rest = args[2], args[3:]
	return verb, rest, slices.Contains([]string{"state", "autopilot", "cancel"}, verb) && !helps(verb, rest)
}

// omx makes a call and returns its exit code.
func (a *app) omx(verb string, args []string) int {
	var err error
	switch verb {
	case "state":
		err = a.omxState(args)
	case "autopilot":
		err = a.omxAutopilot(args)
	case "cancel":
		err = a.omxCancel(args)
	}
	if err == nil {
		return 0
	}
	var failed *stateError
	if errors.As(err, &failed) {
		a.note(string(failed.payload) + "\n")
	} else {
		a.note(render.OmxError(err))
	}
	return 1
}

// stateError is an error that is an answer in JSON.
type stateError struct{ payload []byte }

func (e *stateError) Error() string { return string(e.payload) }

// answered is an error as omx state answers it.
func answered(err error, compact bool) error {
	if err == nil {
		return nil
	}
	o := rules.Object{}.Set("error", render.OmxReason(err))
	var g *rules.Gap
	if errors.As(err, &g) {
		o = o.Set("skippedGate", g.Gate).Set("missingEvidence", g.Missing)
	}
	return &stateError{printed(o, compact)}
}

func printed(o rules.Object, compact bool) []byte {
	if compact {
		return o.Compact()
	}
	return o.Indented()
}

// open finds the states that a call means.
func (a *app) openOmx(dir string) (*omx.Store, error) {
	return omx.Open(omx.Options{Dir: a.Dir, Of: dir, Environ: a.Environ, Now: a.Now()})
}

// omxCancel ends the active modes, and names them.
func (a *app) omxCancel(args []string) error {
	for _, arg := range args {
		if arg != "--force" || len(args) > 1 {
			return render.OmxUsage("cancel", "unknown argument %q", arg)
		}
	}
	s, err := a.openOmx("")
	if err != nil {
		return err
	}
	ended, err := s.Cancel("", len(args) == 1)
	var b strings.Builder
	for _, mode := range ended {
		b.WriteString("Cancelled: " + mode + "\n")
	}
	if err == nil && len(ended) == 0 {
		b.WriteString("No active modes to cancel.\n")
	}
	return errors.Join(err, a.say(b.String()))
}
