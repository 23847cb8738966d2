package omx

import (
	"cmp"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
)

// RunID is the member of a state that names the run of the daemon that it shows.
const RunID = "autopilot_run"

// OfRun is the state of mode autopilot that a run of the daemon stands for, as the HUD
// and the skill of oh-my-codex read it. Nothing is decided by it. The snapshot is the file
// with the context, "" for none; now is a stamp.
//
// Every end has a value of its own, and only a run that is done is complete (Q36).
//
// Source: oh-my-codex, seeds 4.1.1.
func OfRun(v wire.WhyView, snapshot, now string) Object {
	r, cycles := v.Run, returns(v)
	o := Object{}.Set("mode", "autopilot").Set("active", r.Exit < 0).Set("current_phase", phaseOfRun(r)).
		Set("iteration", cycles+1).Set("review_cycle", cycles).Set("max_iterations", MaxIterations).
		Set("task_description", r.Task).Set("workingDirectory", r.Workspace).Set("started_at", Stamp(r.Started)).Set("updated_at", now).
		Set(RunID, r.ID)
	var phases []string
	for _, p := range v.Summary {
		for _, w := range p.Work {
			phases = append(phases, w.Phase)
		}
		for _, g := range p.Gates {
			phases = append(phases, g.Phase)
		}
	}
	known := []string{Interview, Plan, Goal, Ralph, Review, QA}
	o = o.Set("phase_cycle", slices.DeleteFunc(known, func(p string) bool { return !slices.Contains(phases, p) }))
	gates := map[string]wire.SummaryGate{}
	for _, p := range v.Summary {
		for _, g := range p.Gates {
			gates[g.Kind] = g
		}
	}
	hand := Object{}.Set("context_snapshot_path", textOrNull(snapshot))
	o = o.Set("deep_interview_gate", interviewOfRun(gates[string(events.GateInterview)]))
	o = o.Set(gateOfConsensus, consensusOfRun(gates[string(events.GateConsensus)], cycles))
	review, qa := reviewOfRun(gates[string(events.GateReview)]), qaOfRun(gates[string(events.GateQA)])
	hand = hand.Set(Goal, evidenceOfRun(v)).Set("code_review", review).Set(QA, qa)
	o = o.Set("handoff_artifacts", hand).Set("review_verdict", review).Set("qa_verdict", qa)
	reason := ""
	if cycles > 0 && r.Phase == Plan && r.Exit < 0 {
		reason = v.LastError
	}
	o = o.Set("return_to_ralplan_reason", textOrNull(reason))
	return endOfRun(o, v)
}

// phaseOfRun is the phase of a run, or its end.
func phaseOfRun(r wire.RunView) string {
	switch {
	case r.State == string(events.EndDone):
		return Complete
	case r.Exit == wire.ExitCancelled:
		return Cancelled
	case r.Question != nil && r.Exit < 0:
		return Waiting
	case r.Exit == wire.ExitLimit:
		return Exhausted
	case r.Exit == wire.ExitRail || r.Exit == wire.ExitPerson:
		return Halted
	case r.Exit >= 0:
		return Failed
	}
	return r.Phase
}

// endOfRun adds how the run stands: its outcome, and its reason where it has one.
func endOfRun(o Object, v wire.WhyView) Object {
	r := v.Run
	switch phaseOfRun(r) {
	case Complete:
		o = o.Set("run_outcome", "finish")
	case Cancelled:
		o = o.Set("run_outcome", "cancelled")
	case Waiting:
		o = o.Set("run_outcome", "blocked_on_user").
			Set("deep_interview_question", Object{}.Set("status", "waiting_for_user").Set("previous_phase", r.Phase).Set("question_id", r.Question.Number))
	case Failed, Halted, Exhausted:
		outcome := "failed"
		if phaseOfRun(r) == Halted {
			outcome = "blocked_on_user"
		}
		o = o.Set("run_outcome", outcome).Set("previous_phase", r.Phase).Set("stop_reason", cmp.Or(r.Reason, v.Rule)).Set("error", v.Because)
	default:
		o = o.Set("run_outcome", "continue")
	}
	if at := cmp.Or(r.Ended, r.Halted); at != nil && r.Exit >= 0 {
		o = o.Set("completed_at", Stamp(*at))
	}
	return o
}

