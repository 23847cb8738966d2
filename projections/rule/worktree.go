package rule

import (
	"slices"
	"time"

	"autopilot/events/wire"
)

// WorkTree is what is known of a work tree.
type WorkTree struct {
	Held  []wire.TreeHeld // what holds it, but for its age
	Noted []TreeNote      // the runs and sessions that worked in it
	Used  time.Time       // the last sign of use, zero if that is unknown
}

// TreeNote is a record of a run or session.
type TreeNote struct {
	Who string
	At  time.Time // of its latest event
}

// holdClasses are the reasons that are about who uses a work tree. All others are
// about what is in it, and of those it is stale.
var holdClasses = map[wire.TreeHold]wire.TreeClass{
	wire.HoldMain:   wire.TreeMain,
	wire.HoldLocked: wire.TreeLocked, wire.HoldGitAtWork: wire.TreeLocked,
	wire.HoldProcess: wire.TreeInUse, wire.HoldClaim: wire.TreeInUse, wire.HoldOther: wire.TreeInUse,
	wire.HoldRun: wire.TreeInUse, wire.HoldSession: wire.TreeInUse,
	wire.HoldRecord: wire.TreeKept,
	wire.HoldYoung:  wire.TreeYoung,
}

// treeClasses in the order in which they win.
var treeClasses = []wire.TreeClass{wire.TreeMain, wire.TreeLocked, wire.TreeInUse, wire.TreeKept, wire.TreeYoung, wire.TreeStale}

// JudgeTree says of which class a work tree is, and all for which it stays. It goes
// if that is nothing. keep is for how long it is kept and young; a record counts up
// to and at that age, a sign of use before it. A time that is to come is now.
//
// Source: session-orchestrator, seeds 2.7, classes of its collector: a live lock,
// then a session record of at most 7 days, then younger than 7 days, else stale;
// of unknown age is stale. What holds a stale one is from field reports, B.4 63.
func JudgeTree(w WorkTree, now time.Time, keep time.Duration) (wire.TreeClass, []wire.TreeHeld) {
	held := slices.Clone(w.Held)
	if i := slices.IndexFunc(w.Noted, func(n TreeNote) bool { return !n.At.IsZero() && now.Sub(n.At) <= keep }); i >= 0 {
		held = append(held, wire.TreeHeld{Why: wire.HoldRecord, What: w.Noted[i].Who})
	}
	if !w.Used.IsZero() && now.Sub(w.Used) < keep {
		held = append(held, wire.TreeHeld{Why: wire.HoldYoung})
	}
	class := wire.TreeStale
	for _, h := range held {
		if c, ok := holdClasses[h.Why]; ok && slices.Index(treeClasses, c) < slices.Index(treeClasses, class) {
			class = c
		}
	}
	return class, held
}
