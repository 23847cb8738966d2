package worktree

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"autopilot/daemon/test/proctest"
)

func TestAProcessIsFoundByDirectoryProgramAndFile(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := func(name string) string {
		d := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Join(d, "below"), 0o755); err != nil {
			t.Fatal(err)
		}
		return d
	}
	runs := func(in, program string, files ...*os.File) int {
		cmd := exec.Command(program, "600")
		cmd.Dir, cmd.ExtraFiles = in, files
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	cwd, exe, file, none, beside := dir("a"), dir("b"), dir("c"), dir("d"), dir("a-beside")
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(exe, "below", "sleep")
	if err := proctest.WriteProgram(program, string(text)); err != nil {
		t.Fatal(err)
	}
	open, err := os.Create(filepath.Join(file, "below", "x"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{cwd: runs(filepath.Join(cwd, "below"), "sleep"), exe: runs("/", program), file: runs("/", "sleep", open)}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := usesOf([]string{cwd, exe, file, none, beside})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{cwd, exe, file, none, beside} {
		pid, any := want[d]
		if got := found[d]; any && (len(got) != 1 || got[0].PID != pid || got[0].How == "") || !any && len(got) > 0 {
			t.Errorf("%s: %+v, want process %d", d, got, pid)
		}
	}
}
