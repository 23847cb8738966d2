package person

import (
	"path"
	"slices"
	"strings"

	"autopilot/events"
)

// Asks says that an agent program asks who sits in front of it in a dialog of its
// own.
func Asks(name string) bool {
	return slices.ContainsFunc(events.AgentPrograms(), func(p events.AgentProgram) bool { return p.Name == name && p.Dialog })
}

// markedBy is the agent program that sets a variable for what it starts; empty for none.
func markedBy(variable string) string {
	for _, p := range events.AgentPrograms() {
		if slices.Contains(strings.Fields(p.Marks), variable) {
			return p.Name
		}
	}
	return ""
}

// interpreters run agent programs that are scripts.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "pypy", "uv", "uvx", "npx", "npm", "tsx"}

// ours are the programs of autopilot that start others.
var ours = []string{"autopilotd", "apshim"}

func isOurs(p Process) bool { return slices.Contains(ours, path.Base(p.Program)) }

// agentProgram says whether a process is an agent program, and which. One may call its
// executable by its version, or be a script of an interpreter.
func agentProgram(p Process) (string, bool) {
	words := []string{p.Program, p.Name}
	if len(p.Argv) > 0 {
		words = append(words, p.Argv[0])
		if interprets(p) {
			words = append(words, script(p.Argv[1:])...)
		}
	}
	for _, known := range events.AgentPrograms() {
		if slices.ContainsFunc(words, func(word string) bool { return isProgram(known, word) }) {
			return known.Name, true
		}
	}
	return "", false
}

func isProgram(k events.AgentProgram, word string) bool {
	base := path.Base(word)
	if strings.TrimSuffix(base, path.Ext(base)) == k.Name || base == k.Name {
		return true
	}
	return slices.ContainsFunc(strings.Fields(k.Install), func(dir string) bool { return strings.Contains(word, "/"+dir+"/") })
}

func interprets(p Process) bool {
	for _, word := range []string{p.Program, p.Argv[0]} {
		// python3.12 is python.
		if slices.Contains(interpreters, strings.TrimRight(path.Base(word), "0123456789.")) {
			return true
		}
	}
	return false
}

// script is what an interpreter runs: the first word that is no option, and
// what a module option names.
func script(args []string) []string {
	for i, arg := range args {
		if arg == "-m" && i+1 < len(args) {
			return args[i+1 : i+2]
		}
		if !strings.HasPrefix(arg, "-") {
			return args[i : i+1]
		}
	}
	return nil
}
