package orchestrator

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"autopilot/events"
)

// modeClasses are the modes of sessions. plan-retro is a plan, otherwise than
// there, where it is not known.
//
// Source: session-orchestrator, seeds 2.8.1; Q16.
var modeClasses = map[string]events.PeerClass{
	"bootstrap": events.PeerExclusive, "housekeeping": events.PeerExclusive, "memory-cleanup": events.PeerExclusive,
	"deep": events.PeerParallelOK, "feature": events.PeerParallelOK,
	"discovery": events.PeerAlwaysOK, "evolve": events.PeerAlwaysOK, "plan": events.PeerAlwaysOK, "plan-retro": events.PeerAlwaysOK,
	"repo-audit": events.PeerAlwaysOK, "portfolio": events.PeerAlwaysOK,
}

// ClassifyMode says beside which others a session of that mode may work. A mode
// that is not known, or none, is parallel-ok; assumed says so, as it is open.
//
// Source: session-orchestrator, seeds 2.8.1: trimmed, and capital letters count;
// Q16, S25.
func ClassifyMode(mode string) (class events.PeerClass, assumed bool) {
	class, ok := modeClasses[strings.TrimSpace(mode)]
	if !ok {
		return events.PeerParallelOK, true
	}
	return class, false
}

// Modes are the modes that are known, sorted.
func Modes() []string {
	out := make([]string, 0, len(modeClasses))
	for m := range modeClasses {
		out = append(out, m)
	}
	slices.Sort(out)
	return out
}

// Life is how lately a session has shown a sign of life.
type Life string

// The lives. Only what is fresh counts as being there; what is gone is taken for
// left.
const (
	Fresh Life = "fresh"
	Stale Life = "stale"
	Gone  Life = "gone"
)

// The bounds of a life, both of them inclusive.
const (
	PeerFresh = 15 * time.Minute
	PeerStale = time.Hour
)

// PeerLife judges the time since the last sign of life, and nothing else: a
// process that has ended makes no session older than it is. Less than nothing,
// as of a clock that is ahead, is fresh.
//
// Source: session-orchestrator, seeds 2.8.4 fresh and sweep; S17, S18, S50.
func PeerLife(age time.Duration) Life {
	switch {
	case age <= PeerFresh:
		return Fresh
	case age <= PeerStale:
		return Stale
	}
	return Gone
}

// LockTTL is how long a lock file holds that does not say so.
const LockTTL = 4 * time.Hour

// LockLive says that a lock file holds: exactly at its end it does not. A beat
// that cannot be read is zero.
//
// Source: session-orchestrator, seeds 2.8.3 live.
func LockLive(beat, now time.Time, ttl time.Duration) bool {
	return !beat.IsZero() && now.Sub(beat) < ttl
}

// OwnEntry is what is known of the session of a file, against one that is proven.
type OwnEntry struct {
	Alive   bool // a process has its pid; one that has it anew makes the file a stranger's
	Lineage bool // that process is the proven session, or one above or below it
	Label   bool // the file has the name that the host of the session has told
	Alone   bool // no other session has that name
}

// Own says that the file is that of the session. Where its process is there, that
// alone counts. The pid of a file may be that of a hook which has ended: then it is
// by the name that the host's own process has told, unless another has that too.
//
// Source: session-orchestrator, S17, S48, S55.
func (e OwnEntry) Own() bool {
	if e.Alive {
		return e.Lineage
	}
	return e.Label && e.Alone
}

// PeerBeside is another session that is there.
type PeerBeside struct {
	ID    string
	Class events.PeerClass
	Since time.Time
	Apart bool // it works in another work tree than the caller
}

// PeerReason is why a session is told what it is told.
type PeerReason string

// The reasons.
const (
	CallerReads     PeerReason = "caller-always-ok"
	NoPeers         PeerReason = "no-peers"
	DiscoveryError  PeerReason = "discovery-error"
	PeerIsExclusive PeerReason = "peer-exclusive"
	CallerExclusive PeerReason = "caller-exclusive"
	BothParallel    PeerReason = "both-parallel"
	OwnTree         PeerReason = "own-worktree"
	PeersRead       PeerReason = "peers-always-ok"
)

// PeerDecision is what a session is told that is about to begin.
type PeerDecision struct {
	Outcome events.PeerOutcome
	Reason  PeerReason
	Beside  string // id of the session that caused it
}

// Preamble decides beside others, without the caller itself. blind says that some
// place where others are found could not be read: what was found counts, and of
// nobody found it says so. Of several that would cause it, it is the one that is
// there longest.
//
// Source: session-orchestrator, seeds 2.8.2; Q15: otherwise than its code, and as
// its prose says, an exclusive caller is blocked beside any other. Otherwise than
// there who is in a work tree of its own is not offered one again.
func Preamble(caller events.PeerClass, others []PeerBeside, blind bool) PeerDecision {
	others = slices.SortedFunc(slices.Values(others), func(a, b PeerBeside) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	first := func(is func(PeerBeside) bool) (string, bool) {
		i := slices.IndexFunc(others, is)
		if i < 0 {
			return "", false
		}
		return others[i].ID, true
	}
	parallel := func(p PeerBeside) bool { return p.Class == events.PeerParallelOK }
	if caller == events.PeerAlwaysOK {
		return PeerDecision{events.PassThrough, CallerReads, ""}
	}
	if len(others) == 0 && blind {
		return PeerDecision{events.PassThrough, DiscoveryError, ""}
	}
	if len(others) == 0 {
		return PeerDecision{events.PassThrough, NoPeers, ""}
	}
	if id, ok := first(func(p PeerBeside) bool { return p.Class == events.PeerExclusive }); ok {
		return PeerDecision{events.ExclusiveBlocked, PeerIsExclusive, id}
	}
	if caller == events.PeerExclusive {
		return PeerDecision{events.ExclusiveBlocked, CallerExclusive, others[0].ID}
	}
	if id, ok := first(func(p PeerBeside) bool { return parallel(p) && !p.Apart }); ok {
		return PeerDecision{events.PromotionOffer, BothParallel, id}
	}
	if slices.ContainsFunc(others, parallel) {
		return PeerDecision{events.PassThrough, OwnTree, ""}
	}
	return PeerDecision{events.PassThrough, PeersRead, ""}
}
