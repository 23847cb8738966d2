package hook

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

const program = "/opt/bin/apctl"

func host(t testing.TB, name string) Host {
	t.Helper()
	h, ok := Find(name)
	if !ok {
		t.Fatalf("no host %s", name)
	}
	return h
}

func installed(t testing.TB, h Host, src string) string {
	t.Helper()
	out, err := h.Install([]byte(src), program)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, src)
	}
	return string(out)
}

func uninstalled(t testing.TB, h Host, src string) string {
	t.Helper()
	out, err := h.Uninstall([]byte(src))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, src)
	}
	return string(out)
}

func TestInstallWritesAFileThatIsNotThere(t *testing.T) {
	t.Parallel()
	want := `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/bin/apctl hook gemini SessionStart",
            "timeout": 5000
          }
        ]
      }
    ],
    "BeforeTool": [
      {
        "matcher": "write_file|replace|run_shell_command",
        "hooks": [
          {
            "type": "command",
            "command": "/opt/bin/apctl hook gemini BeforeTool",
            "timeout": 5000
          }
        ]
      }
    ],
`
	got := installed(t, host(t, "gemini"), "")
	if d := cmp.Diff(want, got[:min(len(got), len(want))]); d != "" || !strings.HasSuffix(got, "    ]\n  }\n}\n") {
		t.Errorf("(-want +got):\n%s\nall:\n%s", d, got)
	}
}

// layouts are settings as people have them.
var layouts = map[string]string{
	"plain": `{
  "model": "opus",
  "permissions": {
    "allow": ["Bash(ls:*)"]
  }
}
`,
	"with hooks of others": `{
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    {"type": "command", "command": "guard.sh"}
                ]
            }
        ],
        "Notification": []
    },
    "model": "opus"
}
`,
	"with comments, tabs and commas at the end": `// mine
{
	"model": "opus", // the large one
	/* and */
	"hooks": {
		"Stop": [
			{ "hooks": [ { "type": "command", "command": "bell" }, ] }, // rings
		],
		// more to come
	},
}
`,
	"lines of another system": "{\r\n  \"model\": \"opus\",\r\n  \"x\": [1, 2] // two\r\n}\r\n",
	"a mark at the beginning": "\xef\xbb\xbf{\n  \"a\": 1\n}",
	"texts that look like it": `{
  "a": "// no comment, { [ \" /* ",
  "b": "x,}"
}
`,
}

func TestInstallKeepsAllElseToTheByteAndUninstallPutsItBack(t *testing.T) {
	t.Parallel()
	for name, src := range layouts {
		for _, h := range Hosts() {
			t.Run(name+"/"+h.Name, func(t *testing.T) {
				t.Parallel()
				with := installed(t, h, src)
				in, err := h.Look([]byte(with))
				if err != nil || len(in.Events) != len(h.Events) || len(in.Calls) != 1 || in.Calls[0] != program {
					t.Fatalf("%+v %v in:\n%s", in, err, with)
				}
				for line := range strings.Lines(src) {
					if text := strings.ReplaceAll(strings.TrimRight(line, ", \r\n}]"), ",", ""); !strings.Contains(strings.ReplaceAll(with, ",", ""), text) {
						t.Errorf("%q is lost in:\n%s", text, with)
					}
				}
				if again := installed(t, h, with); again != with {
					t.Errorf("installed again:\n%s", cmp.Diff(with, again))
				}
				if back := uninstalled(t, h, with); back != src {
					t.Errorf("uninstalled (-before +after):\n%s\nwith:\n%s", cmp.Diff(src, back), with)
				}
			})
		}
	}
}

func TestSettingsOnOneLineStayReadable(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`{}`, `{"a":1}`, `{"hooks":{}}`, `{"hooks":{"Stop":[]}}`, `{"a":1,}`, "{ /* none */ }", "// none\n", " \n", `{"hooks":{"Stop":[{"hooks":[]}]}}`} {
		h := host(t, "claude")
		with := installed(t, h, src)
		in, err := h.Look([]byte(with))
		if err != nil || len(in.Events) != 5 {
			t.Errorf("%s: %+v %v:\n%s", src, in, err, with)
		}
		back := uninstalled(t, h, with)
		if in, err := h.Look([]byte(back)); err != nil || len(in.Events) != 0 || strings.Contains(back, "apctl") {
			t.Errorf("%s: %+v %v:\n%s", src, in, err, back)
		}
	}
}

func TestAHookThatCallsAnotherProgramIsPointedToThisOne(t *testing.T) {
	t.Parallel()
	h := host(t, "codex")
	old := strings.ReplaceAll(installed(t, h, layouts["plain"]), program, "/old/apctl")
	// Somebody has copied one.
	twice := strings.Replace(old, `"hooks": [`+"\n          {", `"hooks": [`+"\n          {\"type\": \"command\", \"command\": \"/older/apctl hook codex SessionStart\"},\n          {", 1)
	now := installed(t, h, twice)
	in, err := h.Look([]byte(now))
	if err != nil || len(in.Events) != 5 || len(in.Calls) != 1 || in.Calls[0] != program || strings.Count(now, "codex SessionStart") != 1 {
		t.Errorf("%+v %v:\n%s", in, err, now)
	}
	if back := uninstalled(t, h, twice); back != layouts["plain"] {
		t.Errorf("%s", cmp.Diff(layouts["plain"], back))
	}
}

