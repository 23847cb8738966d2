package agent_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/test/proctest"
	"autopilot/projections/rule"
)

func TestEachCallOfARunHasWhatItAsks(t *testing.T) {
	t.Parallel()
	const (
		claude = "claude|-p|--output-format|stream-json|--verbose|--setting-sources|project|--add-dir|/box|--permission-mode|acceptEdits|--settings|" +
			`{"permissions":{"allow":[]}}`
		codex    = "codex|exec|--json|--add-dir|/box|--sandbox|workspace-write"
		gemini   = "gemini|-o|stream-json|--skip-trust|--include-directories|/box|--approval-mode|auto_edit"
		opencode = "opencode|run|--format|json|--print-logs|--log-level|ERROR"
		cursor   = "cursor-agent|-p|--output-format|stream-json|--trust"
		goose    = "goose|run|--output-format|stream-json|-i|-"
		aider    = "aider|--message-file|{prompt}|--yes-always|--no-stream|--no-pretty|--no-auto-commits|--no-dirty-commits|--no-gitignore|--no-check-update"
	)
	first, again := agent.Turn{Session: "s-1", Box: "/box"}, agent.Turn{Session: "s-1", Resume: true, Box: "/box"}
	limits := agent.Turn{Turns: 7, MicroUSD: 1_250_000, Schema: `{"a":1}`, SchemaFile: "/s.json", Box: "/box"}
	for name, c := range map[string]struct{ first, again, limits string }{ // {args} is where the user's are
		"claude": {
			claude + "|--session-id|s-1{args}", claude + "|--resume|s-1{args}",
			claude + `|--max-turns|7|--max-budget-usd|1.25|--json-schema|{"a":1}{args}`,
		},
		"codex":        {codex + "{args}", codex + "{args}|resume|s-1|-", codex + "{args}|--output-schema|/s.json"},
		"gemini":       {gemini + "|--session-id|s-1{args}", gemini + "|--resume|s-1{args}", gemini + "{args}"},
		"opencode":     {opencode + "{args}", opencode + "|--session|s-1{args}", opencode + "{args}"},
		"cursor-agent": {cursor + "{args}", cursor + "|--resume|s-1{args}", cursor + "{args}"},
		"goose":        {goose + "|-n|s-1{args}", goose + "|-r|-n|s-1{args}", goose + "|--max-turns|7{args}"},
		"aider":        {aider + "{args}", aider + "{args}", aider + "{args}"},
	} {
		for _, args := range [][]string{nil, {"--more", "{session}"}} {
			call, err := call(t, nil, name, agent.Choice{Args: args})
			if err != nil {
				t.Fatal(err)
			}
			written := ""
			if len(args) > 0 {
				written = "|" + strings.Join(args, "|")
			}
			// As it is stored with a run.
			var stored agent.Shape
			b, err := json.Marshal(call.Shape)
			if err == nil {
				err = json.Unmarshal(b, &stored)
			}
			if err != nil {
				t.Fatal(err)
			}
			base := slices.Clone(call.Argv)
			for _, v := range []struct {
				turn agent.Turn
				want string
			}{{first, c.first}, {again, c.again}, {limits, c.limits}} {
				want := strings.ReplaceAll(v.want, "{args}", written)
				if d := cmp.Diff(want, strings.Join(stored.Argv(call.Argv, v.turn), "|")); d != "" {
					t.Errorf("%s %+v (-want +got):\n%s", name, v.turn, d)
				}
			}
			if !slices.Equal(base, call.Argv) || !slices.Equal(stored.Argv(call.Argv, agent.Turn{}), base) {
				t.Errorf("%s: the stored argv was changed", name)
			}
		}
	}
}

