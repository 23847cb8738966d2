package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/wire"
)

// initDaemon answers about a project at root.
func initDaemon(root string, gates ...wire.ProjectGate) *fakeDaemon {
	d := &fakeDaemon{replies: map[string]any{}, streams: map[string][]any{}}
	d.replies[wire.ProjectFind.Name] = wire.ProjectView{
		Root: root, Config: filepath.Join(root, ".autopilot", "config.yaml"), Gates: gates,
		Found:  []wire.ProjectFound{{File: "go.mod", Says: "Go module x"}},
		Agents: []wire.AgentView{{Name: "codex", Program: "/bin/codex", Version: "0.9"}, {Name: "claude", Program: "/bin/claude", Login: "none"}},
	}
	d.replies[wire.ConfigShow.Name] = wire.ConfigView{}
	return d
}

var (
	goal      = wire.ProjectGate{Name: "test", Role: events.RoleGoal, Command: "go test ./...", From: "go.mod"}
	invariant = wire.ProjectGate{Name: "vet", Role: events.RoleInvariant, Command: "go vet ./...", From: "go.mod"}
)

func ended(g wire.ProjectGate, v events.Verdict, exit int, failing ...string) wire.GateTryFrame {
	return wire.GateTryFrame{
		Ended: true, Failing: failing, Excerpt: "line one\nline two\n",
		Gate: wire.GateView{
			Name: string(g.Name), Role: string(g.Role), Command: g.Command, Verdict: string(v), Reason: "exit", Says: fmt.Sprintf("exit %d", exit), Exit: exit,
			Failing: len(failing), DurationMS: 1200,
		},
	}
}

func tries(d *fakeDaemon, frames ...wire.GateTryFrame) *fakeDaemon {
	for _, f := range frames {
		d.streams[wire.GateTry.Name] = append(d.streams[wire.GateTry.Name], f)
	}
	return d
}

func configOf(t *testing.T, root string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, ".autopilot", "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := strictyaml.Parse(b)
	if err != nil {
		t.Fatalf("what was written is no configuration: %v\n%s", err, b)
	}
	_ = doc
	return string(b)
}

func TestInitWritesWhatItFoundAndSaysWhatIsRed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := tries(initDaemon(root, goal, invariant), ended(goal, events.Fail, 1, "x TestA", "x TestB"), ended(invariant, events.Pass, 0), wire.GateTryFrame{Ended: true, Made: []string{"cover.out"}})
	w := newWorld(t, d, "init")
	w.Dir = root
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "go.mod", "✗ test  red, exit 1, 2 failing, 1.2s", "x TestA", "| line two",
		"✓ vet  green", "the gates made cover.out", "wrote "+root, `apctl run "make the failing tests pass"`)
	text := configOf(t, root)
	contains(t, "the file", text, "agent: claude\n", "  test: go test ./...   # from go.mod\n", "  vet: {run: go vet ./..., role: invariant}   # from go.mod\n")
}

func TestInitLeavesOutWhatARunWouldRefuse(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	lint := wire.ProjectGate{Name: "lint", Role: events.RoleInvariant, Command: "lint it", From: ".lint", Missing: []string{"lint"}}
	d := tries(initDaemon(root, goal, invariant, lint), ended(goal, events.Pass, 0), ended(invariant, events.Fail, 2))
	w := newWorld(t, d, "init", "-y")
	w.Dir = root
	code(t, w, 0)
	if body := d.body(t, wire.GateTry.Spec); strings.Contains(body, "lint it") {
		t.Errorf("a gate whose program is missing was tried: %s", body)
	}
	contains(t, "stdout", w.out.String(), "a goal must fail first", "vet is only a comment there", `--start-green "WHAT YOU WANT"`)
	contains(t, "the file", configOf(t, root), "#  vet: {run:", "#  lint: {run:", "  test: go test")
}

func TestInitWithoutATestCommandSaysWhatToFillIn(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := initDaemon(root)
	w := newWorld(t, d, "init")
	w.Dir = root
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "no test command was found", "fill in the gate test", "apctl config check")
	contains(t, "the file", configOf(t, root), "# gates:\n#   test: ./run-tests.sh   # FILL IN")
}

func TestInitDoesNotRunWhatItIsToldNotTo(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := initDaemon(root, goal)
	w := newWorld(t, d, "init", "--no-run", "-C", root)
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "apctl run -C "+root+` "WHAT YOU WANT"`)
	for _, c := range d.calls {
		if c.verb == wire.GateTry.Name {
			t.Error("the gates were run")
		}
	}
}

func TestAtATerminalInitAsksBeforeItRunsAnything(t *testing.T) {
	t.Parallel()
	for answer, runs := range map[string]bool{"\n": true, "y\n": true, "n\n": false, "what\nn\n": false, "what\nyes\n": true} {
		root := t.TempDir()
		d := tries(initDaemon(root, goal), ended(goal, events.Pass, 0))
		d.replies[wire.ConfigShow.Name] = wire.ConfigView{Trusted: true}
		w := newWorld(t, d, "init").terminal()
		w.Dir, w.In = root, strings.NewReader(answer)
		code(t, w, 0)
		if asked := strings.Contains(w.out.String(), "✓ test"); asked != runs {
			t.Errorf("answer %q: the gates ran: %v", answer, asked)
		}
		contains(t, "stderr", w.err.String(), "[Y/n]")
		if again := strings.Contains(w.err.String(), "write y or n"); again != strings.HasPrefix(answer, "what") {
			t.Errorf("answer %q: asked again: %v", answer, again)
		}
		if told := strings.Contains(w.out.String(), "no gate was run"); told == runs {
			t.Errorf("answer %q: it says that nothing was run: %v", answer, told)
		}
	}
}

func TestInitSaysThatTheFileIsThereAndThatItIsNotTrusted(t *testing.T) {
	t.Parallel()
	for typed, says := range map[string]string{"y\n": "that is not ab12cd", "\n": "nothing was typed", "ab12cd\n": "since 11:00"} {
		root := t.TempDir()
		d := initDaemon(root, goal)
		d.replies[wire.TrustShow.Name], d.replies[wire.TrustGive.Name] = untrustedView(), trustedView()
		w := newWorld(t, d, "init", "--no-run")
		w.typing(typed)
		wrote := ""
		open := w.Terminal
		w.Terminal = func() (io.ReadWriteCloser, error) {
			wrote = w.out.String()
			return open()
		}
		w.Dir = root
		code(t, w, 0)
		contains(t, "stderr", w.err.String(), says)
		contains(t, "what was said before the question", wrote, "wrote "+root)
		if told := strings.Contains(w.out.String(), "once you have agreed"); told == strings.HasPrefix(typed, "ab") {
			t.Errorf("typed %q: it says that a person has to agree: %v", typed, told)
		}
	}
}

func TestAQuestionOfInitThatGetsNoAnswerWritesNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	w := newWorld(t, initDaemon(root, goal), "init").terminal()
	w.Dir, w.In = root, strings.NewReader("")
	code(t, w, wire.ExitCancelled)
	contains(t, "stderr", w.err.String(), "nothing was written")
	if _, err := os.Stat(filepath.Join(root, ".autopilot")); err == nil {
		t.Error("something was written")
	}
}

func TestInitChangesNothingWhereItMayNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(root string) error
		args []string
		exit int
		says string
	}{
		{"a configuration is there", func(root string) error {
			return errors.Join(os.Mkdir(filepath.Join(root, ".autopilot"), 0o755), os.WriteFile(filepath.Join(root, ".autopilot/config.yaml"), []byte("mine"), 0o644))
		}, nil, wire.ExitConflict, "exists; nothing was changed"},
		{"its directory is a link", func(root string) error { return os.Symlink(os.TempDir(), filepath.Join(root, ".autopilot")) }, []string{"--force"}, wire.ExitFailed, "is no directory of its own"},
		{"its directory is a file", func(root string) error { return os.WriteFile(filepath.Join(root, ".autopilot"), nil, 0o644) }, nil, wire.ExitFailed, "is no directory of its own"},
		{"the configuration is a link", func(root string) error {
			return errors.Join(os.Mkdir(filepath.Join(root, ".autopilot"), 0o755), os.Symlink("/etc/passwd", filepath.Join(root, ".autopilot/config.yaml")))
		}, []string{"--force"}, wire.ExitFailed, "no regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := c.make(root); err != nil {
				t.Fatal(err)
			}
			d := initDaemon(root, goal)
			w := newWorld(t, d, append([]string{"init"}, c.args...)...)
			w.Dir = root
			code(t, w, c.exit)
			contains(t, "stderr", w.err.String(), c.says)
			if len(d.calls) != 1 {
				t.Errorf("asked %v", d.calls)
			}
		})
	}
}

func TestForceReplacesAConfiguration(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := initDaemon(root, goal)
	for range 2 {
		w := newWorld(t, d, "init", "--no-run", "--force")
		w.Dir = root
		code(t, w, 0)
	}
	entries, err := os.ReadDir(filepath.Join(root, ".autopilot"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left %v (%v)", entries, err)
	}
}

func TestAnInterruptEndsTheGatesAndWritesNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := tries(initDaemon(root, goal), wire.GateTryFrame{Gate: wire.GateView{Name: "test"}})
	d.hold = make(chan struct{})
	w := newWorld(t, d, "init")
	w.Dir = root
	go func() {
		<-w.notified
		w.signals <- os.Interrupt
	}()
	code(t, w, wire.ExitInterrupted)
	contains(t, "stderr", w.err.String(), "nothing was written")
	if _, err := os.Stat(filepath.Join(root, ".autopilot")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left %v", err)
	}
}

