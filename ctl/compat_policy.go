package ctl

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	rules "autopilot/ctl/policy"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newPolicy(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "policy FUNCTION <JSON | policy --batch",
		Short: "Rules of session-orchestrator, one function a call",
		Long: `Answers one rule of session-orchestrator: its input is a JSON object on standard input,
its result is JSON on standard output. A call that has no answer is refused with exit
code 2 and the reason on standard error. It needs no daemon and changes nothing.

With --batch each line is a call, {"id": ..., "fn": "NAME", "input": {...}}, and each is
answered by a line with the same id, and result or error. Start it once for many calls.

What JSON cannot write: {"$":"NaN"}, {"$":"Infinity"}, {"$":"-Infinity"},
{"$":"undefined"}. A member that is left out is undefined.

` + policyTable(),
		Example: `  apctl compat policy --help
  echo '{"fn":"use","input":{"confidence":0.72}}' | apctl compat policy --batch`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") || len(args) == 0 && a.InIsTTY {
				return cmd.Help()
			}
			return status(a.policy(args))
		},
	}
}

func policyTable() string {
	var b strings.Builder
	for _, f := range rules.Functions() {
		b.WriteString("  " + f.Name + "\n        " + f.Short + "\n        of: " + f.Takes + "\n")
	}
	return b.String()
}

// policyCall says that these arguments are a call of a rule: a skill makes many, so none
// waits for all the other commands to be described.
func policyCall(args []string) ([]string, bool) {
	if len(args) != 3 || args[0] != "compat" || args[1] != "policy" || strings.HasPrefix(args[2], "-") && args[2] != "--batch" {
		return nil, false
	}
	return args[2:], true
}

// mostPolicy bounds a call of a rule.
const mostPolicy = 64 << 20

// policy answers one call or a batch, and returns the exit code.
func (a *app) policy(args []string) int {
	var err error
	switch {
	case len(args) != 1:
		err = render.PolicyUsage()
	case args[0] == "--batch":
		err = a.policyBatch()
	default:
		err = a.policyOne(args[0])
	}
	if err == nil {
		return wire.ExitDone
	}
	a.note(render.PolicyError(err))
	if refused, ok := errors.AsType[*rules.Refusal](err); ok && refused != nil {
		return wire.ExitUsage
	}
	return wire.ExitFailed
}

func (a *app) policyOne(name string) error {
	text, err := a.readText("the call", "-", mostPolicy)
	if err != nil {
		return err
	}
	out, err := rules.Call(name, []byte(text))
	if err != nil {
		return err
	}
	return a.say(string(out) + "\n")
}

// policyBatch answers lines. What was answered is written before it waits for another one.
func (a *app) policyBatch() error {
	in := bufio.NewReaderSize(a.In, 64<<10)
	out := bufio.NewWriterSize(a.Out, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			if _, err := out.Write(rules.Answer(line)); err != nil {
				return err
			}
		}
		if in.Buffered() == 0 || err != nil {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
