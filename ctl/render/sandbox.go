package render

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
)

// says is a mode in words.
var says = map[events.Sandbox]string{
	events.SandboxOff:       "nothing is confined",
	events.SandboxGuard:     "the daemon and what acts for you elsewhere are hidden",
	events.SandboxWorkspace: "guard, and writes stay in the work tree and what tools need",
	events.SandboxReadOnly:  "guard, and nothing of the work tree can be written",
}

// Sandbox is what a command may touch.
func (s Style) Sandbox(v wire.SandboxView) string {
	lines := func(list []string) string {
		out := make([]string, len(list))
		for i, l := range list {
			out[i] = Line(l)
		}
		return strings.Join(out, "\n")
	}
	var lacking []string
	for _, l := range v.Lacking {
		lacking = append(lacking, l.What+": "+l.Why)
	}
	writable := lines(v.Writable)
	if !v.Restricted {
		writable = "all else that is yours"
	}
	return s.paint(bold, Line(string(v.Mode))) + "  " + says[v.Mode] + "\n" + s.facts([][2]string{
		{"workspace", Line(v.Workspace)},
		{"command", strings.Join(quoted(v.Argv), " ")},
		{"program", Line(v.Program)},
		{"problem", Line(v.Problem)},
		{"hidden", lines(v.Hidden)},
		{"emptied", lines(v.Emptied)},
		{"shown", lines(v.Shown)},
		{"allowed", lines(v.Allowed)},
		{"read-only", lines(v.ReadOnly)},
		{"in place", lines(v.Fixed)},
		{"writable", writable},
		{"lacking", lines(lacking)},
	})
}

// BadSandbox is a mode that is none.
func BadSandbox(flag, typed string) *wire.Error {
	return &wire.Error{
		Code: wire.Usage, Message: flag + ": " + Line(typed) + " is not a mode",
		Hint: "give off, guard, workspace or readonly",
	}
}

// NothingToRun is --run without a command.
func NothingToRun() *wire.Error {
	return &wire.Error{Code: wire.Usage, Message: "--run needs a command", Hint: "apctl agent sandbox --run -- npm test"}
}

// NoProgram is a command whose program is not there.
func NoProgram(v wire.SandboxView) *wire.Error {
	return &wire.Error{Code: wire.NotFound, Message: Line(v.Problem), Hint: "give the path of a program, or one on your PATH"}
}
