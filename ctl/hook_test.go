package ctl

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

const aStop = `{"session_id":"7b0c","cwd":"/w","hook_event_name":"Stop","stop_hook_active":false}`

// hooking is a world in which a host runs a hook.
func hooking(t *testing.T, d Daemon, sent string, args ...string) *world {
	t.Helper()
	w := newWorld(t, d, append([]string{"hook"}, args...)...)
	w.In = strings.NewReader(sent)
	w.Program = func() (string, error) { return "/opt/bin/apctl", nil }
	return w
}

func saying(reply any) *fakeDaemon {
	return &fakeDaemon{replies: map[string]any{wire.SessionHook.Name: reply}}
}

func TestAHookAsksOnceAndAnswersItsHost(t *testing.T) {
	t.Parallel()
	d := saying(wire.HookView{Text: "not yet"})
	w := hooking(t, d, aStop, "claude", "Stop")
	if code := w.run(t); code != 0 || w.out.String() != `{"decision":"block","reason":"not yet"}`+"\n" || w.err.Len() > 0 {
		t.Errorf("exit %d, %s %s", code, w.out.String(), w.err.String())
	}
	want := `{"workspace":"/w","host":"claude","event":"stops","session":"7b0c"}`
	if diff := cmp.Diff(want, d.body(t, wire.SessionHook.Spec)); diff != "" {
		t.Error(diff)
	}
	if len(w.starts) != 1 || w.starts[0] {
		t.Errorf("a hook starts no daemon: %v", w.starts)
	}
}

// Source: seeds 3.10: hooks fail open. Lesson O30: a time-out always resolves.
func TestAHookThatCannotBeAnsweredSaysNothing(t *testing.T) {
	t.Parallel()
	panics := &fakeDaemon{after: map[string]func(){wire.SessionHook.Name: func() { panic("broken") }}, replies: map[string]any{wire.SessionHook.Name: wire.HookView{}}}
	never, hang := io.Pipe()
	t.Cleanup(func() { hang.Close() })
	for name, w := range map[string]*world{
		"no daemon":        hooking(t, nil, aStop, "claude", "Stop"),
		"a refusal":        hooking(t, saying(wire.Errorf(wire.Denied, "no")), aStop, "claude", "Stop"),
		"another answer":   hooking(t, saying([]int{1}), aStop, "claude", "Stop"),
		"silence":          hooking(t, saying(silence{}), aStop, "claude", "Stop"),
		"a panic":          hooking(t, panics, aStop, "claude", "Stop"),
		"nothing to say":   hooking(t, saying(wire.HookView{}), aStop, "claude", "Stop"),
		"no input":         hooking(t, saying(wire.HookView{Text: "x"}), "", "claude", "Stop"),
		"no JSON":          hooking(t, saying(wire.HookView{Text: "x"}), "x", "claude", "Stop"),
		"an unknown event": hooking(t, saying(wire.HookView{Text: "x"}), aStop, "claude", "Notification"),
		"an unknown host":  hooking(t, saying(wire.HookView{Text: "x"}), aStop, "other", "Stop"),
		"an input that never ends": func() *world {
			w := hooking(t, saying(wire.HookView{Text: "x"}), "", "claude", "Stop")
			w.In = never
			return w
		}(),
		"a terminal": func() *world {
			w := hooking(t, saying(wire.HookView{Text: "x"}), aStop, "claude", "Stop")
			w.InIsTTY = true
			return w
		}(),
		"an agent of the daemon": func() *world {
			w := hooking(t, saying(wire.HookView{Text: "x"}), aStop, "claude", "Stop")
			w.Environ = append(w.Environ, "AUTOPILOT_EFFECT=E")
			return w
		}(),
	} {
		if code := w.run(t); code != 0 || w.out.Len() > 0 || w.err.Len() > 0 {
			t.Errorf("%s: exit %d, %q %q", name, code, w.out.String(), w.err.String())
		}
	}
}

func TestAPersonWhoMistypesIsTold(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"instal claude":                   "did you mean: apctl hook install",
		"claude":                          "no event is given",
		"install":                         "give one HOST: claude, codex, gemini",
		"install cloude":                  `no host "cloude" is known`,
		"install claude codex":            "give one HOST",
		"show cloude":                     `no host "cloude" is known`,
		"other thing":                     `unknown command "other"`,
		"install claude --user --project": "exclude each other",
		"install claude":                  "no terminal to ask at",
	} {
		w := hooking(t, nil, "", strings.Fields(line)...)
		w.Environ = append(w.Environ, "HOME="+w.Dir)
		if code := w.run(t); code != wire.ExitUsage || !strings.Contains(w.err.String(), says) {
			t.Errorf("%s: exit %d, %s", line, code, w.err.String())
		}
	}
}

// settled is a world with settings of claude.
func settled(t *testing.T, text string, args ...string) (w *world, file string) {
	t.Helper()
	w = hooking(t, nil, "", args...)
	w.Environ = append(w.Environ, "HOME="+w.Dir)
	file = filepath.Join(w.Dir, ".claude", "settings.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o640)); err != nil {
		t.Fatal(err)
	}
	return w, file
}

