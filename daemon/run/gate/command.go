package gate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/exec/confine"
	"autopilot/events"
	"autopilot/projections/rule"
)

// Command is a gate that passes when its command exits 0.
type Command struct {
	Name events.Name
	Role events.GateRole
	Run  rule.Command
	Dir  string // absolute; empty is the workspace
}

// Launch is the process of a gate. Its standard input is empty.
type Launch struct {
	Gate events.Name
	Argv []string
	Dir  string
	Env  []string
	// Layers lie over directories that the gate sees.
	Layers []confine.Layer
	With   Place
}

// Place is what a gate has for itself beside its directory.
type Place struct {
	Home, Cache, Temp string // it writes there; each may be empty
	Base              string // it reads there
}

// Launch is how a command gate is started. The program of an argv is named by
// where the pinned PATH leads to, as the supervisor has another PATH.
func (p Pinned) Launch(c Command) Launch {
	argv := append([]string(nil), c.Run.Process()...)
	if len(c.Run.Argv) > 0 && !strings.Contains(argv[0], "/") {
		if path := p.look(argv[0]); path != "" {
			argv[0] = path
		}
	}
	return Launch{Gate: c.Name, Argv: argv, Dir: p.dir(c), Env: p.Env, Layers: p.Layers, With: Place{p.Home, p.Cache, p.Temp, p.Base}}
}

func (p Pinned) dir(c Command) string {
	switch {
	case c.Dir == "":
		return p.Workspace
	case filepath.IsAbs(c.Dir):
		return c.Dir
	}
	return filepath.Join(p.Workspace, c.Dir)
}

// Unverifiable reports whether a gate cannot be run at all, with the result
// that says so: its first word was not found on the pinned PATH at the start,
// or its shell or directory is missing now. All else that is missing is a fail,
// as the agent may have to make it.
func (p Pinned) Unverifiable(c Command) (events.GateResult, Texts, bool) {
	reason, text := p.obstacle(c)
	if reason == "" {
		return events.GateResult{}, Texts{}, false
	}
	r := c.result(events.Unverifiable, reason)
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Excerpt: text}, true
}

func (p Pinned) obstacle(c Command) (events.Reason, string) {
	if dir := p.dir(c); !isDir(dir) {
		return events.ReasonNoDirectory, fmt.Sprintf("the directory of the gate is missing: %s\n", dir)
	}
	if len(c.Run.Argv) == 0 && !isProgram(rule.Shell) {
		return events.ReasonNoShell, fmt.Sprintf("the shell is missing: %s\n", rule.Shell)
	}
	word := c.Run.FirstWord()
	if t, ok := p.tool(word); ok && t.Path == "" {
		if strings.HasPrefix(word, "~/") {
			return events.ReasonNotFound, fmt.Sprintf("%s: not found: gates have a HOME of their own, so name the file by its whole path\n", word)
		}
		return events.ReasonNotFound, fmt.Sprintf("%s: command not found on the PATH of the gates:\n  %s\n",
			word, strings.Join(p.Path(), "\n  "))
	}
	return "", ""
}

// Lacks lists the programs that a command looks for itself and that are not on the PATH of
// the gates. What needs them fails by its own words; a command may do without.
func (p Pinned) Lacks(c rule.Command) []string {
	return slices.DeleteFunc(rule.LooksFor(c), func(name string) bool { return p.look(name) != "" })
}

// ToolsChanged is the result of a gate that is not run, because programs or
// configuration that it could run with are not what they were at the start.
func ToolsChanged(c Command, changes []ToolChange) (events.GateResult, Texts) {
	var text, files strings.Builder
	text.WriteString("The gate was not run, because its program or files differ from the start of the run. Put back:\n")
	for _, change := range changes {
		fmt.Fprintf(&text, "  %s\n", change)
		files.WriteString(oneLine(change.Path()) + "\n")
	}
	r := c.result(events.Fail, events.ReasonToolChanged)
	r.OutputSum = rule.OutputSum([]byte(text.String()))
	return r, Texts{Excerpt: Excerpt([]byte(text.String()), ExcerptBytes, 0, ""), Files: files.String()}
}

func (c Command) result(v events.Verdict, reason events.Reason) events.GateResult {
	return events.GateResult{
		Gate: c.Name, Kind: events.GateCommand, Role: c.Role, Verdict: v, Reason: reason, Exit: -1,
	}
}

// Stamp adds to a result the evidence of what was run: the effect, and the sums
// of argv, environment and program.
func (p Pinned) Stamp(r *events.GateResult, c Command, effect string) {
	r.Effect = effect
	r.Argv = hash([]byte(strings.Join(c.Run.Process(), "\x00")))
	r.Env = p.EnvSum()
	if t, ok := p.tool(c.Run.FirstWord()); ok {
		r.Tool = t.Sum
	}
}
