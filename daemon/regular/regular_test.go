package regular

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReadWaitsForNothing: a pipe that nobody writes to is refused at once.
func TestReadWaitsForNothing(t *testing.T) {
	dir := t.TempDir()
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("four"), 0o600), syscall.Mkfifo(pipe, 0o600), os.Symlink("pipe", link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe, link, os.DevNull} {
		if _, err := Read(path, 9); !errors.Is(err, ErrIrregular) {
			t.Errorf("%s: got %v, want %v", filepath.Base(path), err, ErrIrregular)
		}
	}
	for limit, want := range map[int64]string{2: "fou", 4: "four", 9: "four"} {
		if got, err := Read(file, limit); err != nil || string(got) != want {
			t.Errorf("limit %d: got %q, %v, want %q", limit, got, err, want)
		}
	}
}