// returns counts the ways back to an earlier phase.
func returns(v wire.WhyView) int {
	order := []string{Interview, Plan, Goal, Ralph, Review, QA}
	n, before := 0, -1
	visit := func(phase string) {
		at := slices.Index(order, phase)
		if at < 0 {
			return
		}
		if at < before {
			n++
		}
		before = at
	}
	for _, row := range v.Rows {
		visit(row.Phase)
	}
	visit(v.Run.Phase)
	return n
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func interviewOfRun(g wire.SummaryGate) Object {
	switch g.Verdict {
	case string(events.Pass):
		return Object{}.Set("status", "complete").Set("rationale", g.Says).Set("skip_reason", nil)
	case string(events.Skipped):
		o := Object{}.Set("status", "skipped").Set("skip_authorized_by_user", true).Set("source", "user").Set("skip_reason", g.Says)
		for _, by := range g.By {
			if by.At != nil {
				o = o.Set("skipped_at", Stamp(*by.At)).Set("authorized_by", by.Who)
			}
		}
		return o
	}
	return Object{}.Set("status", "required").Set("rationale", nil).Set("skip_reason", nil)
}

func consensusOfRun(g wire.SummaryGate, cycle int) Object {
	o := Object{}.Set("required", true).Set("sequence", []string{"architect-review", "critic-review"}).
		Set("planning_artifacts_are_not_consensus", true).Set("required_review_roles", []string{"architect", "critic"}).
		Set("ralplan_architect_review", nil).Set("ralplan_critic_review", nil).Set("complete", g.Verdict == string(events.Pass))
	for i, by := range g.By {
		o = o.Set("ralplan_"+by.Who+"_review", Object{}.Set("agent_role", by.Who).Set("verdict", by.Says).Set("sequence_index", i+1).
			Set("provenance_kind", "native_subagent").Set("thread_id", textOrNull(by.Source)).Set("review_cycle", cycle).Set("set_sha256", textOrNull(g.Set)))
	}
	if g.Verdict == string(events.Fail) {
		o = o.Set("blocked_reason", "review_not_approved")
	}
	return o
}

// looked is what every verdict of a reviewer says; null before there is one.
func looked(g wire.SummaryGate, stage string) (o Object, there bool) {
	if g.Verdict == "" || g.Verdict == string(events.Open) {
		return nil, false
	}
	o = Object{}.Set("stage", stage).Set("clean", g.Verdict == string(events.Pass) || g.Verdict == string(events.Skipped))
	for _, by := range g.By {
		o = o.Set("source", by.Who).Set("thread_id", textOrNull(by.Source)).Set("verdict", by.Says)
	}
	return o, true
}

func reviewOfRun(g wire.SummaryGate) any {
	o, there := looked(g, Review)
	if !there {
		return nil
	}
	if g.Verdict == string(events.Pass) {
		return o.Set("recommendation", "APPROVE").Set("architectural_status", "CLEAR")
	}
	return o.Set("recommendation", strings.ToUpper(strings.ReplaceAll(o.Text("verdict"), "-", " ")))
}

func qaOfRun(g wire.SummaryGate) any {
	o, there := looked(g, QA)
	if !there {
		return nil
	}
	if g.Verdict == string(events.Skipped) {
		o = o.Set("skipped", true).Set("reason", g.Says)
	}
	return o
}

// evidenceOfRun has each check of the phase that implements; null before there is one.
func evidenceOfRun(v wire.WhyView) any {
	var list []Object
	for _, p := range v.Summary {
		for _, g := range p.Gates {
			if events.GateKind(g.Kind).Facts().Part == events.PartVerification && g.Verdict != "" && implements(g.Phase) {
				list = append(list, Object{}.Set("gate", g.Gate).Set("verdict", g.Verdict).Set("says", g.Says))
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return Object{}.Set("evidence", list).Set("tree", textOrNull(v.Run.Tree))
}
