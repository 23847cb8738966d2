package agent_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
	"autopilot/daemon/strictyaml"
)

func TestScriptIsRead(t *testing.T) {
	t.Parallel()
	got, err := agent.ParseScript([]byte(`
iterations:
  - rm: [a.txt]
    edit:
      src/b.go: |
        package b
    run: ["go vet ./..."]
    print: [all green]
    sleep: 1s
    exit: 3
    result: {claim: done, summary: "ok", question: null}
  - {}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := agent.Script{Iterations: []agent.Step{{
		Rm: []string{"a.txt"}, Edit: map[string]string{"src/b.go": "package b\n"}, Run: []string{"go vet ./..."},
		Print: []string{"all green"}, Sleep: time.Second, Exit: 3,
		Result: map[string]any{"claim": "done", "summary": "ok", "question": nil},
	}, {}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	for n, exit := range map[int]int{1: 3, 2: 0, 3: 0, 99: 0} {
		if got.Step(n).Exit != exit {
			t.Errorf("iteration %d exits %d, want %d", n, got.Step(n).Exit, exit)
		}
	}
}

func TestBadScriptsAreRefusedWithPlaceAndFix(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		src  string
		line int
		want string
	}{
		"no iterations":     {"iterations: []\n", 1, "the script has no iteration"},
		"unknown key":       {"iterations:\n  - {}\n  - prnt: [x]\n", 3, `unknown key "prnt": did you mean "print"?`},
		"other top":         {"steps: []\n", 1, `unknown key "steps"`},
		"absolute edit":     {"iterations:\n  - edit:\n      ok.txt: a\n      /etc/x: b\n", 4, `"/etc/x" is not a path in the workspace: write it relative`},
		"edit at home":      {"iterations:\n  - edit: {~/x: a}\n", 2, "write it relative to the workspace"},
		"edit outside":      {"iterations:\n  - edit: {a/../../x: a}\n", 2, "stay within the workspace"},
		"edit of workspace": {"iterations:\n  - edit: {a/..: x}\n", 2, "name a file in it"},
		"rm outside":        {"iterations:\n  - rm: [a, ..]\n", 2, "stay within the workspace"},
		"rm of workspace":   {"iterations:\n  - rm: [./]\n", 2, "name a file in it"},
		"rm of nothing":     {"iterations:\n  - rm: ['']\n", 2, "write a path"},
		"number as text":    {"iterations:\n  - edit: {a: 1}\n", 2, "put it in quotes"},
		"NUL in a command":  {"iterations:\n  - run: [\"a\\0b\"]\n", 2, "the command contains a NUL byte"},
		"exit too large":    {"iterations:\n  - exit: 256\n", 2, "exit is 256: write a number from 0 to 255"},
		"exit negative":     {"iterations:\n  - exit: -1\n", 2, "exit is -1"},
		"sleep as number":   {"iterations:\n  - sleep: 1\n", 2, "want a duration"},
		"result as text":    {"iterations:\n  - result: done\n", 2, "want a mapping"},
		"second document":   {"iterations: [{}]\n---\n", 2, "a second document begins here"},
	} {
		_, err := agent.ParseScript([]byte(tt.src))
		var e *strictyaml.Error
		if !errors.As(err, &e) || e.Line != tt.line || !strings.Contains(e.Error(), tt.want) {
			t.Errorf("%s: want line %d with %q, got\n%v", name, tt.line, tt.want, err)
		}
	}
}

// perform runs one iteration of a script in dir.
func perform(t *testing.T, dir, src string, env ...string) (exit int, stdout, stderr string) {
	t.Helper()
	script, err := agent.ParseScript([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	env = append([]string{"PATH=/usr/bin:/bin", "AUTOPILOT_ITERATION=1"}, env...)
	exit = agent.RunScript(t.Context(), script, env, dir, &out, &errs)
	return exit, out.String(), errs.String()
}

func content(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAStepHappensInOrder(t *testing.T) {
	t.Parallel()
	dir, box := t.TempDir(), t.TempDir()
	write(t, dir, "old/a.txt", 0o644)
	write(t, dir, "keep.sh", 0o755)
	result := filepath.Join(box, "result.json")
	exit, stdout, stderr := perform(t, dir, `
iterations:
  - exit: 7
    result: {claim: progress, summary: "a <b>"}
    sleep: 1ms
    print: [last, "line"]
    run: ["ls; cat old/new.txt; echo $GREETING", "echo oops >&2; exit 3", "test ! -e `+result+` && echo going on"]
    edit: {keep.sh: "changed\n", old/new.txt: "new\n"}
    rm: [old, not/there]
`, "AUTOPILOT_RESULT_FILE="+result, "GREETING=hello")
	if exit != 7 {
		t.Errorf("exit %d, want 7", exit)
	}
	if want := "keep.sh\nold\nnew\nhello\ngoing on\nlast\nline\n"; stdout != want {
		t.Error(cmp.Diff(want, stdout))
	}
	if want := "oops\nscript agent: run \"echo oops >&2; exit 3\": exit status 3\n"; stderr != want {
		t.Error(cmp.Diff(want, stderr))
	}
	if got := content(t, result); got != `{"claim":"progress","summary":"a <b>","v":1}`+"\n" {
		t.Error(got)
	}
	if got := content(t, dir, "keep.sh"); got != "changed\n" {
		t.Error(got)
	}
	if info, err := os.Stat(filepath.Join(dir, "keep.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v: an edit keeps it", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "old/a.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Error("old/a.txt is still there:", err)
	}
}

func TestTheIterationChoosesTheStepAndTheLastRepeats(t *testing.T) {
	t.Parallel()
	const src = "iterations: [{print: [one]}, {print: [two]}]\n"
	for n, want := range map[string]string{"1": "one\n", "2": "two\n", "3": "two\n"} {
		if exit, got, stderr := perform(t, t.TempDir(), src, "AUTOPILOT_ITERATION="+n); exit != 0 || got != want || stderr != "" {
			t.Errorf("iteration %s: exit %d, %q, %q", n, exit, got, stderr)
		}
	}
	for _, n := range []string{"", "0", "-1", "two"} {
		if exit, _, stderr := perform(t, t.TempDir(), src, "AUTOPILOT_ITERATION="+n); exit != agent.ScriptUsage || !strings.Contains(stderr, "want the number of an iteration") {
			t.Errorf("iteration %q: exit %d, %q", n, exit, stderr)
		}
	}
}

func TestResultsAreWrittenAsGiven(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "result.json")
	env := "AUTOPILOT_RESULT_FILE=" + file
	if exit, _, stderr := perform(t, t.TempDir(), "iterations: [{result: {}}]\n", env); exit != 0 {
		t.Error(stderr)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error("an empty result wrote a file:", err)
	}
	if exit, _, stderr := perform(t, t.TempDir(), "iterations: [{result: {v: 2, claim: [1, null, 1.5]}}]\n", env); exit != 0 {
		t.Error(stderr)
	}
	if got := content(t, file); got != `{"claim":[1,null,1.5],"v":2}`+"\n" {
		t.Error(got)
	}
	if exit, _, stderr := perform(t, t.TempDir(), "iterations: [{result: {claim: done}}]\n"); exit != agent.ScriptFailed || !strings.Contains(stderr, "AUTOPILOT_RESULT_FILE is not set") {
		t.Errorf("exit %d, %q", exit, stderr)
	}
}

func TestSymbolicLinksDoNotLeadOutOfTheWorkspace(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "victim", 0o644)
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{"iterations: [{edit: {link/victim: x}}]\n", "iterations: [{edit: {link/new/x: x}}]\n", "iterations: [{rm: [link/victim]}]\n"} {
		if exit, _, stderr := perform(t, dir, src); exit != agent.ScriptFailed || !strings.Contains(stderr, "escapes") {
			t.Errorf("%s: exit %d, %q", src, exit, stderr)
		}
	}
	if got := content(t, outside, "victim"); got != "#!/bin/sh\n" {
		t.Error("the file outside was changed:", got)
	}
	if exit, _, stderr := perform(t, dir, "iterations: [{rm: [link]}]\n"); exit != 0 {
		t.Error(stderr)
	}
	if _, err := os.Stat(filepath.Join(outside, "victim")); err != nil {
		t.Error("removing a link removed what it points to:", err)
	}
}

func TestWhatCannotBeDoneIsSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "file", 0o644)
	if exit, _, stderr := perform(t, dir, "iterations: [{edit: {file/x: a}, print: [no]}]\n"); exit != agent.ScriptFailed || !strings.Contains(stderr, "iteration 1: edit file/x") {
		t.Errorf("exit %d, %q", exit, stderr)
	}
	if exit, _, stderr := perform(t, filepath.Join(dir, "gone"), "iterations: [{rm: [x]}]\n"); exit != agent.ScriptFailed || !strings.Contains(stderr, "open workspace") {
		t.Errorf("exit %d, %q", exit, stderr)
	}
	if exit, _, stderr := perform(t, filepath.Join(dir, "gone"), "iterations: [{run: ['true']}]\n"); exit != agent.ScriptFailed || !strings.Contains(stderr, "run \"true\"") {
		t.Errorf("exit %d, %q", exit, stderr)
	}
}

// cancelOn ends a context at the first output.
type cancelOn struct{ cancel context.CancelFunc }

func (c cancelOn) Write(p []byte) (int, error) { c.cancel(); return len(p), nil }

func TestAnInterruptedScriptEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"while it runs":   "iterations: [{run: [echo ready; exec sleep 600, echo no]}]\n",
		"while it sleeps": "iterations: [{print: [ready], sleep: 600s}]\n",
	} {
		script, err := agent.ParseScript([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var errs bytes.Buffer
		if exit := agent.RunScript(ctx, script, []string{"PATH=/usr/bin:/bin", "AUTOPILOT_ITERATION=1"}, t.TempDir(), cancelOn{cancel}, &errs); exit != agent.ScriptInterrupted {
			t.Errorf("%s: exit %d, %q", name, exit, errs.String())
		}
	}
}

func TestACommandThatLeavesAChildBehindDoesNotHang(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exit, stdout, stderr := perform(t, dir, "iterations: [{run: ['sleep 600 & echo $! > pid'], print: [after]}]\n")
	if exit != 0 || stdout != "after\n" {
		t.Errorf("exit %d, %q, %q", exit, stdout, stderr)
	}
	if exit, _, stderr := perform(t, dir, "iterations: [{run: ['kill $(cat pid)']}]\n"); exit != 0 || stderr != "" {
		t.Errorf("exit %d, %q", exit, stderr)
	}
}

func TestAScriptFileIsReadAndRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml")
	for file, src := range map[string]string{good: "iterations: [{print: [hi], exit: 4}]\n", bad: "iterations:\n  - prnt: [hi]\n"} {
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"AUTOPILOT_ITERATION=1"}
	if exit := agent.RunScriptFile(t.Context(), good, env, dir, io.Discard, io.Discard); exit != 4 {
		t.Errorf("exit %d, want 4", exit)
	}
	for file, want := range map[string]string{
		bad:                        "bad.yaml: line 2, column 5: unknown key",
		filepath.Join(dir, "gone"): "no such file",
		"/dev/zero":                "bytes: at most 1048576 are read",
	} {
		var errs bytes.Buffer
		if exit := agent.RunScriptFile(t.Context(), file, env, dir, io.Discard, &errs); exit != agent.ScriptUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d, %q; want %q", file, exit, errs.String(), want)
		}
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte("iterations: [{edit: {a: b}, rm: [c], run: [d], print: [e], sleep: 1s, exit: 0, result: {v: 1}}]\n"))
	f.Add([]byte("iterations:\n  - edit:\n      x: |\n        y\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := agent.ParseScript(src)
		var e *strictyaml.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("error without a place: %v", err)
		}
		if err == nil {
			s.Step(1)
			s.Step(1 << 30)
		}
	})
}
