package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// BoxWord stands for the folder of an iteration (AUTOPILOT_RESULT_FILE lies in
// it) in arguments and variables of a profile: it is not known before.
const BoxWord = "{box}"

// program is a shipped profile: how one agent program does one iteration
// without a person. Every program reads the prompt on its standard input or
// from a file, so its size and first characters do not matter.
type program struct {
	name     string
	verified string   // the version that it was tried with
	install  string   // how to get it
	argv     []string // of every call
	careful  []string // further arguments, unless permissions are full
	full     []string // further arguments, if they are
	model    string   // the option that names the model
	help     []string // arguments that print the options of argv
	env      []string // variables of every call
	fullEnv  []string // further ones, if permissions are full
	prompt   PromptMode
	shape    Shape
	last     bool    // the words of the shape come after the further arguments, as a subcommand does
	decided  []fixed // options that are not the user's to give
	gates    func(commands []string) (argv, env []string)
	widens   string // characters that in a gate's command would allow other commands too, or none
	says     string // what careful means, for people
	saysFull string
	note     string // what else a person should know
	login    login
}

// programs are the shipped profiles. Each that names a version was tried with
// the real program, over a provider that answered with tool calls: the gate's
// command ran, another one was refused, the files of the iteration's folder
// could be read and written, and the prompt had 1 MB. The others are built from
// what their makers say, and are shown as unverified.
// Source: Agent programs, C.1 to C.6.
func programs() []program { return append(verifiedPrograms(), unverifiedPrograms()...) }

