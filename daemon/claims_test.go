package daemon

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/coord/claim"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
)

// takes has a chat take a claim.
func (c *talk) takes(key string) (wire.ClaimView, error) {
	v, err := c.s.d.Claims.Take(c.s.t.Context(), c.request(), wire.ClaimRequest{Workspace: c.s.work, Key: key})
	if err != nil {
		return wire.ClaimView{}, err
	}
	return v.Claims[0], nil
}

func (c *talk) drops(key string) error {
	_, err := c.s.d.Claims.Drop(c.s.t.Context(), c.request(), wire.ClaimRequest{Workspace: c.s.work, Key: key})
	return err
}

// held is what is held in the repository of the work tree.
func (s *site) held() []wire.ClaimView {
	s.t.Helper()
	v, err := s.d.Claims.List(s.t.Context(), s.request(), wire.ClaimsRequest{Workspace: s.work})
	if err != nil {
		s.t.Fatal(err)
	}
	return v.Claims
}

// givenBack waits until nobody holds the work tree: a run that is over gives it back
// soon.
func (s *site) givenBack() {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(s.held()) > 0 {
		select {
		case <-tick.C:
		case <-s.t.Context().Done():
			s.t.Fatal("the work tree is not given back")
		}
	}
}

// claimed are the events of a claim.
func (s *site) claimed(k claim.Key) (out []events.Data) {
	s.t.Helper()
	for stored, err := range s.d.Log.Read(s.t.Context(), events.ClaimOf(k.ID()), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, stored.Event.Data)
	}
	return out
}

// mark is the file of the mark of the work tree.
func (s *site) mark() string {
	return claim.MarkFile(filepath.Join(s.work, ".git"), tree.IDOf(s.work))
}

func (s *site) key(text string) claim.Key {
	s.t.Helper()
	k, err := claim.Parse(text)
	ws, werr := tree.Find(s.t.Context(), s.work)
	if k.Scope = ws.Path; err == nil && werr == nil && k.Kind != events.ClaimWorkspace {
		k.Scope, err = s.d.repos.Of(s.t.Context(), ws)
	}
	if err := errors.Join(err, werr); err != nil {
		s.t.Fatal(err)
	}
	return k
}

