package turn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autopilot/projections/omx"
	"autopilot/projections/route"
)

// phaseOf is the phase of an autopilot that is active, and whether it is. A state of the
// release has no mode in it.
func phaseOf(state omx.Object) (string, bool) {
	if !state.True("active") {
		return "", false
	}
	phase := omx.Phase(state.Text("current_phase"))
	if phase == "" {
		phase = "unknown"
	}
	return phase, !slices.Contains(over, phase)
}

// over are the phases that are ends, whatever active says.
var over = []string{omx.Complete, omx.Failed, omx.Cancelled, omx.Blocked, omx.Cleared, omx.Exhausted, omx.Halted}

// exempt are words of a stop that is never held: the person, or the host, has its reason.
var exempt = []string{"cancel", "abort", "context", "compact", "limit"}

// gates is what is open in a phase.
var gates = map[string]string{
	omx.Interview: "the interview is not complete: ask the next question, or write the specification and record it",
	omx.Plan:      "the plan is not approved: architect, then critic, each from a session of its own",
	omx.Goal:      "stories are open: apctl compat omx ultragoal next",
	omx.Rework:    "the rework is not reviewed yet",
	omx.Team:      "the team has not shut down: its leader gathers the results",
	omx.Ralph:     "the work is not verified and reviewed yet",
	omx.Review:    "the review of an independent session is not recorded",
	omx.QA:        "the evidence of QA is not recorded",
}

// Held is the answer to a stop, and its signature: the same stop is held once. A chat
// that waits for a person is let go, and so is one whose state is not proven its own
// (state is empty then).
func Held(e Event, state omx.Object) (a Answer, signature string, held bool) {
	phase, active := phaseOf(state)
	for _, r := range e.Reasons {
		if slices.ContainsFunc(exempt, func(w string) bool { return strings.Contains(r, w) }) {
			return a, "", false
		}
	}
	if !active || waits(state, phase) {
		return a, "", false
	}
	open, known := gates[phase]
	if !known {
		open = "its gates are open"
	}
	a = Answer{
		Decision: "block", Stop: "autopilot_" + phase,
		Reason: fmt.Sprintf("autopilot is in phase %s, and %s. Go on, and record the evidence. What only a person may decide, ask; do not answer it yourself.", phase, open),
		System: fmt.Sprintf("autopilot is still active (phase: %s)", phase),
	}
	signature = strings.Join([]string{"autopilot-stop", e.Session, e.Thread, phase, number(state, "iteration"), number(state, "review_cycle")}, "|")
	return a, signature, true
}

// waits says that a person is asked, so that the chat has to stop.
func waits(state omx.Object, phase string) bool {
	outcome, life := state.Text("run_outcome"), strings.ToLower(state.Text("lifecycle_outcome"))
	return phase == omx.Waiting || outcome == "blocked_on_user" || life == "askuserquestion" || life == "userinterlude"
}

// number is a counter of a state; what is none is empty.
func number(state omx.Object, name string) string {
	n, there, err := state.Count(name)
	if err != nil || !there {
		return ""
	}
	return strconv.Itoa(n)
}

// Routed is the answer to a prompt: what it asks for, and how that is done. Prompts that
// name none of it are nobody's business.
func Routed(e Event, s route.Suggestion, state omx.Object) Answer {
	phase, active := phaseOf(state)
	switch s.Do {
	case route.DoStop:
		return adds(Prompt, stops(e, phase, active))
	case route.DoContinue:
		return adds(Prompt, goesOn(e, state, phase, active))
	case route.DoRun, route.DoClarify, route.DoPlan, route.DoAnswer, route.DoEdit, route.DoReview:
	}
	named := ""
	for _, k := range s.Skills {
		if k.Explicit || k.Name == "autopilot" || k.Name == "ralph" {
			named = k.Saw
			break
		}
	}
	if named == "" {
		return Answer{}
	}
	text := fmt.Sprintf("%q in the prompt asks for work under gates. Nothing was started. ", named)
	if active {
		text = fmt.Sprintf("%q in the prompt asks for work under gates, and autopilot is active already, in phase %s: it is not begun anew. ", named, phase)
	}
	return adds(Prompt, text+does(e, s, active))
}

func stops(e Event, phase string, active bool) string {
	if !active {
		return ""
	}
	return fmt.Sprintf("The person stops autopilot, which is in phase %s: run %s, and do no more. What was recorded stays.", phase, writes(e, false, omx.Cancelled))
}

// writes is the command that puts autopilot of the session into a phase.
func writes(e Event, active bool, phase string) string {
	return fmt.Sprintf(`apctl compat omx state write --input '{"mode":"autopilot","active":%t,"current_phase":%q,"session_id":%q}'`, active, phase, e.Session)
}

// session is the option that names the session, if its id is one.
func (e Event) session() string {
	if omx.CheckID(e.Session) != nil {
		return ""
	}
	return " --session " + e.Session
}

func goesOn(e Event, state omx.Object, phase string, active bool) string {
	if active {
		return fmt.Sprintf("autopilot is in phase %s: go on there. apctl compat omx autopilot next%s says what is next.", phase, e.session())
	}
	if at := omx.Phase(state.Sub("apctl").Text("resume_phase")); at != "" && omx.Phase(state.Text("current_phase")) == omx.Cancelled {
		return fmt.Sprintf("autopilot was cancelled in phase %s. It goes on there with %s; what was recorded is kept.", at, writes(e, true, at))
	}
	if ended := omx.Phase(state.Text("current_phase")); ended != "" {
		return fmt.Sprintf("autopilot is not active; it ended as %s. apctl compat omx autopilot status%s shows it; what is complete is not begun anew.", ended, e.session())
	}
	return ""
}

// does says how what a prompt asks for is done.
func does(e Event, s route.Suggestion, active bool) string {
	switch {
	case s.Do == route.DoPlan && s.Workflow != "":
		return fmt.Sprintf("Too little is said to be worked on: ask, then plan. %s does both: apctl run --workflow %s \"TASK\"%s.", s.Workflow, s.Workflow, drives(e, active))
	case s.Do != route.DoRun:
		return "It is not for a run: " + s.Do.Instead() + "."
	case s.Workflow == "omx", s.Workflow == "omx-ralph":
		return fmt.Sprintf("The daemon runs it with gates of its own: apctl run --workflow %s \"TASK\"%s.", s.Workflow, drives(e, active))
	case s.Workflow != "":
		return fmt.Sprintf("The workflow %s is enough: apctl run --workflow %s \"TASK\" --gate NAME=COMMAND.", s.Workflow, s.Workflow)
	}
	return "apctl workflow ls shows the workflows."
}

func drives(e Event, active bool) string {
	if active {
		return ""
	}
	return "; or this chat drives it: apctl compat omx autopilot start --task \"TASK\"" + e.session()
}

// Begun is what a chat finds when it begins: an autopilot of its session that goes on.
func Begun(e Event, state omx.Object) Answer {
	phase, active := phaseOf(state)
	if !active {
		return Answer{}
	}
	return adds(SessionStart, fmt.Sprintf("autopilot of this session is in phase %s (iteration %s): it goes on there. apctl compat omx autopilot next%s says what is next.", phase, or(number(state, "iteration"), "not counted"), e.session()))
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
