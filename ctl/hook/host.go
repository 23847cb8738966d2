package hook

import (
	"path/filepath"
	"slices"

	"autopilot/events/wire"
)

// Host is a program that runs hooks.
type Host struct {
	Name   string
	Title  string // as people know it
	Events []Event
	tools  map[string]tool
	answer func(name string, e wire.HookEvent, text string) any
	// Of its settings: the directory for a user is that of a variable, else one
	// in HOME.
	variable, below string
	user, project   string // files
	After           string // what a person has to do once hooks were installed
	call            string // what the hook calls, where it is not the daemon's
}

// Event is an event of a host that is of interest.
type Event struct {
	Name    string // as the host calls it
	Is      wire.HookEvent
	matcher string // of tools; empty is all
	timeout int    // in the host's unit
}

// tool names the members of a tool's input that tell what it changes.
type tool struct {
	file    string
	command string // for a shell
	dir     string // that the command runs in
	patch   string // a patch, whose lines name files
}

// Hosts are those that are known.
func Hosts() []Host { return []Host{claude(), codex(), gemini()} }

// Find is the host of that name.
func Find(name string) (Host, bool) {
	all := Hosts()
	i := slices.IndexFunc(all, func(h Host) bool { return h.Name == name })
	if i < 0 {
		return Host{}, false
	}
	return all[i], true
}

// FindOmx is the host of that name, with the hook of oh-my-codex's modes: one command for
// all events, beside the hooks that tell the daemon. Gemini's events are not those of the
// modes.
func FindOmx(name string) (Host, bool) {
	h, ok := Find(name)
	if !ok || !slices.Contains(OmxHosts(), name) {
		return Host{}, false
	}
	h.call = "compat omx hook"
	h.Events = []Event{{Name: "SessionStart", timeout: seconds}, {Name: "UserPromptSubmit", timeout: seconds}, {Name: "Stop", timeout: seconds}, {Name: "SessionEnd", timeout: 3}}
	return h, true
}

// OmxHosts are the hosts that the hook of oh-my-codex's modes is for.
func OmxHosts() []string { return []string{"codex", "claude"} }

// event is the event that the host calls so.
func (h Host) event(name string) (Event, bool) {
	i := slices.IndexFunc(h.Events, func(e Event) bool { return e.Name == name })
	if i < 0 {
		return Event{}, false
	}
	return h.Events[i], true
}

// File is where the host reads settings: those of a user, or those of a project
// that are of this machine alone. It is empty where no place is known.
func (h Host) File(project string, getenv func(string) string) string {
	if project != "" {
		return filepath.Join(project, h.project)
	}
	if dir := getenv(h.variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, h.below, h.user)
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, "."+h.Name, h.user)
	}
	return ""
}

// Seconds that a hook may take. It ends by itself long before.
const seconds = 5

// claude is Claude Code: hooks as in its version 2.1.
func claude() Host {
	edit := tool{file: "file_path"}
	return Host{
		Name: "claude", Title: "Claude Code",
		Events: []Event{
			{"SessionStart", wire.HookBegins, "", seconds},
			{"PreToolUse", wire.HookCalls, "Bash|Edit|MultiEdit|Write|NotebookEdit", seconds},
			{"PostToolUse", wire.HookCalled, "", seconds},
			{"Stop", wire.HookStops, "", seconds},
			{"SessionEnd", wire.HookEnds, "", seconds},
		},
		tools: map[string]tool{
			"Write": edit, "Edit": edit, "MultiEdit": edit, "NotebookEdit": {file: "notebook_path"}, "Bash": {command: "command"},
		},
		answer:   answerClaude,
		variable: "CLAUDE_CONFIG_DIR", user: "settings.json", project: ".claude/settings.local.json",
		After: "a chat that is open already uses them once it is started anew",
	}
}

// codex is Codex CLI: hooks as in its version 0.171, which took their form from
// Claude Code.
func codex() Host {
	shell := tool{command: "command", dir: "workdir", patch: "command"} // a patch may be given to a shell
	return Host{
		Name: "codex", Title: "Codex",
		Events: []Event{
			{"SessionStart", wire.HookBegins, "", seconds},
			{"PreToolUse", wire.HookCalls, "Bash|apply_patch", seconds},
			{"PostToolUse", wire.HookCalled, "", seconds},
			{"Stop", wire.HookStops, "", seconds},
			{"SessionEnd", wire.HookEnds, "", 3}, // it takes no more
		},
		tools:    map[string]tool{"Bash": shell, "apply_patch": {patch: "command"}},
		answer:   answerClaude,
		variable: "CODEX_HOME", user: "hooks.json", project: ".codex/hooks.json",
		After: "codex runs them once you have trusted them there: /hooks",
	}
}

// gemini is Gemini CLI: hooks as in its version 0.61. Its times are milliseconds.
func gemini() Host {
	edit := tool{file: "file_path"}
	return Host{
		Name: "gemini", Title: "Gemini CLI",
		Events: []Event{
			{"SessionStart", wire.HookBegins, "", seconds * 1000},
			{"BeforeTool", wire.HookCalls, "write_file|replace|run_shell_command", seconds * 1000},
			{"AfterTool", wire.HookCalled, "", seconds * 1000},
			{"AfterAgent", wire.HookStops, "", seconds * 1000},
			{"SessionEnd", wire.HookEnds, "", seconds * 1000},
		},
		tools: map[string]tool{
			"write_file": edit, "replace": edit, "run_shell_command": {command: "command", dir: "dir_path"},
		},
		answer:   answerGemini,
		variable: "GEMINI_CLI_HOME", below: ".gemini", user: "settings.json", project: ".gemini/settings.json",
		After: "a chat that is open already uses them once it is started anew",
	}
}
