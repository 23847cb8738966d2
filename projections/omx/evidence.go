package omx

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const gateOfConsensus = "ralplan_consensus_gate"

// consensusOf is the gate of the plan. The contract has it among the hand-overs, the
// release beside them.
func consensusOf(o Object) Object {
	if o.Null(gateOfConsensus) {
		if g := field(o, "handoff_artifacts").Sub(gateOfConsensus); g != nil {
			return g
		}
	}
	return field(o, gateOfConsensus)
}

func withConsensus(o, gate Object) Object {
	if h := o.Sub("handoff_artifacts"); o.Null(gateOfConsensus) && !h.Null(gateOfConsensus) {
		return o.Set("handoff_artifacts", h.Set(gateOfConsensus, gate))
	}
	return o.Set(gateOfConsensus, gate)
}

// pathOf is the file of a hand-over, which is a path or has one.
func pathOf(h Object, key string, names ...string) string {
	if s := h.Text(key); s != "" {
		return s
	}
	return h.Sub(key).FirstText(names...)
}

// place refuses a file that lies elsewhere than it has to; one that is missing is not
// refused here.
func place(w World, path string, folders ...string) error {
	if path == "" || slices.Contains(folders, w.file(path).Folder) {
		return nil
	}
	return fmt.Errorf("the file %q lies outside of .omx/{%s}: write it there, and name that path", cut(path), strings.Join(folders, ","))
}

var interviews = []string{"specs", "context", "interviews"}

func specOf(o Object) string {
	return pathOf(field(o, "handoff_artifacts"), "deep_interview", "spec_path", "path", "artifact_path")
}

// interview says what the end of the interview lacks.
//
// Source: oh-my-codex, seeds 4.1.2; lesson O39. The release asks for a spec of a skip
// too, and does not look at the question.
func interview(o Object, w World, p Profile) *Gap {
	lacks := func(missing string) *Gap {
		return gap("deep-interview-handoff", missing, "the interview has not ended")
	}
	g := field(o, "deep_interview_gate")
	spec := w.file(specOf(o))
	here := spec.There && slices.Contains(interviews, spec.Folder)
	switch strings.ToLower(g.Text("status")) {
	case "skipped":
		switch {
		case !g.True("skip_authorized_by_user"), g.Text("skip_reason") == "":
			return lacks("skip_authorized_by_user: true and a skip_reason in deep_interview_gate")
		case strings.ToLower(g.Text("source")) != "user":
			return lacks("source: user in deep_interview_gate: only a person skips the interview")
		case g.Text("session_id") != o.Text("session_id"):
			return lacks("the session_id of this session in deep_interview_gate")
		}
		if _, err := instant(g.Text("skipped_at")); err != nil {
			return lacks("skipped_at, a time, in deep_interview_gate")
		}
		if p == Advisory && !here || specOf(o) != "" && !here {
			return lacks("the file that handoff_artifacts.deep_interview names")
		}
		return nil
	case "complete":
	default:
		return lacks("status complete in deep_interview_gate, or skipped by a person; an answer alone does not end it")
	}
	switch {
	case g.Text("rationale") == "" && (p == Advisory || g.Text("summary") == ""):
		return lacks("a rationale in deep_interview_gate")
	case !here:
		return lacks("the clarified spec: handoff_artifacts.deep_interview has to name a file below .omx/specs")
	case p == Strict:
		return asked(o, g, w, lacks)
	}
	return nil
}

// asked says what is missing of the questions of an interview: each that was answered
// links its record of this session.
func asked(o, g Object, w World, lacks func(string) *Gap) *Gap {
	for _, q := range []Object{field(o, "question_enforcement"), field(o, "deep_interview_question"), g} {
		id, status := q.Text("question_id"), strings.ToLower(q.Text("status"))
		if id == "" && q.Text("obligation_id") == "" {
			continue
		}
		if status == "cleared" {
			continue
		}
		if status == "pending" || status == "waiting_for_user" {
			return lacks("an answer to the question that is open")
		}
		if r := w.question(id); !r.Answered || r.Session == "" || r.Session != w.Session {
			return lacks("the record of the question " + cut(id) + ", answered in this session")
		}
	}
	return nil
}

var verdicts = []string{"approve", "approved", "okay"}

func approves(r Object, role string) bool {
	return strings.ToLower(r.FirstText("agent_role", "role")) == role &&
		slices.Contains(verdicts, strings.ToLower(r.FirstText("verdict", "recommendation")))
}

