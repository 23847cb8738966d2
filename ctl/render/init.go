package render

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// ConfigExists refuses to replace a configuration.
func ConfigExists(path string) *wire.Error {
	return &wire.Error{
		Code: wire.Conflict, Message: path + " exists; nothing was changed",
		Hint: "apctl config check   reads it\napctl init --force   replaces it",
	}
}

// NoInit is a configuration that cannot be written.
func NoInit(path string, err error) *wire.Error {
	return &wire.Error{
		Code: wire.Failed, Message: fmt.Sprintf("%s cannot be written: %v", path, err),
		Hint: "check owner and mode of the directory; neither the file nor its directory may be a link",
	}
}

// BadInit is a configuration that init wrote and that cannot be used.
func BadInit(path string, p wire.ConfigProblem) *wire.Error {
	return &wire.Error{
		Code: wire.Failed, Message: fmt.Sprintf("%s was written, but line %d cannot be used: %s", path, p.Line, p.Message),
		Hint: "correct it, then apctl config check",
	}
}

// MayRun asks before commands of a project are run.
func (s Style) MayRun() string {
	return "\nGates have build caches of their own, so the first time is slow.\n" +
		"Run them once now, as a run would? [Y/n] "
}

// NotWritten is init after an interrupt.
func NotWritten() string { return "interrupted: the gates were ended, and nothing was written\n" }

// Word is a text as one word of a command line.
func Word(text string) string { return phrase.Quote(text) }

// Project says what a work tree is made of.
func (s Style) Project(v wire.ProjectView, agent, below string) string {
	var b strings.Builder
	b.WriteString(s.paint(bold, "project") + "  " + Line(v.Root) + "\n")
	if below != "" {
		b.WriteString(s.wrap(Line(below)+" is a part of it; the configuration is for the whole work tree", "  "))
	}
	found := make([][]string, 0, len(v.Found))
	for _, f := range v.Found {
		found = append(found, []string{Line(f.File), s.cut(Line(f.Says), s.room(30))})
	}
	b.WriteString(s.section("found", table(found)))
	if len(v.Dirs) > 0 && v.Near == "" {
		b.WriteString(s.wrap("nothing at the root says how tests are run; these are from the directories below it", "  "))
	}
	b.WriteString(s.section("gates", s.proposals(v)))
	b.WriteString(s.section("tests of other packages", s.others(v)))
	for _, g := range v.Gates {
		b.WriteString(s.HiddenExits(g.Hidden))
	}
	b.WriteString(s.section("agents", s.agents(v.Agents, agent)))
	return b.String()
}

func (s Style) proposals(v wire.ProjectView) string {
	if len(v.Gates) == 0 {
		return "  no test command was found\n"
	}
	return s.proposed(v.Gates)
}

// others are the goals of other packages, as they are typed where gates run.
func (s Style) others(v wire.ProjectView) string {
	if len(v.Others) == 0 {
		return ""
	}
	text := s.proposed(v.Others)
	if v.More > 0 {
		text += fmt.Sprintf("  and %d more\n", v.More)
	}
	return text
}

func (s Style) proposed(gates []wire.ProjectGate) string {
	rows := make([][]string, 0, len(gates))
	for _, g := range gates {
		row := []string{Line(string(g.Name)), Line(string(g.Role)), s.cut(Line(g.Command), s.room(30))}
		if len(g.Missing) > 0 {
			row = append(row, s.paint(red, "not found: "+Line(strings.Join(g.Missing, ", "))))
		}
		rows = append(rows, row)
	}
	return table(rows)
}

func (s Style) agents(agents []wire.AgentView, picked string) string {
	if len(agents) == 0 {
		return "  none is installed; install one of those of apctl agent ls, or use --agent-cmd\n"
	}
	rows := make([][]string, 0, len(agents))
	for _, a := range agents {
		mark := " "
		if a.Name == picked {
			mark = s.pick("▸", ">")
		}
		rows = append(rows, []string{mark + " " + Line(a.Name), s.cut(Line(a.Version), 20), login(a)})
	}
	return table(rows)
}

// login says whether an agent can reach its model.
func login(a wire.AgentView) string {
	from := ""
	if a.LoginFrom != "" {
		from = " (" + Line(a.LoginFrom) + ")"
	}
	switch a.Login {
	case "key":
		return "logged in by key" + from
	case "account":
		return "logged in" + from
	case "none":
		return "not logged in: start it once by hand"
	}
	return "login unknown"
}

// Trying is the line of a gate that runs.
func (s Style) Trying(g wire.GateView, d time.Duration) string {
	head := fmt.Sprintf("  %s %s  %s  ", s.pick("○", "."), Line(g.Name), Age(d))
	return head + s.cut(Line(g.Command), s.room(columns(head)+1))
}

// Bounds of what init shows of a failed gate.
const (
	initFailing = 10
	initLines   = 8
)

