package retro

import (
	"cmp"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

// The kinds of time.
const (
	Agent   = "agent"
	Gates   = "gates"
	Waiting = "waiting"
	Person  = "person"
	Asleep  = "asleep"
	Other   = "other"
)

// Kinds are all of them, in the order in which they are shown.
func Kinds() []string { return []string{Agent, Gates, Waiting, Person, Asleep, Other} }

// fewRepeats is how often the same input of a tool is nothing to speak of.
const fewRepeats = 3

// Fold is one run. Events are added in order; it may be looked at in between.
// The zero value is ready. It is not safe for concurrent use.
type Fold struct {
	id    string
	facts events.RunStarted
	state state
	clock clock
	now   doing
	log   struct {
		seq     uint64
		unknown int
		gap     bool // a number did not follow the one before
	}

	models    []string
	agents    []string // profiles that the workflow names and that worked or looked
	rows      []wire.RetroIteration
	spans     []wire.RetroSpan
	judged    []judgement
	decisions []decision
	repeats   []repeat
	conflicts []wire.RetroConflict
	seen      memory
	open      run.State // as far as gates at which somebody looks need it
}

// state is what a run is in.
type state struct {
	halted events.Halt
	asked  bool // a person, at a gate
	ended  *events.RunEnded
	begun  bool
}

// clock counts the time that passes, whatever the clock of the host does.
type clock struct {
	first, last time.Time
	at          int64 // milliseconds since the first event
	back        int
}

// pass goes on to the time of an event and returns the milliseconds since the
// one before.
func (c *clock) pass(t time.Time) int64 {
	if c.first.IsZero() {
		c.first, c.last = t, t
	}
	d := t.UnixMilli() - c.last.UnixMilli()
	c.last = t
	if d < 0 {
		c.back++
		return 0
	}
	c.at += d
	return d
}

// doing is what the time up to the next event goes into.
type doing struct{ kind, cause string }

// judgement is the results of one round of gates.
type judgement struct {
	row     int
	at      int64
	results []events.GateResult
}

// decision and repeat are those of wire, with texts that are not read yet.
type decision struct {
	wire.RetroDecision
	asked, answer events.Ref
}

type repeat struct {
	wire.RetroRepeat
	what events.Ref
}

// Add adds the next event.
func (f *Fold) Add(e events.Event) {
	f.log.gap = f.log.gap || e.Seq != f.log.seq+1
	f.log.seq = e.Seq
	if f.id == "" {
		f.id, f.now.kind = e.Aggregate.ID, Other
	}
	passed := f.clock.pass(e.Time)
	if f.state.ended != nil {
		passed = 0 // nothing happens to a run that is over
	}
	slept := int64(0)
	if d, ok := e.Data.(events.RunSuspended); ok && f.now.kind != Waiting && f.now.kind != Person {
		slept = max(0, min(d.MS, passed))
	}
	f.spend(f.now, f.clock.at-passed, passed-slept)
	f.spend(doing{kind: Asleep}, f.clock.at-slept, slept)
	f.take(e)
}

// Whole says that no event is missing between the first and the latest.
func (f *Fold) Whole() bool { return !f.log.gap }

func (f *Fold) take(e events.Event) {
	switch d := e.Data.(type) {
	case events.RunStarted:
		f.facts, f.state.begun, f.open = d, true, run.Evolve(run.State{}, e)
		f.row().Phase = string(d.Phase)
	case events.GatesStarted:
		f.begin(e.Time, d)
	case events.GatesJudged:
		f.open = run.Evolve(f.open, e)
		f.gates(d)
	case events.PhaseEntered:
		f.now = doing{kind: Other}
	case events.AgentEscalated:
		r := f.row()
		r.EscalatedTo, r.EscalatedBy = string(run.Hand(f.facts.Crews, d.Role, d.To)), string(d.Reason)
	case events.RoleStarted:
		f.by(d.Agent)
		f.now = doing{kind: Agent}
	case events.RoleEnded:
		f.used(e, d.Agent)
		f.looked(e)
	case events.QuestionAsked:
		f.asked(e, d)
	case events.QuestionAnswered:
		made := string(d.Choice)
		if d.Assurance.Weak() {
			made += " (" + string(d.Assurance) + ": weak)"
		}
		f.settle(e, made, cmp.Or(d.Findings, d.Text))
		f.looked(e)
	case events.QuestionExpired:
		f.expired(e, d)
	case events.IterationStarted:
		f.iteration(e.Time, d)
	case events.AgentEnded:
		f.agent(e, d)
	case events.IterationRecorded:
		f.recorded(d)
	case events.RunSuspended:
	case events.LimitWaiting:
		f.now = doing{Waiting, string(d.Cause)}
	case events.LimitLifted:
		f.now = doing{kind: Other}
	case events.StopRequested:
		f.decide(e, "stop-"+string(d.Mode)).Made = "asked for"
	case events.RunHalted:
		f.halted(e, d)
	case events.RunResumed:
		f.resumed(e, d)
	case events.RunEnded:
		f.settle(e, string(d.State), "")
		f.now, f.state.ended = doing{kind: Other}, &d
	default:
		f.log.unknown++
	}
}

// row is the present iteration. Before the first it is the baseline.
func (f *Fold) row() *wire.RetroIteration {
	if len(f.rows) == 0 {
		f.rows = append(f.rows, wire.RetroIteration{Began: f.clock.first, Gates: []wire.RetroGate{}})
	}
	return &f.rows[len(f.rows)-1]
}

// spend puts time into the present iteration and on the timeline.
func (f *Fold) spend(on doing, at, ms int64) {
	if ms <= 0 {
		return
	}
	r := f.row()
	*Part(&r.Time, on.kind) += ms
	if n := len(f.spans) - 1; n >= 0 {
		if s := &f.spans[n]; s.Kind == on.kind && s.Cause == on.cause && s.Iteration == r.Iteration {
			s.Length += ms
			return
		}
	}
	f.spans = append(f.spans, wire.RetroSpan{Kind: on.kind, Cause: on.cause, At: at, Length: ms, Iteration: r.Iteration})
}

// Part is the time of one kind.
func Part(t *wire.RetroTime, kind string) *int64 {
	switch kind {
	case Agent:
		return &t.Agent
	case Gates:
		return &t.Gates
	case Waiting:
		return &t.Waiting
	case Person:
		return &t.Person
	case Asleep:
		return &t.Asleep
	}
	return &t.Other
}

func (f *Fold) iteration(at time.Time, d events.IterationStarted) {
	f.row() // the baseline
	last := &f.rows[len(f.rows)-1]
	if last.Iteration != d.Iteration || last.Phase != string(d.Phase) || last.Attempts == 0 {
		f.rows = append(f.rows, wire.RetroIteration{
			Phase: string(d.Phase), Iteration: d.Iteration, Began: at, At: f.clock.at,
			AfterRepeat: f.seen.open, NoFailing: true, Gates: []wire.RetroGate{},
		})
	}
	f.row().Attempts++
	f.row().Agent = string(d.Agent)
	f.by(d)
	f.now = doing{kind: Agent}
}

// by notes who works, or looks.
func (f *Fold) by(l events.IterationStarted) {
	if name := string(l.Agent); name != "" && !slices.Contains(f.agents, name) {
		f.agents = append(f.agents, name)
	}
}

// Agents are the profiles that the workflow names and that worked or looked, in
// the order in which they did first.
func (f *Fold) Agents() []string { return slices.Clone(f.agents) }

func (f *Fold) agent(e events.Event, d events.AgentEnded) {
	f.used(e, d)
	r := f.row()
	r.Result, r.Claim, r.Cut, r.Files = string(d.Result), string(d.Claim), string(d.Cut), d.Files
	if d.Repeats >= fewRepeats || d.Cut == events.CutRepetition {
		f.repeats = append(f.repeats, repeat{wire.RetroRepeat{
			Iteration: d.Iteration, Times: d.Repeats, Ended: d.Cut == events.CutRepetition,
		}, d.Repeat})
	}
	for _, c := range d.Conflicts {
		f.conflicts = append(f.conflicts, wire.RetroConflict{
			Iteration: d.Iteration, By: string(d.By), Result: string(d.Result), Other: string(c.By), Says: string(c.Result),
		})
	}
	f.now = doing{kind: Other}
}

// used adds what an agent, or a role, used.
func (f *Fold) used(e events.Event, d events.AgentEnded) {
	r := f.row()
	// The same reading of an end as that of a report on usage.
	spent := run.Evolve(run.State{}, e).Spent.Newer[0]
	r.Usage = ledger.Add(r.Usage, spent)
	r.TokensFrom = weaker(r.TokensFrom, d.Usage.TokensFrom)
	r.CostFrom = weaker(r.CostFrom, d.Usage.CostFrom)
	if d.Model != "" && !slices.Contains(f.models, d.Model) {
		f.models = append(f.models, d.Model)
	}
}

// weaker is the source that tells less; what nobody named is unknown.
func weaker(a string, b events.Source) string {
	if b == "" {
		b = events.SourceUnknown
	}
	order := []string{string(events.SourceUnknown), string(events.Guessed), string(events.Computed), string(events.Reported)}
	if a == "" || slices.Index(order, string(b)) < slices.Index(order, a) {
		return string(b)
	}
	return a
}

func (f *Fold) gates(d events.GatesJudged) {
	r := f.row()
	r.Gates, r.Failing, r.NoFailing = make([]wire.RetroGate, 0, len(d.Results)), 0, false
	known := true
	for _, g := range d.Results {
		r.Gates = append(r.Gates, wire.RetroGate{
			Gate: string(g.Gate), Verdict: string(g.Verdict), Reason: string(g.Reason), Failing: g.Failing, Duration: g.DurationMS,
		})
		r.Failing += g.Failing
		known = known && (g.Verdict == events.Pass || g.FailingSum != "")
	}
	r.NoFailing = r.Failing == 0 && !known
	f.judged = append(f.judged, judgement{len(f.rows) - 1, f.clock.at, d.Results})
	f.now = doing{kind: Other}
}

func (f *Fold) recorded(d events.IterationRecorded) {
	r := f.row()
	r.Verdict, r.Files, r.Fingerprint = string(d.Verdict), d.Files, d.Fingerprint
	f.now = doing{kind: Other}
	switch d.Verdict {
	case events.Fail:
		f.seen.failed(r, d)
	case events.Pass:
		f.seen.passed(r)
	case events.Skipped:
		if !events.Result(r.Result).OfAccount() {
			f.now = doing{Waiting, "noop"} // a pause, before it is tried again
		}
	case events.Unverifiable, events.Open:
	}
}

// decide begins a decision.
func (f *Fold) decide(e events.Event, kind string) *decision {
	f.decisions = append(f.decisions, decision{RetroDecision: wire.RetroDecision{
		Kind: kind, Iteration: f.row().Iteration, Began: e.Time, At: f.clock.at, By: string(e.Actor),
	}})
	return &f.decisions[len(f.decisions)-1]
}

func (f *Fold) halted(e events.Event, d events.RunHalted) {
	switch {
	case f.state.halted != "":
		f.settle(e, "halted again", "")
	case f.state.asked:
		f.settle(e, "nobody answered", "")
	}
	h := f.decide(e, string(d.Reason))
	h.By, h.asked = "", d.Question
	f.state.halted, f.now = d.Reason, doing{Person, string(d.Reason)}
}

func (f *Fold) resumed(e events.Event, d events.RunResumed) {
	made := "resumed"
	if d.Note != "" || d.Findings != "" {
		made = "resumed with findings"
		f.seen.told()
	}
	f.settle(e, made, cmp.Or(d.Note, d.Findings))
	f.now = doing{kind: Other}
}

// settle ends the decision about a halt, if there is one.
func (f *Fold) settle(e events.Event, made string, answer events.Ref) {
	if f.state.halted == "" && !f.state.asked {
		return
	}
	f.state.halted, f.state.asked = "", false
	for i := len(f.decisions) - 1; i >= 0; i-- {
		if h := &f.decisions[i]; h.Made == "" {
			h.Took, h.Made, h.By, h.answer = f.clock.at-h.At, made, string(e.Actor), answer
			return
		}
	}
}
