package judge

// Decision says what becomes of a wave.
type Decision string

// The decisions.
const (
	Proceed Decision = "proceed"
	Reduce  Decision = "reduce"
	Direct  Decision = "coordinator-direct" // who leads works alone
)

// Wave is what of the sub-agents that were planned for one wave may begin.
type Wave struct {
	Planned  int
	Agents   int
	Decision Decision
	By       Reason // of fewer than planned
}

// Plan says how many of a wave may begin: half of them where the machine warns, at
// least one, and none where it is critical; by Tiers as many as the tier has. A
// heavy repository takes no more than most, 0 is no such bound. Nothing raises what
// was planned. An empty verdict, of a machine that could not be looked at, lets all
// begin.
//
// Source: session-orchestrator, seeds 2.2.4.
func Plan(planned int, j Judgement, p Policy, most int) Wave {
	w := Wave{Planned: planned, Agents: planned, Decision: Proceed}
	switch {
	case j.Verdict == Critical:
		return Wave{Planned: planned, Decision: Direct, By: ByVerdict}
	case p == Tiers && j.Cap >= 0:
		w.lower(j.Cap, ByVerdict)
	case j.Verdict == Warn:
		w.lower(max(1, planned/2), ByVerdict)
	}
	if most > 0 {
		w.lower(most, ByProject)
	}
	return w
}

func (w *Wave) lower(n int, by Reason) {
	if n < w.Agents {
		w.Agents, w.Decision, w.By = n, Reduce, by
	}
}
