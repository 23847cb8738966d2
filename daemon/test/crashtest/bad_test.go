//go:build linux

package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"autopilot/daemon/test/proctest"
	"autopilot/events/wire"
)

// fakeClaude is claude as far as its prompt and its answer go: it keeps what it
// gets, and does the task with its last word.
const fakeClaude = `#!/bin/sh
for a; do printf '%s\n' "$a"; done | head -c 100000 > argv.txt
cat > prompt.txt
echo '{"type":"system","subtype":"init","session_id":"0000-the-same","model":"m"}'
echo '{"type":"assistant","message":{"id":"m1","model":"m","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"ok"}}],"usage":{"input_tokens":USED,"output_tokens":0}}}'
touch ok
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"session_id":"0000-the-same","usage":{"input_tokens":USED,"output_tokens":0}}'
`

// claude is the environment in which the program claude is fakeClaude.
func (w *world) claude(used int) []string {
	w.t.Helper()
	dir := w.path("bin-" + strconv.Itoa(used))
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = proctest.WriteProgram(filepath.Join(dir, "claude"), strings.ReplaceAll(fakeClaude, "USED", strconv.Itoa(used)))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return []string{"PATH=" + strings.Join([]string{dir, bin, os.Getenv("PATH")}, string(os.PathListSeparator)), "ANTHROPIC_API_KEY=none-of-anyone"}
}

// task is a file with a task of that size.
func (w *world) task(size int) string {
	w.t.Helper()
	path := w.path("task-" + strconv.Itoa(size))
	text := "--help --print\n" + strings.Repeat("all work and no play\n", size/21)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctl := filepath.Join(bin, "apctl")
	run := func(t *testing.T, ws string, env []string, args ...string) wire.RunView {
		t.Helper()
		w := w.as(t)
		w.repo(ws, map[string]string{"keep": "keep\n"})
		a := w.command(ws, env, ctl, append([]string{"run", "-d", "--json", "--gate", "ok=test -f ok", "--max-iterations", "2"}, args...)...)
		if a.code != 0 {
			t.Fatalf("%v", a)
		}
		return data[wire.RunView](t, a)
	}
	t.Run("group", func(t *testing.T) {
		t.Run("B-7 a task of 3 MiB is refused with what to do", func(t *testing.T) {
			t.Parallel()
			w, ws := w.as(t), w.path("too-large")
			w.repo(ws, map[string]string{"keep": "keep\n"})
			a := w.apctl("run", "-C", ws, "--gate", "ok=false", "--agent-cmd", "true", "-f", w.task(3<<20))
			if a.code != 2 || !strings.Contains(a.stderr, "put the long part into a file") {
				t.Errorf("%v", a)
			}
		})
		t.Run("B-7 a large task that begins with dashes is in no argument", func(t *testing.T) {
			t.Parallel()
			ws, task := w.path("large"), w.as(t).task(900<<10)
			v := run(t, ws, w.claude(1), "--agent", "claude", "-f", task)
			w.as(t).shows(v.ID, "done", "")
			text, err := os.ReadFile(task)
			prompt, err2 := os.ReadFile(filepath.Join(ws, "prompt.txt"))
			argv, err3 := os.ReadFile(filepath.Join(ws, "argv.txt"))
			if err := errors.Join(err, err2, err3); err != nil || !bytes.Contains(prompt, text) {
				t.Errorf("the agent got %d bytes, want all of the task: %v", len(prompt), err)
			}
			if strings.Contains(string(argv), "no play") || strings.Contains(string(argv), "--help") {
				t.Errorf("the task is in its arguments: %q", argv)
			}
		})
		t.Run("two agents of one session", func(t *testing.T) {
			t.Parallel()
			for i, used := range []int{100, 2000} {
				t.Run(strconv.Itoa(i), func(t *testing.T) {
					t.Parallel()
					w := w.as(t)
					v := run(t, w.path("session-"+strconv.Itoa(i)), w.claude(used), "--agent", "claude", "do it")
					w.shows(v.ID, "done", "")
					want := fmt.Sprintf(`"usage":{"input":%d,"tokens_from":"reported"`, used)
					if log := w.must("events", v.ID, "--json"); !bytes.Contains(log.stdout, []byte(want)) {
						t.Errorf("the agent did not use %d tokens:\n%s", used, log.stdout)
					}
				})
			}
		})
		t.Run("B-85 a workspace that is removed under a live agent", func(t *testing.T) {
			t.Parallel()
			w, ws := w.as(t), w.path("removed")
			v := run(t, ws, nil, "--agent-cmd", `echo > begun; while test -e "`+ws+`/keep"; do sleep 0.02; done`, "do it")
			w.appears(filepath.Join(ws, "begun"))
			if err := os.RemoveAll(ws); err != nil {
				t.Fatal(err)
			}
			w.shows(v.ID, "halted", "workspace-gone")
		})
	})
	w.close()
}