func TestAPathWithBlanksIsQuotedAndKnownAgain(t *testing.T) {
	t.Parallel()
	h := host(t, "claude")
	for _, odd := range []string{"/opt/it's mine/apctl", "/a b/apctl", `/a"$x\/apctl`, "/ünï/apctl"} {
		out, err := h.Install(nil, odd)
		if err != nil {
			t.Fatal(err)
		}
		in, err := h.Look(out)
		if err != nil || len(in.Calls) != 1 || in.Calls[0] != odd {
			t.Errorf("%s: %+v %v\n%s", odd, in, err, out)
		}
	}
}

func TestHooksOfOthersAreNotOurs(t *testing.T) {
	t.Parallel()
	h := host(t, "claude")
	stop := h.Events[3]
	for command, want := range map[string]bool{
		"/opt/bin/apctl hook claude Stop":                true,
		"apctl hook claude Stop":                         true,
		"'/a b/apctl' hook claude Stop":                  true,
		"/opt/bin/apctl hook claude Stop || true":        false,
		"/opt/bin/apctl hook codex Stop":                 false,
		"/opt/bin/apctl hook claude SessionEnd":          false,
		"/opt/bin/other hook claude Stop":                false,
		"x=1 /opt/bin/apctl hook claude Stop":            false,
		"notify && /opt/apctl hook claude Stop":          false,
		" hook claude Stop":                              false,
		"'/a'b/apctl' hook claude Stop":                  false,
		"/opt/bin/apctl status --line; hook claude Stop": false,
	} {
		if _, ok := h.calls(command, stop); ok != want {
			t.Errorf("%q: %v", command, ok)
		}
	}
}

func TestSettingsThatCannotBeReadAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"{\n  \"a\": 1\n  \"b\": 2\n}":           "line 3, column 3: ",
		"{\n  \"ä\": x }":                        "line 2, column 8: ",
		"[]":                                     "line 1, column 1: settings are an object",
		"{\"hooks\": []}":                        "line 1, column 11: \"hooks\" is an object",
		"{\"hooks\": {\"Stop\": {}}}":            "line 1, column 20: \"Stop\" in hooks is a list",
		"{\"a\": 1, \"a\": 2}":                   "line 1, column 10: ",
		"{} {}":                                  "line 1, column ",
		"{\"a\": /* 1 }":                         "line 1, column ",
		"{\"a\": \"x":                            "line 1, column ",
		"{\"hooks\": {\"Stop\": [{\"hooks\": 1}": "line 1, column ",
		strings.Repeat("[", 20_000):              "line 1, column ",
	} {
		for what, f := range map[string]func([]byte) ([]byte, error){
			"install":   func(b []byte) ([]byte, error) { return host(t, "claude").Install(b, program) },
			"uninstall": host(t, "claude").Uninstall,
		} {
			_, err := f([]byte(src))
			var s *SyntaxError
			if !errors.As(err, &s) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s of %.40q: %v, want %s", what, src, err, want)
			}
		}
	}
}

func FuzzInstall(f *testing.F) {
	for _, src := range layouts {
		f.Add([]byte(src))
	}
	f.Add([]byte(`{"hooks":{"Stop":[{"hooks":[{"command":"apctl hook claude Stop"},]}]}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		h := host(t, "claude")
		before, err := parse(src)
		with, ierr := h.Install(src, program)
		if ierr != nil {
			return
		}
		if err != nil {
			t.Fatalf("what cannot be read was edited: %v", err)
		}
		if in, err := h.Look(with); err != nil || len(in.Events) != len(h.Events) {
			t.Fatalf("%+v %v:\n%s", in, err, with)
		}
		if again, err := h.Install(with, program); err != nil || !bytes.Equal(again, with) {
			t.Fatalf("again: %v\n%s\n%s", err, with, again)
		}
		back, err := h.Uninstall(with)
		if err != nil {
			t.Fatalf("%v:\n%s", err, with)
		}
		if in, err := h.Look(back); err != nil || len(in.Events) > 0 {
			t.Fatalf("%+v %v:\n%s", in, err, back)
		}
		// All else is as it was.
		if before != nil && before.member("hooks") == nil {
			var a, b any
			if json.Unmarshal(plainJSON(src), &a) == nil && (json.Unmarshal(plainJSON(back), &b) != nil || cmp.Diff(a, b) != "") {
				t.Fatalf("it was:\n%s\nis:\n%s", src, back)
			}
		}
	})
}
