package agent

// unverifiedPrograms are profiles that were built from what the programs say of themselves
// and from short answers over a provider on loopback; docs/agents.md says what was tried.
func unverifiedPrograms() []program {
	return []program{
		{
			name: "qwen", install: "npm install -g @qwen-code/qwen-code",
			argv:    []string{"qwen", "-o", "stream-json", "--include-directories", BoxWord},
			careful: []string{"--approval-mode", "auto-edit"},
			full:    []string{"--approval-mode", "yolo"},
			model:   "--model", help: []string{"--help"},
			gates: geminiGates, widens: "*,()",
			shape: Shape{
				NewSession: []string{"--session-id", SessionWord}, Resume: []string{"--resume", SessionWord},
				MaxTurns: []string{"--max-session-turns", TurnsWord}, Reports: Reports{Tokens: true, Live: true},
			},
			decided: []fixed{
				{bySession, "--resume -r --continue -c --session-id"},
				{byStream, "--output-format -o --input-format"},
				{byTurns, "--max-session-turns"},
				{bySchema, "--json-schema"},
			},
			says:     "edits files of the workspace and runs the gates' commands unasked; other commands are refused",
			saysFull: "may do anything unasked",
			note:     "settings of project and user are read",
			login: login{
				keys:  []string{"*_API_KEY"},
				below: ".qwen", files: []string{"oauth_creds.json"}, settings: []string{"settings.json", ".env"},
				fix: "run qwen auth, or set OPENAI_API_KEY",
			},
		},
		{
			name: "copilot", install: "npm install -g @github/copilot",
			argv:    []string{"copilot", "--output-format", "json", "--add-dir", BoxWord},
			careful: []string{"--allow-tool", "write"},
			full:    []string{"--allow-all-tools"},
			model:   "--model", help: []string{"--help"},
			env:   []string{"COPILOT_AUTO_UPDATE=false"},
			gates: copilotGates, widens: "*:()",
			shape: Shape{
				NewSession: []string{"--session-id", SessionWord}, Resume: []string{"--session-id", SessionWord},
			},
			decided: []fixed{
				{bySession, "--resume -r --continue --session-id --name -n"},
				{byStream, "--output-format --silent -s"},
				{byPrompt, "--prompt -p --interactive -i"},
			},
			says:     "edits files of the workspace and runs the gates' commands unasked; other commands are refused",
			saysFull: "may do anything unasked",
			note:     "settings of project and user are read",
			login: login{
				keys: []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN"},
				home: "COPILOT_HOME", below: ".copilot", files: []string{"config.json"}, keychain: true,
				fix: "run copilot login, or set COPILOT_GITHUB_TOKEN",
			},
		},
		{
			name: "pi", install: "npm install -g @mariozechner/pi-coding-agent",
			argv:    []string{"pi", "-p", "--mode", "json"},
			careful: []string{"--tools", "read,edit,write,grep,find,ls"},
			model:   "--model", help: []string{"--help"},
			env:   []string{"PI_SKIP_VERSION_CHECK=1"},
			shape: Shape{Resume: []string{"--session", SessionWord}, Reports: Reports{Tokens: true, Cost: true, Live: true}},
			decided: []fixed{
				{bySession, "--session --continue -c --resume -r --fork --no-session --session-dir"},
				{byStream, "--mode"},
			},
			says:     "edits any file unasked and runs no commands: it has no permissions of its own",
			saysFull: "may do anything unasked",
			note:     "settings and extensions of the user are read",
			login: login{
				keys:  []string{"*_API_KEY", "ANTHROPIC_OAUTH_TOKEN"},
				below: ".pi/agent", files: []string{"auth.json"}, settings: []string{"models.json"},
				fix: "run pi and log in, or set the key of its provider, as ANTHROPIC_API_KEY",
			},
		},
		{
			name: "kilo", install: "npm install -g @kilocode/cli",
			argv:  []string{"kilo", "run", "--format", "json", "--print-logs", "--log-level", "ERROR"},
			full:  []string{"--auto"},
			model: "--model", help: []string{"run", "--help"},
			shape: Shape{Resume: []string{"--session", SessionWord}, Reports: Reports{Tokens: true, Cost: true, Live: true}},
			decided: []fixed{
				{bySession, "--session -s --continue -c --fork --attach"},
				{byStream, "--format"},
			},
			says:     "what its own permissions allow",
			saysFull: "may do anything unasked that its settings do not deny",
			note:     "settings of project and user are read",
			login: login{
				keys: []string{"*_API_KEY"},
				home: "XDG_DATA_HOME", below: ".local/share", files: []string{"kilo/auth.json"},
				fix: "run kilo auth login, or set the key of its provider, as ANTHROPIC_API_KEY",
			},
		},
		{
			// Without words for a prompt it refuses what is on standard input.
			name: "cline", install: "npm install -g cline",
			argv:    []string{"cline", "--json", "Do the task that is on standard input."},
			careful: []string{"--auto-approve", "false"},
			full:    []string{"--auto-approve", "true"},
			model:   "--model", help: []string{"--help"},
			shape: Shape{Reports: Reports{Tokens: true, Cost: true, Live: true}},
			decided: []fixed{
				{bySession, "--id --zen -z --worktree --kanban"},
				{byStream, "--json --tui -i --acp"},
			},
			says:     "what it may do without a yes: little",
			saysFull: "may do anything unasked",
			note:     "settings, rules and hooks of the user are read",
			login: login{
				keys:  []string{"CLINE_API_KEY"},
				below: ".cline", files: []string{"data/secrets.json"}, settings: []string{"data/globalState.json", "data/settings/providers.json"},
				fix: "run cline auth",
			},
		},
		{
			name: "amp", install: "npm install -g @sourcegraph/amp",
			argv:  []string{"amp", "-x", "--stream-json"},
			model: "--mode", help: []string{"--help"},
			shape: Shape{Reports: Reports{Tokens: true, Live: true}},
			decided: []fixed{
				{byStream, "--stream-json --stream-json-input"},
				{byPrompt, "--execute -x"},
			},
			says: "what its own permissions allow",
			note: "settings of project and user are read; --model chooses its mode",
			login: login{
				keys: []string{"AMP_API_KEY"},
				home: "XDG_DATA_HOME", below: ".local/share", files: []string{"amp/secrets.json"},
				fix: "run amp login, or set AMP_API_KEY",
			},
		},
		{
			name: "droid", install: "npm install -g droid",
			argv:    []string{"droid", "exec", "--output-format", "stream-json"},
			careful: []string{"--auto", "low"},
			full:    []string{"--auto", "high"},
			model:   "--model", help: []string{"exec", "--help"},
			shape: Shape{Resume: []string{"--session-id", SessionWord}},
			decided: []fixed{
				{bySession, "--session-id -s"},
				{byStream, "--output-format -o --input-format"},
				{byPrompt, "--file -f"},
			},
			says:     "edits files of the workspace and runs what it takes for harmless (--auto low)",
			saysFull: "may do nearly anything unasked (--auto high)",
			note:     "settings of the user are read",
			login: login{
				keys:  []string{"FACTORY_API_KEY"},
				below: ".factory", files: []string{"auth.encrypted", "auth.json"}, settings: []string{"config.json", "settings.json"}, keychain: true,
				fix: "run droid once and log in, or set FACTORY_API_KEY",
			},
		},
		{
			name: "auggie", install: "npm install -g @augmentcode/auggie", prompt: PromptFile,
			argv:  []string{"auggie", "--print", "--output-format", "json", "--instruction-file", PromptWord},
			model: "--model", help: []string{"--help"},
			shape: Shape{Resume: []string{"--resume", SessionWord}, MaxTurns: []string{"--max-turns", TurnsWord}},
			decided: []fixed{
				{bySession, "--resume -r --continue -c --dont-save-session"},
				{byStream, "--output-format --quiet -q"},
				{byPrompt, "--instruction -i --instruction-file -if --queue"},
				{byTurns, "--max-turns"},
			},
			says: "what its own permissions allow",
			note: "settings of the user are read",
			login: login{
				keys:  []string{"AUGMENT_SESSION_AUTH", "AUGMENT_API_TOKEN"},
				below: ".augment", files: []string{"session.json"},
				fix: "run auggie login, or set AUGMENT_SESSION_AUTH",
			},
		},
		{
			name: "cn", install: "npm install -g @continuedev/cli",
			argv:    []string{"cn", "-p"},
			careful: []string{"--allow", "Write", "--allow", "Edit", "--allow", "MultiEdit"},
			full:    []string{"--auto"},
			model:   "--model", help: []string{"--help"},
			decided: []fixed{
				{bySession, "--resume --fork"},
				{byStream, "--format --silent"},
				{byPrompt, "--prompt"},
			},
			says:     "edits files of the workspace unasked; commands are refused",
			saysFull: "may do anything unasked",
			note:     "its configuration is read (config.yaml)",
			login: login{
				keys:  []string{"CONTINUE_API_KEY", "*_API_KEY"},
				below: ".continue", files: []string{"auth.json"}, settings: []string{"config.yaml"},
				fix: "run cn login, or set CONTINUE_API_KEY",
			},
		},
	}
}

func copilotGates(commands []string) (argv, _ []string) {
	for _, c := range commands {
		argv = append(argv, "--allow-tool=shell("+c+")")
	}
	return argv, nil
}
