package omx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

var (
	ralphPhases = []string{"starting", "executing", "verifying", "fixing", "blocked_on_user", "complete", "failed", "cancelled"}
	ralphEnds   = []string{"blocked_on_user", "complete", "failed", "cancelled", Exhausted, Halted}
	ralphWords  = map[string]string{
		"start": "starting", "started": "starting", "execution": "executing", "execute": "executing",
		"verify": "verifying", "verification": "verifying", "fix": "fixing",
		"blocked": "blocked_on_user", "blocked-on-user": "blocked_on_user",
		"completed": "complete", "fail": "failed", "error": "failed", "cancel": "cancelled",
	}
)

// ralph validates a state of mode ralph, and fills in what an active one lacks.
//
// Source: oh-my-codex, seeds 4.3; lessons O3 and O4.
func ralph(o Object, now string) (Object, error) {
	o, err := ralphPhase(o)
	if err != nil {
		return nil, err
	}
	if o.True("active") {
		for _, d := range []struct {
			name  string
			value any
		}{{"iteration", 0}, {"max_iterations", 50}, {"current_phase", "starting"}, {"started_at", now}} {
			if o.Null(d.name) {
				o = o.Set(d.name, d.value)
			}
		}
	}
	if _, _, err := o.Count("iteration"); err != nil {
		return nil, fmt.Errorf("ralph: %w", err)
	}
	if n, there, err := o.Count("max_iterations"); err != nil || there && n == 0 {
		return nil, fmt.Errorf("ralph: max_iterations has to be a whole number above 0, and not %s", short(o.Raw("max_iterations")))
	}
	if slices.Contains(ralphEnds, o.Text("current_phase")) {
		if o.True("active") {
			return nil, errors.New("ralph: a phase that is an end needs active=false")
		}
		if o.Null("completed_at") {
			o = o.Set("completed_at", now)
		}
	}
	for _, name := range []string{"started_at", "completed_at"} {
		if !o.Null(name) {
			if _, err := instant(o.Text(name)); err != nil {
				return nil, fmt.Errorf("ralph: %s has to be a time, as 2026-05-01T10:00:00Z, and not %s", name, short(o.Raw(name)))
			}
		}
	}
	return o, nil
}

func ralphPhase(o Object) (Object, error) {
	if o.Null("current_phase") {
		return o, nil
	}
	was, is := textOf(o.Raw("current_phase"))
	if !is || strings.TrimSpace(was) == "" {
		return nil, fmt.Errorf("ralph: current_phase has to be a text, and not %s", short(o.Raw("current_phase")))
	}
	p := strings.ToLower(strings.TrimSpace(was))
	if to, known := ralphWords[p]; known {
		p = to
	}
	if !slices.Contains(ralphPhases, p) && p != Exhausted && p != Halted {
		return nil, fmt.Errorf("ralph: current_phase must be one of: %s; it is %q", strings.Join(ralphPhases, ", "), cut(was))
	}
	if p != was {
		o = o.Set("current_phase", p).Set("ralph_phase_normalized_from", was)
	}
	return o, nil
}

// audited says what a ralph lacks that is written as complete: a passing audit with a
// checklist and evidence (lesson O15). The audit may lie in a file beside the work.
func audited(o Object, w World) *Gap {
	a := o.Sub("completion_audit")
	if a == nil {
		a = o.Sub("completion_audit_evidence")
	}
	if a == nil && w.Audit != nil {
		a = w.Audit(o.FirstText("completion_audit_path", "completion_audit_evidence_path"))
	}
	switch {
	case len(a) == 0:
		return gap("completion-audit", "completion_audit, or completion_audit_path of a JSON file below the working directory", "ralph cannot be complete without an audit of what was asked")
	case !a.True("passed"):
		return gap("completion-audit", "passed: true in the audit", "the audit of ralph does not pass")
	case !a.says("prompt_to_artifact_checklist", "checklist", "requirements_checklist"):
		return gap("completion-audit", "a checklist in the audit", "the audit of ralph checks nothing")
	case !a.says("verification_evidence", "evidence", "validation_evidence", "commands", "tests"):
		return gap("completion-audit", "evidence in the audit", "the audit of ralph has no evidence")
	}
	return nil
}

// says is whether one of these members has something in it.
func (o Object) says(names ...string) bool {
	for _, n := range names {
		if o.True(n) || o.Text(n) != "" || len(o.List(n)) > 0 || len(o.Sub(n)) > 0 {
			return true
		}
	}
	return false
}

// instant reads a time.
func instant(s string) (time.Time, error) {
	return time.Parse(time.RFC3339Nano, s)
}
