package holdout_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/run/holdout"
)

// folder makes a folder of held-out files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsLaidHasTheSumOfTheFolder(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"tests/hidden_test.py": "hidden", "run.sh": "#!/bin/sh", ".git/config": "not taken"})
	if err := errors.Join(os.Chmod(filepath.Join(dir, "run.sh"), 0o755), os.Symlink("../run.sh", filepath.Join(dir, "tests/link"))); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	want, err := holdout.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := holdout.Lay(dir, to, "")
	if err != nil || got != want || got.Files != 3 {
		t.Fatalf("laid %+v, read %+v, %v", got, want, err)
	}
	if again, err := holdout.Read(to); err != nil || again != want {
		t.Errorf("where it was laid is %+v, %v", again, err)
	}
	if _, err := os.Lstat(filepath.Join(to, ".git")); err == nil {
		t.Error("a repository was laid")
	}
}

func TestEveryChangeOfAFolderChangesItsSum(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"content":  func(d string) error { return os.WriteFile(filepath.Join(d, "a/f"), []byte("g"), 0o644) },
		"a mode":   func(d string) error { return os.Chmod(filepath.Join(d, "a/f"), 0o755) },
		"a name":   func(d string) error { return os.Rename(filepath.Join(d, "a/f"), filepath.Join(d, "a/g")) },
		"a file":   func(d string) error { return os.WriteFile(filepath.Join(d, "b"), nil, 0o644) },
		"a folder": func(d string) error { return os.Mkdir(filepath.Join(d, "b"), 0o755) },
		"a link":   func(d string) error { return os.Symlink("a/f", filepath.Join(d, "b")) },
		"gone":     func(d string) error { return os.Remove(filepath.Join(d, "a/f")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{"a/f": "f"})
			before, err := holdout.Read(dir)
			if err == nil {
				err = change(dir)
			}
			if err != nil {
				t.Fatal(err)
			}
			if after, err := holdout.Read(dir); err != nil || after.Sum == before.Sum {
				t.Errorf("%+v, %v", after, err)
			}
		})
	}
}

func TestAFolderThatCannotBeLaidIsRefused(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(dir string) error{
		"absolute link": func(d string) error { return os.Symlink("/etc/passwd", filepath.Join(d, "x")) },
		"leaving link":  func(d string) error { return os.Symlink("../x", filepath.Join(d, "x")) },
		"pipe":          func(d string) error { return syscall.Mkfifo(filepath.Join(d, "x"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{"f": "f"})
			if err := make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := holdout.Read(dir)
			var bad *holdout.PathError
			if !errors.As(err, &bad) || bad.Path != "x" {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := holdout.Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestWhatLiesInTheWayIsNeverFollowed puts things where held-out files go.
func TestWhatLiesInTheWayIsNeverFollowed(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(to, outside string) error{
		"a link for the folder": func(to, out string) error { return os.Symlink(out, filepath.Join(to, "tests")) },
		"a link within":         func(to, _ string) error { return os.Symlink("src", filepath.Join(to, "tests")) },
		"a dangling link":       func(to, _ string) error { return os.Symlink("none", filepath.Join(to, "tests")) },
		"a file for the folder": func(to, _ string) error { return os.WriteFile(filepath.Join(to, "tests"), []byte("x"), 0o644) },
		"a pipe for the folder": func(to, _ string) error { return syscall.Mkfifo(filepath.Join(to, "tests"), 0o644) },
		"a link for the file":   func(to, out string) error { return in(to, func(p string) error { return os.Symlink(out+"/f", p) }) },
		"a pipe for the file":   func(to, _ string) error { return in(to, func(p string) error { return syscall.Mkfifo(p, 0o644) }) },
		"a folder for the file": func(to, _ string) error { return in(to, func(p string) error { return os.MkdirAll(p+"/deep", 0o755) }) },
		"a file that cannot be read": func(to, _ string) error {
			return in(to, func(p string) error { return os.WriteFile(p, []byte("x"), 0) })
		},
		"nothing": func(string, string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, to, outside := folder(t, map[string]string{"tests/hidden": "held"}), t.TempDir(), folder(t, map[string]string{"f": "theirs"})
			if err := errors.Join(os.Mkdir(filepath.Join(to, "src"), 0o755), make(to, outside)); err != nil {
				t.Fatal(err)
			}
			if _, err := holdout.Lay(dir, to, to); err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(filepath.Join(to, "tests/hidden")); err != nil || string(b) != "held" {
				t.Errorf("%q, %v", b, err)
			}
			for _, dir := range []string{outside, filepath.Join(to, "src")} {
				if entries, err := os.ReadDir(dir); err != nil || strings.Contains(names(entries), "hidden") {
					t.Errorf("%s holds %s, %v", dir, names(entries), err)
				}
			}
			if b, err := os.ReadFile(filepath.Join(outside, "f")); err != nil || string(b) != "theirs" {
				t.Errorf("%q, %v", b, err)
			}
		})
	}
}

// in makes something at the place of the held-out file.
func in(to string, make func(path string) error) error {
	return errors.Join(os.Mkdir(filepath.Join(to, "tests"), 0o755), make(filepath.Join(to, "tests/hidden")))
}

func names(entries []fs.DirEntry) string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}
