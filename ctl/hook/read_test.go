package hook

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

// sample is what a host has sent: claude 2.1.197, codex 0.171.0, gemini 0.61.0.
func sample(t testing.TB, host, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", host, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	claudeChat = "f1cff785-27de-420d-a8a2-032a8cf66537"
	codexChat  = "01a221f6-2f01-7891-b235-381ceb676f61"
	geminiChat = "f5fffbf3-017f-4c0f-8722-60299874f77a"
)

func TestWhatHostsSendIsReadAsOneRequest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]wire.HookRequest{
		"claude/SessionStart":     {Event: wire.HookBegins, Session: claudeChat},
		"claude/PreToolUse-Bash":  {Event: wire.HookCalls, Session: claudeChat, Command: "apctl session join 66a2"},
		"claude/PreToolUse-Write": {Event: wire.HookCalls, Session: claudeChat, Files: []string{"/w/a/check_test.sh"}},
		"claude/PostToolUse-Bash": {Event: wire.HookCalled, Session: claudeChat, Command: "apctl session join 66a2"},
		"claude/PostToolUse-Read": {Event: wire.HookCalled, Session: claudeChat},
		"claude/Stop":             {Event: wire.HookStops, Session: claudeChat},
		"claude/Stop-again":       {Event: wire.HookStops, Session: claudeChat, Again: true},
		"claude/SessionEnd":       {Event: wire.HookEnds, Session: claudeChat},
		"codex/SessionStart":      {Event: wire.HookBegins, Session: codexChat},
		"codex/PreToolUse-Bash":   {Event: wire.HookCalls, Session: codexChat, Command: "apctl session join arf3"},
		"codex/PreToolUse-patch": {
			Event: wire.HookCalls, Session: codexChat, Files: []string{"check_test.sh"},
			Command: "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: check_test.sh\n@@\n-test -f ok\n+true\n*** End Patch\nEOF",
		},
		"codex/PostToolUse-Bash":              {Event: wire.HookCalled, Session: codexChat, Command: "apctl session join arf3"},
		"codex/Stop":                          {Event: wire.HookStops, Session: codexChat},
		"codex/Stop-again":                    {Event: wire.HookStops, Session: codexChat, Again: true},
		"codex/SessionEnd":                    {Event: wire.HookEnds, Session: codexChat},
		"gemini/SessionStart":                 {Event: wire.HookBegins, Session: geminiChat},
		"gemini/BeforeTool-run_shell_command": {Event: wire.HookCalls, Session: geminiChat, Command: "apctl session join xmgh"},
		"gemini/BeforeTool-write_file":        {Event: wire.HookCalls, Session: geminiChat, Files: []string{"/w/a/check_test.sh"}},
		"gemini/AfterTool-run_shell_command":  {Event: wire.HookCalled, Session: geminiChat, Command: "apctl session join xmgh"},
		"gemini/AfterTool-read_file":          {Event: wire.HookCalled, Session: geminiChat},
		"gemini/AfterAgent":                   {Event: wire.HookStops, Session: geminiChat},
		"gemini/AfterAgent-again":             {Event: wire.HookStops, Session: geminiChat, Again: true},
		"gemini/SessionEnd":                   {Event: wire.HookEnds, Session: geminiChat},
	} {
		h, file, _ := strings.Cut(name, "/")
		event, _, _ := strings.Cut(file, "-")
		want.Host, want.Workspace = h, "/w/a"
		got, ok := host(t, h).Read(event, iotest.OneByteReader(bytes.NewReader(sample(t, h, file))), "/elsewhere")
		if d := cmp.Diff(want, got); d != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", name, ok, d)
		}
	}
}

func TestToolsTellWhatTheyChange(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		host, event, sent string
		want              wire.HookRequest
	}{
		"an edit, and members that may come": {
			"claude", "PreToolUse", `{"new":{"a":[1,{}]},"tool_input":{"new_string":"x","file_path":"a.go","file_path2":1},"tool_name":"Edit","cwd":"/w"}`,
			wire.HookRequest{Workspace: "/w", Files: []string{"a.go"}},
		},
		"a notebook": {"claude", "PreToolUse", `{"tool_name":"NotebookEdit","tool_input":{"notebook_path":"/a.ipynb"}}`, wire.HookRequest{Workspace: "/here", Files: []string{"/a.ipynb"}}},
		"a patch": {
			"codex", "PreToolUse", `{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b c.go\n@@\n-x\n*** Delete File: d.go\n*** End Patch\n"}}`,
			wire.HookRequest{Workspace: "/here", Files: []string{"a.go", "b c.go", "d.go"}},
		},
		"a patch for a shell": {
			"codex", "PreToolUse", `{"tool_name":"Bash","tool_input":{"command":"apply_patch <<X\n*** Add File: a.go\nX","workdir":"sub"},"cwd":"/w"}`,
			wire.HookRequest{Workspace: "/w/sub", Files: []string{"a.go"}, Command: "apply_patch <<X\n*** Add File: a.go\nX"},
		},
		"a shell in a folder": {
			"gemini", "BeforeTool", `{"cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"ls","dir_path":"/w/x"}}`,
			wire.HookRequest{Workspace: "/w/x", Command: "ls"},
		},
	} {
		got, ok := host(t, tt.host).Read(tt.event, strings.NewReader(tt.sent), "/here")
		tt.want.Host, tt.want.Event = tt.host, wire.HookCalls
		if d := cmp.Diff(tt.want, got); d != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", name, ok, d)
		}
	}
}

