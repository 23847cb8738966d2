package ctl

import (
	"bufio"
	"strings"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// confirm shows what is about to be done and asks for a yes, unless yes was
// given. Where nobody can be asked it refuses, and a no ends the command.
func (a *app) confirm(yes bool, what func(render.Style) string) error {
	if yes {
		return nil
	}
	if !a.InIsTTY || a.json {
		return render.NeedsYes()
	}
	s := a.style(a.Err)
	a.note(what(s) + s.Ask("Go on?"))
	line, _ := bufio.NewReader(a.In).ReadString('\n') // the end of input is a no
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	a.note(render.NothingChanged())
	return exitStatus(wire.ExitCancelled)
}
