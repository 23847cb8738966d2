// Package marker knows the variables that agent programs leave in the
// environment of what they start. It is pure, and apart from projections/rule,
// as apctl needs it at every start and would have to compile the regular
// expressions of every rule with it.
package marker

import "slices"

// sessionMarkers are what agent programs put into the environment of what they
// start: who the session is, which program it is, what guards it has. An agent
// that finds them takes itself for a child of that session, so no run gets
// them. Source: Agent programs, C.1, and what claude 2.1.197, codex 0.171.0,
// gemini 0.61.0 and opencode 1.18.33 were seen to set.
var sessionMarkers = []string{
	"AI_AGENT", "AGENT",
	"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_EXECPATH",
	"CLAUDE_CODE_SESSION_ACCESS_TOKEN", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_EFFORT",
	"CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR",
	"CODEX_CI", "CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_SESSION_ID", "CODEX_THREAD_ID",
	"CODEX_TOOL_CALL_ID", "CODEX_VERSION",
	"GEMINI_CLI", "GEMINI_CLI_IDE_AUTH_TOKEN", "GEMINI_CLI_IDE_PID", "GEMINI_CLI_IDE_SERVER_PORT",
	"GEMINI_CLI_IDE_WORKSPACE_PATH", "GEMINI_CLI_NO_RELAUNCH", "GEMINI_CLI_TRUST_WORKSPACE",
	"OPENCODE", "OPENCODE_CALLER", "OPENCODE_PID", "OPENCODE_PROCESS_ROLE", "OPENCODE_RUN_ID",
}

// Sessions lists the variables that no agent of a run gets.
func Sessions() []string { return slices.Clone(sessionMarkers) }

// Session says whether a variable is one of them.
func Session(name string) bool { return slices.Contains(sessionMarkers, name) }
