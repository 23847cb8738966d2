package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/auth/person"
	"autopilot/daemon/coord/peerfile"
)

// A lock whose time is over hides no entry of the same session that is fresh.
func TestAStaleLockHidesNoFreshEntry(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	now := s.d.Peers.Now()
	c := s.chat()
	s.lock("worker", 0, now.Add(-5*time.Hour), "plan")
	if v := c.told("deep"); v.Outcome != "PASS_THROUGH" || len(v.Weak) != 1 {
		t.Errorf("its lock alone: %+v", v)
	}
	s.entry("worker", 0, s.work, now, `"housekeeping"`)
	if v := c.told("deep"); v.Reason != "peers-always-ok" || len(v.Weak) != 0 {
		t.Errorf("its entry is fresh, and the mode is that of the lock: %+v", v)
	}
	s.lock("worker", 0, now.Add(-5*time.Hour), "")
	if v := c.told("deep"); v.Outcome != "EXCLUSIVE_BLOCKED" || v.Beside.Session != "worker" {
		t.Errorf("S25: a lock without a mode has that of the entry: %+v", v)
	}
}

// S55: one label, two processes: neither of them vanishes.
func TestS55TwoFilesOfOneLabelWithTwoProcessesAreTwo(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	now := s.d.Peers.Now()
	c, one, two := s.chat(), s.chat(), s.chat()
	hook := two.pid + 900
	two.table.add(person.Process{PID: hook, Parent: two.pid, Start: uint64(hook), Program: "/bin/sh"})
	s.lock("label", one.pid, now, "deep")
	s.must(os.Rename(s.entry("label", two.pid, s.work, now, `"housekeeping"`), filepath.Join(peerfile.RegistryDir(s.cfg.Home), "z.json")))
	s.entry("label", hook, s.work, now, `"housekeeping"`)
	list := s.peers(c.request()).Peers
	if len(list) != 2 || list[0].Session != "label" || list[1].Session != "label" || list[0].ID == list[1].ID || list[0].PID == list[1].PID {
		t.Fatalf("%+v", list)
	}
	if v := c.told("plan"); v.Outcome != "PASS_THROUGH" {
		t.Errorf("%+v", v)
	}
	v := c.told("deep")
	if v.Outcome != "EXCLUSIVE_BLOCKED" || v.Beside.Mode != "housekeeping" {
		t.Errorf("the other one of that label is to be seen: %+v", v)
	}
}

// A registry that somebody has filled up costs no session its place, and what was
// left out makes nobody believe that nobody is there.
func TestARegistryThatIsFullSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	now := s.d.Peers.Now()
	first := s.entry("f", 0, t.TempDir(), now.Add(-2*time.Hour), `null`)
	s.must(os.Chtimes(first, now.Add(-2*time.Hour), now.Add(-2*time.Hour)))
	for i := range 600 {
		s.must(os.Link(first, filepath.Join(filepath.Dir(first), "f"+strings.Repeat("i", i%200)+string(rune('a'+i/200))+".json")))
	}
	v := c.told("deep")
	if v.Outcome != "PASS_THROUGH" || v.Reason != "discovery-error" || len(v.Unread) != 1 || !strings.Contains(v.Unread[0].Problem, "holds more than 512 entries") {
		t.Errorf("nobody was found: %+v", v)
	}
	s.entry("real", 0, s.work, now, `"housekeeping"`)
	if v := c.told("deep"); v.Outcome != "EXCLUSIVE_BLOCKED" || v.Beside.Session != "real" {
		t.Errorf("%+v", v)
	}
}
