package orchestrator

import (
	"math"
	"regexp"
)

// AgentStatus is how an agent of a wave ended.
type AgentStatus string

// The statuses.
const (
	AgentDone    AgentStatus = "done"
	AgentPartial AgentStatus = "partial"
	AgentFailed  AgentStatus = "failed"
	AgentSpiral  AgentStatus = "spiral"
)

// AgentEnd is what is known of an agent that has ended.
type AgentEnd struct {
	Output    string
	Changed   bool // it changed files
	Failed    bool // it ended with errors
	Truncated bool
	Spirals   bool // as Spirals found
}

var statusLine = regexp.MustCompile(`(?m)^[\s*_#>-]*STATUS[*_]*\s*:[\s*_]*([a-z-]+)`)

// Status is how an agent ended: a spiral, whatever it says; else its last STATUS line;
// else what it left.
//
// Source: session-orchestrator, seeds 2.9 agent status and spiral.
func Status(a AgentEnd) AgentStatus {
	if a.Spirals {
		return AgentSpiral
	}
	all := statusLine.FindAllStringSubmatch(a.Output, -1)
	for i := len(all) - 1; i >= 0; i-- {
		switch all[i][1] {
		case "done", "no-tests-needed":
			return AgentDone
		case "partial", "failed", "spiral":
			return AgentStatus(all[i][1])
		}
	}
	switch {
	case a.Truncated:
		return AgentPartial
	case a.Failed:
		return AgentFailed
	case a.Changed:
		return AgentDone
	}
	return AgentPartial
}

// Step is one act of an agent.
type Step struct {
	File  string `json:"file"`  // that it edited
	Error string `json:"error"` // that it met
	Tree  string `json:"tree"`  // what the files are like after it; empty is unknown
}

// spiralEdits is how often one file may be edited before that is a spiral.
const spiralEdits = 3

// Spirals says that an agent goes in circles: one file edited three times, one error met
// again, or files brought back to what they were.
//
// Source: session-orchestrator, seeds 2.9 spiral.
func Spirals(steps []Step) (why string, is bool) {
	edits, errors, trees := map[string]int{}, map[string]bool{}, map[string]bool{}
	last := ""
	for _, s := range steps {
		if s.File != "" {
			if edits[s.File]++; edits[s.File] >= spiralEdits {
				return "edits " + s.File + " again and again", true
			}
		}
		if s.Error != "" {
			if errors[s.Error] {
				return "meets one error again", true
			}
			errors[s.Error] = true
		}
		if s.Tree != "" && s.Tree != last {
			if trees[s.Tree] {
				return "takes its own work back", true
			}
			trees[s.Tree], last = true, s.Tree
		}
	}
	return "", false
}

// MaxTurns is how many turns an agent has in a session of that mode; 0 where the mode has
// no limit of its own.
//
// Source: session-orchestrator, seeds 2.9 max turns.
func MaxTurns(m Mode) int {
	return map[Mode]int{Housekeeping: 8, Feature: 15, Deep: 25}[m]
}

// Recovery is what becomes of work that an agent did not finish.
type Recovery string

// The recoveries.
const (
	RecoverNone     Recovery = "none"
	RecoverAgain    Recovery = "re-dispatch"
	RecoverCarry    Recovery = "carry-forward"
	RecoverNarrow   Recovery = "revert-and-narrow"
	RecoverEscalate Recovery = "escalate"
)

// Recover says what becomes of it, and whether an issue is filed. times counts this one.
//
// Source: session-orchestrator, seeds 2.9 recovery, S52.
func Recover(s AgentStatus, times int) (r Recovery, issue bool) {
	switch {
	case s == AgentDone:
		return RecoverNone, false
	case s == AgentPartial:
		return RecoverCarry, false
	case times >= 2:
		return RecoverEscalate, true
	case s == AgentSpiral:
		return RecoverNarrow, false
	}
	return RecoverAgain, true
}

// Guard bounds the calls of one tool with the same input.
type Guard struct {
	Times  int
	Window int
}

// GuardDefault warns of three in the last five calls.
var GuardDefault = Guard{Times: 3, Window: 5}