func cycleOf(r Object) int {
	for _, n := range []string{"review_cycle", "iteration"} {
		if c, there, err := r.Count(n); there && err == nil {
			return c
		}
	}
	return -1
}

func planOf(o Object) string {
	h := field(o, "handoff_artifacts")
	if h.Null(Plan) {
		return o.FirstText("latest_plan_path", "plan_path", "prd_path")
	}
	return pathOf(h, Plan, "plan_path", "prd_path", "path")
}

// testsOf is the test spec of a plan: named, or that of the same slug beside it.
func testsOf(o Object) string {
	h := field(o, "handoff_artifacts").Sub(Plan)
	if s := h.FirstText("test_spec_path", "test_spec"); s != "" {
		return s
	}
	for _, v := range h.List("test_spec_paths") {
		if s, ok := textOf(v); ok {
			return s
		}
	}
	if s := o.FirstText("test_spec_path", "latest_test_spec_path"); s != "" {
		return s
	}
	dir, name, _ := cutLast(planOf(o))
	if slug, is := strings.CutPrefix(name, "prd-"); is {
		return dir + "test-spec-" + slug
	}
	return ""
}

func cutLast(path string) (dir, name string, found bool) {
	i := strings.LastIndexByte(path, '/') + 1
	return path[:i], path[i:], i > 0
}

// fingerprint is what an approval is bound to: plan and test spec, by their bytes. It
// is "" without a plan.
func fingerprint(o Object, w World) string {
	plan := w.file(planOf(o))
	if !plan.There {
		return ""
	}
	return plan.SHA256 + "+" + w.file(testsOf(o)).SHA256
}

// consensus says what the approval of a plan lacks.
//
// Source: oh-my-codex, seeds 4.1.2; lessons O36 and O37; oh-my-codex 0.21.6, evidence
// of ralplan. The release looks at the tracker only where it is asked to.
func consensus(o Object, w World, p Profile) *Gap {
	lacks := func(missing string) *Gap {
		return gap("ralplan-handoff", missing, "architect and critic have not approved the plan")
	}
	gate := consensusOf(o)
	plan := w.file(planOf(o))
	if !plan.There || plan.Folder != "plans" {
		return lacks("the plan: handoff_artifacts.ralplan.plan_path has to name a file below .omx/plans")
	}
	if spec := w.file(testsOf(o)); p == Strict && (!spec.There || spec.Folder != "plans") {
		return lacks("the test spec: handoff_artifacts.ralplan.test_spec_path has to name a file below .omx/plans")
	}
	if g := reviewed(o, gate, w, p, lacks); g != nil {
		return g
	}
	if !gate.True("complete") {
		return lacks("complete: true in " + gateOfConsensus)
	}
	return handedOver(o, p, lacks)
}

// reviewed says what the two reviews of a gate lack.
func reviewed(o, gate Object, w World, p Profile, lacks func(string) *Gap) *Gap {
	cycle := -1
	for i, role := range []string{"architect", "critic"} {
		r := gate.Sub("ralplan_" + role + "_review")
		n, there, err := r.Count("sequence_index")
		switch {
		case !approves(r, role):
			return lacks("an approving review by the " + role)
		case !there || err != nil || n != i+1:
			return lacks(fmt.Sprintf("sequence_index %d of the review by the %s: the architect is first", i+1, role))
		case r.Text("session_id") != o.Text("session_id"), p == Advisory && r.Text("session_id") == "":
			return lacks("the session_id of this session in the review by the " + role)
		}
		if c := cycleOf(r); !current(o, c, p) || cycle >= 0 && c != cycle {
			return lacks("the review_cycle of this cycle in the review by the " + role)
		}
		cycle = cycleOf(r)
	}
	if p == Advisory {
		return nil
	}
	return native(o, gate, w, lacks)
}

// current says that a number is that of this cycle. The run of ralplan counts from 1,
// autopilot from 0: both are this one.
func current(o Object, c int, p Profile) bool {
	n, there, _ := o.Count("review_cycle")
	if !there {
		return c >= 0
	}
	return c == n || p == Strict && c == n+1
}

