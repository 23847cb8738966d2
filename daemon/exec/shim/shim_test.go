package shim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/proc"
)

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadSpec(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing spec: %v", err)
	}
	if _, err := ReadExit(dir); !errors.Is(err, fs.ErrNotExist) || HasExit(dir) {
		t.Errorf("missing exit record: %v", err)
	}
	spec := Spec{
		V: Version, ID: "a", Boot: "b", Argv: []string{"x", "ü\xff"}, Dir: "/", Env: []string{"A=\n"}, Stdin: "/in",
		Split: true, Wall: time.Hour, Idle: time.Minute, Grace: time.Second, Head: 1, Tail: 2,
		Work: "/w\xff", Watch: []string{"/a\xfe"}, Secrets: []string{"A=\xfd\n"},
		Confine: &confine.Plan{Hide: []string{"/h\xfc"}, Strict: true, Write: []string{"/w\xfb", "/v"}, Layers: []confine.Layer{{Dir: "/d\xfa", Upper: "/u", Work: "/x"}}},
	}
	if err := WriteSpec(dir, spec); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSpec(dir)
	if d := cmp.Diff(spec, got); d != "" || err != nil {
		t.Errorf("spec: %v %s", err, d)
	}
	info, err := os.Stat(filepath.Join(dir, specFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the spec: %v, %v", info.Mode(), err)
	}
	exit := Exit{V: Version, Outcome: Exited, Exit: 7, Started: time.Unix(1, 5).UTC(), Ended: time.Unix(2, 0).UTC(), ActiveMS: 3, Killed: 4}
	exit.SetLeft(make([]int, 40))
	if err := WriteExit(dir, exit); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSpec(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the environment stays on disk when the effect is over: %v", err)
	}
	gotExit, err := ReadExit(dir)
	if d := cmp.Diff(exit, gotExit); d != "" || err != nil || gotExit.Left != 40 || len(gotExit.LeftPIDs) != leftBound {
		t.Errorf("exit record: %v %s", err, d)
	}
}

func TestRecordsOfAnotherVersionAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{specFile, exitFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"v":2}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ReadSpec(dir); err == nil {
		t.Error("a newer spec was read")
	}
	if _, err := ReadExit(dir); err == nil {
		t.Error("a newer exit record was read")
	}
}

func TestClaimHasOneWinner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadClaim(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing claim: %v", err)
	}
	won := Claim{PID: 5, Start: 6, Boot: "b"}
	if err := won.Take(dir); err != nil {
		t.Fatal(err)
	}
	if err := (Claim{Abandoned: true}).Take(dir); !errors.Is(err, ErrTaken) {
		t.Errorf("second claim: %v", err)
	}
	got, err := ReadClaim(dir)
	if d := cmp.Diff(won, got); d != "" || err != nil {
		t.Errorf("claim: %v %s", err, d)
	}
}

func TestClaimNamesTheControlGroupThatItsSupervisorMakes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ group, want proc.Cgroup }{
		"its own":           {"/sys/a b/autopilot-5-6", "/sys/a b/autopilot-5-6"},
		"of another":        {"/sys/a b/autopilot-5-7", ""},
		"of nobody":         {"/sys/user.slice", ""},
		"one above its own": {"/sys/autopilot-5-6/..", ""},
	} {
		dir := t.TempDir()
		if err := (Claim{PID: 5, Start: 6, Boot: "b", Cgroup: c.group}).Take(dir); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadClaim(dir); err != nil || got != (Claim{PID: 5, Start: 6, Boot: "b", Cgroup: c.want}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestHalfAClaimIsUnclear(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "started", "started 5 6", "started 5 6 b", "started x 6 b\n", "started 0 6 b\n", "started 5 6 \n", "started 5 6 b /sys/auto", "aband", "\x00"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, claimFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := ReadClaim(dir); !errors.Is(err, ErrUnclear) {
			t.Errorf("%q was read as %+v, %v", text, c, err)
		}
	}
}

func TestLockIsHeldUntilItsFileIsClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if held, err := Held(dir); held || err != nil {
		t.Errorf("no lock: %v, %v", held, err)
	}
	f, ok, err := lock(dir)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if held, err := Held(dir); !held || err != nil {
		t.Errorf("locked: %v, %v", held, err)
	}
	if _, ok, err := lock(dir); ok || err != nil {
		t.Errorf("second lock: %v, %v", ok, err)
	}
	f.Close()
	if held, err := Held(dir); held || err != nil {
		t.Errorf("unlocked: %v, %v", held, err)
	}
}

func TestProgramIsFoundOnItsOwnPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"tool": filepath.Join(dir, "tool"), "text": "", "dir": "", "none": "", "": "",
		"./tool": "./tool", "/x/tool": "/x/tool",
	} {
		got, err := resolve(Spec{Argv: []string{name}, Env: []string{"PATH=/nowhere", "PATH=.:relative::" + dir}})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	if _, err := resolve(Spec{}); err == nil {
		t.Error("no program was found")
	}
}
