package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"autopilot/daemon/coord/claim"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
)

// Seeds 3.9.3, acquire: what cannot be stored is not held, by anybody.
func TestAClaimThatCannotBeStoredIsNotHeld(t *testing.T) {
	t.Parallel()
	s, other := newSite(t, nil), newSite(t, nil)
	other.work = s.work
	full := log.NewMemory(log.MemoryConfig{Faults: func(events.Event, int) log.Fault { return log.FaultUnavailable }})
	s.d.Claims.Journal = journal.New(full, s.d.HostID, time.Now)
	c := s.chat()
	for _, key := range []string{"branch:x", "workspace"} {
		if v, err := c.takes(key); err == nil {
			t.Errorf("%s: %+v", key, v)
		}
	}
	if got := s.held(); len(got) != 0 {
		t.Errorf("it is held: %+v", got)
	}
	// Its mark is given back with it.
	if _, err := other.chat().takes("workspace"); err != nil {
		t.Errorf("another state directory: %v", err)
	}
}

// Seeds 3.9.3: pools are apart, what was acquired is what is read, who has it renews
// it, exactly at its time it is free, and only its own is given back. S36: each of
// these is an event. Q32.
func TestTheLeaseStore(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	now := time.Now()
	s.d.Claims.Now = func() time.Time { return now }
	// One name in three pools: three claims.
	for i, key := range []string{"issue:main", "merge:main", "branch:main"} {
		c := []*talk{one, two, one}[i]
		if v, err := c.takes(key); err != nil || !v.Mine || v.Fence != 1 {
			t.Fatalf("%s: %+v, %v", key, v, err)
		}
	}
	list := s.held()
	if len(list) != 3 || list[0].Key != "branch:main" || list[1].Key != "issue:main" || list[1].PID != one.pid || list[2].PID != two.pid {
		t.Errorf("what is read: %+v", list)
	}
	for _, key := range []string{"", "issue:", "issue: ", "branch:\n", "merge:a\u200bb"} {
		if _, err := one.takes(key); codeOf(err) != wire.Usage {
			t.Errorf("%q: %v", key, err)
		}
	}
	// Who has it asks again: its time begins anew.
	if v, err := one.takes("issue:main"); err != nil || v.Fence != 1 || !v.Beat.After(*v.Since) || v.Until.Sub(*v.Beat) != claim.TTL {
		t.Errorf("again: %+v, %v", v, err)
	}
	// Exactly at its time another has it, if nobody is there any more.
	two.table.end(two.pid)
	three := s.chat()
	now = list[2].Until.Add(-1)
	if _, err := three.takes("merge:main"); codeOf(err) != wire.Conflict {
		t.Errorf("before its time: %v", err)
	}
	now = *list[2].Until
	if v, err := three.takes("merge:main"); err != nil || v.Fence != 3 || !v.Mine {
		t.Errorf("at its time: %+v, %v", v, err)
	}
	refusedAs(t, "another's", three.drops("issue:main"), wire.Conflict, "is held by a chat of claude, process")
	s.must(one.drops("issue:main"))
	refusedAs(t, "twice", one.drops("issue:main"), wire.NotFound, "no session holds")
	var types []string
	for _, key := range []string{"issue:main", "merge:main"} {
		for _, d := range s.claimed(s.key(key)) {
			types = append(types, d.EventType())
		}
	}
	want := []string{
		events.TypeClaimAcquired, events.TypeClaimRenewed, events.TypeClaimReleased,
		events.TypeClaimAcquired, events.TypeClaimExpired, events.TypeClaimAcquired,
	}
	if !slices.Equal(types, want) {
		t.Errorf("S36: %v", types)
	}
	s.mustVerify()
}

// Q40, B-61: what excludes others is one work tree, by whatever path it is reached,
// and no other one of the repository.
func TestAClaimIsOfOneWorkTreeByWhateverPath(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	beside := s.work + "-beside"
	for _, args := range [][]string{{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"}, {"worktree", "add", "-q", "-b", "two", beside}} {
		if out, err := exec.Command("git", append([]string{"-C", s.work}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
	}
	t.Cleanup(func() { os.RemoveAll(beside) })
	link := filepath.Join(t.TempDir(), "link")
	s.must(os.Symlink(s.work, link))
	s.write(map[string]string{"sub/a": ""})
	one, two := s.chat(), s.chat()
	take := func(c *talk, dir, key string) error {
		_, err := s.d.Claims.Take(t.Context(), c.request(), wire.ClaimRequest{Workspace: dir, Key: key})
		return err
	}
	s.must(take(one, s.work, "workspace"))
	for _, dir := range []string{s.work, link, filepath.Join(link, "sub"), filepath.Join(s.work, "sub", "..")} {
		refusedAs(t, dir, take(two, dir, "workspace"), wire.Conflict, "workspace of "+s.work+" is held by")
	}
	s.must(take(two, beside, "workspace"))
	s.must(take(two, beside, "branch:x"))
	refusedAs(t, "a branch is of all work trees", take(one, link, "branch:x"), wire.Conflict, "is held by a chat of claude")
}

// B-44: what a lock file says is information: a daemon's number that another program
// has now, another host, or nothing at all keep nobody out.
func TestB44WhatAMarkSaysKeepsNobodyOutForEver(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                        "",
		"half of it":                     `{"state":"/x","ho`,
		"a process that is another":      `{"state":"/nonexistent","host":"h","pid":1,"who":"run x","beat":"2026-01-01T00:00:00Z","ttl_s":7200}`,
		"a state directory that is gone": `{"state":"/nonexistent","host":"h","pid":1,"who":"run x","beat":"2999-01-01T00:00:00Z","ttl_s":7200}`,
		"a time without end":             `{"state":"/nonexistent","host":"h","ttl_s":9223372036854775807,"beat":"2026-01-01T00:00:00Z"}`,
	} {
		s := newSite(t, nil)
		s.must(os.WriteFile(s.mark(), []byte(text), 0o600))
		if v, err := s.chat().takes("workspace"); err != nil || !v.Mine {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// B-51: an answer that was lost is asked for once more, and changes nothing.
func TestB51ARequestThatIsAskedTwiceHasOneAnswer(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	q := c.request()
	for range 2 {
		if v, err := s.d.Claims.Take(t.Context(), q, wire.ClaimRequest{Workspace: s.work, Key: "issue:1"}); err != nil || v.Claims[0].Fence != 1 {
			t.Errorf("take: %+v, %v", v, err)
		}
	}
	q = c.request()
	for range 2 {
		if v, err := s.d.Claims.Drop(t.Context(), q, wire.ClaimRequest{Workspace: s.work, Key: "issue:1"}); err != nil || v.Claims[0].State != wire.ClaimFree {
			t.Errorf("drop: %+v, %v", v, err)
		}
	}
	refusedAs(t, "another drop", c.drops("issue:1"), wire.NotFound, "no session holds")
	c.begins(wire.PeerJoinRequest{Mode: "deep"})
	q = c.request()
	for range 2 {
		if _, err := s.d.Peers.Leave(t.Context(), q, struct{}{}); err != nil {
			t.Errorf("leave: %v", err)
		}
	}
	if n := len(s.peerEvents()); n != 2 {
		t.Errorf("%d events", n)
	}
	s.mustVerify()
}