// native says whether sub-agents of the host have reviewed the plan as it is, one after
// the other, after the plan and after the last return.
func native(o, gate Object, w World, lacks func(string) *Gap) *Gap {
	var before time.Time
	ids := map[string]bool{}
	for _, role := range []string{"architect", "critic"} {
		r := gate.Sub("ralplan_" + role + "_review")
		id := r.FirstText("thread_id", "agent_id")
		t := w.thread(id)
		switch {
		case r.Text("provenance_kind") != "native_subagent":
			return lacks("provenance_kind: native_subagent in the review by the " + role)
		case !t.Known || t.Leader || !t.Native || t.Role != "" && t.Role != role:
			return lacks("a sub-agent with that thread_id in subagent-tracking.json, for the review by the " + role)
		case t.Completed.IsZero():
			return lacks("the end of the sub-agent of the " + role)
		case ids[id]:
			return lacks("a second sub-agent: architect and critic are the same thread")
		}
		ids[id] = true
		at, err := instant(r.FirstText("completed_at", "reviewed_at", "approved_at"))
		switch {
		case err != nil:
			return lacks("completed_at of the review by the " + role)
		case at.Before(before):
			return lacks("the review by the critic behind that by the architect")
		case late(returned(o), at):
			return lacks("a review by the " + role + " of this cycle: it is older than the return")
		}
		before = at
		b := o.Sub(own).Sub("approved").Sub(role)
		switch {
		case b == nil && dated(o, w, r), b.True("older"):
			return lacks("a review by the " + role + " of the plan as it is: the plan was written after it")
		case b != nil && b.Text("plan") != fingerprint(o, w):
			return lacks("a review by the " + role + " of the plan as it is: the plan was changed after it")
		}
	}
	return nil
}

// dated says that a review is older than what it looked at.
func dated(o Object, w World, review Object) bool {
	at, err := instant(review.FirstText("completed_at", "reviewed_at", "approved_at"))
	return err != nil || late(w.file(planOf(o)).Modified, at) || late(w.file(testsOf(o)).Modified, at)
}

// late says that something is later than a time, by the millisecond that files keep.
func late(what, at time.Time) bool {
	return !what.IsZero() && at.Before(what.Truncate(time.Millisecond))
}

// handedOver says what the order to carry the plan out lacks.
func handedOver(o Object, p Profile, lacks func(string) *Gap) *Gap {
	e := field(o, "ralplan_execution_handoff")
	_, err := instant(e.Text("authorized_at"))
	switch {
	case !e.True("authorized") && !e.True("authorized_by_user"), err != nil:
		return lacks("authorized: true and authorized_at in ralplan_execution_handoff")
	case e.Text("session_id") != o.Text("session_id"), p == Advisory && e.Text("session_id") == "":
		return lacks("the session_id of this session in ralplan_execution_handoff")
	case !current(o, cycleOf(e), p):
		return lacks("the review_cycle of this cycle in ralplan_execution_handoff")
	case strings.ToLower(e.Text("source")) != "autopilot":
		return lacks("source: autopilot in ralplan_execution_handoff")
	case p == Strict && e.Text("authorized_at") != "":
		if at, _ := instant(e.Text("authorized_at")); late(returned(o), at) {
			return lacks("a ralplan_execution_handoff of this cycle: it is older than the return")
		}
	}
	return nil
}

// Ledger is where the ledger of the stories lies.
const Ledger = ".omx/ultragoal/ledger.jsonl"

// implemented says what the work lacks before it is reviewed.
//
// Source: oh-my-codex, seeds 4.1.2. The release looks at nothing here.
func implemented(o Object, w World, from string) *Gap {
	key := Goal
	if from == Ralph {
		key = Ralph
	}
	lacks := func(missing string) *Gap {
		return gap("ultragoal-evidence", missing, "the work has no evidence yet")
	}
	h := field(o, "handoff_artifacts").Sub(key)
	switch all := ways(o); {
	case len(all) > 0 && all[len(all)-1].Work == digest(h):
		return lacks("evidence of this cycle in handoff_artifacts." + key + ": it is that of the one before")
	case !h.says("implementation", "implementation_evidence", "changed_files", "files_changed", "changed_file_summary", "summary"):
		return lacks("implementation, what was changed, in handoff_artifacts." + key)
	case !h.says("tests", "test_evidence", "tests_run", "test_results", "verification", "verification_evidence"):
		return lacks("tests, what was run and passed, in handoff_artifacts." + key)
	case key == Ralph:
		return nil
	}
	ledger := h.FirstText("ledger_path", "ledger")
	if ledger == "" {
		ledger = Ledger
	}
	if f := w.file(ledger); !f.There || !f.Inside {
		return lacks("the ledger of the stories, " + cut(ledger))
	}
	return nil
}
