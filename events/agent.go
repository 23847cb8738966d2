package events

import (
	"slices"
	"strings"
)

// AgentProgram is what is known of an agent program outside of its own stream and
// command line: where it keeps itself, and how its processes are told from others.
type AgentProgram struct {
	Name    string
	Homes   string // folders below HOME with its configuration and sessions, by spaces
	HomeEnv string // variables that move them, by spaces
	Install string // folders that only its own program files lie in, by spaces
	Dialog  bool   // it has a dialog in which it asks whoever sits in front of it
	Allow   string // the rule that has it do something unasked: a place, and its form where that is known
	// Marks are variables that it sets for what it starts, by spaces: its processes are
	// known by them. Session are further ones, which name its session and its guards. An
	// agent that finds them takes itself for a child of that session, so no run gets
	// them. Source: Agent programs, C.1, and what claude 2.1.197, codex 0.171.0, gemini
	// 0.61.0 and opencode 1.18.33 were seen to set.
	Marks   string
	Session string
}

// agentPrograms has a row for each program, in the order in which they are listed.
var agentPrograms = []AgentProgram{
	{
		Name: "claude", Install: "@anthropic-ai/claude-code claude/versions", Dialog: true,
		Allow:   `permissions.allow of .claude/settings.json, as in ["Bash(npm test)"]`,
		Homes:   ".claude .claude.json .config/claude .local/share/claude .local/state/claude .cache/claude",
		HomeEnv: "CLAUDE_CONFIG_DIR", Marks: "CLAUDECODE",
		Session: `CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH CLAUDE_CODE_SESSION_ACCESS_TOKEN
			CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SSE_PORT CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PROJECT_DIR`,
	},
	{
		Name: "codex", Install: "@openai/codex", Dialog: true,
		Allow: `approval_policy of config.toml`,
		Homes: ".codex", HomeEnv: "CODEX_HOME", Marks: "CODEX_SANDBOX CODEX_THREAD_ID",
		Session: `CODEX_CI CODEX_INTERNAL_ORIGINATOR_OVERRIDE CODEX_MANAGED_BY_NPM CODEX_MANAGED_PACKAGE_ROOT
			CODEX_SANDBOX_NETWORK_DISABLED CODEX_SESSION_ID CODEX_TOOL_CALL_ID CODEX_VERSION`,
	},
	{
		Name: "gemini", Install: "@google/gemini-cli", Dialog: true,
		Allow: `tools.allowed of .gemini/settings.json, as in ["run_shell_command(npm test)"]`,
		Homes: ".gemini", HomeEnv: "GEMINI_CLI_HOME", Marks: "GEMINI_CLI",
		Session: `GEMINI_CLI_IDE_AUTH_TOKEN GEMINI_CLI_IDE_PID GEMINI_CLI_IDE_SERVER_PORT GEMINI_CLI_IDE_WORKSPACE_PATH
			GEMINI_CLI_NO_RELAUNCH GEMINI_CLI_TRUST_WORKSPACE`,
	},
	{
		Name: "opencode", Install: "opencode-ai", Dialog: true,
		Allow:   `permission of opencode.json, as in {"bash": {"npm test": "allow"}}`,
		Homes:   ".local/share/opencode .local/state/opencode .config/opencode .cache/opencode .opencode",
		HomeEnv: "OPENCODE_CONFIG_DIR", Marks: "OPENCODE",
		Session: "OPENCODE_CALLER OPENCODE_PID OPENCODE_PROCESS_ROLE OPENCODE_RUN_ID",
	},
	{
		Name: "cursor-agent", Install: "cursor-agent/versions", Dialog: true,
		Allow: `permissions.allow of cli-config.json, as in ["Shell(npm)"]`,
		Homes: ".cursor .config/cursor .local/share/cursor-agent", HomeEnv: "CURSOR_CONFIG_DIR", Marks: "CURSOR_AGENT",
	},
	{
		Name:  "goose",
		Allow: `GOOSE_MODE of its config.yaml`,
		Homes: ".config/goose .local/share/goose .local/state/goose .cache/goose", Marks: "GOOSE_TERMINAL",
	},
	{Name: "aider", Allow: `args of the profile: [--yes-always]`, Homes: ".aider .aider.conf.yml"},
	{Name: "qwen", Allow: `tools.allowed of .qwen/settings.json, as in ["run_shell_command(npm test)"]`, Install: "@qwen-code/qwen-code", Dialog: true, Homes: ".qwen", Marks: "QWEN_CODE"},
	{Name: "copilot", Allow: `args of the profile: [--allow-tool, "shell(npm test)"]`, Install: "@github/copilot", Dialog: true, Homes: ".copilot .cache/copilot", HomeEnv: "COPILOT_HOME"},
	{Name: "pi", Install: "@mariozechner/pi-coding-agent", Homes: ".pi", HomeEnv: "PI_CODING_AGENT_DIR"},
	{Name: "kilo", Allow: `permission of its opencode.json, as in {"bash": {"npm test": "allow"}}`, Install: "@kilocode/cli", Dialog: true, Homes: ".local/share/kilo .local/state/kilo .config/kilo .cache/kilo"},
	{Name: "cline", Allow: `args of the profile: [--auto-approve, "true"]`, Install: "node_modules/cline", Dialog: true, Homes: ".cline"},
	{Name: "amp", Allow: `amp.permissions of its settings.json`, Install: "@sourcegraph/amp", Homes: ".config/amp .local/share/amp .cache/amp"},
	{Name: "droid", Allow: `args of the profile: [--auto, medium]`, Install: "@factory/cli", Dialog: true, Homes: ".factory"},
	{Name: "auggie", Allow: `toolPermissions of its settings.json`, Install: "@augmentcode/auggie", Homes: ".augment"},
	{Name: "cn", Allow: `args of the profile: [--allow, "Bash"]`, Install: "@continuedev/cli", Homes: ".continue"},
}

// AgentPrograms lists the agent programs that are known by name.
func AgentPrograms() []AgentProgram { return slices.Clone(agentPrograms) }

// AllowRule is the rule that has an agent program do something unasked; empty where none
// is known.
func AllowRule(agent Name) string {
	for _, p := range agentPrograms {
		if p.Name == string(agent) && p.Allow != "" {
			return p.Allow
		}
	}
	return ""
}

// AgentNames is their names as a text: claude, codex and goose.
func AgentNames() string {
	var names []string
	for _, p := range agentPrograms {
		names = append(names, p.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
