package omx

import (
	"slices"
	"strings"
)

// Order sorts modes as they are cancelled: a linked team before ralph, ralph before what
// is linked to it, then the rest.
//
// Source: oh-my-codex, seeds 4.8.
func Order(modes []string) []string {
	rank := func(m string) int {
		if i := slices.Index([]string{"team", "ralph", "ultrawork"}, m); i >= 0 {
			return i
		}
		return 3
	}
	all := slices.Clone(modes)
	slices.SortStableFunc(all, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return all
}

// Cancel ends a state that is active. One that is not active stays as it is. Nothing
// that was recorded is lost, and the phase to go on with is kept.
//
// Source: oh-my-codex, seeds 4.8; quirks Q42, and the outcome that the release leaves.
func Cancel(state Object, now string) (Object, bool) {
	if !state.True("active") {
		return state, false
	}
	o := Flatten(state)
	if phase := Child(o); phase != "" {
		o = o.Set(own, o.Sub(own).Set("resume_phase", phase))
	}
	return end(o, Cancelled, now), true
}

// end ends a state in a phase.
func end(o Object, phase, now string) Object {
	run, life := inferred(Object{}.Set("current_phase", phase))
	o = o.Set("active", false).Set("current_phase", phase).Set("run_outcome", run).Set("lifecycle_outcome", life).
		Set("completed_at", now).Set("last_turn_at", now).Set("updated_at", now)
	for _, name := range []string{"question_enforcement", "deep_interview_question"} {
		if q := o.Sub(name); q.Text("status") == "pending" || q.Text("status") == "waiting_for_user" {
			o = o.Set(name, q.Set("status", "cleared").Set("cleared_at", now).Set("clear_reason", "abort"))
		}
	}
	return release(o, now)
}

// Tombstone marks that a session has no state of a mode, though the root has one.
func Tombstone(mode, session, now string) Object {
	return Object{}.Set("mode", mode).Set("active", false).Set("current_phase", Cleared).
		Set("updated_at", now).Set("completed_at", now).Set("session_id", session)
}

// Transited ends a mode that another one follows. A plan that nobody has approved is
// cancelled, and not complete.
//
// Source: oh-my-codex 0.21.6, workflow transitions.
func Transited(state Object, mode, next string, w World) Object {
	o := Flatten(state).Set("mode", mode)
	phase := "completed"
	if modeGap(mode, o.Set("current_phase", Complete), w) != nil {
		phase = Cancelled
	}
	o = end(o, phase, w.now())
	return o.Set("auto_completed_reason", Transition(mode, next)).Set("transition_target_mode", next)
}

// Transition names the way from one mode to another, as the release does.
func Transition(from, to string) string { return "mode transiting: " + from + " -> " + to }

// Linked is the state of ralph when the team that it is linked to has ended, in the same
// session; ok is false if they are not linked.
//
// Source: oh-my-codex, seeds 4.4 and 4.8; lesson O9.
func Linked(team, ralph Object, w World) (o Object, ok bool) {
	if !team.True("linked_ralph") || !ralph.True("linked_team") || !ralph.True("active") || !team.False("active") {
		return ralph, false
	}
	phase := phaseText(team.Text("current_phase"))
	if !slices.Contains([]string{Complete, Failed, Cancelled}, phase) {
		phase = Cancelled
	}
	if phase == Complete && audited(ralph, w) != nil {
		phase = Cancelled
	}
	o = end(ralph, phase, w.now())
	return o.Set("linked_team_terminal_phase", phase).Set("linked_team_terminal_at", w.now()), true
}