// S19: two takers in one millisecond.
func TestOfTwoTakersAtOnceOneWins(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	for round := range 100 {
		key := fmt.Sprintf("branch:round-%d", round)
		requests := []wire.ClaimRequest{{Workspace: s.work, Key: key}, {Workspace: s.work, Key: key}}
		callers := []*talk{one, two}
		errs := make([]error, 2)
		qs := []func() error{}
		for i, c := range callers {
			q := c.request()
			qs = append(qs, func() error { _, err := s.d.Claims.Take(t.Context(), q, requests[i]); return err })
		}
		var wg sync.WaitGroup
		for i, ask := range qs {
			wg.Go(func() { errs[i] = ask() })
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || codeOf(errors.Join(errs...)) != wire.Conflict {
			t.Fatalf("round %d: %v", round, errs)
		}
	}
}

func TestOnlyWhoHoldsAClaimGivesItBackAndAPersonForcesIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	first, err := one.takes("branch:fix/x")
	if err != nil || first.State != wire.ClaimHeld || !first.Mine || first.Program != "claude" || first.TTL != 7200 {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := one.takes("branch:fix/x")
	if err != nil || again.Fence != first.Fence {
		t.Errorf("its owner again: %+v, %v", again, err)
	}
	if v, err := two.takes("branch:fix_x"); err != nil || v.State != wire.ClaimHeld { // Q32
		t.Errorf("another name: %v", err)
	}
	_, err = two.takes("branch:fix/x")
	refusedAs(t, "another", err, wire.Conflict, fmt.Sprintf("branch:fix/x of %s/.git is held by a chat of claude, process %d, since", s.work, one.pid))
	refusedAs(t, "its drop by another", two.drops("branch:fix/x"), wire.Conflict, "is held by a chat of claude")
	refusedAs(t, "what nobody holds", two.drops("issue:9"), wire.NotFound, "no session holds issue:9")
	if _, err := two.takes("branch:"); codeOf(err) != wire.Usage {
		t.Errorf("no name: %v", err)
	}

	s.d.Consent.People = proctest.Seat{Away: true}
	ask := wire.ClaimRequest{Workspace: s.work, Key: "branch:fix/x", Decided: true, Typed: "branch:fix/x", Fence: first.Fence}
	if _, err := s.d.Claims.Force(t.Context(), s.seated(), ask); codeOf(err) != wire.NeedsPerson {
		t.Errorf("forced by nobody at a terminal: %v", err)
	}
	s.d.Consent.People = proctest.Seat{}
	ask.Fence++
	if _, err := s.d.Claims.Force(t.Context(), s.seated(), ask); codeOf(err) != wire.Conflict {
		t.Errorf("forced of a holder that was not shown: %v", err)
	}
	ask.Fence--
	v, err := s.d.Claims.Force(t.Context(), s.seated(), ask)
	if err != nil || !v.Claims[0].Forced || v.Claims[0].State != wire.ClaimFree {
		t.Fatalf("%+v, %v", v, err)
	}
	s.d.Consent.People = one.table
	refusedAs(t, "its drop afterwards", one.drops("branch:fix/x"), wire.NotFound, "no session holds")
	next, err := two.takes("branch:fix/x")
	if err != nil || next.Fence <= first.Fence {
		t.Errorf("taken after that: %+v, %v", next, err)
	}
	if got := s.claimed(s.key("branch:fix/x")); !slices.Contains(got, events.Data(events.ClaimForced{Fence: first.Fence, Assurance: events.AssuredTTY})) {
		t.Errorf("not audited: %+v", got)
	}
}

// S50, S17: that a process has ended makes nothing stale before its time; then who
// asks next has it, by the same daemon's clock.
func TestAClaimOfAProcessThatHasEndedStandsUntilItsTimeIsOver(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	if _, err := one.takes("issue:24"); err != nil {
		t.Fatal(err)
	}
	one.table.end(one.pid)
	_, err := two.takes("issue:24")
	refusedAs(t, "in time", err, wire.Conflict, "held by")
	s.d.Claims.Now = func() time.Time { return time.Now().Add(claim.TTL) }
	got, err := two.takes("issue:24")
	if err != nil || !got.Mine || got.Fence != 3 {
		t.Errorf("when it is over: %+v, %v", got, err)
	}
	var types []string
	for _, d := range s.claimed(s.key("issue:24")) {
		types = append(types, d.EventType())
	}
	if want := []string{events.TypeClaimAcquired, events.TypeClaimExpired, events.TypeClaimAcquired}; !slices.Equal(types, want) {
		t.Errorf("events %v", types)
	}
}

// A49: a chat that ends gives back what it has.
func TestAChatThatEndsGivesItsClaimsBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	if _, err := c.takes("merge:main"); err != nil {
		t.Fatal(err)
	}
	c.hook(wire.HookEnds)
	if got := s.held(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Seeds 3.10, a row each; A57, Q33: who writes to a branch of another session is told, wherever the command
// is; whatever is unexpected goes through.
func TestTheHookGuardsTheBranchOfAnotherSession(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", s.work, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	git("commit", "-q", "--allow-empty", "-m", "x")
	git("checkout", "-q", "-b", "fix/x")
	holds, other := s.chat(), s.chat()
	for _, key := range []string{"branch:fix/x", "branch:main", "branch:master"} {
		if _, err := holds.takes(key); err != nil {
			t.Fatal(err)
		}
	}
	s.write(map[string]string{"sub/file": ""})
	elsewhere := "cd " + t.TempDir() + " && git push"
	sends := []string{
		"git push", "git push origin fix/x", "git push origin HEAD", "git push --all", "make test && git push origin HEAD:fix/x",
		"sh -c 'git push'", "gh pr merge", "cd sub && gh pr ready fix/x", "gh pr edit fix/x --title a", `"git" p'us'h`, "echo 'git push' | sh",
		"find . -maxdepth 0 -exec git push ';'", "if true; then git push; fi",
	}
	others := []string{
		"git push origin fix_x", "git push origin main", "git push origin master", "git push origin fix/y", "gh pr merge 12", elsewhere, "git status",
		"gh -R a/b pr merge", "git push origin refs/tags/v1", "$GIT push", "git push --dry-run", "git push (", "cd /nonexistent && git push",
	}
	for _, command := range slices.Concat(sends, others) {
		got := other.hook(wire.HookCalls, runs(command))
		if slices.Contains(sends, command) {
			s.saysAll(command, got, "branch fix/x is held by a chat of claude", "since")
			if strings.Contains(got, "force") || strings.Contains(got, "drop") {
				t.Errorf("%s: it names the way around: %s", command, got)
			}
		} else {
			s.silent(command, got)
		}
		s.silent("its holder: "+command, holds.hook(wire.HookCalls, runs(command)))
	}
	s.silent("a tool for files", other.hook(wire.HookCalls, writes("sub/file")))
	s.silent("after it", other.hook(wire.HookCalled, runs("git push")))
	git("checkout", "-q", "--detach")
	s.silent("no branch", other.hook(wire.HookCalls, runs("git push")))
	s.d.Claims.Now = func() time.Time { return time.Now().Add(claim.TTL) }
	s.silent("not fresh any more", other.hook(wire.HookCalls, runs("git push origin fix/x")))
}

// Clones push to one remote, so they share its branches, issues and slots.
func TestClonesOfOneRepositorySeeEachOthersClaims(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"f": "x"})
	clone := t.TempDir()
	for dir, remote := range map[string]string{s.work: "git@github.com:Owner/Name.git", clone: "https://me:secret@github.com/owner/name"} {
		for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", remote}, {"symbolic-ref", "HEAD", "refs/heads/fix/x"}} {
			if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
		}
	}
	one, two := s.chat(), s.chat()
	if _, err := one.takes("branch:fix/x"); err != nil {
		t.Fatal(err)
	}
	if _, err := one.takes("workspace"); err != nil {
		t.Fatal(err)
	}
	v, err := s.d.Claims.List(t.Context(), s.request(), wire.ClaimsRequest{Workspace: clone})
	if err != nil || len(v.Claims) != 1 || v.Claims[0].Key != "branch:fix/x" || v.Claims[0].Of != "github.com/owner/name" {
		t.Errorf("seen from the clone: %+v, %v", v.Claims, err)
	}
	_, err = s.d.Claims.Take(t.Context(), two.request(), wire.ClaimRequest{Workspace: clone, Key: "branch:fix/x"})
	refusedAs(t, "taken in the clone", err, wire.Conflict, "branch:fix/x of github.com/owner/name is held by")
	if _, err := s.d.Claims.Take(t.Context(), two.request(), wire.ClaimRequest{Workspace: clone, Key: "workspace"}); err != nil {
		t.Errorf("each has its own work tree: %v", err)
	}
	push := func(q *wire.HookRequest) { q.Workspace, q.Command = clone, "git push" }
	s.saysAll("a push from the clone", two.hook(wire.HookCalls, push), "branch fix/x is held by a chat of claude")
	s.silent("its holder's own", one.hook(wire.HookCalls, push))
}

// A claim that is renewed without a word is kept for as long as it was taken for.
func TestARenewedClaimKeepsItsLength(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	for _, step := range []struct{ asks, has int64 }{{1800, 1800}, {0, 1800}, {60, 60}, {0, 60}} {
		v, err := s.d.Claims.Take(t.Context(), c.request(), wire.ClaimRequest{Workspace: s.work, Key: "branch:fix/x", TTL: step.asks})
		if err != nil || v.Claims[0].TTL != step.has || v.Claims[0].Fence != 1 {
			t.Errorf("taken for %d seconds: %+v %v, want %d", step.asks, v.Claims, err, step.has)
		}
	}
	if err := c.drops("branch:fix/x"); err != nil {
		t.Fatal(err)
	}
	if v, err := c.takes("branch:fix/x"); err != nil || v.TTL != int64(claim.TTL/time.Second) {
		t.Errorf("taken anew: %+v %v", v, err)
	}
}
