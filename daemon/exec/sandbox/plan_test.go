package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/exec/confine"
	"autopilot/events"
)

// world is a user with a daemon, a work tree and a login.
type world struct {
	*testing.T
	base string
	host Host
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := os.MkdirTemp("", "w") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	w := &world{T: t, base: real(base)}
	for _, dir := range []string{"state/effects/e/box", "run/autopilot/12345678/e", "home/.gnupg", "work", "bin", "tmp"} {
		if err := os.MkdirAll(w.at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.host = Host{
		State: w.at("state"), Runtime: w.at("run/autopilot/12345678"), Config: w.at("home/.config/autopilot/config.yaml"),
		Home: w.at("home"), Temp: w.at("tmp"), UID: os.Getuid(), Programs: []string{w.at("bin/apshim")},
		Getenv: func(name string) string {
			return map[string]string{"XDG_RUNTIME_DIR": w.at("run"), "SSH_AUTH_SOCK": w.at("agent.1")}[name]
		},
	}
	return w
}

func (w *world) at(path string) string { return filepath.Join(w.base, path) }

func (w *world) socket(path string) {
	w.Helper()
	l, err := net.Listen("unix", w.at(path))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = l.Close() })
}

func (w *world) plan(change func(*Request)) *confine.Plan {
	q := Request{Mode: events.SandboxGuard, Work: w.at("work"), Show: []string{w.at("state/effects/e/box"), w.at("run/autopilot/12345678/e")}}
	if change != nil {
		change(&q)
	}
	return w.host.Plan(q)
}

func TestWithoutASandboxThereIsNoPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, mode := range []events.Sandbox{"", events.SandboxOff} {
		if p := w.plan(func(q *Request) { q.Mode = mode }); p != nil {
			t.Errorf("%q: %+v", mode, p)
		}
	}
}

func TestGuardHidesTheDaemonAndWhatActsForTheUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.socket("agent.1")
	w.socket("agent.2")
	w.socket("home/.gnupg/S.gpg-agent")
	p := w.plan(func(q *Request) { q.Env = []string{"SSH_AUTH_SOCK=" + w.at("agent.2")} })
	for _, path := range []string{"state", "run/autopilot", "agent.1", "agent.2", "home/.gnupg/S.gpg-agent"} {
		if !slices.Contains(p.Hide, w.at(path)) {
			t.Errorf("%s is not hidden: %v", path, p.Hide)
		}
	}
	if !slices.Contains(p.Empty, w.at("run")) {
		t.Errorf("the folder of the login is not empty: %v", p.Empty)
	}
	want := []string{w.at("run/autopilot/12345678/e"), w.at("state/effects/e/box")}
	if diff := cmp.Diff(want, p.Show); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(p.ReadOnly, w.at("home/.config/autopilot")) || !slices.Contains(p.ReadOnly, w.at("bin/apshim")) {
		t.Errorf("settings or programs can be written: %v", p.ReadOnly)
	}
	if p.Strict {
		t.Error("guard restricts writes")
	}
	// A server that starts later has its socket there.
	if tmux := w.at(fmt.Sprintf("tmp/tmux-%d", os.Getuid())); !isDir(tmux) || !slices.Contains(p.Hide, tmux) {
		t.Errorf("%s is not hidden", tmux)
	}
}

func TestWhatIsAllowedStaysInReachButTheDaemonDoesNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.socket("agent.1")
	w.socket("run/bus")
	w.socket("home/.gnupg/S.gpg-agent")
	p := w.plan(func(q *Request) {
		q.Allow = []string{"ssh-agent", "dbus", "~/.gnupg", w.at("state/store"), w.at("run/autopilot")}
	})
	for _, path := range []string{"agent.1", "home/.gnupg/S.gpg-agent"} {
		if slices.Contains(p.Hide, w.at(path)) {
			t.Errorf("%s is hidden", path)
		}
	}
	if !slices.Contains(p.Show, w.at("run/bus")) {
		t.Errorf("the bus is not shown: %v", p.Show)
	}
	if !slices.Contains(p.Hide, w.at("state")) || !slices.Contains(p.Hide, w.at("run/autopilot")) || slices.Contains(p.Show, w.at("state/store")) {
		t.Errorf("the daemon is in reach: hide %v, show %v", p.Hide, p.Show)
	}
}

