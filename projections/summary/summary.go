// Package summary folds the log of a run into what it went through, part by
// part, with the evidence of each: clarification, plan, implementation,
// verification, review and QA, as far as its workflow has them.
//
// It knows gates by their kinds alone. A part whose gate was never judged is
// there, and says so: what is missing is the first thing to see.
package summary

import (
	"cmp"
	"slices"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// The parts, in their order.
//
// Source: oh-my-codex, seeds 4.1.2: the terminal report names each of them.
const (
	Clarification  = string(events.PartClarification)
	Plan           = string(events.PartPlan)
	Implementation = string(events.PartImplementation)
	Verification   = string(events.PartVerification)
	Review         = string(events.PartReview)
	QA             = string(events.PartQA)
)

var order = []string{Clarification, Plan, Implementation, Verification, Review, QA}

// Fold is a run as far as its events were added. The zero value is ready.
type Fold struct {
	Language events.Language // of its sentences

	s     run.State
	base  []events.GateResult // before any work
	gates []judged            // in the order in which they were judged first
	works []worked
}

// judged is the latest result of a gate in a phase.
type judged struct {
	phase     events.Name
	iteration int
	events.GateResult
}

// worked is what was done in a phase.
type worked struct {
	phase events.Name
	last  events.AgentEnded
	seen  int // iterations
}

// Add adds the next event.
func (f *Fold) Add(e events.Event) {
	f.s = run.Evolve(f.s, e)
	switch d := e.Data.(type) {
	case events.GatesJudged:
		if d.Iteration > 0 || d.Entry {
			f.judge()
		} else {
			f.base = d.Results
		}
	case events.RoleEnded, events.QuestionAnswered:
		f.judge()
	case events.AgentEnded:
		f.work(d)
	}
}

// judge takes what the gates say now.
func (f *Fold) judge() {
	for _, r := range f.s.Last.Results {
		now := judged{f.s.Loop.Phase, f.s.Loop.Iteration, r}
		i := slices.IndexFunc(f.gates, func(g judged) bool { return g.phase == now.phase && g.Gate == r.Gate })
		if i < 0 {
			f.gates = append(f.gates, now)
			continue
		}
		f.gates[i] = now
	}
}

func (f *Fold) work(d events.AgentEnded) {
	i := slices.IndexFunc(f.works, func(w worked) bool { return w.phase == d.Phase })
	if i < 0 {
		i = len(f.works)
		f.works = append(f.works, worked{phase: d.Phase})
	}
	if w := &f.works[i]; w.seen == 0 || w.last.Iteration != d.Iteration {
		w.seen++
	}
	f.works[i].last = d
}

// Has says that the workflow of the run has gates of its own, without which there
// is no more to say than what the gates of the run say.
func (f *Fold) Has() bool {
	return slices.ContainsFunc(f.s.Facts.Gates, func(g events.Gate) bool { return g.Phase != "" })
}

// Parts lists all parts, those too that the workflow has not. refs reads what a chat refers to; it may be nil.
func (f *Fold) Parts(refs func(events.Ref) []string) []wire.SummaryPart {
	parts := map[string]*wire.SummaryPart{}
	of := func(name string) *wire.SummaryPart {
		if parts[name] == nil {
			parts[name] = &wire.SummaryPart{Part: name}
		}
		return parts[name]
	}
	for _, w := range f.works {
		p := of(f.worksFor(w.phase))
		p.Work = append(p.Work, w.view(refs))
	}
	for _, g := range f.listed() {
		p := of(f.partOf(g.Kind, g.phase))
		p.Gates = append(p.Gates, f.view(g))
	}
	var out []wire.SummaryPart
	for _, name := range order {
		p := of(name)
		p.Absent = len(p.Work)+len(p.Gates) == 0 && (name != Implementation || !f.implements())
		out = append(out, *p)
	}
	return out
}

// implements says that the workflow has a phase in which what was planned is
// built.
func (f *Fold) implements() bool {
	phases := slices.Clone(f.s.Facts.Proves)
	for _, g := range f.s.Facts.Gates {
		phases = append(phases, g.Phase)
	}
	return slices.ContainsFunc(phases, func(p events.Name) bool {
		return p != "" && !slices.Contains(f.s.Facts.Idle, p) && f.worksFor(p) == Implementation
	})
}

// listed is every gate with what it said last, in the order of the workflow;
// those that were never judged come as they were before any work, or were
// declared.
func (f *Fold) listed() []judged {
	var out []judged
	for _, d := range f.s.Facts.Gates {
		seen := false
		for _, g := range f.gates {
			if g.Gate == d.Name && (d.Phase == "" || d.Phase == g.phase) {
				out, seen = append(out, g), true
			}
		}
		if !seen {
			out = append(out, f.before(d))
		}
	}
	return out
}

// before is a gate as it was before any work.
func (f *Fold) before(d events.Gate) judged {
	for _, r := range f.base {
		if r.Gate == d.Name && d.Phase == "" {
			return judged{GateResult: r}
		}
	}
	return judged{phase: d.Phase, GateResult: events.GateResult{Gate: d.Name, Kind: d.Kind, Exit: -1}}
}

// partOf is the part that a gate belongs to: by its kind, else as its phase does.
func (f *Fold) partOf(kind events.GateKind, phase events.Name) string {
	if part := kind.Facts().Part; part != "" {
		return string(part)
	}
	return f.phasePart(phase)
}

// phasePart is the part that a phase is about.
func (f *Fold) phasePart(phase events.Name) string {
	if phase == "" {
		return Verification
	}
	for _, part := range []events.Part{events.PartPlan, events.PartReview, events.PartQA, events.PartClarification} {
		if slices.ContainsFunc(f.s.Facts.Gates, func(g events.Gate) bool { return g.Phase == phase && g.Kind.Facts().Part == part }) {
			return string(part)
		}
	}
	switch {
	case f.proves(phase):
		return Verification
	case f.afterProof(phase):
		return Review // somebody says what comes of it
	}
	return Plan
}

// proves says that commands judge a phase, or the gates that the run brought judge
// what was done in it: the last phase only has them again.
func (f *Fold) proves(phase events.Name) bool {
	works := slices.ContainsFunc(f.works, func(w worked) bool { return w.phase == phase })
	return slices.Contains(f.s.Facts.Proves, phase) || works && slices.ContainsFunc(f.gates, func(g judged) bool {
		return g.phase == phase && f.s.Gate(g.Gate).Phase == ""
	}) || slices.ContainsFunc(f.s.Facts.Gates, func(g events.Gate) bool {
		return g.Phase == phase && g.Kind.Facts().Proves
	})
}

// afterProof says that a phase was entered behind one that proves.
func (f *Fold) afterProof(phase events.Name) bool {
	for _, g := range f.gates {
		switch {
		case g.phase == phase:
			return false
		case f.proves(g.phase):
			return true
		}
	}
	return false
}

// worksFor is the part that the work of a phase belongs to.
func (f *Fold) worksFor(phase events.Name) string {
	if p := f.phasePart(phase); p == Clarification || p == Plan {
		return p
	}
	return Implementation
}

func (w worked) view(refs func(events.Ref) []string) wire.SummaryWork {
	v := wire.SummaryWork{
		Phase: string(w.phase), Iterations: w.seen, Claim: string(w.last.Claim), Files: w.last.Files, Tree: string(w.last.Tree),
	}
	if refs != nil && w.last.Evidence != "" {
		v.References = refs(w.last.Evidence)
	}
	return v
}

func (f *Fold) view(g judged) wire.SummaryGate {
	v := wire.SummaryGate{
		Gate: string(g.Gate), Kind: string(cmp.Or(g.Kind, events.GateCommand)), Phase: string(g.phase), Iteration: g.iteration,
		Verdict: string(g.Verdict), Reason: string(g.Reason), Exit: g.Exit, Set: g.Set,
		Used: g.Used, Of: g.Of, Limit: g.Limit, Rate: g.Rate, After: g.After,
		Baseline: g.Verdict != "" && g.phase == "",
	}
	if g.Verdict != "" {
		v.Says = phrase.Reason(f.Language, g.GateResult)
	}
	switch {
	case g.Set == "":
	case g.Reason == events.ReasonByPerson:
		v.By = f.answered(g)
	case g.Kind.Facts().Looks:
		v.By = f.looked(g)
	case g.Kind == events.GateApproval:
		v.By = f.answered(g)
	}
	return v
}

// looked is who looked at this very set, in their order, the newest of each.
func (f *Fold) looked(g judged) []wire.SummaryBy {
	var out []wire.SummaryBy
	for _, l := range f.s.Looks {
		if l.Gate != g.Gate || l.Set != g.Set || l.Void != "" {
			continue
		}
		out = slices.DeleteFunc(out, func(b wire.SummaryBy) bool { return b.Who == string(l.Role) })
		out = append(out, wire.SummaryBy{Who: string(l.Role), Says: f.says(g.Kind, l.Opinion), Source: l.Opinion.Source})
	}
	return out
}

func (f *Fold) says(kind events.GateKind, o events.Opinion) string {
	switch kind {
	case events.GateInterview:
		return phrase.Say(f.Language, "%d%% unclear", "不明確さ %d%%", o.Ambiguity)
	case events.GateCoverage:
		return phrase.Say(f.Language, "%d covered, %d not", "網羅 %d 件、未網羅 %d 件", o.Covered, o.Uncovered)
	default:
		return string(o.Verdict)
	}
}

// answered is what people said of this very set.
func (f *Fold) answered(g judged) []wire.SummaryBy {
	var out []wire.SummaryBy
	for _, a := range f.s.Answers {
		if a.Gate == g.Gate && a.Set == g.Set && (a.Kind == events.AskApproval || a.Choice == events.ChoiceSkip) {
			at, who := a.At, a.By
			if a.Assurance == events.AssuredHandoff {
				who = f.s.Facts.Handoff // who wanted it so
			}
			out = append(out, wire.SummaryBy{Who: who, Says: string(a.Choice), Assurance: string(a.Assurance), At: &at})
		}
	}
	return out
}
