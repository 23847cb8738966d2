package tree_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecordEqualsAFreshRecord: whatever happened before, an old index gives
// the tree that an empty one gives.
func TestRecordEqualsAFreshRecord(t *testing.T) {
	t.Parallel()
	s := newSpace(t, nil)
	s.open(64)
	const notes = ".autopilot/notes/**"
	ignore := []byte("*.log\n/out/\n#tracked \"kept.log\"\n")
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var history []string
	for n := range 60 {
		for range 1 + random.IntN(4) {
			op, path := pick("write", "write", "write", "large", "link", "rm", "chmod", "mkdir", "fifo"),
				pick("a", "b", "a/x", "a/y", "b/x/y", "k.log", "kept.log", "out/z", "big", ".autopilot/notes/n")
			history = append(history, op+" "+path)
			s.disturb(op, s.path(path), random.IntN(3))
		}
		got := s.recordAs("kept", ignore, notes)
		other := s.recordAs(fmt.Sprintf("other%d", n), ignore, notes) // knows what the first has read
		s.must(os.RemoveAll(filepath.Join(s.repo.Dir(), "known")))
		want := s.recordAs(fmt.Sprintf("fresh%d", n), ignore, notes)
		got.Skipped, want.Skipped, other.Skipped = nil, nil, nil // an old index lists pipes in folders that a fresh one has no file of
		if diff := cmp.Diff(want, got) + cmp.Diff(want, other); diff != "" {
			t.Fatalf("after %q\n%v\n%v\n(-fresh +kept):\n%s", history, s.listing(want.Tree), s.listing(got.Tree), diff)
		}
	}
}

// disturb does one thing to a path, as far as the file system allows it.
func (s *space) disturb(op, path string, variant int) {
	if op == "chmod" {
		_ = os.Chmod(path, 0o755)
		return
	}
	for dir := filepath.Dir(path); dir != s.top; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			_ = os.Remove(dir) // os.RemoveAll(path) would open it, pipe or not
		}
	}
	_ = os.RemoveAll(path)
	if op == "rm" {
		return
	}
	_ = os.MkdirAll(filepath.Dir(path), 0o755)
	switch op {
	case "write":
		_ = os.WriteFile(path, []byte{byte('0' + variant)}, 0o644)
	case "large":
		_ = os.WriteFile(path, []byte(strings.Repeat(fmt.Sprint(variant), 65)), 0o644)
	case "link":
		_ = os.Symlink([]string{"a", "b", "/etc"}[variant], path)
	case "mkdir":
		_ = os.Mkdir(path, 0o755)
	case "fifo":
		_ = syscall.Mkfifo(path, 0o644)
	}
}
