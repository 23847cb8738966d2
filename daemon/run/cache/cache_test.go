package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	dir := t.TempDir()
	return storeOf(dir, "ws")
}

func storeOf(dir, id string) *Store {
	return &Store{
		Dir: filepath.Join(dir, id), Base: BaseOf(dir), Remove: os.RemoveAll, Moving: []string{"/home/me/ws"},
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// files lists what is in a folder, with links.
func files(t *testing.T, dir string) []string {
	t.Helper()
	out := []string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// output and action are an entry of Go's cache.
func output(text string) string {
	sum := sha256.Sum256([]byte(text))
	name := hex.EncodeToString(sum[:])
	return GoBuild + "/" + name[:2] + "/" + name + "-d"
}

func action(id, text string) (name, content string) {
	sum := sha256.Sum256([]byte(id))
	key := hex.EncodeToString(sum[:])
	out := sha256.Sum256([]byte(text))
	return GoBuild + "/" + key[:2] + "/" + key + "-a", fmt.Sprintf("v1 %s %x %20d %20d\n", key, out, len(text), 1)
}

func TestWhatCameSinceTheSealIsGoneInTheNextRound(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]func(t *testing.T, dir string){
		"a new file":   func(t *testing.T, dir string) { t.Helper(); write(t, dir, "pip/new", "x") },
		"a new folder": func(t *testing.T, dir string) { t.Helper(); write(t, dir, "xdg/a/b/c", "x") },
		"bytecode of an installed module": func(t *testing.T, dir string) {
			t.Helper()
			write(t, dir, "pycache/usr/lib/json.pyc", "planted, and longer")
		},
		"a link to elsewhere": func(t *testing.T, dir string) {
			t.Helper()
			must(t, os.Symlink("/etc", filepath.Join(dir, "pip", "link")))
		},
		"a folder that nobody may read": func(t *testing.T, dir string) {
			t.Helper()
			write(t, dir, "npm/deep/x", "x")
			must(t, os.Chmod(filepath.Join(dir, "npm"), 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			must(t, s.Open(false))
			write(t, s.Dir, "pip/wheel", "honest")
			write(t, s.Dir, "npm/content", "honest")
			write(t, s.Dir, "pycache/usr/lib/json.pyc", "compiled")
			must(t, s.Seal())
			want := files(t, s.Dir)
			poison(t, s.Dir)
			again := storeOf(filepath.Dir(s.Dir), "ws") // another daemon
			must(t, again.Reset())
			got := files(t, s.Dir)
			if name == "bytecode of an installed module" {
				want = slices.DeleteFunc(want, func(f string) bool { return f == "pycache/usr/lib/json.pyc" })
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after the reset (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBytecodeOfTheWorkTreeIsNeverKept(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	must(t, s.Open(false))
	write(t, s.Dir, "pycache/home/me/ws/calc.pyc", "stale")
	write(t, s.Dir, "pycache/home/me/ws/.venv/lib/site-packages/x.pyc", "installed")
	write(t, s.Dir, "pycache/home/me/wsother/calc.pyc", "of another folder")
	must(t, s.Seal())
	must(t, s.ResetBytecode())
	want := []string{"pycache/home/me/ws/.venv/lib/site-packages/x.pyc", "pycache/home/me/wsother/calc.pyc"}
	if diff := cmp.Diff(want, files(t, s.Dir)); diff != "" {
		t.Errorf("after the reset (-want +got):\n%s", diff)
	}
}

func TestAStoreThatWasNeverSealedIsEmptied(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	write(t, s.Dir, "pip/wheel", "of whom?")
	must(t, s.Open(false))
	if got := files(t, s.Dir); len(got) > 0 {
		t.Errorf("left %v", got)
	}
}

func TestTheNextWorkTreeFindsWhatTheBaselineCompiled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := storeOf(dir, "one"), storeOf(dir, "two")
	must(t, one.Open(true))
	name, text := action("compile fmt", "archive")
	write(t, one.Dir, name, text)
	write(t, one.Dir, output("archive"), "archive")
	write(t, one.Dir, output("forged"), "not what the name says")
	must(t, one.Seal())
	planted, forged := action("compile product", "later")
	write(t, one.Dir, planted, forged)
	write(t, one.Dir, output("later"), "later")
	must(t, two.Open(true))
	want := []string{name, output("archive")}
	slices.Sort(want)
	if diff := cmp.Diff(want, files(t, two.Dir)); diff != "" {
		t.Errorf("in the other work tree (-want +got):\n%s", diff)
	}
	got, err := os.ReadFile(filepath.Join(two.Dir, output("archive")))
	if err != nil || string(got) != "archive" {
		t.Errorf("output is %q, %v", got, err)
	}
	must(t, one.Reset())
	if diff := cmp.Diff(want, files(t, one.Dir)); diff != "" {
		t.Errorf("in the next round (-want +got):\n%s", diff)
	}
}

func TestACompileCacheThatWasTamperedWithIsMendedOrDropped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(t *testing.T, s *Store, act, out string)
		left bool // both are there after the reset
	}{
		"an action leads to another output": {func(t *testing.T, s *Store, act, _ string) {
			t.Helper()
			_, text := action("compile fmt", "forged")
			write(t, s.Dir, act, text)
		}, false},
		"an action was used": {func(t *testing.T, s *Store, act, _ string) {
			t.Helper()
			must(t, os.Chtimes(filepath.Join(s.Dir, act), time.Time{}, time.Unix(1, 0)))
		}, true},
		"an output of the base was written": {func(t *testing.T, s *Store, _, out string) {
			t.Helper()
			write(t, s.Dir, out, "forged!") // through the link, where nothing keeps the base
		}, false},
		"an output of the base was touched": {func(t *testing.T, s *Store, _, out string) {
			t.Helper()
			must(t, os.Chtimes(s.base(out), time.Time{}, time.Unix(1, 0)))
		}, true},
		"a file in the place of a link": {func(t *testing.T, s *Store, _, out string) {
			t.Helper()
			must(t, os.Remove(filepath.Join(s.Dir, out)))
			write(t, s.Dir, out, "forged!")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			must(t, s.Open(true))
			act, text := action("compile fmt", "archive")
			write(t, s.Dir, act, text)
			write(t, s.Dir, output("archive"), "archive")
			must(t, s.Seal())
			c.do(t, s, act, output("archive"))
			must(t, s.Reset())
			if got := files(t, s.Dir); (len(got) == 2) != c.left {
				t.Errorf("left %v, want both: %v", got, c.left)
			}
			must(t, s.Open(true))
			if b, err := os.ReadFile(filepath.Join(s.Dir, act)); err == nil && string(b) != text {
				t.Errorf("the action says %q", b)
			}
			if b, err := os.ReadFile(filepath.Join(s.Dir, output("archive"))); err == nil && string(b) != "archive" {
				t.Errorf("the output is %q", b)
			}
		})
	}
}

func TestSweepDropsWhatNobodyHasSealedForLong(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	must(t, s.Open(true))
	act, text := action("compile fmt", "archive")
	write(t, s.Dir, act, text)
	write(t, s.Dir, output("archive"), "archive")
	must(t, s.Seal())
	dir := filepath.Dir(s.Dir)
	must(t, Sweep(dir, time.Now(), os.RemoveAll))
	if got := files(t, dir); len(got) != 5 {
		t.Errorf("a fresh store has %v", got)
	}
	must(t, Sweep(dir, time.Now().Add(kept+time.Hour), os.RemoveAll))
	if got := files(t, dir); len(got) > 0 {
		t.Errorf("left %v", got)
	}
}