// Tried is a gate that was run once.
func (s Style) Tried(f wire.GateTryFrame) string {
	g := f.Gate
	var b strings.Builder
	head := fmt.Sprintf("%s %s  %s, %s", s.sign(g.Verdict), Line(g.Name), redOrGreen(g), s.proof(g))
	b.WriteString("\n" + s.paint(verdictColour(g.Verdict), s.cut(head, s.Width)) + "\n")
	b.WriteString(s.rewrote(f))
	if g.Verdict == string(events.Pass) {
		return strings.TrimPrefix(b.String(), "\n")
	}
	for i, id := range f.Failing {
		if i == initFailing {
			break
		}
		b.WriteString("    " + s.cut(Line(id), s.room(4)) + "\n")
	}
	if more := g.Failing - min(len(f.Failing), initFailing); len(f.Failing) > 0 && more > 0 {
		fmt.Fprintf(&b, "    and %d more\n", more)
	}
	most := initLines
	if len(f.Failing) > 0 {
		most /= 2 // their names say more
	}
	text := strings.TrimRight(strings.ReplaceAll(Clean(f.Excerpt), "\t", "    "), "\n")
	lines := strings.Split(text, "\n")
	for _, l := range lines[max(0, len(lines)-most):] {
		if text != "" {
			b.WriteString("    " + s.paint(dim, strings.TrimRight("| "+s.cut(l, s.room(6)), " ")) + "\n")
		}
	}
	return b.String()
}

// rewrote says which files a gate has rewritten, and what helps: a run would refuse it.
func (s Style) rewrote(f wire.GateTryFrame) string {
	var b strings.Builder
	if len(f.Rewrote) > 0 {
		b.WriteString(s.wrap("it rewrites "+Line(strings.Join(f.Rewrote, ", "))+", which git tracks: let it only check (gofmt -l, prettier --check, ruff check), or write elsewhere", "    "))
	}
	if len(f.Unignored) > 0 {
		b.WriteString(s.wrap("it rewrites "+Line(strings.Join(f.Unignored, ", "))+", which git neither tracks nor ignores", "    "))
		b.WriteString(ignoreAdvice(f.Unignored, "    "))
	}
	return b.String()
}

// ignoreAdvice are lines for .gitignore.
func ignoreAdvice(files []string, prefix string) string {
	lines := phrase.IgnoreLines(files)
	if len(lines) == 0 {
		return ""
	}
	text := prefix + "add to .gitignore:\n"
	for _, l := range lines {
		text += prefix + "  " + Line(l) + "\n"
	}
	return text
}

func redOrGreen(g wire.GateView) string {
	switch events.Verdict(g.Verdict) {
	case events.Pass:
		return "green"
	case events.Fail:
		return "red"
	case events.Unverifiable, events.Skipped, events.Open:
	}
	return "could not be run"
}

// TryMade says what the gates did to the files of the work tree.
func (s Style) TryMade(f wire.GateTryFrame) string {
	var b strings.Builder
	if len(f.Made) > 0 {
		b.WriteString(s.wrap("the gates made "+Line(strings.Join(f.Made, ", ")), "  "))
		b.WriteString(ignoreAdvice(f.Made, "  "))
	}
	if len(f.Changed) > 0 {
		b.WriteString(s.wrap("the gates changed "+Line(strings.Join(f.Changed, ", ")), "  "))
	}
	return b.String()
}

// InitLeft is init whose question got no answer.
func InitLeft() string { return "nothing was written\n" }

// YesOrNo is an answer that is neither.
func YesOrNo() string { return "write y or n\n" }

// InitWrote says what was written.
func (s Style) InitWrote(v wire.InitView) string {
	return "\n" + s.paint(green, s.pick("✓", "ok")) + " wrote " + Line(v.Config) + "\n"
}

// InitEnd says what to know of the file, and how to go on.
func (s Style) InitEnd(v wire.InitView) string {
	var b strings.Builder
	for _, line := range s.initNotes(v) {
		b.WriteString(s.wrap(line, "  "))
	}
	b.WriteString("\n" + s.paint(bold, "next") + "\n")
	for _, n := range v.Next {
		b.WriteString("  " + Line(n) + "\n")
	}
	return b.String()
}

func (s Style) initNotes(v wire.InitView) []string {
	var notes []string
	goals := 0
	for _, g := range v.Project.Gates {
		if g.Role == events.RoleGoal && len(g.Missing) == 0 {
			goals++
		}
	}
	switch {
	case len(v.Project.Gates) == 0:
		notes = append(notes, "no test command was found: open the file and fill in the gate test")
	case goals == 0:
		notes = append(notes, "the program of the test command is missing: install it, or change the file")
	case len(v.Tried) == 0:
		notes = append(notes, "no gate was run: a run looks first whether a goal is red")
	case greenGoals(v.Tried):
		notes = append(notes, "all goals are green: a goal must fail first, so add a test for what you want, or use --start-green")
	}
	for _, t := range v.Tried {
		if t.Gate.Reason == string(events.ReasonNamesFailing) {
			notes = append(notes, Line(t.Gate.Name)+" exits 0 although its output names failing tests: correct the command, or a red suite looks green elsewhere")
		}
		if len(t.Rewrote)+len(t.Unignored) > 0 {
			notes = append(notes, Line(t.Gate.Name)+" is only a comment there: a run refuses a gate that rewrites files which it judges")
			continue
		}
		if t.Gate.Role == string(events.RoleInvariant) && t.Gate.Verdict != string(events.Pass) {
			notes = append(notes, Line(t.Gate.Name)+" is only a comment there: an invariant has to pass from the start")
		}
	}
	if !v.Trusted {
		notes = append(notes, "it is used once you have agreed to it: apctl trust, or when the first run asks")
	}
	return append(notes, "agents keep notes in .autopilot/notes/; git may ignore that directory")
}

// greenGoals says that goals were tried and none is red.
func greenGoals(tried []wire.GateTryFrame) bool {
	n := 0
	for _, t := range tried {
		if t.Gate.Role != string(events.RoleGoal) {
			continue
		}
		if t.Gate.Verdict != string(events.Pass) {
			return false
		}
		n++
	}
	return n > 0
}
