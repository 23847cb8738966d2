package omx

import (
	"slices"
	"strings"
)

// The phases of autopilot.
const (
	Interview = "deep-interview"
	Plan      = "ralplan"
	Goal      = "ultragoal"
	Rework    = "rework"
	Team      = "team"
	Ralph     = "ralph"
	Review    = "code-review"
	QA        = "ultraqa"
	Waiting   = "waiting-for-user"

	Complete  = "complete"
	Failed    = "failed"
	Cancelled = "cancelled"
	Blocked   = "blocked"
	Cleared   = "cleared"
	Exhausted = "exhausted" // the budget is spent (quirk Q36: the release writes complete)
	Halted    = "halted"    // the same failure three times, or a person is needed
)

// working has the phases that a phase leads to. The release knows the way from review
// to rework too; the contract returns to ralplan.
//
// Source: oh-my-codex, seeds 4.1.2; oh-my-codex 0.21.6, transitions of autopilot.
var working = map[string][]string{
	Interview: {Interview, Plan},
	Plan:      {Plan, Goal},
	Goal:      {Goal, Team, Review},
	Rework:    {Rework, Team, Review},
	Team:      {Team, Goal, Rework, Review},
	Ralph:     {Ralph, Review},
	Review:    {Review, Rework, Plan, QA},
	QA:        {QA, Plan},
}

// ends are the phases in which autopilot is not active.
var ends = []string{Complete, Failed, Cancelled, Blocked, Cleared, Exhausted, Halted}

// aliases of phases of autopilot.
var aliases = map[string]string{
	"completed": Complete, "planning": Plan, "replan": Plan,
	"fix": Rework, "review-fix": Rework, "implementation-fix": Rework,
	"canceled": Cancelled, "blocked-on-user": Blocked,
}

// Phase is a phase of autopilot by one of its names; what is none is "".
func Phase(name string) string {
	p := phaseText(name)
	if _, is := working[p]; is || p == Waiting || slices.Contains(ends, p) {
		return p
	}
	return ""
}

func phaseText(name string) string {
	p := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
	p = strings.TrimPrefix(p, "autopilot:")
	if to, is := aliases[p]; is {
		return to
	}
	return p
}

// Child is the phase that an active autopilot works in; one that waits works in the
// phase before.
func Child(o Object) string {
	if o.Text("mode") != "autopilot" || !o.True("active") {
		return ""
	}
	p := Phase(o.Text("current_phase"))
	if p == Waiting {
		p = Phase(field(o, "deep_interview_question").Text("previous_phase"))
	}
	if _, is := working[p]; !is {
		return ""
	}
	return p
}

// field is an object of a state, also where the hook of the release has nested it.
func field(o Object, name string) Object {
	if o.Has(name) {
		return o.Sub(name)
	}
	return o.Sub("state").Sub(name)
}

func implements(phase string) bool {
	return phase == Goal || phase == Rework || phase == Team || phase == Ralph
}

// ended says that a phase of any mode is an end, in any of its words.
func ended(phase string) bool {
	p := phaseText(phase)
	return slices.Contains(ends, p) || lifecycleOf(p) != ""
}
