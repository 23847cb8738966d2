package run

import (
	"maps"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Bounds of what a state keeps for decisions: far more than a workflow asks for.
const (
	keepLooks   = 200
	keepAnswers = 200
	keepPlans   = 100
	keepReds    = 64
)

// evolvePhase adds an event of what happens between phases, and at gates at which
// somebody looks or answers.
func evolvePhase(s State, e events.Event) State {
	switch d := e.Data.(type) {
	case events.PhaseEntered:
		s = entered(s, e.Time, d)
	case events.AgentEscalated:
		s = escalated(s, d)
	case events.WorkPublished:
		s.Published = &d
	case events.RoleStarted:
		s.Stage, s.Last.Role, s.Last.Session = Looking, d, d.Agent
		s.Clock.Agent = e.Time
		s.Clock, s.Waiting = s.Clock.goOn(e.Time), nil
	case events.RoleEnded:
		s = looked(s, e.Time, d)
	case events.QuestionAsked:
		s = asked(s, e.Time, d)
	case events.QuestionAnswered:
		s = answered(s, e, d)
	case events.QuestionExpired:
		s = expired(s, e.Time, d)
	case events.SessionJoined:
		s.Driver = &Driver{SessionJoined: d, Since: e.Time, By: e.Actor}
	case events.SessionLeft:
		s.Driver = nil
	case events.ForeignSeen:
		s.Foreign = &d
	case events.ModeSelected:
		s = modeSelected(s, d)
	default:
		s.Log.Unknown++
	}
	return s
}

// entered goes on in another phase: with a budget of its own, and with the
// history that it had when it was left.
func entered(s State, at time.Time, d events.PhaseEntered) State {
	left := maps.Clone(s.Loop.Left)
	if left == nil {
		left = map[events.Name]rule.History{}
	}
	left[s.Loop.Phase] = s.Loop.History
	s.Loop.Made = made(s)
	history, ok := left[d.Phase]
	if !ok {
		history = rule.NewHistory(keepFails, keepFails)
	}
	s.Loop.Left, s.Loop.History = left, history.Resume()
	s.Loop.Phase, s.Loop.Entered, s.Loop.EnteredAt = d.Phase, d, at
	s.Loop.Spent, s.Loop.Losses, s.Loop.Noops, s.Loop.Drifts = 0, 0, 0, 0
	s.Loop.Others = nil
	s.Loop.Redo, s.Loop.Fresh, s.Loop.AtEntry, s.Loop.Begun, s.Loop.Asks = false, false, false, false, false
	s.Last.Seen = latestOf(s.Last.Seen, s.Last.Results)
	switch d.Way {
	case events.WayBack:
		s.Last.Sent, s.Loop.Sender, s.Loop.Seeds = s.Last.Results, d.From, ""
		s.Loop.Plans = planned(s.Loop.Plans, d.Plan)
	case events.WaySent:
		s.Last.Sent, s.Loop.Sender, s.Loop.Seeds = s.Last.Results, d.From, s.Findings
	case events.WayOn:
		s = onward(s, d.Phase)
	}
	s.SendTo, s.Question, s.Clock = "", nil, s.Clock.goOn(at)
	s.Last.Start, s.Last.Agent = events.IterationStarted{}, events.AgentEnded{}
	s.Stage = Ready
	return s
}

// onward goes on to a phase. Until the run is where it went back from, each has its
// part in what was found.
//
// Source: atdd-kit, seeds 3.4 (1) and 3.7: each step of a phase begins with the
// findings that it was invoked with.
func onward(s State, to events.Name) State {
	seeds := s.Loop.Seeds
	if s.Loop.Sender != "" && s.Loop.Sender != to {
		if seeds != "" {
			s.Findings, s.InPrompt = seeds, false
		}
		return s
	}
	s.Last.Sent, s.Loop.Sender, s.Loop.Seeds = nil, "", ""
	if s.Findings == seeds {
		s.Findings = "" // nobody was there to be told
	}
	return s
}

// made is what each phase has written last, by phase.
func made(s State) map[events.Name]string {
	for _, r := range s.Last.Results {
		if r.Kind == events.GateArtifact && r.Set != "" && r.Verdict == events.Pass {
			out := maps.Clone(s.Loop.Made)
			if out == nil {
				out = map[events.Name]string{}
			}
			out[s.Loop.Phase] = r.Set
			return out
		}
	}
	return s.Loop.Made
}

// planned keeps what a plan hashed to as long as it is the same.
func planned(plans []string, plan string) []string {
	if plan == "" || len(plans) > 0 && plans[len(plans)-1] != plan {
		plans = nil
	}
	if plan == "" || len(plans) >= keepPlans {
		return plans
	}
	return append(slices.Clip(plans), plan)
}

// looked takes the result of a role. A session that was lost, stopped or let in
// no further says nothing, and is begun again.
func looked(s State, at time.Time, d events.RoleEnded) State {
	s.Stage = Judged
	s = used(s, at, d.Agent)
	switch a := d.Agent; {
	case a.Outcome == events.Lost:
		s.Loop.Losses++
		return s
	case d.Void != "" && (a.Outcome == events.Stopped || a.Result.OfAccount()):
		return s
	}
	s.Loop.Losses, s.Clock.Taken = 0, at
	if d.Void == events.VoidChanged {
		// What the gates judged is not there any more: they judge what is.
		s.Stage, s.Last.Tree, s.Last.Work = Ended, d.Agent.Tree, d.Agent.Work
	}
	d.Agent = events.AgentEnded{Effect: d.Agent.Effect, Iteration: d.Agent.Iteration, Result: d.Agent.Result, Excerpt: d.Agent.Excerpt}
	s.Looks = last(append(slices.Clip(s.Looks), d), keepLooks)
	return settle(s)
}

func asked(s State, at time.Time, d events.QuestionAsked) State {
	s.Question, s.Questions = &Question{QuestionAsked: d, Since: at}, d.Number
	if d.Handoff { // nobody is waited for, so nothing else may be seen to wait
		return s
	}
	s.Stage = Asking
	if s.Clock.Waits.IsZero() {
		s.Clock.Waits = at
	}
	return s
}

// answered takes an answer, of which only the first is stored.
func answered(s State, e events.Event, d events.QuestionAnswered) State {
	a := Answer{QuestionAnswered: d, At: e.Time, By: e.Actor}
	if q := s.Question; q != nil && q.Number == d.Number {
		a.Kind, a.Of, a.Iteration, a.Tree = q.Kind, q.Text, q.Iteration, q.Tree
		if s.Stage, s.Question = Judged, nil; q.Gate == "" {
			s.Stage, s.Loop.Asks = Ready, false
		}
		s.Handed = handed(s.Handed, *q, d.Assurance)
	} else if h, ok := s.HandedOver("", d.Number); ok {
		return rejected(s, e, d, h)
	}
	if d.Changed != "" && s.Stage == Judged { // the gates judge what is there now
		if s.Stage = Ended; s.Loop.AtEntry {
			s.Stage, s.Loop.AtEntry = Ready, false
		}
	}
	s.Answers = last(append(slices.Clip(s.Answers), a), keepAnswers)
	s.Clock = s.Clock.goOn(e.Time)
	s = s.taken(e.Time, d.Changed, d.Moved)
	return settle(s)
}

// expired closes a question. What it was about is judged anew if that has
// changed.
func expired(s State, at time.Time, d events.QuestionExpired) State {
	q := s.Question
	if q == nil || q.Number != d.Number {
		return s
	}
	if !d.Changed {
		gone := *q
		gone.Expired = true
		s.Question = &gone
		return s
	}
	s.Question, s.Clock = nil, s.Clock.goOn(at)
	if s.Stage = Ended; s.Loop.AtEntry {
		s.Stage, s.Loop.AtEntry = Ready, false
	}
	return s.taken(at, d.Others, d.Moved)
}

// answeredBefore says that a person has answered that very question of the agent.
// It is not asked again: what was said is in every prompt.
//
// Source: autopilot protocols, seeds 5.4 (the same question again).
func (s State) answeredBefore(question events.Ref) bool {
	return slices.ContainsFunc(s.Answers, func(a Answer) bool { return a.Gate == "" && a.Of == question })
}

// AskedAgain says that the latest agent asked what was answered before.
func (s State) AskedAgain() bool {
	l := s.Last.Agent
	return l.Asks.Kind != "" && slices.ContainsFunc(s.Answers, func(a Answer) bool {
		return a.Gate == "" && a.Of == l.Question && a.Iteration < l.Iteration
	})
}

// latestOf puts results in the place of earlier ones of the same gates.
func latestOf(seen, results []events.GateResult) []events.GateResult {
	out := results
	for _, r := range seen {
		if !slices.ContainsFunc(results, func(o events.GateResult) bool { return o.Gate == r.Gate }) {
			out = append(slices.Clip(out), r)
		}
	}
	return out
}

func last[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// settle gives the gates at which somebody looks or answers the verdict that is
// known of them.
func settle(s State) State {
	shared := true // with earlier states
	for i, r := range s.Last.Results {
		now := s.settled(r)
		if now == r {
			continue
		}
		if shared {
			s.Last.Results, shared = slices.Clone(s.Last.Results), false
		}
		s.Last.Results[i] = now
	}
	if s.Loop.AtEntry && s.Stage == Judged && all(s.Last.Results, rule.Passes) {
		s.Stage, s.Loop.AtEntry, s.Loop.Begun = Ready, false, true
		s.Last.Seen = latestOf(s.Last.Seen, s.Last.Results) // the next results are those of the work
	}
	return s
}

func all(results []events.GateResult, is func(events.GateResult) bool) bool {
	return !slices.ContainsFunc(results, func(r events.GateResult) bool { return !is(r) })
}

func (s State) settled(r events.GateResult) events.GateResult {
	switch {
	case r.Set == "" || r.Verdict == events.Skipped:
		return r
	case r.Kind == events.GateApproval:
		return approved(r, s.Answers)
	case !r.Kind.Facts().Looks:
		return r
	}
	if a, ok := s.skipped(r); ok {
		r.Verdict, r.Reason, r.Excerpt = events.Skipped, events.ReasonByPerson, a.Text
		return r
	}
	l := rule.Looked(s.Gate(r.Gate), r.Set, s.Looks)
	r.Verdict, r.Reason = l.Verdict, l.Reason
	r.Excerpt, r.OutputSum = l.Last.Opinion.List, string(l.Last.Opinion.List)
	r.Failing, r.FailingSum = l.Last.Opinion.Uncovered, l.Last.Opinion.UncoveredSum
	if l.Verdict == events.Unverifiable {
		r.Excerpt = l.Last.Agent.Excerpt
	}
	return r
}

// skipped is the word of a person to go on without an interview, if there is one
// about this very set.
//
// Source: oh-my-codex, seeds 4.1.2: only with the user's authorisation and reason.
func (s State) skipped(r events.GateResult) (Answer, bool) {
	for _, a := range slices.Backward(s.Answers) {
		if a.Gate == r.Gate && a.Set == r.Set && a.Choice == events.ChoiceSkip && r.Kind == events.GateInterview {
			return a, true
		}
	}
	return Answer{}, false
}

// approved is what people said of this very set: of another one they said
// nothing.
func approved(r events.GateResult, answers []Answer) events.GateResult {
	for _, a := range slices.Backward(answers) {
		if a.Gate != r.Gate || a.Set != r.Set || a.Kind != events.AskApproval {
			continue
		}
		r.Reason, r.Excerpt, r.OutputSum = events.ReasonAnswered, a.Findings, string(a.Findings)
		if a.Assurance == events.AssuredHandoff {
			r.Reason = events.ReasonHandoff
		}
		if r.Verdict = events.Fail; a.Choice == events.ChoiceOK {
			r.Verdict = events.Pass
		}
		return r
	}
	return r
}

// Gate finds a gate of the run by name.
func (s State) Gate(name events.Name) events.Gate {
	for _, g := range s.Facts.Gates {
		if g.Name == name {
			return g
		}
	}
	return events.Gate{Name: name}
}

// Due is the first gate that somebody has to look at, or to answer, before the
// iteration can be recorded; false while a gate failed, as that comes first, or
// when all have. One of these kinds that failed keeps nobody.
func (s State) Due(but ...events.GateKind) (r events.GateResult, l rule.Look, ok bool) {
	for _, g := range s.Last.Results {
		switch {
		case rule.Passes(g) || slices.Contains(but, g.Kind) && g.Verdict == events.Fail:
		case g.Verdict != events.Open:
			return events.GateResult{}, rule.Look{}, false
		case !ok:
			r, ok = g, true
		}
	}
	if ok && r.Kind.Facts().Looks {
		l = rule.Looked(s.Gate(r.Gate), r.Set, s.Looks)
	}
	return r, l, ok
}

// PlanCycles is how often in a row one plan would have been sent back, if it were
// once more.
func (s State) PlanCycles(plan string) int { return len(planned(s.Loop.Plans, plan)) }

// Asks is the question of the newest round of an interview.
func (s State) Asks(gate events.Name) events.Ref {
	for _, l := range slices.Backward(s.Looks) {
		if l.Gate == gate && l.Void == "" {
			return l.Opinion.Question
		}
	}
	return ""
}

// Shown is the tree of the set that a gate asked a person about last.
func (s State) Shown(gate events.Name) (events.Tree, bool) {
	for _, a := range slices.Backward(s.Answers) {
		if a.Gate == gate {
			return a.Tree, true
		}
	}
	return "", false
}

// ShownWhole says that all of the set was shown when that gate asked last.
func (s State) ShownWhole(gate events.Name) bool {
	for _, a := range slices.Backward(s.Answers) {
		if a.Gate == gate {
			return a.Shown != ""
		}
	}
	return false
}

// Replied says that a person has answered the question of the newest round of an
// interview, as often as it was put.
func (s State) Replied(gate events.Name) bool {
	question, n := s.Asks(gate), 0
	for _, l := range s.Looks {
		if l.Gate == gate && l.Void == "" && l.Opinion.Question == question {
			n--
		}
	}
	for _, a := range s.Answers {
		if a.Gate == gate && a.Kind == events.AskText && a.Of == question {
			n++
		}
	}
	return n >= 0
}

// looksAnew is what sessions of roles said, without the rounds of interviews that are
// used up and made nothing clear: what has been said since begins them anew, or such
// a run could never go on. An interview that is under way keeps what it asked.
func (s State) looksAnew() []events.RoleEnded {
	spent := map[events.Name]bool{}
	for _, l := range s.Looks {
		if g := s.Gate(l.Gate); g.Kind == events.GateInterview && l.Void == "" {
			spent[l.Gate] = rule.Looked(g, l.Set, s.Looks).Verdict == events.Fail
		}
	}
	return slices.DeleteFunc(slices.Clone(s.Looks), func(l events.RoleEnded) bool { return spent[l.Gate] })
}
