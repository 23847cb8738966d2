package orchestrator

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Switch is a kill switch: a check between sessions that ends the row of them.
type Switch string

// The kill switches, by their names on the wire.
const (
	UserAbort     Switch = "user-abort"
	MaxSessions   Switch = "max-sessions-reached"
	MaxHours      Switch = "max-hours-exceeded"
	TokenBudget   Switch = "token-budget-exceeded"
	Overload      Switch = "resource-overload"
	LowConfidence Switch = "low-confidence-fallback"
	StallTimeout  Switch = "stall-timeout"
	Spiral        Switch = "spiral"
	FailedWave    Switch = "failed-wave"
	CarryoverHigh Switch = "carryover-too-high"
	StaleSubagent Switch = "stale-subagent-min"
)

// Moment is when a switch is looked at.
type Moment string

// The moments.
const (
	BeforeSession Moment = "pre"
	AtSelection   Moment = "select"
	AfterSession  Moment = "post"
	OverStories   Moment = "multi"
)

// SwitchFacts are the facts about one switch.
type SwitchFacts struct {
	Name     Switch
	Moment   Moment
	Graceful bool   // an end that was planned or wanted, and no fault (Q7)
	Hint     string // the way on
}

// switches has one row for each, in the order in which they are looked at; all lists
// are made from it (S53).
var switches = []SwitchFacts{
	{UserAbort, BeforeSession, true, "run it again"},
	{MaxSessions, BeforeSession, true, "start another run for more sessions"},
	{MaxHours, BeforeSession, false, "raise the budget of hours"},
	{TokenBudget, BeforeSession, false, "raise the budget of tokens"},
	{Overload, BeforeSession, false, "wait until other sessions have ended"},
	{LowConfidence, AtSelection, false, "lower the threshold, or run one session by hand"},
	{StallTimeout, AfterSession, false, "find what the session waited for"},
	{Spiral, AfterSession, false, "triage the wave by hand; it is never tried again by itself"},
	{FailedWave, AfterSession, false, "find the cause, then run it again"},
	{CarryoverHigh, AfterSession, false, "plan less for one session"},
	{StaleSubagent, OverStories, false, "look at the loop that shows no sign of life"},
}

// Switches lists all switches with their facts, in their order.
func Switches() []SwitchFacts { return append([]SwitchFacts{}, switches...) }

// Facts returns the facts of a switch; ok is false for an unknown name.
func (s Switch) Facts() (f SwitchFacts, ok bool) {
	for _, f := range switches {
		if f.Name == s {
			return f, true
		}
	}
	return SwitchFacts{}, false
}

// Kill is a switch that fires, with the numbers that were compared. The zero value is
// none.
type Kill struct {
	Switch Switch `json:"kill"`
	Detail string `json:"detail"`
}

// Fired says that a switch fires.
func (k Kill) Fired() bool { return k.Switch != "" }

// Before is what is known before a session. A number that is NaN is unknown.
type Before struct {
	Abort       bool
	Sessions    float64 // that have ended
	MaxSessions float64
	Hours       float64 // since the start
	MaxHours    float64
	Tokens      float64 // that all sessions have used
	MaxTokens   float64 // unknown, or not above 0: no budget
	Verdict     string  // on the machine; empty is unknown
	Peers       float64 // other sessions that are there
	PeerLimit   float64 // more are too many on a critical machine
}

// CheckBefore finds the first switch that fires before a session: the abort, then
// sessions, hours and tokens, then the machine. Hours and tokens fire at their limit.
// Unknown tokens, peers or verdict fire nothing.
//
// Source: session-orchestrator, seeds 2.1.4 rows 1 to 5; Q2, Q3, Q21.
func CheckBefore(b Before) Kill {
	if k := CheckBudgets(b); k.Fired() {
		return k
	}
	if b.Verdict == "critical" && known(b.Peers) && b.Peers > b.PeerLimit {
		return Kill{Overload, fmt.Sprintf("verdict=critical, peers=%s > threshold=%s", number(b.Peers), number(b.PeerLimit))}
	}
	return Kill{}
}