// Lesson O30: what does not resolve is over, and not an error.
func TestWhatIsNoHookIsNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ event, sent string }{
		"nothing":            {"Stop", ""},
		"no JSON":            {"Stop", "hello"},
		"no object":          {"Stop", "[1]"},
		"cut":                {"Stop", `{"session_id":"x","cwd":"/w`},
		"cut in the middle":  {"PreToolUse", `{"tool_name":"Write","tool_input":{"file_path":`},
		"an unknown event":   {"Notification", `{}`},
		"no event":           {"", `{}`},
		"an unknown tool":    {"PreToolUse", `{"tool_name":"WebFetch","tool_input":{"url":"x"}}`},
		"a tool that reads":  {"PreToolUse", `{"tool_name":"Read","tool_input":{"file_path":"a.go"}}`},
		"a tool of nothing":  {"PreToolUse", `{"tool_name":"Write","tool_input":{"file_path":7}}`},
		"an input of a tool": {"PreToolUse", `{"tool_name":"Bash","tool_input":"rm a.go"}`},
		"deep":               {"Stop", strings.Repeat(`{"a":`, 20_000)},
	} {
		if q, ok := host(t, "claude").Read(tt.event, strings.NewReader(tt.sent), "/here"); ok {
			t.Errorf("%s: %+v", name, q)
		}
	}
	for name, sent := range map[string]string{
		"members twice":    `{"session_id":"a","session_id":"b"}`,
		"bytes of no text": "{\"session_id\":\"b\",\"x\":\"\xff\"}",
		"more behind it":   `{"session_id":"b"} {"x":1}`,
	} {
		if q, ok := host(t, "claude").Read("Stop", strings.NewReader(sent), "/here"); !ok || q.Session != "b" {
			t.Errorf("%s: %+v %v", name, q, ok)
		}
	}
}

func TestAnInputIsBounded(t *testing.T) {
	t.Parallel()
	huge := io.MultiReader(strings.NewReader(`{"x":"`), endless{})
	if q, ok := host(t, "claude").Read("Stop", huge, "/here"); ok {
		t.Errorf("%+v", q)
	}
	long := `{"tool_name":"Bash","tool_input":{"command":"echo > a.go; ` + strings.Repeat("x", 1<<20) + `"},"cwd":"/w"}`
	q, ok := host(t, "claude").Read("PreToolUse", strings.NewReader(long), "/here")
	if !ok || len(q.Command) != wire.MaxHookText || !strings.HasPrefix(q.Command, "echo > a.go") {
		t.Errorf("%d bytes of a command, %v", len(q.Command), ok)
	}
}

// endless never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestAnswersAreInTheFormOfTheirHost(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"claude/SessionStart": `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"say \"x\""}}` + "\n",
		"claude/PreToolUse":   `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"say \"x\""}}` + "\n",
		"claude/PostToolUse":  "",
		"claude/Stop":         `{"decision":"block","reason":"say \"x\""}` + "\n",
		"claude/SessionEnd":   "",
		"claude/Nonsense":     "",
		"codex/PreToolUse":    `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"say \"x\""}}` + "\n",
		"codex/Stop":          `{"decision":"block","reason":"say \"x\""}` + "\n",
		"gemini/SessionStart": `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"say \"x\""}}` + "\n",
		"gemini/BeforeTool":   `{"decision":"deny","reason":"say \"x\""}` + "\n",
		"gemini/AfterAgent":   `{"decision":"deny","reason":"say \"x\""}` + "\n",
		"gemini/AfterTool":    "",
	} {
		h, event, _ := strings.Cut(name, "/")
		if got := string(host(t, h).Answer(event, `say "x"`)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := host(t, h).Answer(event, ""); len(got) > 0 {
			t.Errorf("%s: %s, want nothing", name, got)
		}
	}
}

func TestSettingsAreWhereTheirHostReadsThem(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": "/home/me"}
	get := func(name string) string { return env[name] }
	for _, want := range [][3]string{
		{"claude", "/home/me/.claude/settings.json", "/p/.claude/settings.local.json"},
		{"codex", "/home/me/.codex/hooks.json", "/p/.codex/hooks.json"},
		{"gemini", "/home/me/.gemini/settings.json", "/p/.gemini/settings.json"},
	} {
		h := host(t, want[0])
		if got := h.File("", get); got != want[1] {
			t.Errorf("%s: %s, want %s", h.Name, got, want[1])
		}
		if got := h.File("/p", get); got != want[2] {
			t.Errorf("%s: %s, want %s", h.Name, got, want[2])
		}
	}
	env["CLAUDE_CONFIG_DIR"], env["CODEX_HOME"], env["GEMINI_CLI_HOME"] = "/c", "relative", "/g"
	for name, want := range map[string]string{"claude": "/c/settings.json", "codex": "/home/me/.codex/hooks.json", "gemini": "/g/.gemini/settings.json"} {
		if got := host(t, name).File("", get); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	delete(env, "HOME")
	if got := host(t, "codex").File("", get); got != "" {
		t.Errorf("without a home: %s", got)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) < 20 {
		f.Fatal(len(files), err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		event, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".json"), "-")
		f.Add(filepath.Base(filepath.Dir(name)), event, b)
	}
	f.Fuzz(func(t *testing.T, name, event string, sent []byte) {
		h, ok := Find(name)
		if !ok {
			return
		}
		q, ok := h.Read(event, bytes.NewReader(sent), "/here")
		if ok && (q.Event == "" || !filepath.IsAbs(q.Workspace) || len(q.Command) > wire.MaxHookText || len(q.Files) > wire.MaxHookFiles) {
			t.Errorf("%+v", q)
		}
	})
}
