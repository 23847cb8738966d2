package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// crook works, looks and sends what it likes, and is judged as the daemon judges:
// by what is in the work tree, and by what its own processes were seen to do.
type crook struct {
	mu     sync.Mutex // for those that change
	live   content    // the work tree, which it changes at any time
	deeds  []deed     // of its turns at work; the last repeats
	words  []word     // of its roles; the last repeats
	turns  int
	looks  int
	driven bool
}

// deed is what is done in one turn of work.
type deed struct {
	content
	Claim  events.Claim
	Asks   bool
	Report events.SessionReport
	Fails  bool
}

// word is what a session of a role says, and does.
type word struct {
	events.Opinion
	Void  events.Void
	Spoil bool // it changes the work
}

func (w *crook) BeginAgent(_ context.Context, _ run.State, act engine.RunAgent) (events.Data, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.live.tree()
	return events.IterationStarted{
		Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Effect: fmt.Sprintf("a-%d-%d", act.Iteration, act.Attempt), Tree: t, Work: t,
	}, nil
}

// ended is what the daemon sees of the next turn, or of none.
func (w *crook) ended(l events.IterationStarted, works bool) events.AgentEnded {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := deed{content: w.live}
	if works {
		d = nth(w.deeds, w.turns)
		w.turns++
	}
	c := d.content
	if l.Phase != "plan" {
		c.Plan = max(c.Plan, w.live.Plan) // it is there, and may be changed
	}
	w.live = c
	out := events.AgentEnded{
		Phase: l.Phase, Iteration: l.Iteration, Attempt: l.Attempt, Effect: l.Effect, Outcome: events.Exited,
		DurationMS: 60_000, Tree: c.tree(), Work: c.tree(), Claim: d.Claim, Report: d.Report,
	}
	if d.Asks {
		out.Question, out.Asks = "q", events.Asks{Kind: events.AskChoice, Options: 2, Recommended: 1}
	}
	if d.Fails {
		out.Exit, out.Result = 1, events.ResultAgentError
	}
	return out
}

func (w *crook) Agent(ctx context.Context, s run.State, end <-chan struct{}) (events.AgentEnded, error) {
	l := s.Last.Start
	var works <-chan time.Time
	if !w.driven {
		works = time.After(time.Minute)
	}
	select {
	case <-ctx.Done():
		return events.AgentEnded{}, ctx.Err()
	case <-end:
		d := w.ended(l, false)
		d.Outcome = events.Stopped
		return d, nil
	case <-works:
	}
	return w.ended(l, true), nil
}

func (w *crook) BeginGates(_ context.Context, _ run.State, act engine.RunGates) (events.GatesStarted, error) {
	return events.GatesStarted{Phase: act.Phase, Iteration: act.Iteration, Entry: act.Entry}, nil
}

