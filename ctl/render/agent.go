package render

import (
	"strings"

	"autopilot/events/wire"
)

// AgentList is agent ls: what there is, and whether it could work here.
func (s Style) AgentList(v wire.AgentsView) string {
	rows := [][]string{{"AGENT", "PROGRAM", "LOGIN", "FROM", "VERIFIED"}}
	for _, a := range v.Agents {
		program := "not found"
		if a.Program != "" {
			program = Line(a.Program)
		}
		if a.Full {
			program += ", permissions full"
		}
		verified := "no"
		if a.Verified {
			verified = Line(a.VerifiedWith)
		}
		rows = append(rows, []string{Line(a.Name), s.cut(program, 36), loggedIn(a, false), Line(a.Origin), verified})
	}
	var b strings.Builder
	for l := range strings.Lines(table(rows)) {
		b.WriteString(s.cut(strings.TrimRight(strings.TrimPrefix(l, "  "), "\n"), s.Width) + "\n")
	}
	return b.String()
}

// origin says where a profile comes from, and with what it was tried.
func origin(a wire.AgentView) string {
	t := Line(a.Origin)
	if a.Verified {
		return t + ", verified with " + Line(a.VerifiedWith)
	}
	return t + ", unverified"
}

// loggedIn is the login of an agent; where says what shows it. It means nothing
// where the program is not.
func loggedIn(a wire.AgentView, where bool) string {
	if a.Program == "" {
		return map[bool]string{false: "-"}[where]
	}
	t := map[string]string{"key": "key", "account": "account", "none": "no login", "unknown": "unknown"}[a.Login]
	if where && a.LoginFrom != "" {
		t += ", by " + Line(a.LoginFrom)
	}
	return t
}

// AgentShow is agent show: the call of a run, as it would be made here.
func (s Style) AgentShow(a wire.AgentView) string {
	program := Line(a.Program)
	if program == "" {
		program = s.paint(yellow, "not found")
	}
	permissions := Line(a.Permissions)
	if a.Full {
		permissions = "full: " + permissions
	}
	prompt := "on standard input"
	if a.Prompt == "file" {
		prompt = "in the file AUTOPILOT_PROMPT_FILE"
	}
	if s.Width <= 0 {
		s.Width = pipedWidth
	}
	text := func(t string) string { return strings.TrimRight(s.narrower(15).wrap(t, ""), "\n") }
	var b strings.Builder
	b.WriteString(s.paint(bold, Line(a.Name)) + "  " + origin(a) + "\n")
	b.WriteString(s.facts([][2]string{
		{"program", program},
		{"version", Line(a.Version)},
		{"login", loggedIn(a, true)},
		{"call", text(Line(strings.Join(quoted(a.Argv), " ")))},
		{"prompt", prompt},
		{"permissions", text(permissions)},
		{"sets", text(Line(strings.Join(a.Env, " ")))},
		{"strips", text(Line(strings.Join(a.Strip, " ")))},
		{"note", text(Line(a.Note))},
	}))
	if strings.Contains(strings.Join(a.Argv, " "), "{box}") {
		b.WriteString("  {box} is the folder of the iteration, with prompt, findings and result\n")
	}
	b.WriteString(s.section("problems", s.agentProblems(a.Problems)))
	return b.String()
}

func (s Style) agentProblems(list []string) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(indent("  ", s.narrower(2).wrap(Line(p), "")))
	}
	return b.String()
}

// AgentCheck is agent check: what each said, and what is wrong.
func (s Style) AgentCheck(v wire.AgentsView) string {
	var b strings.Builder
	for _, a := range v.Agents {
		login := loggedIn(a, true)
		if a.Login == "unknown" && login != "" {
			login = "login " + login
		}
		b.WriteString(s.paint(bold, Line(a.Name)) + "  " + strings.Join(nonempty(s.checked(a), Line(a.Version), login), ", ") + "\n")
		b.WriteString(s.agentProblems(a.Problems))
	}
	return b.String()
}

func (s Style) checked(a wire.AgentView) string {
	switch {
	case a.Program == "":
		return s.paint(yellow, "not found")
	case len(a.Problems) > 0:
		return s.paint(red, "problems")
	}
	return s.paint(green, "ok")
}

// Unused says that the project's file was left out.
func Unused(file string) string {
	return Note(Line(file) + " is not trusted, so no run uses it: apctl trust")
}

// NoSuchAgent is a name that a daemon has not answered.
func NoSuchAgent(name string) *wire.Error {
	return wire.Errorf(wire.NotFound, "the daemon knows no agent %q", name).WithHint("apctl agent ls")
}

// NoAgentFound is agent check where no program of any agent is.
func NoAgentFound() *wire.Error {
	return &wire.Error{
		Code: wire.Failed, Message: "no agent is installed",
		Hint: "install one, as with npm install -g @anthropic-ai/claude-code\nor write an own one: apctl help agents",
	}
}

// TwoAgents is a run with more than one agent.
func TwoAgents() *wire.Error {
	return usage("keep one of --agent, --agent-cmd and --script", "two agents are given")
}

// ProfileOnly is a flag of a profile beside another agent.
func ProfileOnly(flag, other string) *wire.Error {
	return usage("write it into the command, or give --agent NAME", "%s cannot be combined with %s", flag, other)
}

// BadPermissions is a --permissions that is no word of ours.
func BadPermissions(value string) *wire.Error {
	return usage("write --permissions full, or leave it out: the agent then edits files and runs the gates' commands",
		"--permissions %q is not known", value)
}

// FullPermissions says what an agent may do, before it does.
func (s Style) FullPermissions(v wire.RunView) string {
	return Note("permissions are full: " + Line(v.Agent) + " may do anything unasked")
}
