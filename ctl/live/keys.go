package live

import "autopilot/ctl/render"

// binding is a key with what it does and the command line that does the same.
type binding struct{ keys, does, command string }

// bindings names the run in the command lines where one is selected.
func bindings(run string) []binding {
	return []binding{
		{"up down, k j", "select a run", "apctl status " + run},
		{"enter, w", "why: all that is known of it", "apctl why " + run},
		{"l", "what it prints", "apctl logs -f " + run},
		{"!", "only what needs a person", "apctl"},
		{"/", "search; enter keeps it, esc drops it", "apctl ls --all | grep TEXT"},
		{"s", "stop it after this iteration; asks first", "apctl stop " + run},
		{"pgup pgdn", "a page up or down; space, b", "apctl why " + run + " | less"},
		{"home end, g G", "to the start, to the end", "apctl ls --all"},
		{"esc", "back", "apctl ls"},
		{"?", "these keys", "apctl help watch"},
		{"ctrl+z", "to the shell; fg comes back", "apctl watch " + run},
		{"q, ctrl+c", "leave; runs go on", "apctl watch --plain " + run},
	}
}

// name is the handle of the selected run for a command line.
func (m Model) name() string {
	if v, ok := m.current(); ok {
		return render.Line(v.Handle)
	}
	return "RUN"
}

// command is the command line that shows what the screen shows.
func (m Model) command() string {
	switch {
	case m.look.asks != "":
		return "apctl stop " + m.name()
	case m.look.page == pageKeys:
		return "apctl help watch"
	case m.look.page == pageWhy:
		return "apctl why " + m.name()
	case m.look.page == pageLog:
		return "apctl logs -f " + m.name()
	case m.look.typing, m.look.query != "":
		return "apctl ls --all | grep TEXT"
	case m.look.problems:
		return "apctl"
	}
	return "apctl status " + m.name()
}
