package orchestrator

import (
	"slices"
	"strings"
)

// Level is how much the next session has to keep in mind.
type Level string

// The levels.
const (
	PressureLow    Level = "low"
	PressureMedium Level = "medium"
	PressureHigh   Level = "high"
)

// Pressure is the level with its score.
type Pressure struct {
	Level Level   `json:"level"`
	Score float64 `json:"score"`
}

// wide are phrases of a task that reaches over all of a repository. A dash counts as a
// blank or as nothing, as people write them all.
var wide = []string{
	"across all", "every skill", "every agent", "every repo", "repo wide", "repowide", "cross cutting", "rename across", "massive refactor",
}

// reachesFar says that the text of a task has such a phrase.
func reachesFar(task string) bool {
	task = strings.ReplaceAll(strings.ToLower(task), "-", " ")
	return slices.ContainsFunc(wide, func(phrase string) bool { return strings.Contains(task, phrase) })
}

// Pressure is the sum of scope, words and what sessions have carried over.
//
// Source: session-orchestrator, seeds 2.3 context pressure.
func (s Signals) Pressure() Pressure {
	score := min(max(float64(s.Priorities-3)/10, 0), 0.5)
	if reachesFar(s.Task) {
		score += 0.25
	}
	sum, n := 0.0, 0
	for _, e := range s.Sessions[max(0, len(s.Sessions)-5):] {
		if known(e.Planned) && e.Planned > 0 && known(e.Carryover) {
			sum, n = sum+e.Carryover/e.Planned, n+1
		}
	}
	if n > 0 {
		score += min(max(sum/float64(n)-0.3, 0), 0.25)
	}
	score = round2(score)
	switch {
	case score < 0.3:
		return Pressure{PressureLow, score}
	case score < 0.7:
		return Pressure{PressureMedium, score}
	}
	return Pressure{PressureHigh, score}
}

// pressing is what the pressure adds to the score of a mode, if any of its inputs is
// known.
func (s Signals) pressing(m Mode) float64 {
	heard := s.Prioritised || s.Task != ""
	for _, e := range s.Sessions {
		heard = heard || e.Effective
	}
	if !heard {
		return 0
	}
	switch level := s.Pressure().Level; {
	case level == PressureHigh && m == Feature:
		return -0.15
	case level == PressureHigh && m == Housekeeping:
		return -0.10
	case level == PressureLow && m == Feature:
		return 0.05
	}
	return 0
}
