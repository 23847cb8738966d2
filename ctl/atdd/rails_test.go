package atdd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const print1 = "f9d86028c6e0d64e225186f96acb69338b2c59764df79162107f5c4bb34d1310"

type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) place { return place{t, t.TempDir()} }

func (p place) call(function string, args ...string) error {
	_, err := p.say("", function, args...)
	return err
}

func (p place) say(in, function string, args ...string) (string, error) {
	return Run(context.Background(), Call{
		Function: function, Args: args, In: strings.NewReader(in), Environ: os.Environ(), Dir: p.dir, Now: time.Unix(1_700_000_000, 0),
	})
}

func (p place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) text(name string) string {
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p place) exits(want int, function string, args ...string) {
	p.t.Helper()
	if err := p.call(function, args...); Exit(err) != want {
		p.t.Errorf("%s %q: %v, exit code %d, want %d", function, args, err, Exit(err), want)
	}
}

// TestRefusedRowsLeaveNoTrace: A3 to A5, nothing is written, not even an empty file.
func TestRefusedRowsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.exits(2, "record-iteration", "log", "x", "s", "FAIL", print1)
	p.exits(2, "record-halt", "log", "s", "tired")
	p.exits(2, "record-red-evidence", "log", "a b", "t")
	p.exits(2, "record-iteration", "", "1", "s", "FAIL", print1)
	p.exits(2, "record-iteration", "log", "1", "s", "FAIL")
	p.exits(2, "record-iteration", "log", "1", "s", "FAIL", print1, "more")
	p.exits(2, "pin-anchor", "pin")
	p.exits(2, "no-such")
	if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// TestA42WhatCannotBeReadIsNoEmptyLog: such a check never goes on.
func TestA42WhatCannotBeReadIsNoEmptyLog(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.Mkdir(filepath.Join(p.dir, "log"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.exits(3, "check-sameness", "log")
	p.exits(3, "check-stuck", "log")
	p.exits(3, "check-log-integrity", "log", "0")
	p.exits(2, "check-pin", "log", print1)
	p.exits(2, "record-iteration", "log", "1", "s", "FAIL", print1)
	p.exits(0, "check-sameness", "none")
	p.exits(0, "check-log-integrity", "none", "0")
	p.exits(1, "check-log-integrity", "none", "1")
	p.exits(2, "check-pin", "none", print1)
	p.exits(1, "check-red-evidence", "a1", "b2", "none")
}

// TestManyWhoAppendAtOnceLoseNoRow, and one behind a row that was cut off has a line
// of its own.
func TestManyWhoAppendAtOnceLoseNoRow(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("log", `{"iteration":1,"step":"s","verd`)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 10 {
				if err := p.call("record-iteration", "log", fmt.Sprint(k), fmt.Sprint("step", i), "FAIL", fmt.Sprint("p", i, "-", k)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	p.exits(0, "check-log-integrity", "log", "81")
	p.exits(0, "check-stuck", "log", "80")
	p.exits(0, "check-stuck", "log", "10", "step3")
}

// TestAnAnchorIsPinnedOnce: also by two at once.
func TestAnAnchorIsPinnedOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 10 {
		all.Go(func() {
			if _, err := p.say(fmt.Sprint("prd", i), "pin-anchor", "pin"); err == nil {
				mu.Lock()
				won++
				mu.Unlock()
			} else if Exit(err) != 2 {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won != 1 {
		t.Errorf("%d have pinned", won)
	}
	left, err := os.ReadDir(p.dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v %v", left, err)
	}
	p.exits(0, "check-pin", "pin", strings.TrimSpace(p.text("pin")))
	p.exits(1, "check-pin", "pin", print1)
}

// TestSeeds35CheckRedEvidence: on real commits; Q22, Q23, A28, A30, S54.
func TestSeeds35CheckRedEvidence(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	git := p.git
	commit := func(file string) string {
		p.write(file, file)
		git("add", file)
		git("commit", "-q", "-m", file)
		return git("rev-parse", "HEAD")
	}
	git("init", "-q")
	base := commit("base")
	test, impl, later := commit("test"), commit("impl"), commit("later")
	for _, r := range [][]string{{test, "t", impl}, {later, "t"}, {base, "t", "feedface"}} {
		if err := p.call("record-red-evidence", append([]string{"red"}, r...)...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name       string
		test, impl string
		want       int
	}{
		{"before", test, impl, 0},
		{"another implementation than the row's", test, later, 1},
		{"equal", later, later, 1},
		{"equal by another name", later, "HEAD", 1},
		{"after", later, impl, 1},
		{"no row", impl, later, 1},
		{"the row's implementation is not a commit", base, impl, 1},
		{"no commit", test, "feedface", 1},
		{"empty", "", impl, 2},
		{"unsafe", test, "HEAD^", 2},
		{"an option", "--all", impl, 1},
	} {
		if err := p.call("check-red-evidence", c.test, c.impl, "red"); Exit(err) != c.want {
			t.Errorf("%s: %v, want exit code %d", c.name, err, c.want)
		}
	}
	p.exits(1, "check-red-evidence", test, impl, "red", "/")
	p.exits(0, "check-red-evidence", test, impl, "red", p.dir)

	git("replace", impl, later)
	p.exits(1, "check-red-evidence", test, impl, "red")
	git("replace", "-d", impl)
	p.write(".git/info/grafts", impl+"\n")
	p.exits(1, "check-red-evidence", test, impl, "red")
	if err := os.Remove(filepath.Join(p.dir, ".git/info/grafts")); err != nil {
		t.Fatal(err)
	}
	p.exits(0, "check-red-evidence", test, impl, "red")
	p.write(".git/shallow", base+"\n")
	p.exits(1, "check-red-evidence", test, impl, "red")
}

// TestTheShellFileHasEveryFunction: bash reads it, and each is a function of that
// name.
func TestTheShellFileHasEveryFunction(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("lib.sh", Shell("/a b/it's/apctl"))
	var names []string
	for _, f := range Functions() {
		names = append(names, strings.ReplaceAll(f.Name, "-", "_"))
	}
	cmd := exec.Command("bash", "-c", ". ./lib.sh && declare -F "+strings.Join(names, " "))
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != strings.Join(names, "\n") {
		t.Errorf("%v %s", err, out)
	}
	if !bytes.Contains([]byte(p.text("lib.sh")), []byte(`'/a b/it'\''s/apctl' compat`)) {
		t.Error("the program is not quoted")
	}
}
