package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadRefusesAllButARegularFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), []byte("four"), 0o600), syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("file", at("link"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pipe": "not a regular file", "link": "links are not followed", ".": "not a regular file", "file": "has 4 bytes; the limit is 3",
	} {
		if _, there, err := Read(at(name), 3); !there || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for _, name := range []string{"none", "file/below"} {
		if _, there, err := Read(at(name), 3); there || err != nil {
			t.Errorf("%s: %v, %v", name, there, err)
		}
	}
}

func TestReplaceKeepsTheModeAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, synced := range []bool{true, false} {
		if err := Replace(path, ".tmp-*", []byte("new"), synced); err != nil {
			t.Fatal(err)
		}
	}
	text, there, err := Read(path, 9)
	info, serr := os.Stat(path)
	left, lerr := os.ReadDir(dir)
	if err := errors.Join(err, serr, lerr); err != nil || !there || string(text) != "new" || info.Mode().Perm() != 0o600 || len(left) != 1 {
		t.Errorf("%q, %v, %d entries, %v", text, info.Mode(), len(left), err)
	}
}