func verifiedPrograms() []program {
	return []program{
		{
			name: "claude", verified: "2.1.197",
			install: "npm install -g @anthropic-ai/claude-code",
			// Without --verbose there is no stream-json; with it a working agent is
			// never silent for long. Hooks and plugins of the user would act in a run
			// that they know nothing of (Field reports, B.7 83).
			argv: []string{
				"claude", "-p", "--output-format", "stream-json", "--verbose",
				"--setting-sources", "project", "--add-dir", BoxWord,
			},
			careful: []string{"--permission-mode", "acceptEdits"},
			full:    []string{"--permission-mode", "bypassPermissions"},
			model:   "--model", help: []string{"--help"},
			env:   []string{"DISABLE_AUTOUPDATER=1"},
			gates: claudeGates, widens: "*",
			shape: Shape{
				NewSession: []string{"--session-id", SessionWord},
				Resume:     []string{"--resume", SessionWord},
				MaxTurns:   []string{"--max-turns", TurnsWord},
				MaxUSD:     []string{"--max-budget-usd", USDWord},
				Schema:     []string{"--json-schema", SchemaWord},
				Reports:    Reports{Tokens: true, Cost: true, Live: true},
			},
			decided: []fixed{
				{bySession, "--session-id --resume -r --continue -c --fork-session --no-session-persistence"},
				{byStream, "--output-format --input-format"},
				{byTurns, "--max-turns"},
				{byUSD, "--max-budget-usd"},
				{bySchema, "--json-schema"},
			},
			says:     "edits files of the workspace and runs the gates' commands unasked; other commands that need a yes are refused",
			saysFull: "may do anything unasked",
			note:     "only the project's settings are read, so hooks, plugins and permissions of the user take no part; args: [--setting-sources, \"user,project,local\"] changes that",
			login: login{
				keys: []string{
					"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK",
					"CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
				},
				home: "CLAUDE_CONFIG_DIR", below: ".claude", files: []string{".credentials.json"}, keychain: true,
				fix: "run claude once and log in, or set ANTHROPIC_API_KEY",
			},
		},
		{
			name: "codex", verified: "0.171.0",
			install: "npm install -g @openai/codex",
			argv:    []string{"codex", "exec", "--json", "--add-dir", BoxWord},
			careful: []string{"--sandbox", "workspace-write"},
			full:    []string{"--dangerously-bypass-approvals-and-sandbox"},
			model:   "--model",
			help:    []string{"exec", "--help"},
			shape: Shape{
				Resume:  []string{"resume", SessionWord, "-"}, // the prompt is on standard input
				Schema:  []string{"--output-schema", SchemaFileWord},
				Reports: Reports{Tokens: true},
			},
			last: true,
			decided: []fixed{
				{bySession, "resume --last --ephemeral"},
				{byStream, "--json --experimental-json"},
				{bySchema, "--output-schema"},
			},
			says:     "runs any command in its own sandbox, which can write in the workspace and temporary folders, but not in .git, and has no network",
			saysFull: "may do anything unasked, without its sandbox",
			note:     "settings of the user (config.toml) are read; args: [--ignore-user-config] leaves them out",
			login: login{
				keys: []string{"CODEX_API_KEY", "CODEX_ACCESS_TOKEN"},
				home: "CODEX_HOME", below: ".codex", files: []string{"auth.json"}, settings: []string{"config.toml"},
				fix: "run codex login, or set CODEX_API_KEY",
			},
		},
		{
			name: "gemini", verified: "0.61.0",
			install: "npm install -g @google/gemini-cli",
			// In a folder that it does not trust it falls back to asking for all.
			argv:    []string{"gemini", "-o", "stream-json", "--skip-trust", "--include-directories", BoxWord},
			careful: []string{"--approval-mode", "auto_edit"},
			full:    []string{"--approval-mode", "yolo"},
			model:   "--model", help: []string{"--help"},
			gates: geminiGates, widens: "*,()",
			shape: Shape{
				NewSession: []string{"--session-id", SessionWord}, Resume: []string{"--resume", SessionWord},
				Reports: Reports{Tokens: true},
			},
			decided: []fixed{
				{bySession, "--resume -r --session-id"},
				{byStream, "--output-format -o"},
			},
			says:     "edits files of the workspace and runs the gates' commands, also with further arguments, unasked; other commands are refused",
			saysFull: "may do anything unasked",
			note:     "the workspace counts as trusted for it, so settings of project and user are read",
			login: login{
				keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"},
				home: "", below: ".gemini", files: []string{"oauth_creds.json", "gemini-credentials.json"},
				settings: []string{"settings.json", ".env"}, keychain: true,
				fix: "run gemini once and log in, or set GEMINI_API_KEY",
			},
		},
		{
			name: "opencode", verified: "1.18.33",
			install: "npm install -g opencode-ai",
			// Its log is all that says why it waits: it tries again for ever.
			argv:  []string{"opencode", "run", "--format", "json", "--print-logs", "--log-level", "ERROR"},
			full:  []string{"--auto"},
			model: "--model", help: []string{"run", "--help"},
			env:   []string{"OPENCODE_DISABLE_AUTOUPDATE=1"},
			gates: opencodeGates, widens: "*?",
			shape: Shape{
				Resume:  []string{"--session", SessionWord},
				Reports: Reports{Tokens: true, Cost: true, Live: true},
			},
			decided: []fixed{
				{bySession, "--session -s --continue -c --fork --attach"},
				{byStream, "--format"},
			},
			says:     "edits files of the workspace and runs the gates' commands unasked; other commands are refused",
			saysFull: "may do anything unasked that its settings do not deny",
			note:     "settings of project and user are read; the permissions above come before theirs (OPENCODE_PERMISSION)",
			login: login{
				keys: []string{"*_API_KEY"},
				home: "XDG_DATA_HOME", below: ".local/share", files: []string{"opencode/auth.json"},
				settings: []string{"~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"},
				fix:      "run opencode auth login, or set the key of its provider, as ANTHROPIC_API_KEY",
			},
		},
		{
			name: "cursor-agent", install: "brew install --cask cursor-cli",
			// In a folder that it does not trust it would ask.
			argv:     []string{"cursor-agent", "-p", "--output-format", "stream-json", "--trust"},
			full:     []string{"--force"},
			model:    "--model",
			help:     []string{"--help"},
			says:     "what its own permissions (cli-config.json) allow: without them it only proposes its changes",
			saysFull: "may do anything unasked that its own permissions do not deny",
			note:     "the workspace counts as trusted for it",
			shape:    Shape{Resume: []string{"--resume", SessionWord}},
			decided: []fixed{
				{bySession, "--resume --continue"},
				{byStream, "--output-format --stream-partial-output"},
			},
			login: login{
				keys: []string{"CURSOR_API_KEY"},
				home: "", below: ".config/cursor", files: []string{"auth.json"},
				settings: []string{"~/.cursor/cli-config.json"}, keychain: true,
				fix: "run cursor-agent login, or set CURSOR_API_KEY",
			},
		},
		{
			name: "goose", install: "brew install block-goose-cli",
			argv:     []string{"goose", "run", "--output-format", "stream-json", "-i", "-"},
			model:    "--model",
			help:     []string{"run", "--help"},
			fullEnv:  []string{"GOOSE_MODE=auto"},
			says:     "what its own settings (GOOSE_MODE) allow",
			saysFull: "may do anything unasked",
			note:     "settings and extensions of the user are read",
			shape: Shape{
				NewSession: []string{"-n", SessionWord},
				Resume:     []string{"-r", "-n", SessionWord},
				MaxTurns:   []string{"--max-turns", TurnsWord},
			},
			decided: []fixed{
				{bySession, "--name -n --session-id --resume -r --no-session --path"},
				{byStream, "--output-format --quiet -q --interactive -s"},
				{byPrompt, "--instructions -i --text -t --recipe"},
				{byTurns, "--max-turns"},
			},
			login: login{
				keys: []string{"*_API_KEY"},
				home: "XDG_CONFIG_HOME", below: ".config", files: []string{"goose/secrets.yaml"},
				settings: []string{"~/.config/goose/config.yaml"}, keychain: true,
				fix: "run goose configure, or set the key of its provider, as ANTHROPIC_API_KEY",
			},
		},
		{
			name: "aider", install: "python3 -m pip install aider-chat", prompt: PromptFile,
			// What it would commit is the run's to record, and so is what was there
			// before it. It asks of every new file and address, which --yes-always
			// answers; commands it only suggests then.
			argv: []string{
				"aider", "--message-file", PromptWord, "--yes-always", "--no-stream", "--no-pretty",
				"--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-check-update",
			},
			model: "--model",
			help:  []string{"--help"},
			env:   []string{"AIDER_CHAT_HISTORY_FILE=" + BoxWord + "/aider.chat.md", "AIDER_INPUT_HISTORY_FILE=" + BoxWord + "/aider.input"},
			says:  "edits files of the workspace and runs no commands but those of its settings",
			note:  "settings of project and user are read; it keeps a cache in the workspace, so .aider* should be ignored there",
			shape: Shape{Reports: Reports{Tokens: true, Cost: true, Live: true}},
			decided: []fixed{
				{bySession, "--restore-chat-history --chat-history-file"},
				{byStream, "--stream --pretty"},
				{byPrompt, "--message -m --msg --message-file -f --load --apply --gui --browser --exit"},
				{byCommit, "--auto-commits --dirty-commits --commit"},
			},
			login: login{
				keys: []string{"*_API_KEY"},
				home: "", below: ".aider", files: []string{"oauth-keys.env"},
				settings: []string{"~/.aider.conf.yml", "~/.env"},
				fix:      "set the key of its provider, as ANTHROPIC_API_KEY",
			},
		},
	}
}

