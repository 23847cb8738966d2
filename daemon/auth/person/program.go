package person

import (
	"path"
	"slices"
	"strings"
)

// program is an agent program: its name, and directories that only its own
// files lie in.
type program struct {
	name string
	dirs []string
	asks bool // it has a dialog of its own, in which it asks who sits in front of it
}

// programs are the agent programs that are known. One may call its executable
// by its version, or be a script of an interpreter.
var programs = []program{
	{"claude", []string{"@anthropic-ai/claude-code", "claude/versions"}, true},
	{"codex", []string{"@openai/codex"}, true},
	{"gemini", []string{"@google/gemini-cli"}, true},
	{"opencode", []string{"opencode-ai"}, true},
	{"cursor-agent", []string{"cursor-agent/versions"}, true},
	{"goose", nil, false},
	{"aider", nil, false},
}

// agentVariables are set by agent programs for what they start.
var agentVariables = []struct{ variable, program string }{
	{"CLAUDECODE", "claude"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_THREAD_ID", "codex"},
	{"GEMINI_CLI", "gemini"},
	{"OPENCODE", "opencode"},
	{"CURSOR_AGENT", "cursor-agent"},
	{"GOOSE_TERMINAL", "goose"},
}

// Asks says that an agent program asks who sits in front of it in a dialog of its
// own.
func Asks(name string) bool {
	return slices.ContainsFunc(programs, func(p program) bool { return p.name == name && p.asks })
}

// interpreters run agent programs that are scripts.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "pypy", "uv", "uvx", "npx", "npm", "tsx"}

// ours are the programs of autopilot that start others.
var ours = []string{"autopilotd", "apshim"}

func isOurs(p Process) bool { return slices.Contains(ours, path.Base(p.Program)) }

// agentProgram says whether a process is an agent program, and which.
func agentProgram(p Process) (string, bool) {
	words := []string{p.Program, p.Name}
	if len(p.Argv) > 0 {
		words = append(words, p.Argv[0])
		if interprets(p) {
			words = append(words, script(p.Argv[1:])...)
		}
	}
	for _, known := range programs {
		if slices.ContainsFunc(words, known.is) {
			return known.name, true
		}
	}
	return "", false
}

func (k program) is(word string) bool {
	base := path.Base(word)
	if strings.TrimSuffix(base, path.Ext(base)) == k.name || base == k.name {
		return true
	}
	return slices.ContainsFunc(k.dirs, func(dir string) bool { return strings.Contains(word, "/"+dir+"/") })
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