// CheckBudgets is CheckBefore without a look at the machine.
func CheckBudgets(b Before) Kill {
	switch {
	case b.Abort:
		return Kill{UserAbort, "abort requested before a session"}
	case b.Sessions >= b.MaxSessions:
		return Kill{MaxSessions, fmt.Sprintf("iterations_completed=%s of max-sessions=%s", number(b.Sessions), number(b.MaxSessions))}
	case b.Hours >= b.MaxHours:
		return Kill{MaxHours, fmt.Sprintf("elapsed=%sh >= max-hours=%sh", rounded(b.Hours), rounded(b.MaxHours))}
	case known(b.Tokens) && known(b.MaxTokens) && b.MaxTokens > 0 && b.Tokens >= b.MaxTokens:
		return Kill{TokenBudget, fmt.Sprintf("cumulative_tokens=%s >= max-tokens=%s", number(b.Tokens), number(b.MaxTokens))}
	}
	return Kill{}
}

// Outcome is what is known of a session that has ended. A number that is NaN is
// unknown.
type Outcome struct {
	Stall     Stall
	Spiral    float64 // agents, by how they ended
	Failed    float64
	Planned   float64 // issues
	Carryover float64
}

// After are the limits that a session which has ended is compared with.
type After struct {
	Stall     time.Duration
	Carryover float64 // share of what was planned
}

// The published limits.
//
// Source: session-orchestrator, seeds 2.1.1.
const (
	StallDefault     = 10 * time.Minute
	CarryoverDefault = 0.5
	PeerLimitDefault = 6
)

// CheckAfter finds the first switch that fires behind a session: stall, spiral, failed
// wave, carryover. A stall fires at its limit, a carryover above it; what is unknown
// fires nothing (S5).
//
// Source: session-orchestrator, seeds 2.1.4 rows 7 to 10.
func CheckAfter(o Outcome, l After) Kill {
	switch {
	case !o.Stall.Progressed && o.Stall.Silent >= l.Stall:
		return Kill{StallTimeout, fmt.Sprintf("no progress for %ss >= timeout=%ss", number(o.Stall.Silent.Seconds()), number(l.Stall.Seconds()))}
	case known(o.Spiral) && o.Spiral > 0:
		return Kill{Spiral, fmt.Sprintf("agent_summary.spiral=%s > 0", number(o.Spiral))}
	case known(o.Failed) && o.Failed > 0:
		return Kill{FailedWave, fmt.Sprintf("agent_summary.failed=%s > 0", number(o.Failed))}
	case known(o.Planned) && o.Planned > 0 && known(o.Carryover) && o.Carryover/o.Planned > l.Carryover:
		return Kill{CarryoverHigh, fmt.Sprintf("carryover %s of planned %s: %s > threshold=%s", number(o.Carryover), number(o.Planned), rounded(o.Carryover/o.Planned), number(l.Carryover))}
	}
	return Kill{}
}

// Loop is one of several loops beside each other.
type Loop struct {
	ID      string
	Running bool
	Idle    time.Duration
	Unknown bool // nobody knows when it was last active
}

// StaleLimit is how long a running loop may be idle.
const StaleLimit = 10 * time.Minute

// CheckStale finds the first running loop that is idle for longer than the limit: at
// the limit it is not. One whose activity is unknown is passed over.
//
// Source: session-orchestrator, seeds 2.1.4 row 11.
func CheckStale(loops []Loop, limit time.Duration) Kill {
	for _, l := range loops {
		if l.Running && !l.Unknown && l.Idle > limit {
			return Kill{StaleSubagent, fmt.Sprintf("loop %s idle for %s s > %s s", l.ID, number(l.Idle.Seconds()), number(limit.Seconds()))}
		}
	}
	return Kill{}
}

// Stall is how a session stood still.
type Stall struct {
	Silent     time.Duration // since its last progress; 0 where nobody knows
	Progressed bool          // lately enough to be at work
}

// StallFresh is the age below which progress is fresh.
const StallFresh = 30 * time.Second

// Sample judges the last progress of this run at a time. Progress in the future is
// fresh. Without progress that is known there is no stall.
//
// Source: session-orchestrator, seeds 2.1.5, S4; Q1: the progress is that of this
// run, never a file that an earlier run has left.
func Sample(last, now time.Time, there bool) Stall {
	if !there {
		return Stall{}
	}
	delta := now.Sub(last)
	return Stall{Silent: max(0, delta.Round(time.Second)), Progressed: delta < StallFresh}
}

func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// number is a number in its shortest form.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded is a number with two decimals at most.
func rounded(v float64) string { return number(math.Round(v*100) / 100) }