func TestAProblemOfTheWrittenFileIsAnError(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := initDaemon(root, goal)
	file := filepath.Join(root, ".autopilot", "config.yaml")
	d.replies[wire.ConfigShow.Name] = wire.ConfigView{Problems: []wire.ConfigProblem{{File: file, Line: 7, Message: "unknown key"}, {File: "/other"}}}
	w := newWorld(t, d, "init", "--no-run")
	w.Dir = root
	code(t, w, wire.ExitFailed)
	contains(t, "stderr", w.err.String(), "line 7 cannot be used: unknown key")
}

func TestInitAsJSONIsOneObject(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := tries(initDaemon(root, goal), ended(goal, events.Fail, 1, "x TestA"))
	w := newWorld(t, d, "init", "--json").terminal()
	w.Dir = root
	code(t, w, 0)
	if got := w.out.String(); !strings.HasPrefix(got, `{"schema":"autopilot.init","version":1,"data":{"project":{`) || strings.Count(got, "\n") != 1 {
		t.Errorf("got %s", got)
	}
	if w.err.Len() > 0 {
		t.Errorf("stderr: %s", w.err.String())
	}
}

func TestInitInsideAnEffectIsDenied(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"init", "doctor"} {
		w := newWorld(t, initDaemon("/"), command)
		w.Environ = append(w.Environ, "AUTOPILOT_EFFECT=x")
		code(t, w, wire.ExitDenied)
	}
}

func TestTheAgentThatIsLoggedInIsPicked(t *testing.T) {
	t.Parallel()
	for want, agents := range map[string][]wire.AgentView{
		"":         nil,
		"codex":    {{Name: "claude"}, {Name: "codex", Login: "account"}, {Name: "gemini", Login: "key"}},
		"claude":   {{Name: "opencode"}, {Name: "claude", Login: "unknown"}},
		"opencode": {{Name: "mine"}, {Name: "opencode"}},
		"mine":     {{Name: "goose", Origin: "shipped", Login: "key"}, {Name: "mine"}},
	} {
		if got := pickAgent(agents); got != want {
			t.Errorf("of %v %q was picked, want %q", agents, got, want)
		}
	}
}

func TestAnyTextIsOneValueOfYAML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"go test ./...", "a: b", "a # b", `it's "x"`, "yes", "true", "~", "- x", "a\nb", "\ttab", "{a}", "[a]", "*x", "&x", "!x", "%x", "@x", "`x`",
		"a, b", "x:", "ü ∂", "\x1b[2J", `a\b`, "null", ".inf", "-1", "cd 'a b' && npm test", "x ", "\u2028", "$(a) | b > c",
	} {
		for _, line := range []string{"v: " + scalar(text), "v: " + scalar(text) + "   # c"} {
			var got struct {
				V string `yaml:"v"`
			}
			doc, err := strictyaml.Parse([]byte(line + "\n"))
			if err == nil {
				err = doc.Decode(&got)
			}
			if err != nil || got.V != text {
				t.Errorf("%s: read as %q (%v)", line, got.V, err)
			}
		}
	}
}

func TestDoctorExitsByTheWorstThatItFound(t *testing.T) {
	t.Parallel()
	for level, exit := range map[string]int{"ok": 0, "unknown": 0, "note": 0, "warning": 0, "error": 1} {
		d := &fakeDaemon{replies: map[string]any{wire.Doctor.Name: wire.DoctorView{Findings: []wire.DoctorFinding{{Topic: "git", Level: level, What: "w"}}}}}
		code(t, newWorld(t, d, "doctor"), exit)
		code(t, newWorld(t, d, "doctor", "--json"), exit)
	}
}

func offlineView(_ context.Context, dir string) (wire.DoctorView, error) {
	return wire.DoctorView{Findings: []wire.DoctorFinding{{Topic: "git", Level: "ok", What: dir}}}, nil
}

func TestDoctorLooksWithoutADaemonAndSaysWhyFirst(t *testing.T) {
	t.Parallel()
	d := &fakeDaemon{replies: map[string]any{wire.Doctor.Name: wire.Errorf(wire.Unreachable, "no daemon here").WithHint("mend it")}}
	w := newWorld(t, d, "doctor", "--json")
	w.Examine = offlineView
	code(t, w, 1)
	want := `{"schema":"autopilot.doctor","version":1,"data":{"findings":[{"topic":"daemon","level":"error","what":"no daemon here","fix":"mend it"},{"topic":"git","level":"ok","what":"` + w.Dir + `"}]}}` + "\n"
	if diff := cmp.Diff(want, w.out.String()); diff != "" {
		t.Error(diff)
	}
}
