package render

import (
	"testing"

	"autopilot/events/wire"
)

func agents() wire.AgentsView {
	return wire.AgentsView{Agents: []wire.AgentView{
		{
			Name: "claude", Origin: "shipped", Program: "/home/u/.local/share/node/bin/claude" + steering, Version: "2.1.197 (Claude Code)",
			Login: "account", LoginFrom: "/home/u/.claude/.credentials.json", Verified: true, VerifiedWith: "2.1.197",
			Permissions: "edits files of the workspace and runs the gates' commands unasked; other commands that need a yes are refused",
			Argv:        []string{"claude", "-p", "--add-dir", "{box}", "--settings", `{"permissions":{"allow":["Bash(go test ./...)"]}}`},
			Prompt:      "stdin", Env: []string{"DISABLE_AUTOUPDATER"}, Strip: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"},
			Note: "only the project's settings are read",
		},
		{
			Name: "codex", Origin: "shipped", Login: "none", Verified: true, VerifiedWith: "0.171.0", Argv: []string{"codex"}, Prompt: "stdin",
			Problems: []string{`no codex on PATH: install it, as with npm install -g @openai/codex`},
		},
		{
			Name: "gemini", Origin: "user", Program: "/usr/bin/gemini", Version: "0.61.0", Login: "none", Verified: true, VerifiedWith: "0.61.0",
			Full: true, Permissions: "may do anything unasked", Argv: []string{"gemini"}, Prompt: "stdin",
			Problems: []string{"gemini has no login: run gemini once and log in, or set GEMINI_API_KEY"},
		},
		{Name: "mine", Origin: "project", Program: "/p/mine.sh", Login: "unknown", Permissions: "what its own command allows", Argv: []string{"./mine.sh"}, Prompt: "file"},
	}}
}

func TestAgentsAreShown(t *testing.T) {
	t.Parallel()
	for style, s := range styles {
		golden(t, "agents."+style, s.AgentList(agents()))
		golden(t, "agents-check."+style, s.AgentCheck(agents()))
		text := ""
		for _, a := range agents().Agents {
			text += s.AgentShow(a) + "\n"
		}
		golden(t, "agents-show."+style, text)
	}
}
