package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Service says what became of the daemon as a service, and what is left to do.
func (s Style) Service(v wire.ServiceView) string {
	var b strings.Builder
	b.WriteString(serviceFile(v))
	if v.DryRun && v.Text != "" {
		b.WriteString(indent("  ", Clean(v.Text)))
	}
	switch {
	case v.Problem != "":
		fmt.Fprintf(&b, "the service manager says: %s\n", Line(v.Problem))
	case v.Active:
		b.WriteString("the daemon runs as a service\n")
	}
	if len(v.Commands) > 0 {
		b.WriteString(s.serviceCommands(v))
	}
	if !v.Linger {
		b.WriteString("to let it run while you are not logged in: loginctl enable-linger\n")
	}
	return b.String()
}

func serviceFile(v wire.ServiceView) string {
	file := Line(v.File)
	switch {
	case v.Installed && v.DryRun && v.Changed:
		return "would write " + file + "\n"
	case v.Installed && v.Changed:
		return "wrote " + file + "\n"
	case v.Installed:
		return file + " is as it should be\n"
	case v.DryRun && v.Changed:
		return "would take away " + file + "\n"
	case v.Changed:
		return "took away " + file + "\n"
	}
	return "no service is installed: there is no " + file + "\n"
}

func (s Style) serviceCommands(v wire.ServiceView) string {
	head := "run later, where your session has a service manager:\n"
	if v.DryRun {
		head = "would run:\n"
	}
	return head + indent("  ", Clean(strings.Join(v.Commands, "\n")))
}

// ForeignService is a file where the service belongs, of somebody else.
func ForeignService(file string) *wire.Error {
	return &wire.Error{
		Code: wire.Conflict, Message: file + " was not written by apctl daemon install",
		Hint: "look at it, and move it away if it is not needed",
	}
}

// ServiceProgram is a path that no unit can name.
func ServiceProgram(path string) *wire.Error {
	return usage("install autopilot into another directory", "a service cannot name %q: it holds quotes, backslashes or line ends", path)
}

// NoServiceManager is a system without one that is known.
func NoServiceManager(system string) *wire.Error {
	return usage("start autopilotd --idle 0s by what your system has", "on %s there is no service manager that autopilot knows", system)
}

// Notify says what became of each rule.
func (s Style) Notify(v wire.NotifyView) string {
	var b strings.Builder
	for _, r := range v.Results {
		mark := s.paint(green, s.pick("✓", "ok"))
		what := fmt.Sprintf("%d ms", r.MS)
		if !r.OK {
			mark = s.paint(red, s.pick("✗", "x"))
		}
		if r.Note != "" && r.OK {
			what = r.Note
		}
		fmt.Fprintf(&b, "%s %s  %s\n", mark, Line(r.Rule), Line(what))
		if r.Error != "" {
			b.WriteString(indent("    ", Clean(r.Error)))
			if r.Note != "" {
				b.WriteString("    " + Line(r.Note) + "\n")
			}
		}
	}
	return b.String()
}

// NoRules says how to write a rule.
func NoRules(file, on string) string {
	what := "no rule says how you are told"
	if on != "" {
		what = "no rule tells of " + Line(on)
	}
	return what + "; write one into " + Line(file) + ":\n" + `  notify:
    rules:
      - on: [needs_person, halted, done, died]
        desktop: true
      # or: run: COMMAND    (JSON on its standard input)
      #     webhook: URL    (the same JSON, posted)
      #     bell: true      (of the terminal that follows the run)
`
}

// told says what is still to be told, and what did not arrive.
func (s Style) told(n *wire.NotifyStatus) string {
	if n == nil || n.Rules == 0 && n.Waiting == 0 && n.Failed == 0 {
		return ""
	}
	t := count(n.Rules, "rule")
	if n.Waiting > 0 {
		t += fmt.Sprintf(", %d to be told", n.Waiting)
	}
	if n.Failed > 0 {
		t += fmt.Sprintf(", %d given up", n.Failed)
	}
	if n.Error != "" {
		t += ": " + Line(n.Error)
	}
	return t
}

func startedBy(service string) string {
	if service == "" {
		return "none: started on demand"
	}
	return Line(service)
}
