package explain

import (
	"slices"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// History is what an explanation needs of all the events of a run. Its size
// grows with the iterations, not with the events. The zero value is before the
// first event.
type History struct {
	Language events.Language // of its sentences

	Rows    []wire.WhyRow
	Tried   []Tried
	Settled wire.WhySettled // what made the run what it is now

	crews     []events.Crew
	agent     events.Name // that worked last in the iteration that is open
	gates     run.State   // with the latest results alone
	claim     events.Claim
	agents    []events.AgentEnded // of the iteration that is open
	failing   int
	unknown   bool
	judged    bool // some gates were
	first     map[string]int
	signature map[string]int
	halt      *events.RunHalted
	waits     *events.LimitWaiting
	since     time.Time
}

// Tried is one thing that was done about a run, with the text of a person that
// belongs to it.
type Tried struct {
	wire.WhyTried
	Text events.Ref
}

// Add adds the next event.
func (h *History) Add(e events.Event) {
	h.settle(e)
	switch d := e.Data.(type) {
	case events.RunStarted:
		h.crews = d.Crews
	case events.AgentEscalated:
		s := h.gates
		s.Facts.Language = h.Language
		h.tried(e, "escalated", d.Iteration, escalated(s, h.crews, d), "")
	case events.IterationStarted:
		h.goesOn(e)
		h.agent = d.Agent
	case events.AgentEnded:
		h.claim = d.Claim
		h.agents = append(h.agents, d)
		h.attempt(e, d)
	case events.GatesJudged:
		h.judged = true
		h.gates.Last.Results = d.Results
		h.failing, h.unknown = failingOf(d.Results)
	case events.IterationRecorded:
		h.record(d)
	case events.LimitWaiting:
		if h.waits == nil {
			h.since = e.Time
		}
		h.waits = &d
	case events.LimitLifted:
		h.goesOn(e)
		h.tried(e, "lifted", 0, say(h.Language, "a person ended a wait early", "待機を予定より早く終了"), "")
	case events.RunHalted:
		h.halt = &d
	case events.RunResumed:
		h.resumed(e, d)
	}
}

// settle remembers the event that made the run what it is. What comes in
// between, and what a newer version has written, settles nothing.
func (h *History) settle(e events.Event) {
	switch e.Data.(type) {
	case events.Unknown, events.RunSuspended, events.StopRequested, events.SessionJoined, events.SessionLeft, events.ForeignSeen:
		return
	}
	h.Settled = wire.WhySettled{Seq: e.Seq, Type: e.Data.EventType(), At: e.Time, By: e.Actor}
}

func (h *History) tried(e events.Event, kind string, iteration int, line string, text events.Ref) {
	h.Tried = append(h.Tried, Tried{wire.WhyTried{Seq: e.Seq, At: e.Time, Kind: kind, Iteration: iteration, Line: line, By: e.Actor}, text})
}

// TriedFindings is the kind of what was tried whose text lists findings.
const TriedFindings = "findings"

func (h *History) resumed(e events.Event, d events.RunResumed) {
	l := h.Language
	line := say(l, "resumed", "再開")
	if h.halt != nil {
		line = say(l, "resumed after %s", "%s の後に再開", h.halt.Reason)
		if n := h.halt.Iterations; len(n) > 1 {
			line += say(l, " (%s)", "(%s)", iterations(l, n))
		}
	}
	if d.Assurance != "" {
		line += say(l, ", as a person decided (%s)", "、担当者の判断(%s)", d.Assurance)
	}
	if d.Note != "" || d.Findings != "" {
		h.first, h.signature = nil, nil // what comes after is compared with itself alone
	}
	iteration := 0
	if h.halt != nil {
		iteration = h.halt.Iteration
	}
	h.tried(e, "resumed", iteration, line+asItIs(l, d.Changed, d.Moved), d.Note)
	if d.Findings != "" {
		h.tried(e, TriedFindings, iteration, say(l, "handed over %s", "指摘 %sを引き渡し", phrase.Counted(l, d.Count, "finding", "件")), d.Findings)
	}
	h.halt, h.waits = nil, nil
}

// goesOn ends a wait for a limit.
func (h *History) goesOn(e events.Event) {
	if h.waits == nil {
		return
	}
	line := say(h.Language, "waited %s: %s", "%s 待機: %s", short(max(0, e.Time.Sub(h.since)).Milliseconds()), phrase.Limit(h.Language, h.waits.Cause))
	h.waits = nil
	h.tried(e, "waited", 0, line, "")
}

// attempt is an agent whose work does not count as an iteration.
func (h *History) attempt(e events.Event, d events.AgentEnded) {
	why := ""
	switch {
	case d.Outcome == events.Lost:
		why = say(h.Language, "the agent was lost", "エージェントが消失")
	case rule.Hung(d):
		why = say(h.Language, "the agent hung", "エージェントがハング")
	case d.Result.OfAccount():
		why = phrase.Result(h.Language, d.Result)
	default:
		return
	}
	h.tried(e, "attempt", d.Iteration, say(h.Language, "iteration %d, attempt %d: %s", "イテレーション %d、%d 回目の試行: %s", d.Iteration, max(d.Attempt, 1), why), "")
}

func (h *History) record(d events.IterationRecorded) {
	if h.first == nil {
		h.first, h.signature = map[string]int{}, map[string]int{}
	}
	row := wire.WhyRow{
		Iteration: d.Iteration, Phase: string(d.Phase), Verdict: string(d.Verdict), Tree: string(d.Work), Files: d.Files,
		Failing: h.failing, FailingUnknown: h.unknown || !h.judged, Claim: string(h.claim), Agent: string(h.agent),
		Fingerprint: d.Fingerprint, EqualTo: earlier(h.first, d.Fingerprint, d.Iteration),
		Signature: d.Signature, SignatureOf: earlier(h.signature, d.Signature, d.Iteration),
	}
	if d.Verdict == events.Skipped {
		row.Failing, row.FailingUnknown = 0, true
	}
	for i, a := range h.agents {
		row.Tokens += a.Usage.Tokens()
		row.MicroUSD += a.Usage.MicroUSD
		row.CostFrom = mixed(i, row.CostFrom, a.Usage.CostFrom)
		row.Result, row.Conflicts = string(a.Result), len(a.Conflicts)
	}
	h.agents, h.claim, h.agent = h.agents[:0], "", "" // a phase of gates alone has nobody who claims
	h.Rows = append(h.Rows, row)
}

// mixed is where a sum comes from: of two sources the weaker one, as it is no
// better than that.
func mixed(n int, before string, next events.Source) string {
	order := []events.Source{"", events.SourceUnknown, events.Guessed, events.Computed, events.Reported}
	if n == 0 || slices.Index(order, next) < slices.Index(order, events.Source(before)) {
		return string(next)
	}
	return before
}

// earlier is the first iteration that had a value, 0 for none.
func earlier(seen map[string]int, value string, iteration int) int {
	if value == "" {
		return 0
	}
	if k := seen[value]; k > 0 {
		return k
	}
	seen[value] = iteration
	return 0
}

// Compared marks the rows that the rule looked at which halted the run.
func (h *History) Compared(s run.State) {
	if s.Status != run.Halted || s.Halt == nil {
		return
	}
	for i := range h.Rows {
		h.Rows[i].Compared = h.Rows[i].Verdict != string(events.Skipped) && slices.Contains(s.Halt.Iterations, h.Rows[i].Iteration)
	}
}
