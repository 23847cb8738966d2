package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/projections/rule"
)

func call(t *testing.T, o agent.Overrides, name string, c agent.Choice) (agent.Call, error) {
	t.Helper()
	p, err := o.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p.Call(c)
}

func TestEachProfileCallsItsProgram(t *testing.T) {
	t.Parallel()
	gates := []string{"go test ./...", "test $(id -u) = 0", "ls *.go", " go test ./... "}
	for name, c := range map[string]struct {
		agent     string
		choice    agent.Choice
		overrides agent.Overrides
		argv, env string // words by |
	}{
		"claude": {
			agent: "claude", choice: agent.Choice{Gates: gates},
			argv: "claude|-p|--output-format|stream-json|--verbose|--setting-sources|project|--add-dir|{box}|--permission-mode|acceptEdits" +
				`|--settings|{"permissions":{"allow":["Bash(go test ./...)","Bash(test $\\(id -u\\) = 0)"]}}`,
			env: "DISABLE_AUTOUPDATER=1",
		},
		"claude in full": {
			agent: "claude", choice: agent.Choice{Gates: gates, Model: "opus", Permissions: "full", Args: []string{"--effort", "high"}},
			argv: "claude|-p|--output-format|stream-json|--verbose|--setting-sources|project|--add-dir|{box}|--permission-mode|bypassPermissions" +
				"|--model|opus|--effort|high",
			env: "DISABLE_AUTOUPDATER=1",
		},
		"codex": {
			agent: "codex", choice: agent.Choice{Gates: gates, Model: "o9"},
			argv: "codex|exec|--json|--add-dir|{box}|--sandbox|workspace-write|--model|o9",
		},
		"codex in full": {
			agent: "codex", choice: agent.Choice{Permissions: "full"},
			argv: "codex|exec|--json|--add-dir|{box}|--dangerously-bypass-approvals-and-sandbox",
		},
		"gemini": {
			agent: "gemini", choice: agent.Choice{Gates: gates},
			argv: "gemini|-o|stream-json|--skip-trust|--include-directories|{box}|--approval-mode|auto_edit" +
				"|--allowed-tools=run_shell_command(go test ./...)",
		},
		"gemini in full": {
			agent: "gemini", choice: agent.Choice{Gates: gates, Permissions: "full"},
			argv: "gemini|-o|stream-json|--skip-trust|--include-directories|{box}|--approval-mode|yolo",
		},
		"opencode": {
			agent: "opencode", choice: agent.Choice{Gates: gates},
			argv: "opencode|run|--format|json|--print-logs|--log-level|ERROR",
			env: "OPENCODE_DISABLE_AUTOUPDATE=1|" + `OPENCODE_PERMISSION={"bash":{"*":"deny","go test ./...":"allow","test $(id -u) = 0":"allow"},` +
				`"external_directory":{"*":"deny","{box}/*":"allow"}}`,
		},
		"opencode in full": {
			agent: "opencode", choice: agent.Choice{Permissions: "full"},
			argv: "opencode|run|--format|json|--print-logs|--log-level|ERROR|--auto", env: "OPENCODE_DISABLE_AUTOUPDATE=1",
		},
		"cursor-agent": {
			agent: "cursor-agent", choice: agent.Choice{Gates: gates, Model: "m"},
			argv: "cursor-agent|-p|--output-format|stream-json|--trust|--model|m",
		},
		"cursor-agent in full": {
			agent: "cursor-agent", choice: agent.Choice{Permissions: "full"},
			argv: "cursor-agent|-p|--output-format|stream-json|--trust|--force",
		},
		"goose": {
			agent: "goose", choice: agent.Choice{Model: "m", Args: []string{"--provider", "p"}},
			argv: "goose|run|--output-format|stream-json|-i|-|--model|m|--provider|p",
		},
		"goose in full": {
			agent: "goose", choice: agent.Choice{Permissions: "full"},
			argv: "goose|run|--output-format|stream-json|-i|-", env: "GOOSE_MODE=auto",
		},
		"aider": {
			agent: "aider", choice: agent.Choice{Model: "m"},
			argv: "aider|--message-file|{prompt}|--yes-always|--no-stream|--no-pretty|--no-auto-commits|--no-dirty-commits|--no-gitignore|--no-check-update|--model|m",
			env:  "AIDER_CHAT_HISTORY_FILE={box}/aider.chat.md|AIDER_INPUT_HISTORY_FILE={box}/aider.input",
		},
		"a changed one": {
			agent: "codex", choice: agent.Choice{Args: []string{"--c"}},
			overrides: agent.Overrides{"codex": {Origin: "user", Model: "m", Permissions: "full", Args: []string{"--b"}, Env: map[string]string{"K": "V", "A": "B"}}},
			argv:      "codex|exec|--json|--add-dir|{box}|--dangerously-bypass-approvals-and-sandbox|--model|m|--b|--c", env: "A=B|K=V",
		},
		"what is typed wins": {
			agent: "claude", choice: agent.Choice{Model: "typed", Permissions: "full"},
			overrides: agent.Overrides{"claude": {Model: "written", Env: map[string]string{"DISABLE_AUTOUPDATER": "0"}}},
			argv: "claude|-p|--output-format|stream-json|--verbose|--setting-sources|project|--add-dir|{box}|--permission-mode|bypassPermissions" +
				"|--model|typed",
			env: "DISABLE_AUTOUPDATER=0",
		},
		"an own one as a list": {
			agent: "mine", choice: agent.Choice{Args: []string{"c"}},
			overrides: agent.Overrides{"mine": {Command: rule.Command{Argv: []string{"./a", "b"}}}},
			argv:      "./a|b|c",
		},
		"an own one as text": {
			agent:     "mine",
			overrides: agent.Overrides{"mine": {Command: rule.Command{Text: "./a b"}, Env: map[string]string{"K": "V"}}},
			argv:      "/bin/sh|-c|./a b", env: "K=V",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, c.overrides, c.agent, c.choice)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.argv, strings.Join(got.Process(), "|")); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.env, strings.Join(got.Env, "|")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGatesThatNoRuleNamesExactlyAreSaid(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"claude": "ls *.go", "gemini": "a (b); a, b; ls *.go", "opencode": "ls *.go; ls ?.go"} {
		got, err := call(t, nil, name, agent.Choice{Gates: []string{"a (b)", "a, b", "ls *.go", "ls ?.go"}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.Says, "allow more: "+want+")") {
			t.Errorf("%s: %s, want %s", name, got.Says, want)
		}
	}
}

func TestWhatAProfileCannotDoIsRefusedWithAFix(t *testing.T) {
	t.Parallel()
	mine := agent.Overrides{"mine": {Command: rule.Command{Text: "a"}}, "many": {Command: rule.Command{Argv: []string{"a"}}}}
	for name, c := range map[string]struct {
		agent  string
		choice agent.Choice
		want   string // empty is none
	}{
		"full for root":            {"claude", agent.Choice{Permissions: "full", Root: true}, "claude refuses permissions full for root"},
		"root in a sandbox":        {"claude", agent.Choice{Permissions: "full", Root: true, Env: []string{"IS_SANDBOX=1"}}, ""},
		"root with little":         {"claude", agent.Choice{Root: true}, ""},
		"another one for root":     {"codex", agent.Choice{Permissions: "full", Root: true}, ""},
		"other permissions":        {"claude", agent.Choice{Permissions: "most"}, `permissions "most" are not known`},
		"model of an own one":      {"mine", agent.Choice{Model: "m"}, "agent mine has no option for a model"},
		"permissions of an own":    {"mine", agent.Choice{Permissions: "full"}, "agent mine has no option for permissions"},
		"arguments of a text":      {"mine", agent.Choice{Args: []string{"x"}}, "agent mine is a command for the shell and takes no arguments"},
		"arguments of a list":      {"many", agent.Choice{Args: []string{"x"}}, ""},
		"NUL in arguments of many": {"many", agent.Choice{Args: []string{"x\x00"}}, "agent many: unusable command: it contains a NUL byte"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := call(t, mine, c.agent, c.choice)
			refused(t, err, c.want)
		})
	}
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	var e *agent.ProfileError
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want == "":
	case !errors.As(err, &e):
		t.Errorf("got %v, want %q", err, want)
	case e.Msg != want || e.Fix == "":
		t.Errorf("got %q, fix %q, want %q", e.Msg, e.Fix, want)
	}
}

