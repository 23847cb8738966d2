package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cell is one call of one function of atdd-kit's library, and what it answers.
type cell struct {
	name     string
	function string // as the shell has it
	args     []string
	in       string
	want     int
	out      string // on standard output
	wrote    string // FILE: and the row or pin, without the time
}

const (
	printA   = "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd" // of A
	printB   = "df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c" // of B
	blank    = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	printOld = "2aed7ea6d4c79d81da29da31fe975d762c64b1e15c211769880c3c6a92ccce2a" // of the placeholder
)

// aRow is one of an iteration.
func aRow(step, verdict, print string) string {
	return fmt.Sprintf(`{"iteration":1,"step":%q,"verdict":%q,"fingerprint":%q,"timestamp":"2026-07-02T03:04:05Z"}`, step, verdict, print) + "\n"
}

// cellFiles are there before each call.
func cellFiles() map[string]string {
	f := func(print string) string { return aRow("impl", "FAIL", print) }
	return map[string]string{
		"one":     f("a"),
		"aa":      f("a") + f("a"),
		"ab":      f("a") + f("b"),
		"aba":     f("a") + f("b") + f("a"),
		"abca":    f("a") + f("b") + f("c") + f("a"),
		"apa":     f("a") + aRow("impl", "PASS", "z") + f("a"),
		"passed":  strings.Repeat(aRow("impl", "PASS", "a"), 4),
		"steps":   aRow("plan", "FAIL", "a") + f("a"),
		"halted":  f("a") + `{"outcome":"HALT","step":"impl","reason":"stuck","findings_digest":[],"timestamp":"x"}` + "\n" + f("b"),
		"cut":     f("a") + `{"iteration":2,"step":"impl","verdict":"FAIL","fingerprint":"` + "\n",
		"cutpass": f("a") + f("a") + `{"iteration":2,"step":"impl","verdict":"PASS","fingerprint":"` + "\n",
		"noprint": f("a") + `{"iteration":2,"step":"impl","verdict":"FAIL","fingerprint":""}` + "\n",
		"twice":   f("a") + `{"iteration":2,"step":"impl","verdict":"PASS","fingerprint":"b","verdict":"FAIL"}` + "\n",
		"forged":  f("a") + f("a") + `{"iteration":3,"step":"x\",\"verdict\":\"FAIL\",\"fingerprint\":\"q","verdict":"PASS","fingerprint":"z"}` + "\n",
		"windows": "\xef\xbb\xbf" + strings.ReplaceAll(f("a")+f("a"), "\n", "\r\n"),
		"half":    `{"iteration":1,"st`,
		"empty":   "",
		"gaps":    "\n" + f("a") + "\n\n" + f("b") + "\n",
		"pin":     printA + "\n",
		"pinw":    "\xef\xbb\xbf" + printA + "\r\n",
		"nopin":   "",

		"pinblank": " " + printA + "\n",
		"pinlines": printA + "\n\n",
		"dir/x":    "",
	}
}

// TestSeeds35EveryCellOfEveryFunction: names, order of arguments, standard input,
// exit codes, silence, and that nothing is written but what was asked for; by the
// program itself, and by bash with the file that it prints, which halts at what is
// not 0. A1 to A8, A10, A15, A16, A18, A26, A28, A30, Q22 to Q28.
func TestSeeds35EveryCellOfEveryFunction(t *testing.T) {
	t.Parallel()
	lib := filepath.Join(t.TempDir(), "lib.sh")
	text, err := exec.Command(filepath.Join(bin, "apctl"), "compat", "atdd", "shell").Output()
	if err != nil || os.WriteFile(lib, text, 0o600) != nil {
		t.Fatal(err)
	}
	repo, c := cellRepo(t)
	cells := append(logCells(), append(checkCells(), redCells(repo, c)...)...)
	for _, k := range cells {
		t.Run(k.function+" "+k.name, func(t *testing.T) {
			t.Parallel()
			program := append([]string{"compat", "atdd", "rails", strings.ReplaceAll(k.function, "_", "-")}, k.args...)
			k.try(t, "the program", filepath.Join(bin, "apctl"), program...)
			shell := append([]string{"-c", `set -euo pipefail; . "$1"; shift; "$@"; echo on >&3`, "bash", lib, k.function}, k.args...)
			k.try(t, "bash", "bash", shell...)
		})
	}
}