func TestACallOnlyHasWhatCanBeAnArgument(t *testing.T) {
	t.Parallel()
	s := agent.Shape{Resume: []string{"-r", agent.SessionWord, "x" + agent.SessionWord}, MaxUSD: []string{agent.USDWord}, At: 9}
	for id, ok := range map[string]bool{
		"0199a213-7c1f": true, "ses_1": true, "run.a:b": true, "": false, "--force": false, "-x": false, "a b": false,
		"a\x00": false, "é": false, "../x": false, strings.Repeat("a", 129): false,
	} {
		want := "a"
		if ok {
			want = "a|-r|" + id + "|x{session}"
		}
		if got := strings.Join(s.Argv([]string{"a"}, agent.Turn{Session: id, Resume: true}), "|"); got != want || agent.ValidSession(id) != ok {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
	for micro, want := range map[int64]string{1: "0.000001", 1_000_000: "1", 12_500_000: "12.5", 10_000_000: "10", 100_000: "0.1", -5: ""} {
		if got := strings.Join(s.Argv(nil, agent.Turn{MicroUSD: micro}), "|"); got != want {
			t.Errorf("%d is %s, want %s", micro, got, want)
		}
	}
}

func TestWhatAProgramReportsIsKnown(t *testing.T) {
	t.Parallel()
	own := rule.Command{Text: "./mine"}
	o := agent.Overrides{
		"wraps": {Command: own, Stream: stream.Claude},
		"says":  {Command: own, Reports: []string{"tokens"}},
		"costs": {Command: own, Stream: stream.Text, Reports: []string{"cost", "tokens"}},
		"mute":  {Command: own},
	}
	for name, want := range map[string]struct {
		stream  stream.Format
		reports agent.Reports
	}{
		"claude":       {stream.Claude, agent.Reports{Tokens: true, Cost: true, Live: true}},
		"codex":        {stream.Codex, agent.Reports{Tokens: true}},
		"gemini":       {stream.Gemini, agent.Reports{Tokens: true}},
		"opencode":     {stream.Opencode, agent.Reports{Tokens: true, Cost: true, Live: true}},
		"cursor-agent": {stream.Cursor, agent.Reports{}},
		"goose":        {stream.Goose, agent.Reports{}},
		"aider":        {stream.Aider, agent.Reports{Tokens: true, Cost: true, Live: true}},
		"wraps":        {stream.Claude, agent.Reports{Tokens: true, Cost: true, Live: true}},
		"says":         {stream.Text, agent.Reports{Tokens: true, Live: true}},
		"costs":        {stream.Text, agent.Reports{Tokens: true, Cost: true, Live: true}},
		"mute":         {stream.Text, agent.Reports{}},
	} {
		got, err := call(t, o, name, agent.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Shape.Stream != want.stream || got.Shape.Reports != want.reports {
			t.Errorf("%s: %+v, want %+v", name, got.Shape, want)
		}
	}
}

func TestArgumentsTakeNoDecisionFromTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent, refused, taken string // words
	}{
		{
			"claude",
			"--session-id --session-id=x --resume --resume=x -r -rx --continue -c --fork-session --no-session-persistence --output-format=text --input-format --max-turns --max-budget-usd=1 --json-schema",
			"--effort --append-system-prompt -d --setting-sources --continued --mcp-config",
		},
		{"codex", "resume --last --ephemeral --json --experimental-json --output-schema=/x", "-c -c=model_x=1 --ignore-user-config --skip-git-repo-check"},
		{"gemini", "-r --resume=latest -rlatest -o -ojson --output-format=json --session-id", "-m --sandbox -s"},
		{"opencode", "-s --session=x -c --continue --fork --format --format=json --attach", "--agent --variant --thinking"},
		{"cursor-agent", "--resume --resume=x --continue --output-format --stream-partial-output", "-m --header"},
		{"goose", "-n -nx --name=x -r --resume --no-session -i -t --text --recipe --max-turns=3 -q --output-format", "--provider --max-tool-repetitions --with-builtin"},
		{"aider", "--auto-commits --auto-com --dirty-commits --commit -m -mx --message --mess --message-file=x -f --load --stream --pretty --restore-chat-history", "--read --no-auto-lint --edit-format --model"},
	} {
		for refusedWord := range strings.FieldsSeq(c.refused) {
			_, err := call(t, nil, c.agent, agent.Choice{Args: []string{"--x", refusedWord}})
			if err == nil || !strings.Contains(err.Error(), "is decided by") {
				t.Errorf("%s takes %s: %v", c.agent, refusedWord, err)
			}
		}
		for taken := range strings.FieldsSeq(c.taken) {
			if _, err := call(t, nil, c.agent, agent.Choice{Args: []string{taken}}); err != nil {
				t.Errorf("%s refuses %s: %v", c.agent, taken, err)
			}
		}
	}
}

// Field reports, B.1 7.
func TestAPromptOfAnySizeIsNoArgument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	prompt := filepath.Join(dir, "prompt")
	text := append([]byte("--resume x\x00\n"), bytes.Repeat([]byte("- a prompt of 3 MiB\n"), 3<<20/20)...)
	if err := os.WriteFile(prompt, text, 0o600); err != nil {
		t.Fatal(err)
	}
	o := agent.Overrides{
		"mine": {Command: rule.Command{Text: "exec cat"}},
		"file": {Command: rule.Command{Argv: []string{"cat", agent.PromptWord}}, Prompt: agent.PromptFile},
	}
	// Each program is one that prints the prompt that it got.
	for _, name := range agent.Overrides(nil).Names() {
		script := "#!/bin/sh\nexec cat\n"
		if name == "aider" || name == "auggie" { // from the file that they are given
			script = "#!/bin/sh\nwhile [ \"$1\" ]; do case $1 in --message-file|--instruction-file) exec cat \"$2\";; esac; shift; done\n"
		}
		if err := proctest.WriteProgram(filepath.Join(dir, name), script); err != nil {
			t.Fatal(err)
		}
	}
	path := dir + ":" + os.Getenv("PATH")
	for _, name := range o.Names() {
		c, err := call(t, o, name, agent.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		inv, err := c.Invoke(agent.Place{PromptFile: prompt}, path, dir)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(strings.Join(inv.Argv, "")); n > 4<<10 {
			t.Errorf("%s: argv has %d bytes", name, n)
		}
		if got := output(t, inv); !bytes.Equal(got, text) {
			t.Errorf("%s got %d bytes, want %d", name, len(got), len(text))
		}
	}
}

func output(t *testing.T, inv agent.Invocation) []byte {
	t.Helper()
	cmd := &exec.Cmd{Path: inv.Path, Args: inv.Argv, Env: append(os.Environ(), inv.Env...)}
	if inv.Stdin != "" {
		f, err := os.Open(inv.Stdin)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", inv.Path, err))
	}
	return out
}
