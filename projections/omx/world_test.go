package omx_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"autopilot/projections/omx"
)

// The files and sub-agents of an honest run.
const (
	spec    = ".omx/specs/deep-interview-search.md"
	prd     = ".omx/plans/prd-search.md"
	tests   = ".omx/plans/test-spec-search.md"
	context = ".omx/context/search-20260501T090000Z.md"
	session = "s-1"
)

func at(minute int) time.Time { return time.Date(2026, 5, 1, 10, minute, 0, 0, time.UTC) }

func stamp(minute int) string { return at(minute).Format(time.RFC3339) }

// bench is a world that tests change.
type bench struct {
	files     map[string]omx.File
	threads   map[string]omx.Thread
	questions map[string]omx.Question
	audits    map[string]omx.Object
	world     omx.World
}

// honest is the world of a run in which all evidence is there.
func honest() *bench {
	b := &bench{
		files: map[string]omx.File{
			spec:                       {There: true, Inside: true, Folder: "specs", SHA256: "a1", Modified: at(1)},
			prd:                        {There: true, Inside: true, Folder: "plans", SHA256: "b1", Modified: at(2)},
			tests:                      {There: true, Inside: true, Folder: "plans", SHA256: "c1", Modified: at(2)},
			context:                    {There: true, Inside: true, Folder: "context", SHA256: "d1", Modified: at(0)},
			omx.Ledger:                 {There: true, Inside: true, SHA256: "e1", Modified: at(20)},
			".omx/reviews/review-1.md": {There: true, Inside: true, SHA256: "f1", Modified: at(30)},
			".omx/qa/qa-1.md":          {There: true, Inside: true, SHA256: "g1", Modified: at(40)},
			"README.md":                {There: true, Inside: true, SHA256: "h1", Modified: at(0)},
			"../evil.md":               {There: true, SHA256: "i1", Modified: at(0)},
		},
		threads: map[string]omx.Thread{
			"t-lead":      {Known: true, Leader: true, Native: true, Completed: at(5)},
			"t-architect": {Known: true, Native: true, Role: "architect", Completed: at(10)},
			"t-critic":    {Known: true, Native: true, Role: "critic", Completed: at(12)},
			"t-open":      {Known: true, Native: true, Role: "critic"},
			"t-adapted":   {Known: true, Role: "architect", Completed: at(10)},
		},
		questions: map[string]omx.Question{
			"q-1":       {Answered: true, Session: session},
			"q-open":    {Session: session},
			"q-foreign": {Answered: true, Session: "s-2"},
			"q-nobody":  {Answered: true},
		},
		audits: map[string]omx.Object{},
	}
	b.world = omx.World{
		Now: at(50), Session: session, Dir: "/w",
		File:     func(p string) omx.File { return b.files[p] },
		Thread:   func(id string) omx.Thread { return b.threads[id] },
		Question: func(id string) omx.Question { return b.questions[id] },
		Audit:    func(p string) omx.Object { return b.audits[p] },
	}
	return b
}

