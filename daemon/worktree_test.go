package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"autopilot/events/wire"
)

// Seeds 2.8.2 choices: who has taken the offer is not offered it again, and who
// wants to be alone is in no work tree beside another.
func TestASessionInAWorkTreeOfItsOwnIsOfferedNone(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two, three := s.chat(), s.chat(), s.chat()
	one.begins(wire.PeerJoinRequest{Mode: "deep"})
	tree := linkedTree(s)
	join := func(c *talk, mode string) wire.PeerCheckView {
		v, err := s.d.Peers.Join(t.Context(), c.request(), wire.PeerJoinRequest{Directory: tree, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := join(two, "feature"); !v.Joined || v.Reason != "own-worktree" || v.InPlace {
		t.Errorf("in a work tree of its own: %+v", v)
	}
	if v := join(three, "feature"); v.Joined || v.Outcome != "PROMOTION_OFFER" || v.Beside.Directory != tree {
		t.Errorf("beside another in the same one: %+v", v)
	}
	if v := join(three, "housekeeping"); v.Joined || v.Outcome != "EXCLUSIVE_BLOCKED" {
		t.Errorf("who wants to be alone: %+v", v)
	}
	if v := one.told("deep"); v.Reason != "own-worktree" {
		t.Errorf("the one in the repository itself: %+v", v)
	}
	// Files of session-orchestrator say which work tree they are of.
	s.lock("locked", 0, s.d.Peers.Now(), "deep")
	if v := join(two, "feature"); v.Reason != "own-worktree" {
		t.Errorf("a lock in another work tree: %+v", v)
	}
	s.entry("listed", 0, tree, s.d.Peers.Now().Add(-time.Second), `"deep"`)
	if v := join(two, "feature"); v.Outcome != "PROMOTION_OFFER" || v.Beside.Session != "listed" {
		t.Errorf("an entry for this one: %+v", v)
	}
}

// linkedTree is a second work tree of the site's repository.
func linkedTree(s *site) string {
	s.t.Helper()
	dir := filepath.Join(filepath.Dir(s.work), "linked")
	s.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	s.git("worktree", "add", "-q", "-b", "linked", dir)
	real, err := filepath.EvalSymlinks(dir)
	s.must(err)
	return real
}

func TestHowAWorkTreeIsMadeIsToldOnceTheProjectIsTrusted(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	ask := func(q wire.WorktreeRequest) (wire.WorktreeSettings, error) {
		return s.d.Worktrees.Ask(t.Context(), c.request(), q)
	}
	here := wire.WorktreeRequest{Directory: s.work}
	first, err := ask(here)
	second, _ := ask(here)
	if err != nil || first.Base != "head" || first.Wanted || len(first.Session) != 9 || first.Session != second.Session {
		t.Errorf("%+v %+v %v", first, second, err)
	}
	if v, err := s.d.Worktrees.Ask(t.Context(), s.chat().request(), here); err != nil || v.Session == first.Session {
		t.Errorf("two sessions have one name: %+v %v", v, err)
	}
	if v, err := ask(wire.WorktreeRequest{Directory: t.TempDir()}); err != nil || len(v.Seed) == 0 {
		t.Errorf("outside of a repository: %+v %v", v, err)
	}
	file := filepath.Join(s.work, ".autopilot", "config.yaml")
	s.must(os.MkdirAll(filepath.Dir(file), 0o755))
	s.must(os.WriteFile(file, []byte("worktree: true\n"), 0o600))
	var e *wire.Error
	if _, err := ask(here); !errors.As(err, &e) || e.Code != wire.NeedsPerson {
		t.Errorf("nobody has agreed: %v", err)
	}
	if v, err := ask(wire.WorktreeRequest{Directory: s.work, NoConfig: true}); err != nil || v.Wanted {
		t.Errorf("without the project's: %+v %v", v, err)
	}
	s.must(os.WriteFile(file, []byte("worktree_base: orign\n"), 0o600))
	if _, err := ask(here); !errors.As(err, &e) || e.Code != wire.Usage {
		t.Errorf("a file that means nothing: %v", err)
	}
}
