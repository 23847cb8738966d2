package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
)

// S36, S42: of two in one work tree the second is told, and each end is an event.
func TestARunHasItsWorkTreeWhileItIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "while ! test -f go; do sleep 0.02; done; touch ok"))
	got := s.held()
	if len(got) != 1 || got[0].Run != v.Handle || got[0].State != wire.ClaimHeld || !got[0].Alive || got[0].Key != "workspace" || got[0].Mine {
		t.Fatalf("while it is live: %+v", got)
	}
	c := s.chat()
	_, err := c.takes("workspace")
	refusedAs(t, "a chat beside it", err, wire.Conflict, "run "+v.Handle)
	refusedAs(t, "its drop by a chat", c.drops("workspace"), wire.Conflict, "held by run "+v.Handle)
	if _, err := s.d.Claims.Force(t.Context(), s.seated(), wire.ClaimRequest{Workspace: s.work, Key: "workspace"}); codeOf(err) != wire.Conflict {
		t.Errorf("forced beside a live run: %v", err)
	}
	s.write(map[string]string{"go": ""})
	s.wants(s.until(v.ID, settled), "done")
	s.wants(s.play(s.spec("test -f two", "touch two")), "done") // it does not wait for what gives claims back
	s.close()
	s.open()
	if got := s.held(); len(got) != 0 {
		t.Errorf("when both are over: %+v", got)
	}
	acquired, released := 0, 0
	for _, d := range s.claimed(s.key("workspace")) {
		switch d.(type) {
		case events.ClaimAcquired:
			acquired++
		case events.ClaimReleased:
			released++
		}
	}
	if acquired != 2 || released != 2 {
		t.Errorf("acquired %d times, released %d times", acquired, released)
	}
}

// S29: what a daemon leaves that ends is found again, by proof.
func TestAWorkTreeIsFoundAgainByTheNextDaemon(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v := s.start(s.spec("test -f ok", "while ! test -f go; do sleep 0.02; done; touch ok"))
	before := s.held()[0]
	other := newSite(t, nil)
	other.work = s.work
	_, err := other.d.api.RunStart(t.Context(), other.request(), other.spec("test -f ok", "true"))
	refusedAs(t, "from another state directory", err, wire.Conflict, "run "+v.Handle+" of another state directory, "+s.cfg.Places.State)
	if w := writerIn(err); w.Run != v.Handle || w.StateDir != s.cfg.Places.State || w.Since.IsZero() || w.Alive == nil {
		t.Errorf("who works there, as data: %+v", w)
	}
	s.close()
	_, err = other.d.api.RunStart(t.Context(), other.request(), other.spec("test -f ok", "true"))
	refusedAs(t, "while its daemon is away", err, wire.Conflict, "run "+v.Handle+" of another state directory")
	if got := other.held(); len(got) != 1 || got[0].StateDir != s.cfg.Places.State || got[0].Alive {
		t.Errorf("seen from there: %+v", got)
	}
	s.open()
	if got := s.held(); len(got) != 1 || got[0].Fence != before.Fence || got[0].Run != v.Handle {
		t.Errorf("found again: %+v, before %+v", got, before)
	}
	s.write(map[string]string{"go": ""})
	s.wants(s.until(v.ID, settled), "done")
	s.close()
	s.open()
	st := other.play(other.spec("test -f there", "touch there"))
	other.wants(st, "done")
}

// What another state directory left is cleared by a person, audited (A43).
func TestAPersonClearsWhatAnotherStateDirectoryLeft(t *testing.T) {
	t.Parallel()
	s, other := newSite(t, nil), newSite(t, nil)
	other.work = s.work
	v := s.start(s.spec("test -f ok", "sleep 600"))
	ask := wire.ClaimRequest{Workspace: s.work, Key: "workspace"}
	_, err := other.d.Claims.Force(t.Context(), other.seated(), ask)
	refusedAs(t, "while its daemon is there", err, wire.Conflict, "another state directory")
	s.close()
	other.d.Consent.People = proctest.Seat{}
	shown, err := other.d.Claims.Force(t.Context(), other.seated(), ask)
	if err != nil || shown.Claims[0].Holder != "run "+v.Handle {
		t.Fatalf("%+v, %v", shown, err)
	}
	ask.Decided, ask.Typed = true, "yes"
	if _, err := other.d.Claims.Force(t.Context(), other.seated(), ask); codeOf(err) != wire.NeedsPerson {
		t.Errorf("another word: %v", err)
	}
	ask.Typed = "workspace"
	if _, err := other.d.Claims.Force(t.Context(), other.seated(), ask); err != nil {
		t.Fatal(err)
	}
	if got := other.claimed(other.key("workspace")); len(got) != 1 || got[0] != (events.ClaimForced{Assurance: events.AssuredTTY}) {
		t.Errorf("audited as %+v", got)
	}
	mine := other.start(other.spec("test -f ok", "sleep 600"))
	s.open() // its run has lost the work tree, and halts
	st := s.until(v.ID, settled)
	s.wants(st, "halted:claim-lost")
	if w := s.why(v.ID); !strings.Contains(w.Because, "another session took the work tree") || !strings.Contains(strings.Join(w.Claims, "\n"), "run "+mine.Handle+" of another state directory, "+other.cfg.Places.State) {
		t.Errorf("why: %s\n%q", w.Because, w.Claims)
	}
	_, err = s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: v.ID}})
	refusedAs(t, "resumed while another has it", err, wire.Conflict, "run "+mine.Handle+" of another state directory")
	other.stop(mine.ID, events.StopCancel)
}

func TestASessionThatHoldsTheWorkTreeKeepsRunsOut(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	if _, err := c.takes("workspace"); err != nil {
		t.Fatal(err)
	}
	_, err := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "touch ok"))
	refusedAs(t, "a run", err, wire.Conflict, "held by a chat of claude")
	if err := c.drops("workspace"); err != nil {
		t.Fatal(err)
	}
	s.wants(s.play(s.spec("test -f ok", "touch ok")), "done")
}

// S34: a mark that something in the work tree put there is not followed.
func TestAStrangeMarkKeepsARunOutAndIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("mine"), 0o600), os.Symlink(victim, s.mark())); err != nil {
		t.Fatal(err)
	}
	_, err := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "touch ok"))
	refusedAs(t, "a run", err, wire.Failed, "cannot be held")
	if b, err := os.ReadFile(victim); err != nil || string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
}