func TestConfigurationsOfAgentsAreChecked(t *testing.T) {
	t.Parallel()
	own := rule.Command{Text: "a"}
	for name, c := range map[string]struct {
		agent    string
		override agent.Override
		want     string
	}{
		"a change":         {"claude", agent.Override{Model: "m", Args: []string{"x"}}, ""},
		"an own one":       {"mine", agent.Override{Command: own, Prompt: agent.PromptFile}, ""},
		"no name":          {"Mine!", agent.Override{Command: own}, `the agent name "Mine!" cannot be used`},
		"shipped command":  {"claude", agent.Override{Command: own}, "agent claude is shipped: its command cannot be changed"},
		"shipped prompt":   {"claude", agent.Override{Prompt: agent.PromptFile}, "agent claude is shipped: it gets its prompt on standard input"},
		"no command":       {"claud", agent.Override{Model: "m"}, `there is no agent "claud"`},
		"bad permissions":  {"claude", agent.Override{Permissions: "all"}, `permissions "all" are not known`},
		"own with a model": {"mine", agent.Override{Command: own, Model: "m"}, "agent mine has no option for a model"},
		"aider's prompt":   {"aider", agent.Override{Prompt: agent.PromptStdin}, "agent aider is shipped: it gets its prompt from a file"},
		"a session":        {"claude", agent.Override{Args: []string{"-r"}}, "agent claude: -r is decided by the run, which gives each call its session: two agents in one would mix their work"},
		"shipped stream":   {"claude", agent.Override{Stream: stream.Text}, "agent claude is shipped: what it prints is known"},
		"shipped reports":  {"claude", agent.Override{Reports: []string{"cost"}}, "agent claude is shipped: what it prints is known"},
		"a stream":         {"mine", agent.Override{Command: own, Stream: stream.Claude}, ""},
		"no stream":        {"mine", agent.Override{Command: own, Stream: "claud"}, `agent mine: the stream "claud" is not known`},
		"reports":          {"mine", agent.Override{Command: own, Reports: []string{"cost", "tokens"}}, ""},
		"no report":        {"mine", agent.Override{Command: own, Reports: []string{"turns"}}, `agent mine: "turns" cannot be reported`},
		"reports twice":    {"mine", agent.Override{Command: own, Stream: stream.Codex, Reports: []string{"cost"}}, "agent mine: what a stream of codex reports is known"},
		"bad prompt":       {"mine", agent.Override{Command: own, Prompt: "argv"}, `agent mine: unusable command: prompt "argv" is neither stdin nor file`},
		"NUL":              {"claude", agent.Override{Env: map[string]string{"A": "\x00"}}, "agent claude holds a NUL byte"},
		"our variable":     {"claude", agent.Override{Env: map[string]string{"AUTOPILOT_X": ""}}, `agent claude: the variable "AUTOPILOT_X" cannot be set`},
		"no variable":      {"claude", agent.Override{Env: map[string]string{"A=B": ""}}, `agent claude: the variable "A=B" cannot be set`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, c.override.Check(c.agent), c.want)
		})
	}
}

