package omx

import (
	"fmt"
	"slices"
	"strings"
)

// The outcomes of a run, and how its life ends, as oh-my-codex 0.21.6 has them.
var (
	runOutcomes = []string{"progress", "continue", "finish", "blocked_on_user", "failed", "cancelled"}
	lifecycles  = []string{"finished", "blocked", "failed", "userinterlude", "askuserQuestion"}

	runWords = map[string]string{
		"finish": "finish", "finished": "finish", "complete": "finish", "completed": "finish", "done": "finish",
		"blocked": "blocked_on_user", "blocked-on-user": "blocked_on_user", "blocked_on_user": "blocked_on_user",
		"failed": "failed", "fail": "failed", "error": "failed",
		"cancelled": "cancelled", "canceled": "cancelled", "cancel": "cancelled", "aborted": "cancelled", "abort": "cancelled",
		"progress": "progress", "continue": "continue", "continued": "continue",
	}
	lifeWords = map[string]string{
		"finished": "finished", "finish": "finished", "complete": "finished", "completed": "finished", "done": "finished",
		"blocked": "blocked", "blocked_on_user": "blocked", "blocked-on-user": "blocked",
		"failed": "failed", "fail": "failed", "error": "failed",
		"userinterlude": "userinterlude", "user-interlude": "userinterlude", "interrupted": "userinterlude", "interrupt": "userinterlude",
		"cancelled": "userinterlude", "canceled": "userinterlude", "cancel": "userinterlude", "aborted": "userinterlude", "abort": "userinterlude",
		"askuserquestion": "askuserQuestion", "ask-user-question": "askuserQuestion", "askuser": "askuserQuestion", "question": "askuserQuestion",
	}
	runOfLife = map[string]string{
		"finished": "finish", "blocked": "blocked_on_user", "failed": "failed",
		"userinterlude": "cancelled", "askuserQuestion": "blocked_on_user",
	}
	lifeOfRun = map[string]string{
		"finish": "finished", "blocked_on_user": "blocked", "failed": "failed", "cancelled": "userinterlude",
	}
)

// ending are the outcome and the life of the ends that only this program writes: never
// those of a finished run (quirk Q36).
var ending = map[string][2]string{
	Exhausted: {"failed", "failed"},
	Halted:    {"blocked_on_user", "blocked"},
}

func lifecycleOf(word string) string { return lifeWords[strings.ToLower(strings.TrimSpace(word))] }

// word reads one member by its words; an unknown word is an error, none is "".
func word(o Object, name string, words map[string]string, all []string) (string, error) {
	if o.Null(name) {
		return "", nil
	}
	s, is := textOf(o.Raw(name))
	if !is {
		return "", fmt.Errorf("%s must be one of: %s; it is %s", name, strings.Join(all, ", "), short(o.Raw(name)))
	}
	if s = strings.TrimSpace(s); s == "" {
		return "", nil
	}
	to, known := words[strings.ToLower(s)]
	if !known {
		return "", fmt.Errorf("%s must be one of: %s; it is %q", name, strings.Join(all, ", "), cut(s))
	}
	return to, nil
}

// outcome sets run_outcome, lifecycle_outcome, active and completed_at so that they
// agree. What ends is not active, and what is active has not ended.
//
// Source: oh-my-codex 0.21.6, run outcome contract; lesson O4. A completed_at of an
// active state is dropped (the release keeps it, and then takes moves for the end).
func outcome(o Object, now string) (Object, error) {
	life, err := word(o, "lifecycle_outcome", lifeWords, lifecycles)
	if err != nil {
		return nil, err
	}
	if life == "" {
		if life, err = word(o, "terminal_outcome", lifeWords, lifecycles); err != nil {
			return nil, err
		}
	}
	run, err := word(o, "run_outcome", runWords, runOutcomes)
	if err != nil {
		return nil, err
	}
	switch {
	case life != "":
		run = runOfLife[life]
	case run != "":
		life = lifeOfRun[run]
	default:
		run, life = inferred(o)
	}
	o = o.Without("terminal_outcome").Set("run_outcome", run)
	if life == "" {
		if o.False("active") {
			return nil, fmt.Errorf("the outcome %q is no end, so active has to be true", run)
		}
		return o.Without("lifecycle_outcome", "completed_at").Set("active", true), nil
	}
	if o.True("active") {
		return nil, fmt.Errorf("the outcome %q is an end, so active has to be false", life)
	}
	o = o.Set("lifecycle_outcome", life).Set("active", false)
	if o.Text("completed_at") == "" {
		o = o.Set("completed_at", now)
	}
	return release(o, now), nil
}

// inferred is the outcome of a state that does not say it.
func inferred(o Object) (run, life string) {
	phase := o.Text("current_phase")
	if e, is := ending[phaseText(phase)]; is {
		return e[0], e[1]
	}
	if l := lifecycleOf(phase); l != "" {
		return runOfLife[l], l
	}
	if phaseText(phase) == Cleared {
		return "cancelled", "userinterlude"
	}
	if o.True("active") || !o.False("active") && o.Text("completed_at") == "" {
		return "continue", ""
	}
	return "finish", "finished"
}

var locks = []string{
	"input_lock", "inputLock", "approval_lock", "approvalLock", "approval_locks", "approvalLocks",
	"approval", "approval_request", "approvalRequest",
}

var held = []string{"active", "pending", "waiting", "waiting_for_user", "requested", "required"}

// release lets go of the locks of a state that has ended.
//
// Source: oh-my-codex 0.21.6, terminal normalisation.
func release(o Object, now string) Object {
	for _, name := range locks {
		l := o.Sub(name)
		if l == nil {
			continue
		}
		if l.True("active") || l.True("locked") || l.True("pending") ||
			slices.Contains(held, strings.ToLower(l.Text("status"))) || slices.Contains(held, strings.ToLower(l.Text("phase"))) {
			l = l.Set("active", false).Set("locked", false).Set("pending", false).Set("status", "released")
			if l.Text("released_at") == "" {
				l = l.Set("released_at", now)
			}
			if l.Text("release_reason") == "" {
				l = l.Set("release_reason", "terminal_state_normalization")
			}
			o = o.Set(name, l)
		}
	}
	return o
}
