package tree_test

import (
	"os"
	"testing"
	"time"
)

func TestHistoryLeadsOnToWhatIsBuiltOnIt(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"a": "a"})
	base := s.commit("base")
	on := s.commit("on", "b")
	s.git("checkout", "-qb", "side", base)
	side := s.commit("aside", "c")
	for name, tt := range map[string]struct {
		from, to string
		want     bool
	}{
		"on": {base, on, true}, "itself": {on, on, true}, "back": {on, base, false}, "aside": {on, side, false},
	} {
		if got, err := s.repo.LeadsOn(t.Context(), tt.from, tt.to); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := s.repo.LeadsOn(t.Context(), base, "0123456789012345678901234567890123456789"); err == nil {
		t.Error("a commit that is not there is known")
	}
	commit, ref, err := s.repo.Workspace().Head()
	if err != nil || commit != side || ref != "refs/heads/side" {
		t.Errorf("HEAD: %s %s %v", commit, ref, err)
	}
	s.git("checkout", "-q", "--detach", on)
	if commit, ref, err = s.repo.Workspace().Head(); err != nil || commit != on || ref != "" {
		t.Errorf("HEAD off a branch: %s %s %v", commit, ref, err)
	}
}

func TestAChangeHasATimeAlsoWhereTheFileIsGone(t *testing.T) {
	t.Parallel()
	s := newSpace(t, map[string]string{"sub/deep/a": "a", "b": "b"})
	old := time.Now().Add(-time.Hour)
	s.must(os.Chtimes(s.path("b"), old, old)) // which is a change, and can be hidden from no clock but its own
	if at, err := s.repo.ChangedAt("b"); err != nil || at.Before(old.Add(time.Minute)) {
		t.Errorf("a file whose time was set back: %v, %v", at, err)
	}
	s.must(os.RemoveAll(s.path("sub/deep")))
	s.must(os.Chtimes(s.path("sub"), old, old))
	if at, err := s.repo.ChangedAt("sub/deep/a"); err != nil || !at.Equal(time.Unix(old.Unix(), int64(old.Nanosecond()))) {
		t.Errorf("a file that is gone with its folder: %v, %v; want that of the folder above, %v", at, err, old)
	}
	if _, err := s.repo.ChangedAt("sub/none/at/all"); err != nil {
		t.Error(err)
	}
}
