package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/coord/peerfile"
	"autopilot/events"
	"autopilot/events/wire"
)

// S35: absolute paths in events told where somebody's home is. Runs, claims, peers,
// their messages and reasons leave none.
func TestS35NoEventHoldsAPath(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	one.hook(wire.HookBegins)
	one.begins(wire.PeerJoinRequest{Mode: "deep"})
	two.begins(wire.PeerJoinRequest{Mode: "feature", InPlace: true, Reason: "only " + s.work})
	s.must(two.sends(s.nameOf(one), "look at "+s.work))
	one.mail(false)
	if _, err := one.takes("workspace"); err != nil {
		t.Fatal(err)
	}
	if _, err := two.takes("issue:" + s.work); err != nil {
		t.Fatal(err)
	}
	s.must(one.drops("workspace"))
	s.wants(s.play(s.spec("test -f ok", "touch ok; echo "+s.work)), "done")
	n := 0
	for stored, err := range s.d.Log.ReadAll(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		for _, path := range []string{s.work, s.cfg.Home, s.cfg.Places.State, os.TempDir()} {
			if strings.Contains(string(stored.Bytes), path) {
				t.Errorf("%s: %s", stored.Subject, stored.Bytes)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d events", n)
	}
}

// S39, S40: what people write is no text of a shell, and what a shell would make
// something of is no fault.
func TestS40ATaskIsNoTextOfAShell(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	task := "fix [parser] $(touch pwned) `touch pwned`; touch pwned & 'q\" | {a,b} * ~ #\n<b> \\"
	s.wants(s.play(s.spec("test -f ok", "cat > prompt; touch ok", func(r *wire.RunSpec) { r.Task = task })), "done")
	if !strings.Contains(s.read("prompt"), task) {
		t.Errorf("the agent was asked %q", s.read("prompt"))
	}
	if _, err := os.Stat(filepath.Join(s.work, "pwned")); err == nil {
		t.Error("a task was run")
	}
	c := s.chat()
	for _, key := range []string{"branch:fix/[x]", "issue:$(touch pwned)", "merge:a;b"} {
		if v, err := c.takes(key); err != nil || v.Key != key {
			t.Errorf("%s: %+v, %v", key, v, err)
		}
	}
}

// S25, S26, Q16: a mode that was not said, or that nobody knows, is shown as assumed,
// and stored as that.
func TestS25WhatIsAssumedSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	for mode, want := range map[string]events.PeerJoined{
		"":                     {Mode: "none", Class: events.PeerParallelOK, Assumed: true},
		"multi-story-pipeline": {Mode: "multi-story-pipeline", Class: events.PeerParallelOK, Assumed: true},
		"plan-retro":           {Mode: "plan-retro", Class: events.PeerAlwaysOK},
		"deep":                 {Mode: "deep", Class: events.PeerParallelOK},
	} {
		s.must(errFree(c.leaves()))
		v := c.begins(wire.PeerJoinRequest{Mode: mode})
		all := s.peerEvents()
		j, _ := all[len(all)-1].(events.PeerJoined)
		if !v.Joined || v.Assumed != want.Assumed || j.Mode != want.Mode || j.Class != want.Class || j.Assumed != want.Assumed {
			t.Errorf("%q: %+v %+v", mode, v, j)
		}
	}
}

// A session that joins anew without a word of what it does, as to say where it is,
// stays what it was: one that wants to be alone goes on to keep others off. S25.
func TestS25AModeThatIsNotSaidAgainStays(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	one.begins(wire.PeerJoinRequest{Mode: "housekeeping"})
	if v := one.begins(wire.PeerJoinRequest{}); !v.Joined || v.Mode != "housekeeping" || v.Class != "exclusive" || v.Assumed {
		t.Errorf("%+v", v)
	}
	if v := two.told("deep"); v.Outcome != "EXCLUSIVE_BLOCKED" {
		t.Errorf("%+v", v)
	}
	if n := len(s.peerEvents()); n != 1 {
		t.Errorf("%d events", n)
	}
}

// errFree leaves out that somebody was not there.
func errFree(err error) error {
	if codeOf(err) == wire.Denied {
		return nil
	}
	return err
}

// Q21: a counter of peers that cannot look is an unknown input, which is told, and
// holds nothing back by itself.
func TestQ21APeerCounterThatCannotLookIsAnUnknownInput(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	dir := peerfile.RegistryDir(s.cfg.Home)
	s.must(os.MkdirAll(filepath.Dir(dir), 0o700))
	s.must(os.Symlink(filepath.Join(filepath.Dir(dir), "active"), dir)) // a link to itself
	s.chat().hook(wire.HookBegins)
	if n, ok := s.d.Peers.Count().Get(); ok {
		t.Errorf("%v", n)
	}
	v := s.peers(s.request())
	if len(v.Sources) == 0 || v.Sources[len(v.Sources)-1].State != string(peerfile.Unreadable) {
		t.Errorf("%+v", v.Sources)
	}
}
