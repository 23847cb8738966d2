package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"autopilot/daemon/coord/peerfile"
	"autopilot/events/wire"
)

// beganAt is when a session began that a file tells of: after its process.
func beganAt(pid int) string {
	if pid == 0 {
		return "2026-01-02T10:00:00Z"
	}
	return time.Now().UTC().Format(time.RFC3339Nano)
}

// entry writes an entry of the registry.
func (s *site) entry(name string, pid int, dir string, beat time.Time, mode string) string {
	s.t.Helper()
	sum := sha256.Sum256([]byte(dir))
	path := filepath.Join(peerfile.RegistryDir(s.cfg.Home), name+".json")
	s.must(os.MkdirAll(filepath.Dir(path), 0o700))
	s.must(os.WriteFile(path, fmt.Appendf(nil, `{"session_id":%q,"pid":%d,"repo_path_hash":%q,"started_at":%q,"last_heartbeat":%q,"mode":%s}`,
		name, pid, hex.EncodeToString(sum[:]), beganAt(pid), beat.UTC().Format(time.RFC3339Nano), mode), 0o600))
	return path
}

func (s *site) lock(name string, pid int, beat time.Time, mode string) {
	s.t.Helper()
	path := peerfile.LockPath(s.work)
	s.must(os.MkdirAll(filepath.Dir(path), 0o700))
	s.must(os.WriteFile(path, fmt.Appendf(nil, `{"session_id":%q,"pid":%d,"started_at":%q,"last_heartbeat":%q,"mode":%q}`,
		name, pid, beganAt(pid), beat.UTC().Format(time.RFC3339Nano), mode), 0o600))
}

func TestSessionsThatOnlyFilesTellOfArePeers(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	pass := s.clock()
	now := s.d.Peers.Now()
	c := s.chat()
	old := func(path string, age time.Duration) { s.must(os.Chtimes(path, now.Add(-age), now.Add(-age))) }
	old(s.entry("fresh", 0, s.work, now.Add(-15*time.Minute), `"plan"`), 15*time.Minute)
	old(s.entry("stale", 0, s.work, now.Add(-16*time.Minute), `"housekeeping"`), 16*time.Minute)
	old(s.entry("gone", 0, s.work, now.Add(-61*time.Minute), `"housekeeping"`), 61*time.Minute)
	s.entry("elsewhere", 0, t.TempDir(), now, `"housekeeping"`)
	s.must(os.WriteFile(filepath.Join(peerfile.RegistryDir(s.cfg.Home), "junk.json"), []byte("{"), 0o600))
	v := c.told("deep")
	if v.Outcome != "PASS_THROUGH" || v.Reason != "peers-always-ok" || len(v.Weak) != 1 || v.Weak[0].Session != "stale" || len(v.Unread) != 1 {
		t.Errorf("%+v", v)
	}
	if v := s.peers(c.request()); len(v.Peers) != 3 || v.Peers[2].Session != "elsewhere" || v.Peers[2].Here {
		t.Errorf("%+v", v.Peers)
	}
	// A clock that is an hour behind: what is written now is there.
	s.entry("behind", 0, s.work, now.Add(-time.Hour), `null`)
	if v := c.told("deep"); v.Outcome != "PROMOTION_OFFER" || v.Beside.Session != "behind" || !v.Beside.Assumed {
		t.Errorf("behind: %+v", v)
	}
	// Seeds 2.8.3: the lock of a session counts before its entry, for four hours.
	s.lock("behind", 0, now.Add(-3*time.Hour), "memory-cleanup")
	if v := c.told("deep"); v.Outcome != "EXCLUSIVE_BLOCKED" || v.Beside.Source != "lock" {
		t.Errorf("lock: %+v", v)
	}
	refusedAs(t, "to a file", c.sends(c.told("deep").Beside.Peer, "x"), wire.Conflict, "known only by its file")
	pass(time.Hour)
	if v := c.told("deep"); v.Outcome != "PASS_THROUGH" || v.Reason != "discovery-error" || len(v.Weak) != 1 || v.Weak[0].Source != "lock" {
		t.Errorf("at the end of its time: %+v", v)
	}
	// A file is never written.
	if b, err := os.ReadFile(filepath.Join(peerfile.RegistryDir(s.cfg.Home), "junk.json")); err != nil || string(b) != "{" {
		t.Errorf("%q %v", b, err)
	}
}

// S17, S48, S55: a session's own files are no peers of it; another's are, whatever
// they are called.
func TestASessionsOwnFilesAreItself(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	now := s.d.Peers.Now()
	c := s.chat()
	c.hook(wire.HookBegins)
	s.lock("7b0c", 1<<22+12345, now, "housekeeping") // of a hook that has ended
	if v := c.told("deep"); v.Reason != "no-peers" {
		t.Errorf("S17: its own lock: %+v", v)
	}
	if p := s.peers(c.request()).Peers; len(p) != 1 || p[0].Mode != "housekeeping" || p[0].Class != "exclusive" || p[0].File == "" {
		t.Errorf("the lock says what it does: %+v", p)
	}
	s.lock("semantic-name", c.pid, now, "deep")
	if v := c.told("deep"); v.Reason != "no-peers" {
		t.Errorf("by its process: %+v", v)
	}
	other := s.chat()
	s.lock("7b0c", other.pid, now, "deep")
	if v := c.told("deep"); v.Outcome != "PROMOTION_OFFER" || v.Beside.PID != other.pid {
		t.Errorf("S55: a living stranger with its label: %+v", v)
	}
	other.hook(wire.HookBegins)
	s.lock("7b0c", 1<<22+12345, now, "housekeeping")
	if v := c.told("deep"); v.Outcome != "EXCLUSIVE_BLOCKED" || v.Beside.Source != "lock" {
		t.Errorf("S55: of two that have the label it is neither's: %+v", v)
	}
}