// try calls it in a directory of its own.
func (k cell) try(t *testing.T, how, program string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range cellFiles() {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(k.in)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+dir+"/none", "GIT_DIR=/nowhere", "BASH_ENV=")
	on, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	cmd.ExtraFiles = []*os.File{on} // where bash says that it went on
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != k.want {
		t.Errorf("%s: exit code %d, want %d: %s", how, got, k.want, said.String())
	}
	if out.String() != k.out {
		t.Errorf("%s: says %q, want %q", how, out.String(), k.out)
	}
	if n := strings.Count(said.String(), "\n"); k.want == 0 && n != 0 || k.want != 0 && n != 1 {
		t.Errorf("%s: %d lines of why: %s", how, n, said.String())
	}
	if d := cmp.Diff(k.wrote, wrote(t, dir)); d != "" {
		t.Errorf("%s: written: %s", how, d)
	}
	if went, err := os.ReadFile(on.Name()); err != nil || how == "bash" && (string(went) == "on\n") != (k.want == 0) {
		t.Errorf("bash went on: %q %v", went, err)
	}
}

// wrote is what a directory has beside cellFiles.
func wrote(t *testing.T, dir string) string {
	t.Helper()
	before := cellFiles()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		text, err := os.ReadFile(path)
		was, known := before[name]
		if rest, ok := strings.CutPrefix(string(text), was); err == nil && (!known || !ok || rest != "") {
			all = append(all, name+": "+cellTime.ReplaceAllString(rest, ""))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return strings.Join(all, "")
}

// cellRepo has commits of tests, of the work and of more, and one beside them.
func cellRepo(t *testing.T) (dir string, commits map[string]string) {
	t.Helper()
	dir, commits = t.TempDir(), map[string]string{}
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	for _, name := range []string{"base", "test", "impl", "later"} {
		git("commit", "-q", "--allow-empty", "-m", name)
		commits[name] = git("rev-parse", "HEAD")
	}
	git("checkout", "-q", "-b", "beside", commits["base"])
	git("commit", "-q", "--allow-empty", "-m", "beside")
	commits["beside"] = git("rev-parse", "HEAD")
	row := func(test, impl string) string {
		return fmt.Sprintf(`{"step":"red","commit":%q,"impl_sha":%q,"at_file":"t.bats"}`, commits[test], commits[impl]) + "\n"
	}
	for name, log := range map[string]string{
		"red":     row("test", "impl"),
		"newer":   row("test", "later") + row("test", "impl"),
		"beside":  row("beside", "impl"),
		"after":   row("later", "impl"),
		"same":    row("impl", "impl"),
		"without": fmt.Sprintf(`{"step":"red","commit":%q,"at_file":"t.bats"}`, commits["test"]) + "\n",
		"note":    fmt.Sprintf(`{"step":"red","note":"\"commit\":\"%s\"","commit":"a1","at_file":"t.bats"}`, commits["base"]) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, ".git", name), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, commits
}

// TestWithoutTheProgramEveryFunctionHalts: as without a hash tool, with 127, and
// nothing is written.
func TestWithoutTheProgramEveryFunctionHalts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, err := exec.Command(filepath.Join(bin, "apctl"), "compat", "atdd", "shell").Output()
	text = bytes.ReplaceAll(text, []byte(bin), []byte("/gone"))
	if err != nil || os.WriteFile(filepath.Join(dir, "lib.sh"), text, 0o600) != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", `. ./lib.sh
for f in $(declare -F | cut -d' ' -f3); do "$f" log 1 impl FAIL a </dev/null 2>/dev/null; echo $?; done | sort | uniq -c
echo "[$(echo A | fingerprint 2>/dev/null)]"; ls`)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH")} // no functions of another shell
	out, err := cmd.Output()
	if d := cmp.Diff("14 127\n[]\nlib.sh\n", strings.TrimLeft(string(out), " ")); err != nil || d != "" {
		t.Error(err, d)
	}
}
