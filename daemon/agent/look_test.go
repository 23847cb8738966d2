package agent

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/test/proctest"
	"autopilot/projections/rule"
)

// executableFile writes a shell program into a folder of its own and returns
// that.
func executableFile(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := proctest.WriteProgram(filepath.Join(dir, name), "#!/bin/sh\n"+text); err != nil {
		t.Fatal(err)
	}
	return dir
}

// helpText names every option that a run of claude needs.
const helpText = `-p --output-format <f> --verbose --setting-sources --add-dir <directories...> --permission-mode=MODE --settings, --model --session-id <uuid> -r, --resume [value]`

func TestAProgramIsAskedWhetherARunCouldCallIt(t *testing.T) {
	t.Parallel()
	const good = `[ "$1" = --version ] && echo "2.2.0 (Claude Code)" || echo "` + helpText + `"`
	for name, c := range map[string]struct {
		program string
		version string
		problem string // part of the only one; empty is none
	}{
		"all is well":      {good, "2.2.0 (Claude Code)", ""},
		"help on stderr":   {`[ "$1" = --version ] && echo 1.0 || echo "` + helpText + `" >&2`, "1.0", ""},
		"warnings first":   {`[ "$1" = --version ] && { echo WARNING; echo 1.0; } || echo "` + helpText + `"`, "1.0", ""},
		"escapes":          {`[ "$1" = --version ] && printf '\033[31m\033]0;x\0071.0\033[0m\n' || echo "` + helpText + `"`, "1.0", ""},
		"a long line":      {`[ "$1" = --version ] && printf '1.0%099d\n' 0 || echo "` + helpText + `"`, "1.0" + strings.Repeat("0", maxVersion-3), ""},
		"other options":    {`[ "$1" = --version ] && echo 1.0 || echo "` + strings.ReplaceAll(helpText, "--settings", "--settingss") + `"`, "1.0", "--help does not name --settings, which a run needs"},
		"no version":       {"exit 0", "", "--version: it says no version"},
		"exits 1":          {"echo 1.0; exit 1", "", "--version: exit status 1"},
		"help exits 1":     {`[ "$1" = --version ] && echo 1.0 || exit 1`, "1.0", "--help: exit status 1"},
		"prints for ever":  {"exec yes", "", "it prints more than 1 MiB"},
		"reads its input":  {"cat >/dev/null; " + good, "2.2.0 (Claude Code)", ""},
		"leaves a process": {"sleep 1000 & " + good, "2.2.0 (Claude Code)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := executableFile(t, "claude", c.program)
			p, err := Overrides(nil).Find("claude")
			if err != nil {
				t.Fatal(err)
			}
			env := []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "ANTHROPIC_API_KEY=x"}
			v := p.View(t.Context(), Look{Dir: t.TempDir(), Env: env, Slots: make(chan struct{}, 1)}, true)
			if v.Version != c.version {
				t.Errorf("version %q, want %q", v.Version, c.version)
			}
			problems := strings.Join(v.Problems, "\n")
			if (c.problem == "") != (problems == "") || !strings.Contains(problems, c.problem) || len(v.Problems) > 1 {
				t.Errorf("problems %q, want one with %q", v.Problems, c.problem)
			}
			if v.Program != filepath.Join(dir, "claude") || v.Login != LoginKey || v.LoginFrom != "ANTHROPIC_API_KEY" {
				t.Errorf("program %q, login %q by %q", v.Program, v.Login, v.LoginFrom)
			}
		})
	}
}