func TestAnUnknownNameSuggestsTheNearest(t *testing.T) {
	t.Parallel()
	o := agent.Overrides{"mine": {Command: rule.Command{Text: "a"}}}
	for name, want := range map[string]string{"claud": "did you mean claude?", "mime": "did you mean mine?", "zzzzzzzz": "apctl agent ls"} {
		_, err := o.Find(name)
		var e *agent.ProfileError
		if !errors.As(err, &e) || !strings.HasPrefix(e.Fix, want) {
			t.Errorf("%s: %v, want a fix that begins with %q", name, err, want)
		}
	}
	if got, want := o.Names(), []string{"claude", "codex", "gemini", "opencode", "cursor-agent", "goose", "aider", "qwen", "copilot", "pi", "kilo", "cline", "amp", "droid", "auggie", "cn", "mine"}; !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
}

func TestTheFolderOfAnIterationIsFilledIn(t *testing.T) {
	t.Parallel()
	c := agent.Command{Command: rule.Command{Argv: []string{"a", agent.BoxWord, "x" + agent.BoxWord}}}
	if got, want := strings.Join(c.In("/b").Argv, " "), "a /b x{box}"; got != want {
		t.Errorf("argv %q, want %q: only whole words are ours", got, want)
	}
	if c.Argv[1] != agent.BoxWord {
		t.Error("the stored command was changed")
	}
	if got, want := agent.EnvIn([]string{"P={box}/*", "Q=1"}, "/b"), []string{"P=/b/*", "Q=1"}; !slices.Equal(got, want) {
		t.Errorf("env %q, want %q", got, want)
	}
}
