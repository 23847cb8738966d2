package ctl

import (
	"strings"
	"testing"

	"autopilot/ctl/render"
)

func TestAYesIsAskedForAtATerminalOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		yes    bool
		tty    bool
		json   bool
		typed  string
		wantOK bool
		says   string
	}{
		{name: "given", yes: true, wantOK: true},
		{name: "typed", tty: true, typed: "y\n", wantOK: true, says: "Go on? [y/N] "},
		{name: "typed in full", tty: true, typed: " YES \n", wantOK: true},
		{name: "no", tty: true, typed: "n\n", says: "nothing was changed"},
		{name: "nothing", tty: true, typed: "\n", says: "nothing was changed"},
		{name: "end of input", tty: true, says: "nothing was changed"},
		{name: "nobody there"},
		{name: "a program", tty: true, json: true, typed: "y\n"},
	} {
		w := newWorld(t, &fakeDaemon{})
		w.In, w.InIsTTY = strings.NewReader(c.typed), c.tty
		a := &app{World: w.World, json: c.json}
		err := a.confirm(c.yes, func(render.Style) string { return "takes 3 files back\n" })
		if (err == nil) != c.wantOK {
			t.Errorf("%s: %v", c.name, err)
		}
		if !strings.Contains(w.err.String(), c.says) {
			t.Errorf("%s: it says %q", c.name, w.err.String())
		}
	}
}