// claudeGates allows commands by a settings text: --allowedTools splits its
// rules at commas and parentheses.
func claudeGates(commands []string) (argv, _ []string) {
	escape := strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)
	allow := make([]string, 0, len(commands))
	for _, c := range commands {
		allow = append(allow, "Bash("+escape.Replace(c)+")")
	}
	return []string{"--settings", text(map[string]any{"permissions": map[string]any{"allow": allow}})}, nil
}

func geminiGates(commands []string) (argv, _ []string) {
	for _, c := range commands {
		argv = append(argv, "--allowed-tools=run_shell_command("+c+")")
	}
	return argv, nil
}

// opencodeGates is needed without gates too: by itself it runs any command, and
// refuses to read its own folder of the iteration. What is denied comes back to
// the model; what it would ask ends the session.
func opencodeGates(commands []string) (_, env []string) {
	bash := newRules("deny")
	for _, c := range commands {
		bash = append(bash, [2]string{c, "allow"})
	}
	box := append(newRules("deny"), [2]string{BoxWord + "/*", "allow"})
	return nil, []string{"OPENCODE_PERMISSION=" + `{"bash":` + bash.text() + `,"external_directory":` + box.text() + `}`}
}

// rules are members of a JSON object whose order counts: the last that fits
// decides.
type rules [][2]string

func newRules(other string) rules { return rules{{"*", other}} }

func (r rules) text() string {
	members := make([]string, 0, len(r))
	for _, m := range r {
		members = append(members, text(m[0])+":"+text(m[1]))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// text is JSON of what always has one.
func text(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("agent: encode %T: %v", v, err))
	}
	return string(b)
}

// options are the words of argv that the program's help has to name.
func (p program) options() []string {
	argv := slices.Concat(p.argv, p.careful, p.full, []string{p.model}, p.shape.NewSession, p.shape.Resume)
	if p.gates != nil {
		gates, _ := p.gates([]string{"true"})
		argv = append(argv, gates...)
	}
	var out []string
	for _, word := range argv {
		if option, _, _ := strings.Cut(word, "="); len(option) > 1 && option[0] == '-' && !slices.Contains(out, option) {
			out = append(out, option)
		}
	}
	return out
}
