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
	if find, ok := evidence[reason]; ok {
		find(q, &h)
	}
	return h
}

// evidence has what settled a halt, for the reasons that have more than their name.
var evidence = map[events.Halt]func(*view, *events.RunHalted){
	events.HaltDrift: func(q *view, h *events.RunHalted) {
		h.Gate, h.Files = named(q.Last.Results, rule.Broken)
		if h.Gate == "" {
			h.Gate, h.Files = named(q.Last.Results, failed)
		}
	},
	events.HaltGit: func(q *view, h *events.RunHalted) {
		h.Gate, h.Files = named(q.Last.Results, func(r events.GateResult) bool { return r.Kind == events.GateGit })
	},
	events.HaltForeign: func(q *view, h *events.RunHalted) {
		h.Files, h.By, h.Used = q.Foreign.Files, q.Foreign.By, int64(q.Foreign.Count)
	},
	events.HaltClaimLost: func(q *view, h *events.RunHalted) { h.By = q.Stopping.By },
	events.HaltUnproven:  func(q *view, h *events.RunHalted) { h.Gate, h.Files = named(q.Last.Results, elsewhere) },
	events.HaltUnverifiable: func(q *view, h *events.RunHalted) {
		h.Gate, h.Files = named(q.Last.Results, func(r events.GateResult) bool {
			return r.Verdict == events.Unverifiable || rule.NeverRed(r)
		})
	},
	events.HaltSameness:   (*view).matched,
	events.HaltStuck:      (*view).matched,
	events.HaltSignature:  (*view).matched,
	events.HaltIterations: func(q *view, h *events.RunHalted) { h.Limit = int64(q.iterations()) },
	events.HaltCycles:     func(q *view, h *events.RunHalted) { h.Limit = int64(q.flow.Limits.Cycles) },
	events.HaltPlan: func(q *view, h *events.RunHalted) {
		h.Gate, _ = named(q.Last.Results, failed)
		h.Limit, h.Value = int64(q.flow.Rails.Plan.Cycles), q.plan()
	},
	events.HaltEntry: func(q *view, h *events.RunHalted) { h.Gate, h.Files = named(q.Last.Results, failed) },
	events.HaltUnclear: func(q *view, h *events.RunHalted) {
		r, _ := q.interviewed()
		g := q.Gate(r.Gate)
		l := rule.Looked(g, r.Set, q.Looks)
		h.Gate, h.Used, h.Limit, h.Of = r.Gate, int64(l.Last.Opinion.Ambiguity), int64(g.Clear), int64(l.Round)
	},
	events.HaltExpired: func(q *view, h *events.RunHalted) { h.Gate, h.Question = q.Question.Gate, q.Question.Text },
	events.HaltHours:   func(q *view, h *events.RunHalted) { h.Limit = q.Facts.Limits.ActiveMS },
	events.HaltCost: func(q *view, h *events.RunHalted) {
		h.Limit, h.Used = q.Facts.Limits.MicroUSD, q.Loop.Used.MicroUSD
	},
	events.HaltTokens: func(q *view, h *events.RunHalted) {
		h.Limit, h.Used = q.Facts.Limits.Tokens, q.Loop.Used.Tokens()
	},
	events.HaltTurns: func(q *view, h *events.RunHalted) {
		h.Limit, h.Used = int64(q.Facts.Limits.Turns), int64(q.Loop.Used.Turns)
	},
	events.HaltAuthFailed: func(q *view, h *events.RunHalted) { h.Account = q.AccountOf(q.Last.Start) },
	events.HaltBilling:    func(q *view, h *events.RunHalted) { h.Account = q.AccountOf(q.Last.Start) },
	events.HaltStall:      (*view).switched,
	events.HaltSpiral:     (*view).switched,
	events.HaltFailedWave: (*view).switched,
	events.HaltCarryover:  (*view).switched,
	events.HaltMaxHours:   func(q *view, h *events.RunHalted) { h.Limit = q.Facts.Series.HoursMS },
	events.HaltTokenBudget: func(q *view, h *events.RunHalted) {
		h.Limit, h.Used = q.Facts.Series.Tokens, q.Series.Tokens-q.Series.Counted
	},
	events.HaltOverload: func(q *view, h *events.RunHalted) {
		h.Limit, h.Used = int64(q.Facts.Series.Peers), int64(q.Series.Selected.Peers)
	},
	events.HaltLowConfidence: func(q *view, h *events.RunHalted) { h.Error = q.Series.Selected.Why },
	events.HaltManual:        func(q *view, h *events.RunHalted) { h.Error = q.Series.Selected.Why },
	events.HaltNoop:          func(q *view, h *events.RunHalted) { h.Limit = int64(q.Loop.Noops) },
	events.HaltAgentLost:     func(q *view, h *events.RunHalted) { h.Limit = int64(q.Loop.Losses) },
	events.HaltAgentHung: func(q *view, h *events.RunHalted) {
		h.Limit, h.Used = int64(q.Loop.Hung), q.Last.End.SilentMS
		if q.roleHung() {
			h.Limit, h.Gate = int64(rule.HungLooks(q.Looks)), q.Looks[len(q.Looks)-1].Gate
		}
	},
	events.HaltNeedsPerson: func(q *view, h *events.RunHalted) { h.Question = q.Last.Agent.Question },
}

// matched names the iterations that a rail found equal.
func (q *view) matched(h *events.RunHalted) {
	m, _ := q.match(h.Reason)
	h.Iterations, h.Value = m.Iterations, m.Value
}

// switched has what a kill switch compared.
func (q *view) switched(h *events.RunHalted) {
	_, r, _ := rule.Killed(q.Last.Results)
	h.Gate, h.Used, h.Of, h.Limit = r.Gate, r.Used, r.Of, r.Limit
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
