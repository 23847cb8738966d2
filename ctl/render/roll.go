package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Rolling says what takes long.
func Rolling() string { return "proving the log and writing the bundle ...\n" }

// Rolled says what a roll did, or would do.
func (s Style) Rolled(v wire.RollView) string {
	if v.Runs == 0 {
		return "nothing to roll: no run in the log is over\n"
	}
	var b strings.Builder
	head := "began generation %d of the log"
	if v.DryRun {
		head = "would begin generation %d of the log"
	}
	fmt.Fprintf(&b, head+"\n", v.To)
	fmt.Fprintf(&b, "  %s over: into a bundle, still listed and readable\n", count(v.Runs, "run"))
	if v.Carried > 0 {
		fmt.Fprintf(&b, "  %s not over: in the new log as in the old one\n", count(v.Carried, "run"))
	}
	return b.String()
}

// NotRolled is a roll that was refused, or has failed, before it changed
// anything.
func NotRolled(why string) *wire.Error {
	if why == "" {
		why = "the daemon was started anew without a word about it"
	}
	return &wire.Error{
		Code: wire.Failed, Message: "the log was not rolled, and is as it was: " + Line(why), Hint: "apctl daemon logs",
	}
}

// NotRestarted is a service that its manager does not start again. What is to be
// done at its start is done then.
func NotRestarted(problem string) *wire.Error {
	return &wire.Error{
		Code: wire.Failed, Message: "the daemon was not started again; it rolls when it is\nthe service manager says: " + Line(problem),
		Hint: "apctl daemon logs",
	}
}
