package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/run"
)

const manyPhases = `name: many
version: 1
phases:
  - name: plan
    prompt: plan.md
    entry:
      - {name: wanted, kind: approval, of: [prd.md]}
    produces: [plan.md]
    limits: {iterations: 2}
    gates:
      - {name: agreed, kind: consensus, roles: [architect, critic], of: [plan.md]}
  - name: build
    prompt: build.md
    gates: [goals]
  - name: review
    gates: [{name: reviewed, kind: review, role: architect}]
    unclean: plan
roles:
  architect: {prompt: a.md}
  critic: {prompt: c.md}
rails: {plan: {cycles: 2}}
limits: {cycles: 3}
`

func many(t *testing.T) workflow.Workflow {
	t.Helper()
	w, err := workflow.Parse([]byte(manyPhases))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// begun is a run of many phases up to its baseline.
func begun() []events.Data {
	d := started()
	d.Phase = "plan"
	d.Gates = append(d.Gates,
		events.Gate{Name: "wanted", Kind: events.GateApproval, Role: events.RoleCheck, Phase: "plan"},
		events.Gate{Name: "plan-files", Kind: events.GateArtifact, Role: events.RoleCheck, Phase: "plan"},
		events.Gate{Name: "agreed", Kind: events.GateConsensus, Role: events.RoleCheck, Phase: "plan", Roles: []events.Name{"architect", "critic"}},
		events.Gate{Name: "reviewed", Kind: events.GateReview, Role: events.RoleCheck, Phase: "review", Roles: []events.Name{"architect"}})
	return []events.Data{d, events.GatesStarted{Phase: "plan"}, events.GatesJudged{Phase: "plan", Results: result(events.Fail, "a"), Tree: "t0", Work: "t0"}}
}

func open(gate events.Name, kind events.GateKind, set string) events.GateResult {
	return events.GateResult{Gate: gate, Kind: kind, Role: events.RoleCheck, Verdict: events.Open, Reason: events.ReasonNobody, Set: set}
}

// atEntry is that the plan may begin, or waits for a person.
func atEntry() []events.Data {
	return append(begun(), events.GatesStarted{Phase: "plan", Entry: true},
		events.GatesJudged{Phase: "plan", Entry: true, Tree: "t0", Work: "t0", Results: []events.GateResult{open("wanted", events.GateApproval, "prd")}})
}

func asks(n int, gate events.Name, set string) events.QuestionAsked {
	return events.QuestionAsked{Number: n, Phase: "plan", Gate: gate, Kind: events.AskApproval, Set: set, Assurance: events.AssuredTTY}
}

func says(n int, gate events.Name, set string, c events.Choice) events.QuestionAnswered {
	a := events.QuestionAnswered{Number: n, Gate: gate, Choice: c, Set: set, Assurance: events.AssuredTTY}
	if c == events.ChoiceNo {
		a.Findings, a.Count = "findings", 1
	}
	return a
}

func planReady() []events.Data {
	return append(atEntry(), asks(1, "wanted", "prd"), says(1, "wanted", "prd", events.ChoiceOK))
}

// planned is an iteration of the plan up to its gates, of which the roles have
// not looked at the set yet.
func planned(n int, tree events.Tree, set string) []events.Data {
	in := func(d *events.AgentEnded) { d.Phase = "plan" }
	made := events.GateResult{Gate: "plan-files", Kind: events.GateArtifact, Role: events.RoleCheck, Verdict: events.Pass, Reason: events.ReasonWritten, Set: set}
	a := agent(n, 1)
	a.Phase = "plan"
	return []events.Data{
		a, ended(n, tree, in),
		events.GatesStarted{Phase: "plan", Iteration: n},
		judged(n, tree, []events.GateResult{made, open("agreed", events.GateConsensus, set)}),
	}
}

func role(gate, name events.Name, set string, o events.Opinion) []events.Data {
	return []events.Data{
		events.RoleStarted{Gate: gate, Role: name, Set: set, Agent: events.IterationStarted{Effect: "R"}},
		events.RoleEnded{Gate: gate, Role: name, Set: set, Opinion: o, Agent: events.AgentEnded{Effect: "R", Outcome: events.Exited}},
	}
}

var (
	approve = events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingClear}
	changes = events.Opinion{Verdict: events.RulingChanges, Architecture: events.RulingClear, Findings: 1, List: "list"}
)

