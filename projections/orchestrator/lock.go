package orchestrator

import (
	"math"
	"time"

	"autopilot/events"
)

// Lock is what the lock file of a work tree says.
//
// Source: session-orchestrator, seeds 2.8.3.
type Lock struct {
	Session string  `json:"session_id"`
	Started string  `json:"started_at"`
	Beat    string  `json:"last_heartbeat"`
	Mode    string  `json:"mode"`
	PID     int     `json:"pid"`
	Host    string  `json:"host"`
	TTL     float64 `json:"ttl_hours"`
}

// LockState is how a lock stands.
type LockState string

// The states. The last three are those beside sessions that are known.
const (
	LockActive       LockState = "active"
	LockDead         LockState = "stale-pid-dead"
	LockAlive        LockState = "stale-pid-alive"
	LockIncompatible LockState = "active-incompatible-exclusive"
	LockBypass       LockState = "active-readonly-bypass"
	LockCompatible   LockState = "active-compatible-parallel"
)

// When is a time of a lock file; zero where it cannot be read.
func When(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Live says that a lock holds. Its heartbeat alone counts, else its start.
func (l Lock) Live(now time.Time) bool {
	beat := l.Beat
	if beat == "" {
		beat = l.Started
	}
	ttl := LockTTL
	if known(l.TTL) && l.TTL > 0 {
		ttl = time.Duration(math.Min(l.TTL*float64(time.Hour), float64(1<<62)))
	}
	return LockLive(When(beat), now, ttl)
}

// State is how a lock stands: active whatever its process is, else by whether its process
// is known to be gone, which another host cannot know.
//
// Source: session-orchestrator, seeds 2.8.3; S17, S18, S50.
func (l Lock) State(now time.Time, host string, gone bool) LockState {
	switch {
	case l.Live(now):
		return LockActive
	case l.Host == host && gone:
		return LockDead
	}
	return LockAlive
}

// Beside is how the lock of a mode stands to a caller of another.
//
// Source: session-orchestrator, seeds 2.8.3 matrix reasons.
func Beside(caller, holder string) LockState {
	c, _ := ClassifyMode(caller)
	h, _ := ClassifyMode(holder)
	switch {
	case c == events.PeerAlwaysOK:
		return LockBypass
	case c == events.PeerExclusive || h == events.PeerExclusive:
		return LockIncompatible
	}
	return LockCompatible
}

// Proof is what a session knows of its own lock.
type Proof struct {
	PID     int
	Host    string
	Started string
}

// Owns says that the lock is that of the proof: process, host and start, to the
// millisecond. What either lacks proves nothing.
//
// Source: session-orchestrator, seeds 2.8.3 owner proof; S21.
func (l Lock) Owns(p Proof) bool {
	a, b := When(l.Started), When(p.Started)
	return l.PID > 0 && l.PID == p.PID && l.Host != "" && l.Host == p.Host &&
		!a.IsZero() && !b.IsZero() && a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond))
}

// Release is what becomes of a lock that a session gives back.
type Release string

// The releases.
const (
	Released     Release = "released"
	ReleaseNone  Release = "no-lock"
	ReleaseOther Release = "not-owner"
	ReleaseProof Release = "proof-mismatch"
)

// Give says whether a session may remove the lock. A proof that is nil asks for no more
// than the id (S22).
func (l *Lock) Give(id string, p *Proof) Release {
	switch {
	case l == nil:
		return ReleaseNone
	case l.Session != id:
		return ReleaseOther
	case p != nil && !l.Owns(*p):
		return ReleaseProof
	}
	return Released
}