// Gates judges what is in the work tree now.
func (w *crook) Gates(ctx context.Context, s run.State, end <-chan struct{}) (events.GatesJudged, error) {
	select {
	case <-ctx.Done():
		return events.GatesJudged{}, ctx.Err()
	case <-end:
		return events.GatesJudged{}, context.Canceled
	case <-time.After(time.Second):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.live.tree()
	d := events.GatesJudged{Phase: s.Loop.Phase, Iteration: s.Last.Gates.Iteration, Entry: s.Last.Gates.Entry, Tree: t, Work: t}
	if d.Iteration == 0 && !d.Entry {
		d.Results = []events.GateResult{
			{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1},
			{Gate: "protected", Kind: events.GateProtected, Role: events.RoleInvariant, Verdict: events.Pass, Reason: events.ReasonUnchanged},
		}
		return d, nil
	}
	_, gates := everyFlow()
	for _, g := range gates {
		if w.asked(s, g) {
			d.Results = append(d.Results, w.judge(s, g))
		}
	}
	return d, nil
}

// asked says that a gate is judged now. The gates of the run are so in the phase
// that they prove, and in the last one again.
func (w *crook) asked(s run.State, g events.Gate) bool {
	switch {
	case s.Last.Gates.Entry || g.Name == "wanted":
		return s.Last.Gates.Entry && g.Name == "wanted"
	case g.Phase == "":
		return s.Loop.Phase == "build" || s.Loop.Phase == "use"
	}
	return g.Phase == s.Loop.Phase
}

func (w *crook) judge(s run.State, g events.Gate) events.GateResult {
	r := events.GateResult{Gate: g.Name, Kind: g.Kind, Role: g.Role, Verdict: events.Pass, Reason: events.ReasonExit}
	fails := w.live.Bad[g.Name]
	switch g.Kind {
	case events.GateApproval, events.GateConsensus, events.GateReview, events.GateQA, events.GateCoverage, events.GateInterview:
		r.Verdict, r.Reason, r.Set = events.Open, events.ReasonNobody, w.live.set(g.Name)
		return r
	case events.GateArtifact:
		fails, r.Set = w.live.Plan == 0, w.live.set(g.Name)
	case events.GateProtected:
		if r.Reason = events.ReasonUnchanged; fails {
			r.Reason = events.ReasonPinChanged
		}
	case events.GateAnchor:
		if r.Reason = events.ReasonUnchanged; !w.moored(s) {
			fails, r.Reason = true, events.ReasonPinChanged
		}
	case events.GateSession:
		v := rule.Session(rule.SessionEnd{Report: s.Last.Agent.Report, Failed: s.Last.Agent.Exit != 0}, rule.SessionLimits{Stall: rule.StallDefault, Carryover: rule.CarryoverDefault})
		fails, r.Reason = v.Reason != events.ReasonReported, v.Reason
	case events.GateScope:
		if g.Phase == "check" || g.Phase == "use" {
			fails = w.live.tree() != s.Loop.Entered.Tree
		}
	default:
		fails = fails || g.Name == "test" && w.live.Code == 0
	}
	if fails {
		r.Verdict = events.Fail
	}
	return r
}

// moored: the plan is the one that a person approved last.
func (w *crook) moored(s run.State) bool {
	for i := len(s.Answers) - 1; i >= 0; i-- {
		if a := s.Answers[i]; a.Gate == "approved" && a.Choice == events.ChoiceOK {
			return a.Set == w.live.set("approved")
		}
	}
	return false
}

func (w *crook) SelectMode(_ context.Context, _ run.State, act engine.SelectMode) (events.ModeSelected, error) {
	return events.ModeSelected{Session: act.Session, Mode: "deep", Confidence: events.RatioOf(0.9), Peers: -1, Cap: -1}, nil
}

func (w *crook) Publish(_ context.Context, _ run.State, act engine.Publish) (events.WorkPublished, error) {
	return events.WorkPublished{Phase: act.Phase, Iteration: act.Iteration}, nil
}

func (w *crook) BeginRole(_ context.Context, s run.State, act engine.RunRole) (events.Data, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.live.tree()
	return events.RoleStarted{Gate: act.Gate, Role: act.Role, Set: act.Set, Round: act.Round, Agent: events.IterationStarted{
		Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Effect: fmt.Sprintf("r-%d-%d", s.Log.Seq, s.Loop.Losses), Tree: t, Work: t,
	}}, nil
}

func (w *crook) Role(ctx context.Context, s run.State, end <-chan struct{}) (events.RoleEnded, error) {
	l, stopped := s.Last.Role, false
	select {
	case <-ctx.Done():
		return events.RoleEnded{}, ctx.Err()
	case <-end:
		stopped = true
	case <-time.After(time.Minute):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	says := nth(w.words, w.looks)
	w.looks++
	if says.Verdict == events.RulingApprove && l.Gate == "used" {
		says.Verdict = events.RulingPassed // it knows what is asked for
	}
	if says.Spoil {
		w.live.Code++
	}
	t := w.live.tree()
	d := events.RoleEnded{Gate: l.Gate, Role: l.Role, Set: l.Set, Round: l.Round, Opinion: says.Opinion, Void: says.Void, Agent: events.AgentEnded{
		Effect: l.Agent.Effect, Outcome: events.Exited, Tree: t, Work: t,
	}}
	switch {
	case stopped:
		d.Void, d.Agent.Outcome = events.VoidNotEnded, events.Stopped
	case d.Void == "" && t != l.Agent.Tree:
		d.Void = events.VoidChanged
	case d.Void == "" && w.live.set(l.Gate) != l.Set:
		d.Void = events.VoidStale
	}
	if d.Void != "" {
		d.Opinion = events.Opinion{}
	}
	return d, nil
}

func (w *crook) Ask(_ context.Context, s run.State, act engine.Ask) (events.QuestionAsked, error) {
	d := events.QuestionAsked{
		Number: s.Questions + 1, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Gate: act.Gate, Kind: act.Kind, Set: act.Set,
		Assurance: events.AssuredTTY, Tree: s.Last.Tree, Text: "q",
	}
	if act.Gate == "" {
		d.Options, d.Recommended = 2, 1
	}
	return d, nil
}

func (w *crook) Recorded(context.Context, run.State) error { return nil }
func (w *crook) Text(context.Context, string) events.Ref   { return "e" }

func (w *crook) flow(context.Context, run.State) (workflow.Workflow, error) {
	f, _ := everyFlow()
	return f, nil
}

func (w *crook) start() events.RunStarted {
	_, gates := everyFlow()
	d := events.RunStarted{
		Handle: "simr", Project: "p", Phase: "plan", Tree: w.live.tree(), Work: w.live.tree(), Limits: events.Limits{Iterations: 6},
		Gates: gates, Idle: []events.Name{"check", "use"}, Proves: []events.Name{"build"},
	}
	if w.driven {
		d.Driver = events.DriverSession
	}
	return d
}