// Bounded is the guard as it works: both bounds are at least 2, and a window is as wide
// as what it counts (S51).
func (g Guard) Bounded() Guard {
	g.Times = max(g.Times, 2)
	g.Window = max(g.Window, 2, g.Times)
	return g
}

// Loops says that the last calls have one of them too often. A call is the hash of its
// tool and input.
//
// Source: session-orchestrator, seeds 2.9 loop guard.
func (g Guard) Loops(calls []string) (call string, times int, is bool) {
	g = g.Bounded()
	count := map[string]int{}
	for _, c := range calls[max(0, len(calls)-g.Window):] {
		if count[c]++; count[c] >= g.Times {
			return c, count[c], true
		}
	}
	return "", 0, false
}

// Isolation is where the agents of a wave work.
type Isolation string

// The isolations.
const (
	IsolationNone     Isolation = "none"
	IsolationWorktree Isolation = "worktree"
)

// Isolate is the isolation of a wave that sets none, and whether agents that share a tree
// are held to their scope strictly: where the wave did not switch that off itself.
//
// Source: session-orchestrator, seeds 2.9 isolation default.
func Isolate(agents int, m Mode, off bool) (i Isolation, strict bool) {
	i = IsolationWorktree
	if agents <= 2 || agents <= 4 && m == Housekeeping {
		i = IsolationNone
	}
	return i, i == IsolationNone && !off
}

// Wave is what is known of one wave that has ended.
type Wave struct {
	Lines    float64 `json:"diff_lines"`
	PassRate float64 `json:"pass_rate"` // of tests, 0 to 1
	Velocity float64 `json:"velocity"`  // tasks that were finished
}

// convergesOver is how many waves a trend has at least.
const convergesOver = 2

// Converges lists what the last waves have in common; advice, and nothing else.
//
// Source: session-orchestrator, seeds 2.9 convergence monitor.
func Converges(waves []Wave) []string {
	out := []string{}
	if len(waves) <= convergesOver {
		return out
	}
	last := waves[len(waves)-convergesOver-1:]
	over := func(is func(a, b Wave) bool) bool {
		for i := 1; i < len(last); i++ {
			if !is(last[i-1], last[i]) {
				return false
			}
		}
		return true
	}
	if over(func(a, b Wave) bool { return b.Lines < a.Lines }) {
		out = append(out, "shrinking-diff")
	}
	if over(func(a, b Wave) bool { return math.Abs(b.PassRate-a.PassRate) < 0.01 }) {
		out = append(out, "pass-rate-plateau")
	}
	if over(func(a, b Wave) bool { return b.Velocity < a.Velocity }) {
		out = append(out, "velocity-drop")
	}
	return out
}

// effectiveFrom is how many sessions of a kind a comparison needs.
const effectiveFrom = 20

// Effectiveness compares sessions of a mode that people started with those of runs.
type Effectiveness struct {
	Mode            Mode    `json:"mode"`
	Manual          int     `json:"manual"`
	Automatic       int     `json:"autopilot"`
	ManualRate      float64 `json:"manual_completion"`
	AutomaticRate   float64 `json:"autopilot_completion"`
	AutomaticBetter bool    `json:"autopilot_better"`
}

// Compare compares by mode where there are twenty of each kind. Stubs of sessions that
// nobody ended, and sessions that do not say, do not count.
//
// Source: session-orchestrator, seeds 2.9 effectiveness learning, S33.
func Compare(records []Record) []Effectiveness {
	out := []Effectiveness{}
	for _, m := range Selectable() {
		e := Effectiveness{Mode: m}
		for _, r := range records {
			s := r.Session()
			switch {
			case s.Mode != m || r.Abandoned() || !known(s.Completion):
			case r.Text("autopilot_run_id") != "":
				e.Automatic++
				e.AutomaticRate += s.Completion
			default:
				e.Manual++
				e.ManualRate += s.Completion
			}
		}
		if e.Manual < effectiveFrom || e.Automatic < effectiveFrom {
			continue
		}
		e.ManualRate, e.AutomaticRate = round2(e.ManualRate/float64(e.Manual)), round2(e.AutomaticRate/float64(e.Automatic))
		e.AutomaticBetter = e.AutomaticRate > e.ManualRate
		out = append(out, e)
	}
	return out
}
