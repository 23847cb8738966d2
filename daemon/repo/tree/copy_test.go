package tree_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
)

func TestACopyIsTheWorkTreeWithRecordedFilesAsTheyWere(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{
		"same": "1", "changed": "old", "gone/deep": "2", "wasfile": "3", "wasdir/in": "4", "run.sh": "#!/bin/sh\n", "lib/ignored": "l",
	})
	s.must(os.Chmod(s.path("run.sh"), 0o755))
	s.must(os.Symlink("same", s.path("link")))
	then := s.record([]byte("lib/\n"))
	want := image(t, s.top)
	s.write("changed", "new")
	s.write("came/later", "5")
	s.must(os.RemoveAll(s.path("gone")))
	s.must(os.Remove(s.path("wasfile")))
	s.write("wasfile/in", "6")
	s.must(os.RemoveAll(s.path("wasdir")))
	s.write("wasdir", "7")
	s.write("lib/ignored", "today's")
	now := s.record([]byte("lib/\n"))
	back, err := s.repo.Changes(t.Context(), now.Tree, then.Tree)
	s.must(err)
	to := t.TempDir()
	s.must(s.repo.Copy(t.Context(), back, to, tree.CopyBounds{Entries: 100, Bytes: 1000}))
	for name := range want {
		if name == ".git" || len(name) > 5 && name[:5] == ".git/" {
			delete(want, name)
		}
	}
	got := image(t, to)
	want["came"] = got["came"] // an empty directory is not a file
	want["lib/ignored"] = image(t, s.top)["lib/ignored"]
	delete(want, ".")
	delete(got, ".")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-the files of then, with today's ignored ones +copy):\n%s", diff)
	}
	long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	s.must(os.Chtimes(s.path("same"), long, long))
	to = t.TempDir()
	s.must(s.repo.Copy(t.Context(), nil, to, tree.CopyBounds{Entries: 100, Bytes: 1000}))
	if info, err := os.Lstat(to + "/same"); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("what is built from it looks out of date: %v", err)
	}
	for _, most := range []tree.CopyBounds{{Entries: 5, Bytes: 1000}, {Entries: 100, Bytes: 5}} {
		if err := s.repo.Copy(t.Context(), nil, t.TempDir(), most); !errors.Is(err, tree.ErrTooLarge) {
			t.Errorf("%+v: %v", most, err)
		}
	}
}
