package orchestrator

import (
	"math"
	"strconv"
	"strings"
)

// LaunchAsk is what there is to know before a run is launched without asking a
// person. Words are as they were given: what is missing or malformed is judged
// and not refused.
type LaunchAsk struct {
	Confidence string // of who would launch it, in the mode of the session; empty: nobody said
	Floor      string // the least confidence; empty: LaunchFloor
	History    *LaunchHistory
	CI         string // the state of the last build; empty: nobody said
	Resources  string // how the machine stands; empty: not known
}

// LaunchHistory is how the runs of a repository ended, all of them: a window would
// hide that there are enough to judge by (session-orchestrator, S44). Nil is one
// that could not be read.
type LaunchHistory struct {
	Runs  int // that have worked, and stand or are over
	Fired int // of them: stopped by a fault
}

// The bounds of a launch.
//
// Source: session-orchestrator, seeds 2.4.
const (
	LaunchFloor = 0.5 // replaces a missing or unusable floor; never 0
	LaunchRuns  = 5   // fewer say nothing
	launchOneIn = 5   // one fault in so many is too many
	launchWord  = 40  // bytes of a malformed word that are shown
	critical    = "critical"
)

// LaunchReason is why a gate of a launch says what it says, or a warning beside it.
type LaunchReason string

// The reasons.
const (
	LaunchReached   LaunchReason = "reached"
	LaunchBelow     LaunchReason = "below"
	LaunchMissing   LaunchReason = "missing"
	LaunchMalformed LaunchReason = "malformed"
	LaunchRare      LaunchReason = "rare"
	LaunchOften     LaunchReason = "often"
	LaunchFewRuns   LaunchReason = "few-runs"
	LaunchUnread    LaunchReason = "unread"
	LaunchNotRed    LaunchReason = "not-red"
	LaunchRed       LaunchReason = "red"
	LaunchBears     LaunchReason = "bears"
	LaunchCritical  LaunchReason = "critical"
	LaunchUnknown   LaunchReason = "unknown"

	LaunchBadFloor  LaunchReason = "bad-floor"  // a warning: LaunchFloor counts
	LaunchOtherWord LaunchReason = "other-word" // a warning: it is neither green nor red
)

// LaunchGate is one of the four that have to pass.
type LaunchGate struct {
	Name    string // confidence, kill-rate, ci or resources
	Pass    bool
	Omitted bool // it passes, as there is too little to judge by
	Value   string
	Limit   string
	Reason  LaunchReason
	Warning LaunchReason // what a person would look at, though it decides nothing
}

// Launch judges whether a run may be launched without asking a person: only if
// every gate passes. Nothing that is asked makes it fail; what it cannot know
// closes the first gate and opens the others, with a warning.
//
// Source: session-orchestrator, seeds 2.4. The dial of a dispatcher (off, advisory,
// autonomous-gated) is not asked for: it changes no verdict.
func Launch(a LaunchAsk) (gates []LaunchGate, suitable bool) {
	gates = []LaunchGate{launchConfidence(a.Confidence, a.Floor), launchHistory(a.History), launchCI(a.CI), launchResources(a.Resources)}
	for _, g := range gates {
		if !g.Pass {
			return gates, false
		}
	}
	return gates, true
}

// launchConfidence is closed where nothing can be known. Otherwise than there what
// is above 1 is no confidence: 72 is somebody's percent, and would pass any floor.
func launchConfidence(given, least string) LaunchGate {
	floor, sound := share(least)
	g := LaunchGate{Name: "confidence", Value: clipped(given)}
	if !sound {
		floor = LaunchFloor
		if strings.TrimSpace(least) != "" {
			g.Warning = LaunchBadFloor
		}
	}
	g.Limit = strconv.FormatFloat(floor, 'g', -1, 64)
	c, sound := share(given)
	switch {
	case strings.TrimSpace(given) == "":
		g.Reason = LaunchMissing
	case !sound:
		g.Reason = LaunchMalformed
	case c < floor:
		g.Reason = LaunchBelow
	default:
		g.Pass, g.Reason = true, LaunchReached
	}
	return g
}

// share reads a finite number from 0 to 1, as text.
func share(t string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
	return f, err == nil && !math.IsNaN(f) && f >= 0 && f <= 1
}

func launchHistory(h *LaunchHistory) LaunchGate {
	g := LaunchGate{Name: "kill-rate", Limit: "1/" + strconv.Itoa(launchOneIn)}
	if h == nil {
		g.Pass, g.Omitted, g.Reason, g.Warning = true, true, LaunchUnread, LaunchUnread
		return g
	}
	g.Value = strconv.Itoa(h.Fired) + "/" + strconv.Itoa(h.Runs)
	switch {
	case h.Runs < LaunchRuns:
		g.Pass, g.Omitted, g.Reason, g.Warning = true, true, LaunchFewRuns, LaunchFewRuns
	case h.Fired*launchOneIn < h.Runs:
		g.Pass, g.Reason = true, LaunchRare
	default:
		g.Reason = LaunchOften
	}
	return g
}

// launchCI closes on red, to the letter, and on nothing else.
func launchCI(status string) LaunchGate {
	g := LaunchGate{Name: "ci", Pass: true, Value: clipped(status), Limit: "red", Reason: LaunchNotRed}
	switch {
	case status == "red":
		g.Pass, g.Reason = false, LaunchRed
	case strings.TrimSpace(status) == "":
		g.Reason, g.Warning = LaunchMissing, LaunchMissing
	case status != "green":
		g.Warning = LaunchOtherWord
	}
	return g
}

// launchResources closes where the machine is critical. A word that no verdict is
// says nothing of it.
func launchResources(verdict string) LaunchGate {
	g := LaunchGate{Name: "resources", Pass: true, Value: clipped(verdict), Limit: critical, Reason: LaunchBears}
	switch strings.ToLower(strings.TrimSpace(verdict)) {
	case critical:
		g.Pass, g.Reason = false, LaunchCritical
	case "green", "warn", "degraded":
	default:
		g.Reason, g.Warning = LaunchUnknown, LaunchUnknown
	}
	return g
}

// clipped is a word as far as it is shown.
func clipped(t string) string {
	t = strings.TrimSpace(t)
	if len(t) <= launchWord {
		return t
	}
	return strings.ToValidUTF8(t[:launchWord], "") + "..."
}