const someSettings = "{\n  \"model\": \"opus\"\n}\n"

func TestInstallShowsWhatChangesAndAsks(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{"y\n": 0, "n\n": wire.ExitCancelled, "": wire.ExitCancelled} {
		w, file := settled(t, someSettings, "install", "claude")
		w.terminal()
		w.In = strings.NewReader(answer)
		code := w.run(t)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, answer, w.err.String(), `"command": "/opt/bin/apctl hook claude Stop"`, "Go on?")
		if wrote := string(b) != someSettings; code != want || wrote != (want == 0) {
			t.Errorf("%q: exit %d, wrote %v: %s", answer, code, wrote, w.err.String())
		}
	}
}

func TestInstallKeepsModeAndLinkAndUninstallPutsAllBack(t *testing.T) {
	t.Parallel()
	w, file := settled(t, someSettings, "install", "claude", "--yes")
	real := filepath.Join(w.Dir, "dotfiles.json")
	if err := errors.Join(os.Rename(file, real), os.Symlink(real, file)); err != nil {
		t.Fatal(err)
	}
	if code := w.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, w.err.String())
	}
	link, lerr := os.Lstat(file)
	info, err := os.Stat(real)
	if err := errors.Join(lerr, err); err != nil || link.Mode()&os.ModeSymlink == 0 || info.Mode().Perm() != 0o640 {
		t.Errorf("%v: %v %v", err, link, info)
	}
	contains(t, "answer", w.out.String(), "installed: 5 hooks of claude in "+file)
	w.Args = []string{"hook", "uninstall", "claude", "--yes", "--json"}
	w.out.Reset()
	if code := w.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, w.err.String())
	}
	contains(t, "answer", w.out.String(), `"schema":"autopilot.hooks"`, `"state":"none"`, `"changed":true`)
	if b, err := os.ReadFile(real); err != nil || string(b) != someSettings {
		t.Errorf("%v: %s", err, b)
	}
}

func TestSettingsThatCannotBeUsedAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make func(file string) error
		says string
	}{
		"broken":             {func(f string) error { return os.WriteFile(f, []byte("{\n  x\n}"), 0o600) }, "line 2, column 3"},
		"a folder":           {func(f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o700)) }, "not a regular file"},
		"a link to nothing":  {func(f string) error { return errors.Join(os.Remove(f), os.Symlink("nowhere", f)) }, "leads nowhere"},
		"hooks of no object": {func(f string) error { return os.WriteFile(f, []byte(`{"hooks": 7}`), 0o600) }, "line 1, column 11"},
		"too large":          {func(f string) error { return os.Truncate(f, maxSettings+1) }, "the limit is"},
	} {
		w, file := settled(t, someSettings, "install", "claude", "--yes")
		if err := tt.make(file); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(file)
		if code := w.run(t); code != wire.ExitUsage || !strings.Contains(w.err.String(), tt.says) || !strings.Contains(w.err.String(), file) {
			t.Errorf("%s: exit %d, %s", name, code, w.err.String())
		}
		if after, _ := os.ReadFile(file); string(after) != string(before) {
			t.Errorf("%s: it was changed", name)
		}
		w.Args = []string{"hook", "show"}
		w.out.Reset()
		if code := w.run(t); code != 0 || !strings.Contains(w.out.String(), "cannot be read") || !strings.Contains(w.out.String(), tt.says) {
			t.Errorf("%s: show: exit %d, %s", name, code, w.out.String())
		}
	}
}

func TestWhatWasChangedMeanwhileIsNotWritten(t *testing.T) {
	t.Parallel()
	w, file := settled(t, someSettings)
	s := settings{file: file, src: []byte("{}"), exists: true}
	if err := s.write([]byte("x")); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("%v", err)
	}
	s = settings{file: filepath.Join(w.Dir, "new", "hooks.json"), project: true}
	if err := s.write([]byte("x")); err != nil {
		t.Error(err)
	}
	if err := s.write([]byte("y")); err == nil {
		t.Error("it has come meanwhile")
	}
}

func TestShowSaysWhatIsWrongWithHooks(t *testing.T) {
	t.Parallel()
	gone := "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/gone/apctl hook claude Stop\"}]}]}}"
	w, _ := settled(t, gone, "show", "claude")
	if code := w.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, w.err.String())
	}
	contains(t, "show", w.out.String(), "partly", "4 are missing: SessionStart, PreToolUse, PostToolUse, SessionEnd",
		"/gone/apctl is called, and there is no such program", "apctl hook install claude   corrects it", "would change:", `"/opt/bin/apctl hook claude Stop"`)
}

func TestThisProgramIsNamedAsItIsOnThePath(t *testing.T) {
	t.Parallel()
	got, err := Program()
	if err != nil || !filepath.IsAbs(got) {
		t.Errorf("%s %v", got, err)
	}
}