func TestAFolderThatEffectsNeedIsNeverHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	getenv := w.host.Getenv
	w.host.Getenv = func(name string) string {
		switch name {
		case "XDG_RUNTIME_DIR", "SCREENDIR", "SSH_AUTH_SOCK":
			return w.base
		}
		return getenv(name)
	}
	p := w.plan(nil)
	if slices.Contains(p.Hide, w.base) || slices.Contains(p.Empty, w.base) {
		t.Errorf("home and work tree are hidden: %+v", p)
	}
}

func TestAWorkTreeBelowTheStateIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.at("state/worktrees/x")
	if p := w.plan(func(q *Request) { q.Work = work }); !slices.Contains(p.Show, work) {
		t.Errorf("%v", p.Show)
	}
}

func TestStricterModesLetWritesWhereWorkNeedsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	env := []string{"HOME=" + w.at("home"), "GOMODCACHE=" + w.at("mod"), "TMPDIR=" + w.at("tmp"), "CODEX_HOME=" + w.at("codex")}
	for _, tc := range []struct {
		name     string
		change   func(*Request)
		yes, not []string
	}{
		{
			"workspace", func(q *Request) { q.Agent = "claude" },
			[]string{"work", "mod", "tmp", "home/.cache", "home/.claude", "home/.claude.json", "state/effects/e/box"},
			[]string{"codex", "home", "notes"},
		},
		{
			"workspace, a command", func(q *Request) { q.Allow = []string{w.at("notes")} },
			[]string{"work", "home/.claude", "codex", "home/.gemini", "notes"},
			[]string{"home"},
		},
		{
			"workspace, a gate", func(q *Request) { q.Gate, q.Write = true, []string{w.at("checkout")} },
			[]string{"work", "mod", "checkout"},
			[]string{"home/.claude", "codex"},
		},
		{
			"readonly", func(q *Request) { q.Mode, q.Agent = events.SandboxReadOnly, "codex" },
			[]string{"tmp", "codex", "home/.codex", "state/effects/e/box"},
			[]string{"work", "mod", "home/.cache"},
		},
		{"readonly, a gate", func(q *Request) { q.Mode, q.Gate = events.SandboxReadOnly, true }, []string{"work", "mod"}, nil},
	} {
		p := w.plan(func(q *Request) {
			q.Mode, q.Env = events.SandboxWorkspace, env
			tc.change(q)
		})
		for _, path := range tc.yes {
			if !slices.Contains(p.Write, w.at(path)) {
				t.Errorf("%s: %s cannot be written: %v", tc.name, path, p.Write)
			}
		}
		for _, path := range tc.not {
			if slices.Contains(p.Write, w.at(path)) {
				t.Errorf("%s: %s can be written", tc.name, path)
			}
		}
		if readOnly := slices.Contains(p.ReadOnly, w.at("work")); !p.Strict || readOnly != (tc.name == "readonly") {
			t.Errorf("%s: strict %v, the work tree is read-only: %v", tc.name, p.Strict, readOnly)
		}
	}
}

func TestALinkedWorkTreeHasItsRepositoryToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	git := w.at("main/.git/worktrees/x")
	if err := os.MkdirAll(git, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		w.at("work/.git"): "gitdir: " + git + "\n", filepath.Join(git, "gitdir"): w.at("work/.git") + "\n",
		filepath.Join(git, "commondir"): "../..\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{git, w.at("main/.git")}, gitDirs(w.at("work"))); diff != "" {
		t.Error(diff)
	}
	// A file of the work tree alone gives nothing away.
	if err := os.WriteFile(filepath.Join(git, "gitdir"), []byte("/elsewhere/.git\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if dirs := gitDirs(w.at("work")); len(dirs) > 0 {
		t.Errorf("%v", dirs)
	}
}

func TestAddressesAreReadAsTheirProgramsWriteThem(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"":                        "",
		"/run/a.sock":             "/run/a.sock",
		"unix:///run/docker.sock": "/run/docker.sock",
		"unix:path=/run/user/1/bus,guid=a;tcp:host=x": "/run/user/1/bus",
		"tcp://127.0.0.1:2375":                        "",
		"unix:abstract=/tmp/dbus":                     "",
	} {
		if got := addressed(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