func object(t testing.TB, text string) omx.Object {
	t.Helper()
	o, err := omx.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// review is an approving review, with members that a test sets over it.
func review(role string, over ...string) string {
	n, minute := 1, 10
	if role == "critic" {
		n, minute = 2, 12
	}
	m := map[string]any{
		"agent_role": role, "verdict": "approve", "sequence_index": n, "session_id": session, "review_cycle": 0,
		"provenance_kind": "native_subagent", "thread_id": "t-" + role, "completed_at": stamp(minute),
	}
	return merged(m, over...)
}

// merged is an object as JSON, with members set over it as "name=json"; a name alone is
// taken out.
func merged(m map[string]any, over ...string) string {
	for _, o := range over {
		name, v, is := strings.Cut(o, "=")
		if !is {
			delete(m, name)
			continue
		}
		m[name] = json.RawMessage(v)
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func execution(over ...string) string {
	return merged(map[string]any{"authorized": true, "authorized_at": stamp(14), "session_id": session, "review_cycle": 0, "source": "autopilot"}, over...)
}

func gate(architect, critic string) string {
	return `{"required":true,"complete":true,"ralplan_architect_review":` + architect + `,"ralplan_critic_review":` + critic + `}`
}

func reviewVerdict(over ...string) string {
	return merged(map[string]any{
		"clean": true, "stage": "code-review", "recommendation": "APPROVE", "architectural_status": "CLEAR",
		"source": "code-reviewer", "artifact_path": ".omx/reviews/review-1.md",
	}, over...)
}

func qaVerdict(over ...string) string {
	return merged(map[string]any{"clean": true, "stage": "ultraqa", "source": "ultraqa", "artifact_path": ".omx/qa/qa-1.md"}, over...)
}

// The writes of an honest run, as a skill makes them.
func begin() string {
	return `{"mode":"autopilot","active":true,"current_phase":"deep-interview","state":{"handoff_artifacts":{"context_snapshot_path":"` + context + `"}}}`
}

func toPlan(over ...string) string {
	return merged(map[string]any{
		"mode": "autopilot", "current_phase": "ralplan",
		"deep_interview_gate": map[string]any{"status": "complete", "rationale": "all is clear"},
		"handoff_artifacts":   map[string]any{"deep_interview": map[string]any{"spec_path": spec}},
	}, over...)
}

func toGoal(over ...string) string {
	return merged(map[string]any{
		"mode": "autopilot", "current_phase": "ultragoal",
		"ralplan_consensus_gate":    json.RawMessage(gate(review("architect"), review("critic"))),
		"ralplan_execution_handoff": json.RawMessage(execution()),
		"handoff_artifacts":         map[string]any{"ralplan": map[string]any{"plan_path": prd}},
	}, over...)
}

func toReview(over ...string) string {
	return merged(map[string]any{
		"mode": "autopilot", "current_phase": "code-review",
		"handoff_artifacts": map[string]any{"ultragoal": map[string]any{"implementation": "search box", "tests": []string{"go test ./..."}}},
	}, over...)
}

func toQA(over ...string) string {
	return merged(map[string]any{"mode": "autopilot", "current_phase": "ultraqa", "review_verdict": json.RawMessage(reviewVerdict())}, over...)
}

func toEnd(over ...string) string {
	return merged(map[string]any{"mode": "autopilot", "active": false, "current_phase": "complete", "qa_verdict": json.RawMessage(qaVerdict())}, over...)
}

// path are the writes that lead to a phase.
func path(phase string) []string {
	all := []string{begin(), toPlan(), toGoal(), toReview(), toQA(), toEnd()}
	for i, p := range []string{omx.Interview, omx.Plan, omx.Goal, omx.Review, omx.QA, omx.Complete} {
		if p == phase {
			return all[:i+1]
		}
	}
	panic("no way to " + phase)
}

// walk makes writes one after the other, each of which is accepted.
func walk(t testing.TB, b *bench, o omx.Object, writes ...string) omx.Object {
	t.Helper()
	for _, w := range writes {
		r, err := omx.Write(o, object(t, w), b.world, omx.Strict)
		if err != nil {
			t.Fatalf("%s: %v", w, err)
		}
		o = r.State
	}
	return o
}

func in(t testing.TB, b *bench, phase string) omx.Object {
	t.Helper()
	return walk(t, b, nil, path(phase)...)
}

// refused is a write that has to be refused, with a part of the reason.
func refused(t testing.TB, b *bench, o omx.Object, write, part string) {
	t.Helper()
	before := string(o.Compact())
	_, err := omx.Write(o, object(t, write), b.world, omx.Strict)
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%s: %v, and not %q", write, err, part)
	}
	if string(o.Compact()) != before {
		t.Errorf("%s: the stored state was changed", write)
	}
}

func phaseOf(o omx.Object) string {
	return fmt.Sprintf("%s %t %d/%d", o.Text("current_phase"), o.True("active"), count(o, "iteration"), count(o, "review_cycle"))
}

func count(o omx.Object, name string) int {
	n, _, _ := o.Count(name)
	return n
}