// agreed is a plan on which both roles agree, recorded.
func agreed(n int, tree events.Tree, set string) []events.Data {
	return slices.Concat(planned(n, tree, set), role("agreed", "architect", set, approve), role("agreed", "critic", set, approve),
		[]events.Data{record(n, events.Pass, "")})
}

func into(phase, from events.Name, way events.Way, cycle int, plan string) events.PhaseEntered {
	return events.PhaseEntered{Phase: phase, From: from, Way: way, Cycle: cycle, Plan: plan}
}

// built passes the build, and goes on to the review.
func built(n, cycle int) []events.Data {
	tree := events.Tree("built")
	return []events.Data{
		agent(n, 1), ended(n, tree),
		events.GatesStarted{Phase: "build", Iteration: n},
		judged(n, tree, result(events.Pass, "")), record(n, events.Pass, ""), into("review", "build", events.WayOn, cycle, ""),
	}
}

func reviewing(n int) []events.Data {
	return []events.Data{
		events.GatesStarted{Phase: "review", Iteration: n},
		judged(n, "built", []events.GateResult{open("reviewed", events.GateReview, "built")}),
	}
}

// round is a whole way through all phases to a review that wants changes.
func round(n, cycle int, set string) []events.Data {
	return slices.Concat(agreed(n, events.Tree("p"+set), set), []events.Data{into("build", "plan", events.WayOn, cycle, "")}, built(n+1, cycle),
		reviewing(n+2), role("reviewed", "architect", "built", changes), []events.Data{record(n+2, events.Fail, fmt.Sprint(n))})
}

