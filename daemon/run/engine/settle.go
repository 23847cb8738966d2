package engine

import (
	"slices"

	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/rule"
)

// This file makes the events that close an iteration or a run, from the state
// alone.

// record closes the iteration with verdict, fingerprint and signature.
func record(q *view) Action {
	a := q.Last.Agent
	rec := events.IterationRecorded{
		Phase: q.Loop.Phase, Iteration: q.Loop.Iteration, Attempt: q.Loop.Attempt,
		Verdict: events.Skipped, Tree: q.Last.Tree, Work: q.Last.Work, Files: a.Files,
	}
	if q.limited() || q.noop() {
		return Record{rec}
	}
	rec.Verdict, rec.Again = q.verdict(), q.provenAgain()
	if rec.Verdict != events.Pass && (q.cutShort() || rec.Again && !q.proofGone()) {
		rec.Verdict = events.Skipped
	}
	if rec.Verdict == events.Fail {
		rec.Fingerprint = rule.Asking(rule.Fingerprint(q.Last.Results, q.parts()), a.Asks, a.Question)
		rec.Signature = rule.Signature(q.Last.Results)
	}
	return Record{rec}
}

// proofGone says that what the gates judge by was changed, or that one cannot be run:
// that is no no-op.
func (q *view) proofGone() bool {
	return rule.ProofBroken(q.Last.Results) || slices.ContainsFunc(q.Last.Results, func(r events.GateResult) bool {
		return r.Verdict == events.Unverifiable
	})
}

// parts are those of the fingerprints of the workflow.
func (q *view) parts() rule.Parts {
	has := func(p workflow.Part) bool { return slices.Contains(q.flow.Fingerprint, p) }
	of := rule.Parts{Verdicts: has(workflow.PartVerdicts), Tests: has(workflow.PartTests)}
	if has(workflow.PartTree) {
		of.Tree = q.Last.Work
	}
	return of
}

// verdict is pass only when every gate passed: missing data closes. A run that
// was started green also needs a changed tree.
func (q *view) verdict() events.Verdict {
	if len(q.Last.Results) == 0 || q.Unchanged() {
		return events.Fail
	}
	for _, r := range q.Last.Results {
		if failed(r) {
			return events.Fail
		}
	}
	return events.Pass
}

func finish(end events.End) func(*view) Action {
	return func(q *view) Action {
		return Finish{events.RunEnded{State: end, Iteration: q.Loop.Iteration, Tree: q.Last.Tree}}
	}
}

func (q *view) refuse() Action {
	d := q.baseline()
	return Finish{events.RunEnded{
		State: events.EndRefused, Reason: d.Refused, Gate: d.Gate, Tree: q.Last.Tree,
	}}
}

// halt stops with the evidence that its reason has.
func halt(reason events.Halt) func(*view) Action {
	return func(q *view) Action { return Halt{q.halted(reason)} }
}

func (q *view) halted(reason events.Halt) events.RunHalted {
	h := events.RunHalted{
		Reason: reason, Phase: q.Loop.Phase, Iteration: q.Loop.Iteration, Tree: q.Last.Tree,
	}
	switch reason {
	case events.HaltDrift:
		h.Gate, h.Files = named(q.Last.Results, rule.Broken)
		if h.Gate == "" {
			h.Gate, h.Files = named(q.Last.Results, failed)
		}
	case events.HaltGit:
		h.Gate, h.Files = named(q.Last.Results, func(r events.GateResult) bool { return r.Kind == events.GateGit })
	case events.HaltForeign:
		h.Files, h.By, h.Used = q.Foreign.Files, q.Foreign.By, int64(q.Foreign.Count)
	case events.HaltClaimLost:
		h.By = q.Stopping.By
	case events.HaltUnproven:
		h.Gate, h.Files = named(q.Last.Results, elsewhere)
	case events.HaltUnverifiable:
		h.Gate, h.Files = named(q.Last.Results, func(r events.GateResult) bool {
			return r.Verdict == events.Unverifiable || rule.NeverRed(r)
		})
	case events.HaltSameness, events.HaltStuck, events.HaltSignature:
		m, _ := q.match(reason)
		h.Iterations, h.Value = m.Iterations, m.Value
	case events.HaltIterations:
		h.Limit = int64(q.iterations())
	case events.HaltCycles:
		h.Limit = int64(q.flow.Limits.Cycles)
	case events.HaltPlan:
		h.Gate, _ = named(q.Last.Results, failed)
		h.Limit, h.Value = int64(q.flow.Rails.Plan.Cycles), q.plan()
	case events.HaltEntry:
		h.Gate, h.Files = named(q.Last.Results, failed)
	case events.HaltExpired:
		h.Gate, h.Question = q.Question.Gate, q.Question.Text
	case events.HaltHours, events.HaltCost, events.HaltTokens, events.HaltTurns:
		h.Limit, h.Used = q.budget(reason)
	case events.HaltAuthFailed, events.HaltBilling:
		h.Account = q.AccountOf(q.Last.Start)
	case events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover:
		_, r, _ := rule.Killed(q.Last.Results)
		h.Gate, h.Used, h.Of, h.Limit = r.Gate, r.Used, r.Of, r.Limit
	case events.HaltNoop:
		h.Limit = int64(q.Loop.Noops)
	case events.HaltAgentLost:
		h.Limit = int64(q.Loop.Losses)
	case events.HaltAgentHung:
		h.Limit, h.Used = int64(q.Loop.Hung), q.Last.Said.SilentMS
		if q.roleHung() {
			h.Limit, h.Gate = int64(rule.HungLooks(q.Looks)), q.Looks[len(q.Looks)-1].Gate
		}
	case events.HaltNeedsPerson:
		h.Question = q.Last.Agent.Question
	case events.HaltLogIntegrity, events.HaltAgentFailed, events.HaltStopped,
		events.HaltInternal, events.HaltRebooted, events.HaltWorkspaceGone, events.HaltLimit:
	}
	return h
}

// budget is what a run may use of what a halt is about, and what it has used. Hours have
// no second number.
func (q *view) budget(reason events.Halt) (limit, used int64) {
	limits, loop := q.Facts.Limits, q.Loop.Used
	switch reason {
	case events.HaltCost:
		return limits.MicroUSD, loop.MicroUSD
	case events.HaltTokens:
		return limits.Tokens, loop.Tokens()
	case events.HaltTurns:
		return int64(limits.Turns), int64(loop.Turns)
	default:
		return limits.ActiveMS, 0
	}
}

// elsewhere says that the files of the start pass a control as well.
func elsewhere(r events.GateResult) bool {
	return r.Kind == events.GateControl && r.Reason == events.ReasonElsewhere
}

func failed(r events.GateResult) bool { return !rule.Passes(r) }

func named(results []events.GateResult, that func(events.GateResult) bool) (events.Name, events.Ref) {
	for _, r := range results {
		if that(r) {
			return r.Gate, r.Files
		}
	}
	return "", ""
}