func TestAProgramThatHangsIsEndedWithAllThatItStarted(t *testing.T) {
	t.Parallel()
	dir := executableFile(t, "hangs", `sleep 1000 >held & wait`)
	held := filepath.Join(dir, "held")
	if err := syscall.Mkfifo(held, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(held, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a := put(t.Context(), 300*time.Millisecond, dir, []string{"PATH=" + os.Getenv("PATH")}, filepath.Join(dir, "hangs"))
	if a.err == nil || a.err.Error() != "no answer within 300ms" {
		t.Errorf("got %v", a.err)
	}
	if _, err := io.ReadAll(f); err != nil { // comes to its end when nobody holds it
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := put(ctx, time.Hour, dir, nil, filepath.Join(dir, "hangs")); a.err == nil {
		t.Error("asked for a caller that is gone")
	}
}

func TestWhatIsNoProgramIsNotFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := Overrides{"mine": {Origin: "project", Command: rule.Command{Argv: []string{"./mine"}}, Prompt: PromptFile}}
	for _, name := range o.Names() {
		p, err := o.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		v := p.View(t.Context(), Look{Dir: dir, Home: dir, Env: []string{"PATH=" + dir}}, true)
		if v.Program != "" || v.Version != "" || len(v.Problems) != 1 || !strings.Contains(v.Problems[0], ": ") {
			t.Errorf("%s: program %q, problems %q", name, v.Program, v.Problems)
		}
		if own := name == "mine"; own != (v.Origin == "project" && !v.Verified && v.Prompt == "file" && v.Login == LoginUnknown) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestAnAgentThatNoRunCanHaveIsShownWithItsProblem(t *testing.T) {
	t.Parallel()
	dir := executableFile(t, "claude", "exit 1")
	o := Overrides{"claude": {Origin: "user", Permissions: PermitFull}}
	p, err := o.Find("claude")
	if err != nil {
		t.Fatal(err)
	}
	v := p.View(t.Context(), Look{Dir: dir, Env: []string{"PATH=" + dir, "ANTHROPIC_API_KEY=x"}, Root: true}, false)
	want := []string{"claude refuses permissions full for root: run as another user, or leave permissions out"}
	if v.Program == "" || v.Login != LoginKey || v.Full || !slices.Equal(v.Problems, want) {
		t.Errorf("%+v", v)
	}
	if v = p.View(t.Context(), Look{Dir: dir, Env: []string{"PATH=" + dir}}, false); !v.Full {
		t.Error("permissions are full, and it is not said")
	}
}

func TestALoginIsSeenWithoutItsSecret(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for file, text := range map[string]string{
		".claude/.credentials.json": "{}", "slot/.credentials.json": "{}", ".codex/config.toml": "x",
		".gemini/oauth_creds.json": "", ".local/share/opencode/auth.json": "{}",
	} {
		file = filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		program     string
		env         []string
		state, from string
	}{
		"a key":                   {"claude", []string{"ANTHROPIC_API_KEY=sk-1"}, LoginKey, "ANTHROPIC_API_KEY"},
		"an empty key":            {"claude", []string{"ANTHROPIC_API_KEY="}, LoginAccount, home + "/.claude/.credentials.json"},
		"another account":         {"claude", []string{"CLAUDE_CONFIG_DIR=" + home + "/slot"}, LoginAccount, home + "/slot/.credentials.json"},
		"an account without":      {"claude", []string{"CLAUDE_CONFIG_DIR=" + home + "/none"}, LoginNone, ""},
		"settings":                {"codex", nil, LoginUnknown, home + "/.codex/config.toml"},
		"an empty file":           {"gemini", nil, LoginNone, ""},
		"any key":                 {"opencode", []string{"SOME_API_KEY=x"}, LoginKey, "SOME_API_KEY"},
		"an account of opencode":  {"opencode", nil, LoginAccount, home + "/.local/share/opencode/auth.json"},
		"HOME comes before ours":  {"claude", []string{"HOME=/nowhere"}, LoginNone, ""},
		"a login of another name": {"codex", []string{"HOME=/nowhere", "ANTHROPIC_API_KEY=x"}, LoginNone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := findProgram(c.program)
			p.login.keychain = false // as on Linux
			if state, from := p.login.state(c.env, home); state != c.state || from != c.from {
				t.Errorf("%s by %q, want %s by %q", state, from, c.state, c.from)
			}
		})
	}
}

func TestEveryOptionOfAProfileIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"claude":   {"-p", "--output-format", "--verbose", "--setting-sources", "--add-dir", "--permission-mode", "--model", "--session-id", "--resume", "--settings"},
		"codex":    {"--json", "--add-dir", "--sandbox", "--dangerously-bypass-approvals-and-sandbox", "--model"},
		"gemini":   {"-o", "--skip-trust", "--include-directories", "--approval-mode", "--model", "--session-id", "--resume", "--allowed-tools"},
		"opencode": {"--format", "--print-logs", "--log-level", "--auto", "--model", "--session"},
		"goose":    {"--output-format", "-i", "--model", "-n", "-r"},
	} {
		p, ok := findProgram(name)
		if got := p.options(); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
