// Package failpoint ends the daemon at named places, so that a test can see
// what is left there. It owns the names of the places and reads one variable of
// the environment, AUTOPILOT_FAILPOINT=NAME or NAME:N, at the first Hit.
//
// Without the variable a Hit costs one atomic load. With it the process is
// killed at the N-th Hit of that name as kill -9 would do it: no deferred call
// runs, no buffer is flushed. Nothing passes the variable on: apctl starts the
// daemon without it, and effects get the environment of their run.
//
// Hit may be called from several goroutines.
package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Variable arms one point.
const Variable = "AUTOPILOT_FAILPOINT"

// The places.
const (
	BeforeAppend = "before-append" // of an event
	AfterAppend  = "after-append"  // it is stored, and nobody knows yet
	AfterIntent  = "after-intent"  // of an effect: all is on disk, no supervisor was started
	AfterLaunch  = "after-launch"  // its supervisor was started
	AfterGate    = "after-gate"    // one gate has ended, others may follow
	AfterRecord  = "after-record"  // of a tree
	AfterRestore = "after-restore" // the workspace is back at the start of a lost attempt

	AfterCheckout = "after-checkout" // a clean checkout is written, and nothing runs in it yet

	AfterCheckpoint = "after-checkpoint" // of what an agent has used, while it works
	AfterForget     = "after-forget"     // an effect has ended, and its environment is gone from its records
	AfterAgent      = "after-agent"      // an agent has ended, and no event says so
	AfterAccount    = "after-account"    // what a provider said is stored, and no run was told

	BeforeClaim = "before-claim" // the caller may have it, and nothing is stored
	AfterClaim  = "after-claim"  // it is stored, and who asked was not told

	AfterAnnounce = "after-announce" // of what is removed: it is written down, and nothing is gone
	DuringRemoval = "during-removal" // outputs and trees are gone, and the first of the texts
	AfterRemoval  = "after-removal"  // all is gone, and no event says so
	AfterFact     = "after-fact"     // an event says so, and it is still written down

	BeforeLand = "before-land" // all gates of a landing have passed, and its target has not moved
	AfterLand  = "after-land"  // the target has moved, and no event says so

	DuringImport = "during-import" // the texts of a bundle are here, and its events are not
	AfterImport  = "after-import"  // all is here, and no event says so

	BeforeTelemetry = "before-telemetry" // a run has ended, and the line of its telemetry is not written
	AfterTelemetry  = "after-telemetry"  // the line is written, and still owed

	DuringSnapshot = "during-snapshot" // it is written and not synced
	AfterSnapshot  = "after-snapshot"  // it has its name, and its directory is not synced
)

// Points lists the places.
func Points() []string {
	return []string{
		BeforeAppend, AfterAppend, AfterIntent, AfterLaunch, AfterGate, AfterRecord, AfterRestore, AfterCheckout,
		AfterCheckpoint, AfterForget, AfterAgent, AfterAccount, BeforeClaim, AfterClaim, DuringSnapshot, AfterSnapshot,
		AfterAnnounce, DuringRemoval, AfterRemoval, AfterFact, DuringImport, AfterImport, BeforeLand, AfterLand,
		BeforeTelemetry, AfterTelemetry,
	}
}

// armed is the point of this process. It is read once and is the one piece of
// state of the package: a place that must not exist for anything but a test is
// not worth a parameter of every constructor.
var armed = sync.OnceValue(func() *point {
	p, err := parse(os.Getenv(Variable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "autopilotd:", err)
	}
	return p
})

// Hit ends the process if this place is armed and it is its turn.
func Hit(name string) {
	if armed().due(name) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal may reach another thread first
	}
}

// point is one armed place. A nil one is never due.
type point struct {
	name string
	left atomic.Int64 // hits until it is due
}

// parse reads the variable. Empty is nil.
func parse(text string) (*point, error) {
	if text == "" {
		return nil, nil
	}
	name, count, counted := strings.Cut(text, ":")
	n := int64(1)
	if counted {
		var err error
		if n, err = strconv.ParseInt(count, 10, 64); err != nil || n < 1 {
			return nil, fmt.Errorf("%s=%s: want NAME or NAME:N, N from 1", Variable, text)
		}
	}
	p := &point{name: name}
	p.left.Store(n)
	return p, nil
}

// due counts a hit and says whether it is the one.
func (p *point) due(name string) bool {
	return p != nil && p.name == name && p.left.Add(-1) == 0
}

// The places of a roll, in their order. A daemon comes to them at its start only,
// and only when it was asked to roll.
const (
	RollCarried   = "roll-carried"   // the new store is whole, and nothing points to it
	RollBound     = "roll-bound"     // the bundle is, too
	RollCommitted = "roll-committed" // from here on the roll is only ever finished
	RollArchived  = "roll-archived"  // the bundle is in the archive
	RollAside     = "roll-aside"     // there is no store: the old one is aside
	RollSwapped   = "roll-swapped"   // the new one is there, with the mark of the old one
	RollMarked    = "roll-marked"    // one of mark, seals and checkpoint is the new one; three hits
	RollRecorded  = "roll-recorded"  // an event says so, and it is still written down
)

// RollPoints lists the places of a roll.
func RollPoints() []string {
	return []string{RollCarried, RollBound, RollCommitted, RollArchived, RollAside, RollSwapped, RollMarked, RollRecorded}
}