func TestPhasesFollowTheirGates(t *testing.T) {
	t.Parallel()
	toReview := slices.Concat(planReady(), agreed(1, "t1", "p1"), []events.Data{into("build", "plan", events.WayOn, 0, "")}, built(2, 0))
	back := func(cycle int, plan string) events.PhaseEntered {
		return into("plan", "review", events.WayBack, cycle, "reviewed/"+plan)
	}
	for name, tt := range map[string]struct {
		events []events.Data
		rule   string
		want   engine.Action
	}{
		"what the phase needs is judged first": {begun(), "entry", engine.RunGates{Phase: "plan", Entry: true}},
		"a person is asked for it":             {atEntry(), "ask", engine.Ask{Gate: "wanted", Kind: events.AskApproval, Set: "prd"}},
		"and waited for":                       {append(atEntry(), asks(1, "wanted", "prd")), "asking", engine.Wait{Why: "answer"}},
		"then the work begins":                 {planReady(), "start", engine.RunAgent{Phase: "plan", Iteration: 1, Attempt: 1}},
		"a no halts it":                        {append(atEntry(), asks(1, "wanted", "prd"), says(1, "wanted", "prd", events.ChoiceNo)), "entry-failed", nil},
		"the roles look, in order": {
			slices.Concat(planReady(), planned(1, "t1", "p1")), "look",
			engine.RunRole{Gate: "agreed", Role: "architect", Set: "p1"},
		},
		"one behind the other": {
			slices.Concat(planReady(), planned(1, "t1", "p1"), role("agreed", "architect", "p1", approve)), "look",
			engine.RunRole{Gate: "agreed", Role: "critic", Set: "p1"},
		},
		"an announced session is kept": {
			slices.Concat(planReady(), planned(1, "t1", "p1"), role("agreed", "architect", "p1", approve)[:1]), "looking",
			engine.RunRole{Gate: "agreed", Role: "architect", Set: "p1", Announced: true},
		},
		"what all approved is recorded": {slices.Concat(planReady(), planned(1, "t1", "p1"), role("agreed", "architect", "p1", approve),
			role("agreed", "critic", "p1", approve)), "record", nil},
		"an objection is recorded, and nobody else looks": {slices.Concat(planReady(), planned(1, "t1", "p1"), role("agreed", "architect", "p1", changes)), "record", nil},
		"a phase that passed goes on": {
			slices.Concat(planReady(), agreed(1, "t1", "p1")), "on",
			engine.Enter{PhaseEntered: events.PhaseEntered{Phase: "build", From: "plan", Way: events.WayOn, Iteration: 1, Tree: "t1", Work: "t1"}},
		},
		"the next one works with numbers that go on": {
			slices.Concat(planReady(), agreed(1, "t1", "p1"), []events.Data{into("build", "plan", events.WayOn, 0, "")}), "start",
			engine.RunAgent{Phase: "build", Iteration: 2, Attempt: 1},
		},
		"a phase of gates alone runs them": {toReview, "start", engine.RunGates{Phase: "review", Iteration: 3}},
		"and somebody looks":               {append(slices.Clone(toReview), reviewing(3)...), "look", engine.RunRole{Gate: "reviewed", Role: "architect", Set: "built"}},
		"the last one that passed is done": {slices.Concat(toReview, reviewing(3), role("reviewed", "architect", "built", approve), []events.Data{record(3, events.Pass, "")}), "done", nil},
		"one that did not goes back": {
			append(planReady(), round(1, 0, "p1")...), "back",
			engine.Enter{PhaseEntered: events.PhaseEntered{
				Phase: "plan", From: "review", Way: events.WayBack, Cycle: 1, Iteration: 3, Plan: "reviewed/p1", Tree: "built", Work: "built",
			}},
		},
		"the plan comes back unchanged too often": {slices.Concat(planReady(), round(1, 0, "p1"), []events.Data{back(1, "p1")},
			entryAgain(2), round(4, 1, "p1")), "plan", nil},
		"a new plan is another matter": {slices.Concat(planReady(), round(1, 0, "p1"), []events.Data{back(1, "p1")},
			entryAgain(2), round(4, 1, "p2")), "back", nil},
		"ways back have an end": {slices.Concat(planReady(), round(1, 0, "p1"), []events.Data{back(1, "p1")}, entryAgain(2), round(4, 1, "p2"),
			[]events.Data{back(2, "p2")}, entryAgain(3), round(7, 2, "p3"), []events.Data{back(3, "p3")}, entryAgain(4), round(10, 3, "p4")), "cycles", nil},
		"a phase has a budget of its own": {slices.Concat(planReady(), objected(1), objected(2)), "iterations", nil},
		"a lost session is begun again":   {slices.Concat(planReady(), planned(1, "t1", "p1"), lostRole()), "look", engine.RunRole{Gate: "agreed", Role: "architect", Set: "p1"}},
		"but not for ever":                {slices.Concat(planReady(), planned(1, "t1", "p1"), lostRole(), lostRole(), lostRole()), "agent-lost", nil},
		"a stop ends the session": {
			slices.Concat(planReady(), planned(1, "t1", "p1"), role("agreed", "architect", "p1", approve)[:1],
				[]events.Data{events.StopRequested{Mode: events.StopNow}}), "looking",
			engine.RunRole{Gate: "agreed", Role: "architect", Set: "p1", Announced: true, End: true},
		},
		"a stop does not wait for a limit of who looks": {
			slices.Concat(planReady(), planned(1, "t1", "p1"), []events.Data{lookLimited(), events.StopRequested{Mode: events.StopAfterIteration}}), "role-stopping", nil,
		},
		"a cancel needs no answer": {append(atEntry(), asks(1, "wanted", "prd"), events.StopRequested{Mode: events.StopCancel}), "cancel", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := history(tt.events...)
			rule, got := engine.Explain(s, many(t), start.Add(time.Hour))
			if rule != tt.rule {
				t.Fatalf("rule %q, want %q: %+v", rule, tt.rule, got)
			}
			if tt.want != nil {
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func lookLimited() events.LimitWaiting {
	return events.LimitWaiting{Cause: events.LimitRate, UntilMS: start.Add(2 * time.Hour).UnixMilli()}
}

// What ends a run between agents ends it between those who look: without that a
// session which was ended as the time was over would be begun again for ever.
func TestLimitsEndARunAtWhichSomebodyWouldHaveToLook(t *testing.T) {
	t.Parallel()
	cut := role("agreed", "architect", "p1", events.Opinion{})
	e := cut[1].(events.RoleEnded)
	e.Void, e.Agent.Outcome, e.Agent.Usage = events.VoidNotEnded, events.Stopped, events.Usage{Input: 90, Output: 20, Turns: 5, MicroUSD: 7}
	for name, tt := range map[string]struct {
		limits events.Limits
		more   []events.Data
		rule   string
		want   events.Halt
	}{
		"none":                          {events.Limits{Iterations: 3}, nil, "look", ""},
		"the time that it has until":    {events.Limits{Iterations: 3, UntilMS: start.Add(time.Minute).UnixMilli()}, nil, "role-hours", events.HaltHours},
		"also while it waits":           {events.Limits{Iterations: 3, UntilMS: start.Add(time.Minute).UnixMilli()}, []events.Data{lookLimited()}, "role-hours", events.HaltHours},
		"the time that it may work":     {events.Limits{Iterations: 3, ActiveMS: 1000}, nil, "role-hours", events.HaltHours},
		"what it may cost":              {events.Limits{Iterations: 3, MicroUSD: 7}, nil, "role-cost", events.HaltCost},
		"the tokens that it may use":    {events.Limits{Iterations: 3, Tokens: 100}, nil, "role-tokens", events.HaltTokens},
		"the turns that it may take":    {events.Limits{Iterations: 3, Turns: 5}, nil, "role-turns", events.HaltTurns},
		"what is not spent ends nobody": {events.Limits{Iterations: 3, Turns: 6}, nil, "look", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := begun()[0].(events.RunStarted)
			first.Limits = tt.limits
			given := slices.Concat(planReady(), planned(1, "t1", "p1"), []events.Data{cut[0], e}, tt.more)
			given[0] = first
			s := history(given...)
			rule, act := engine.Explain(s, many(t), start.Add(time.Hour))
			if h, ok := act.(engine.Halt); rule != tt.rule || ok != (tt.want != "") || h.Reason != tt.want {
				t.Errorf("rule %q does %+v, want %q", rule, act, tt.rule)
			}
		})
	}
}

// entryAgain judges what the plan needs once more: the approval of that set
// still holds.
func entryAgain(int) []events.Data {
	return []events.Data{
		events.GatesStarted{Phase: "plan", Entry: true},
		events.GatesJudged{Phase: "plan", Entry: true, Tree: "built", Work: "built", Results: []events.GateResult{open("wanted", events.GateApproval, "prd")}},
	}
}

func objected(n int) []events.Data {
	set := string(rune('a' + n))
	return slices.Concat(planned(n, events.Tree("t"+set), set), role("agreed", "architect", set, changes), []events.Data{record(n, events.Fail, set)})
}

func lostRole() []events.Data {
	lost := role("agreed", "architect", "p1", events.Opinion{})
	e := lost[1].(events.RoleEnded)
	e.Void, e.Agent.Outcome = events.VoidNotEnded, events.Lost
	return []events.Data{lost[0], e}
}

func TestAnApprovalOfAnotherSetIsNone(t *testing.T) {
	t.Parallel()
	again := events.GatesJudged{Phase: "plan", Entry: true, Results: []events.GateResult{open("wanted", events.GateApproval, "other")}}
	s := history(append(atEntry(), asks(1, "wanted", "prd"), says(1, "wanted", "prd", events.ChoiceNo),
		events.RunHalted{Reason: events.HaltEntry}, events.RunResumed{}, events.GatesStarted{Phase: "plan", Entry: true}, again)...)
	if rule, act := engine.Explain(s, many(t), start); rule != "ask" || act != (engine.Ask{Gate: "wanted", Kind: events.AskApproval, Set: "other"}) {
		t.Errorf("%s %+v", rule, act)
	}
}

func TestAnAnswerCountsOnceAboutWhatWasShownAndIfItIsSureEnough(t *testing.T) {
	t.Parallel()
	q := asks(1, "wanted", "prd")
	q.ExpiresMS = start.Add(time.Minute).UnixMilli()
	open := append(atEntry(), q)
	answered := append(slices.Clone(open), says(1, "wanted", "prd", events.ChoiceOK))
	expired := append(slices.Clone(open), events.QuestionExpired{Number: 1})
	weak, other := says(1, "wanted", "prd", events.ChoiceOK), says(1, "wanted", "new", events.ChoiceOK)
	weak.Assurance = events.AssuredSession
	empty := says(1, "wanted", "prd", events.ChoiceNo)
	empty.Count, empty.Findings = 0, ""
	partly := says(1, "wanted", "prd", events.ChoiceOK)
	partly.Findings, partly.Count = "f", 1
	for name, tt := range map[string]struct {
		events []events.Data
		answer events.QuestionAnswered
		want   error
	}{
		"ok":                                {open, says(1, "wanted", "prd", events.ChoiceOK), nil},
		"no, with a finding":                {open, says(1, "wanted", "prd", events.ChoiceNo), nil},
		"no, without one":                   {open, empty, engine.ErrChoice},
		"ok with findings is a partial one": {open, partly, engine.ErrChoice},
		"a word that is none":               {open, says(1, "wanted", "prd", "yes"), engine.ErrChoice},
		"a letter where none was offered":   {open, says(1, "wanted", "prd", "a"), engine.ErrChoice},
		"about another set":                 {open, other, engine.ErrOtherSet},
		"from a dialog":                     {open, weak, engine.ErrAssurance},
		"the second one":                    {answered, says(1, "wanted", "prd", events.ChoiceNo), engine.ErrAnswered},
		"to a question that is not asked":   {open, says(2, "wanted", "prd", events.ChoiceOK), engine.ErrNoQuestion},
		"too late":                          {expired, says(1, "wanted", "prd", events.ChoiceOK), engine.ErrExpired},
		"before anybody asked":              {atEntry(), says(1, "wanted", "prd", events.ChoiceOK), engine.ErrNoQuestion},
		"of a run that is over":             {append(slices.Clone(open), events.RunEnded{State: events.EndCancelled}), says(1, "wanted", "prd", events.ChoiceOK), engine.ErrOver},
		"of a run that is halted meanwhile": {append(slices.Clone(open), events.RunHalted{Reason: events.HaltStopped}), says(1, "wanted", "prd", events.ChoiceOK), engine.ErrNoQuestion},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := engine.Decide(history(tt.events...), engine.Answer{QuestionAnswered: tt.answer}, start)
			if !errors.Is(err, tt.want) || (err == nil) != (d != nil) {
				t.Errorf("%v, %v; want %v", d, err, tt.want)
			}
		})
	}
	late := start.Add(time.Hour)
	if rule, _ := engine.Explain(history(open...), many(t), late); rule != "expire" {
		t.Errorf("after its time: %s", rule)
	}
	if rule, _ := engine.Explain(history(expired...), many(t), late); rule != "expired" {
		t.Errorf("once it has expired: %s", rule)
	}
	again := history(append(expired, events.RunHalted{Reason: events.HaltExpired}, events.RunResumed{})...)
	if rule, _ := engine.Explain(again, many(t), start); rule != "ask" && rule != "entry" {
		t.Errorf("after a resume: %s", rule)
	}
}

func TestASetThatChangedIsJudgedAndPresentedAnew(t *testing.T) {
	t.Parallel()
	s := history(append(atEntry(), asks(1, "wanted", "prd"))...)
	d, err := engine.Decide(s, engine.Outdated{Number: 1}, start)
	if err != nil || d != (events.QuestionExpired{Number: 1, Changed: true}) {
		t.Fatal(d, err)
	}
	if _, err := engine.Decide(s, engine.Outdated{Number: 2}, start); !errors.Is(err, engine.ErrStale) {
		t.Error(err)
	}
	entry := history(append(atEntry(), asks(1, "wanted", "prd"), d)...)
	if rule, act := engine.Explain(entry, many(t), start); rule != "entry" {
		t.Errorf("%s %+v", rule, act)
	}
	if _, err := engine.Decide(entry, engine.Answer{QuestionAnswered: says(1, "wanted", "prd", events.ChoiceOK)}, start); !errors.Is(err, engine.ErrAnswered) {
		t.Errorf("an answer to it: %v", err)
	}
}

func TestWaitingForAPersonIsNoActivity(t *testing.T) {
	t.Parallel()
	s := history(append(atEntry(), asks(1, "wanted", "prd"))...)
	before := s.Clock.Active(start.Add(time.Minute))
	if after := s.Clock.Active(start.Add(9 * time.Hour)); after != before {
		t.Errorf("active for %v, then for %v", before, after)
	}
	if s.Status != run.Live {
		t.Error(s.Status)
	}
}

func TestARoleThatHangsTwiceHaltsAsAgentHung(t *testing.T) {
	t.Parallel()
	hung := role("agreed", "architect", "p1", events.Opinion{})
	e := hung[1].(events.RoleEnded)
	e.Void, e.Agent.Outcome, e.Agent.Result, e.Agent.SilentMS = events.VoidNotEnded, events.IdleTimeout, events.ResultIdleTimeout, 720_000
	hung[1] = e
	once := slices.Concat(planReady(), planned(1, "t1", "p1"), hung)
	if rule, act := engine.Explain(history(once...), many(t), start); rule != "look" {
		t.Errorf("once: %s %+v", rule, act)
	}
	twice := append(once, hung...)
	rule, act := engine.Explain(history(twice...), many(t), start)
	if h, ok := act.(engine.Halt); !ok || rule != "role-hung" || h.Reason != events.HaltAgentHung {
		t.Errorf("twice: %s %+v", rule, act)
	}
	// A person who lets it go on lets it look anew.
	resumed := append(twice, events.RunHalted{Reason: events.HaltAgentHung}, events.RunResumed{})
	if rule, act := engine.Explain(history(resumed...), many(t), start); rule != "gates" {
		t.Errorf("resumed: %s %+v", rule, act)
	}
}
