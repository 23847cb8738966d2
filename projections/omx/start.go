package omx

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"autopilot/projections/slug"
)

// MaxIterations bounds a run that names no bound (seeds 4.1.1).
const MaxIterations = 10

// filled is a state of autopilot with all members that it has at its start.
//
// Source: oh-my-codex, seeds 4.1.1.
func filled(o Object, w World) Object {
	hand := Object{}
	for _, n := range []string{"context_snapshot_path", "deep_interview", Plan, Goal, "code_review", QA} {
		hand = append(hand, Member{n, null})
	}
	if o.Null("handoff_artifacts") {
		o = o.Set("handoff_artifacts", hand)
	} else {
		o = o.Set("handoff_artifacts", o.Sub("handoff_artifacts").Merge(hand.Without(names(o.Sub("handoff_artifacts"))...)))
	}
	for _, d := range []struct {
		name  string
		value any
	}{
		{"iteration", 1},
		{"review_cycle", 0},
		{"max_iterations", MaxIterations},
		{"phase_cycle", []string{Interview, Plan, Goal, Review, QA}},
		{"deep_interview_gate", Object{}.Set("status", "required").Set("skip_reason", nil).Set("rationale", nil)},
		{"started_at", w.now()},
	} {
		if o.Null(d.name) {
			o = o.Set(d.name, d.value)
		}
	}
	for _, n := range []string{"review_verdict", "qa_verdict", "return_to_ralplan_reason"} {
		if !o.Has(n) {
			o = append(o, Member{n, null})
		}
	}
	if consensusOf(o) == nil {
		o = o.Set(gateOfConsensus, Object{}.
			Set("required", true).
			Set("sequence", []string{"architect-review", "critic-review"}).
			Set("planning_artifacts_are_not_consensus", true).
			Set("required_review_roles", []string{"architect", "critic"}).
			Set("ralplan_architect_review", nil).
			Set("ralplan_critic_review", nil).
			Set("complete", false))
	}
	return o
}

func names(o Object) []string {
	all := make([]string, len(o))
	for i, m := range o {
		all[i] = m.Name
	}
	return all
}

// Start is the state of a run that begins, over what is stored. A run that is active is
// not written over (the release does it). The snapshot is the file with the context.
//
// Source: oh-my-codex, seeds 4.1.1; in Advisory the values of oh-my-codex 0.21.6.
func Start(stored Object, task, snapshot string, w World, p Profile) (Result, error) {
	if strings.TrimSpace(task) == "" {
		return Result{}, errors.New("no task is named: give one with --task TEXT")
	}
	if stored = Flatten(stored); stored.True("active") {
		return Result{}, fmt.Errorf("autopilot is active in phase %s: go on with it, or end it first (apctl compat omx cancel)", cut(stored.Text("current_phase")))
	}
	if err := w.beside("autopilot"); err != nil {
		return Result{}, err
	}
	o := Object{}.Set("active", true).Set("mode", "autopilot").Set("current_phase", Interview).
		Set("task_description", task).Set("started_at", w.now()).Set("workingDirectory", w.Dir)
	if p == Advisory {
		o = o.Set("iteration", 0).Set("max_iterations", 3).Set("review_cycle", 0).
			Set("phase_cycle", []string{Interview, Plan, Goal}).Set("handoff_artifacts", Object{}).
			Set("deep_interview_gate", Object{}.Set("status", "required"))
	} else {
		o = filled(o, w)
		if snapshot != "" {
			o = WithSnapshot(o, snapshot, "canonical", "activation-prompt")
		}
	}
	o, err := outcome(o, w.now())
	if err != nil {
		return Result{}, err
	}
	return Result{State: stamp(o, Object{}, "autopilot", w), Completes: Completes("autopilot", w.Active)}, nil
}

// WithSnapshot names the file with the context of a run, in the state and in its
// hand-overs.
func WithSnapshot(o Object, path, kind, status string) Object {
	return o.Set("handoff_artifacts", o.Sub("handoff_artifacts").Set("context_snapshot_path", path)).
		Set("context_snapshot_path", path).
		Set("context_snapshot", Object{}.Set("path", path).Set("kind", kind).Set("original_task_status", status))
}

func snapshotOf(o Object) string {
	if s := o.Sub("handoff_artifacts").Text("context_snapshot_path"); s != "" {
		return s
	}
	return o.Text("context_snapshot_path")
}

// HasSnapshot says that a state names the file with its context.
func HasSnapshot(o Object) bool { return snapshotOf(o) != "" }

// Snapshot is the name and the text of a file with the context of a run. Without a task
// it is one that was found too late, and not to be used again.
//
// Source: oh-my-codex, seeds 4.1.3; oh-my-codex 0.21.6, context snapshot.
func Snapshot(task string, at time.Time) (name, text string) {
	slug, status, prompt := slug.Of(task, slug.File), "activation-prompt", line(task)
	if strings.TrimSpace(task) == "" {
		slug, status, prompt = "autopilot-recovery", "unavailable", "unavailable"
	}
	name = slug + "-" + at.UTC().Format("20060102T150405Z")
	var b strings.Builder
	fmt.Fprintf(&b, "# Autopilot context: %s\n\n", slug)
	for _, kv := range [][2]string{
		{"activation prompt / task seed", prompt},
		{"original task status", status},
		{"desired outcome", "unknown until the interview"},
		{"known facts", "none recorded"},
		{"constraints", "none recorded"},
		{"unknowns", "all that the interview is to clear"},
		{"touchpoints", "none recorded"},
		{"scope note", "this file is context, and no plan or approval"},
	} {
		fmt.Fprintf(&b, "- %s: %s\n", kv[0], kv[1])
	}
	return name, b.String()
}

// line is a text on one line.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }
