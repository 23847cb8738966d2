package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
	"autopilot/projections/rule"
)

// write makes a file below dir and returns its path.
func write(t *testing.T, dir, name string, mode os.FileMode) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

func text(s string) agent.Command { return agent.Command{Command: rule.Command{Text: s}} }

func list(s ...string) agent.Command { return agent.Command{Command: rule.Command{Argv: s}} }

func TestInvokeSaysHowToStart(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	tool := write(t, bin, "my-agent", 0o755)
	place := agent.Place{RunID: "01J", Phase: "work", Iteration: 3, PromptFile: "/box/prompt.md", ResultFile: "/box/result.json", Socket: "/box/agent.sock"}
	env := []string{
		"AUTOPILOT_RUN_ID=01J", "AUTOPILOT_PHASE=work", "AUTOPILOT_ITERATION=3",
		"AUTOPILOT_PROMPT_FILE=/box/prompt.md", "AUTOPILOT_RESULT_FILE=/box/result.json", "AUTOPILOT_SOCKET=/box/agent.sock",
	}
	fileMode := list("my-agent")
	fileMode.Prompt = agent.PromptFile
	tests := map[string]struct {
		command agent.Command
		want    agent.Invocation
	}{
		"text":           {text("my-agent -p | tee log"), agent.Invocation{Path: "/bin/sh", Argv: []string{"/bin/sh", "-c", "my-agent -p | tee log"}, Env: env, Stdin: "/box/prompt.md"}},
		"list":           {list("my-agent", "-p"), agent.Invocation{Path: tool, Argv: []string{"my-agent", "-p"}, Env: env, Stdin: "/box/prompt.md"}},
		"prompt in file": {fileMode, agent.Invocation{Path: tool, Argv: []string{"my-agent"}, Env: env}},
		"builtin":        {text("cd sub && nothing-here"), agent.Invocation{Path: "/bin/sh", Argv: []string{"/bin/sh", "-c", "cd sub && nothing-here"}, Env: env, Stdin: "/box/prompt.md"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.command.Invoke(place, bin, dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFirstWordIsLookedForOnThePathOfTheRun(t *testing.T) {
	t.Parallel()
	dir, bin, other := t.TempDir(), t.TempDir(), t.TempDir()
	tool := write(t, bin, "tool", 0o755)
	write(t, other, "tool", 0o644)
	here := write(t, dir, "agent.sh", 0o755)
	inBin := write(t, dir, "bin/mine", 0o755)
	plain := write(t, dir, "notes.txt", 0o644)
	if err := os.Mkdir(filepath.Join(other, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{other, bin, "bin"}, ":")
	found := map[string]string{
		"tool --x":         tool, // the one in other cannot be run
		"FOO=1 tool":       tool,
		"'tool' | nothing": tool,
		"./agent.sh -p":    here,
		here:               here,
		"mine":             inBin, // a relative entry of PATH means the workspace
		"echo hi":          "",
		"$AGENT -p":        "",
		"if then":          "",
		"f() { :; }; f":    "",
	}
	for s, want := range found {
		if got, err := text(s).Resolve(path, dir); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", s, got, err, want)
		}
	}
	missing := map[string]string{
		"nothing -p":   `command "nothing" not found on PATH ` + path,
		"./nothing":    `command "./nothing" not found`,
		"./notes.txt":  `command "./notes.txt": ` + plain + ` is not an executable file`,
		"folder":       `command "folder": ` + other + `/folder is not an executable file`,
		"'a b' --flag": `command "a b" not found on PATH ` + path,
	}
	for s, want := range missing {
		_, err := text(s).Resolve(path, dir)
		if !errors.Is(err, agent.ErrNotFound) || err.Error() != want {
			t.Errorf("%s: got %v, want %s", s, err, want)
		}
	}
	if _, err := list("tool").Invoke(agent.Place{}, "", dir); !errors.Is(err, agent.ErrNotFound) || err.Error() != `command "tool" not found: PATH is empty` {
		t.Error(err)
	}
}

func TestUnusableCommandsAreRefused(t *testing.T) {
	t.Parallel()
	both := text("a")
	both.Argv = []string{"a"}
	mode := text("true")
	mode.Prompt = "argv"
	for want, c := range map[string]agent.Command{
		"it is empty":                          text(" \n"),
		"both as text and as a list":           both,
		"its first word is empty":              list("", "x"),
		"contains a NUL byte":                  list("true", "a\x00b"),
		`prompt "argv" is neither stdin nor f`: mode,
	} {
		if _, err := c.Invoke(agent.Place{}, "/bin", "/"); !errors.Is(err, agent.ErrCommand) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
