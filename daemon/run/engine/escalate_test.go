package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/run"
)

// manned has two agents for who works in the only phase.
func manned(d *events.RunStarted) {
	d.Crews = []events.Crew{{Role: "coder", Phases: []events.Name{"work"}, Hands: []events.Hand{{Agent: "small", Account: "A"}, {Agent: "big", Account: "B"}}}}
}

// by has an agent of the crew work on what an ordinary history tells.
func by(name events.Name, level int, account string, data []events.Data) []events.Data {
	out := slices.Clone(data)
	for i, d := range out {
		if l, ok := d.(events.IterationStarted); ok {
			l.Agent, l.Level, l.Account = name, level, account
			out[i] = l
		}
	}
	return out
}

func haltsOnSignature() workflow.Workflow {
	w := flow()
	w.Rails.Signature = workflow.Signature{Count: 2, Then: workflow.HaltRun}
	return w
}

// signed is a failed iteration of another tree and the same failure.
func signed(n int, print string) []events.Data {
	out := failed(n, print)
	r := out[4].(events.IterationRecorded)
	r.Signature = "same"
	out[4] = r
	return out
}

// Seeds 3.5, lesson A27: one way, and on convergence halts only.
func TestARailOfConvergenceHandsTheWorkToTheNextAgentAndNoOtherRailDoes(t *testing.T) {
	t.Parallel()
	whose := baseline(manned)
	escalated := func(reason events.Halt, n int, edit func(*events.AgentEscalated)) *events.AgentEscalated {
		d := events.AgentEscalated{Role: "coder", From: 1, To: 2, Reason: reason, Phase: "work", Iteration: n}
		edit(&d)
		return &d
	}
	for name, tt := range map[string]struct {
		given []events.Data
		flow  workflow.Workflow
		after time.Duration
		rule  string
		want  *events.AgentEscalated // nil: it halts
	}{
		"iterations": {
			join(whose, failed(1, "a"), failed(2, "b"), failed(3, "c")), flow(), 0, "iterations",
			escalated(events.HaltIterations, 3, func(d *events.AgentEscalated) { d.Limit, d.Tree = 3, "tc" }),
		},
		"sameness": {
			join(whose, failed(1, "a"), failed(2, "a")), flow(), 0, "sameness",
			escalated(events.HaltSameness, 2, func(d *events.AgentEscalated) { d.Iterations, d.Value, d.Tree = []int{1, 2}, "a", "ta" }),
		},
		"stuck": {
			join(baseline(manned, limit(9)), failed(1, "a"), failed(2, "b"), failed(3, "a")), flow(), 0, "stuck",
			escalated(events.HaltStuck, 3, func(d *events.AgentEscalated) { d.Iterations, d.Value, d.Tree = []int{1, 3}, "a", "ta" }),
		},
		"signature": {
			join(whose, signed(1, "a"), signed(2, "b")), haltsOnSignature(), 0, "signature",
			escalated(events.HaltSignature, 2, func(d *events.AgentEscalated) { d.Iterations, d.Value, d.Tree = []int{1, 2}, "same", "tb" }),
		},

		"drift":                            {join(whose, drift(1), drift(2)), flow(), 0, "drift", nil},
		"a gate that cannot be run":        {join(whose, unverifiable(1)), flow(), 0, "gate-unverifiable", nil},
		"a question to a person":           {join(whose, blocked(1)), flow(), 0, "needs-person", nil},
		"a login that is not taken":        {join(whose, met(1, events.ResultAuthFailed)), flow(), 0, "auth-failed", nil},
		"an account that has to be paid":   {join(whose, met(1, events.ResultBilling)), flow(), 0, "billing", nil},
		"agents that do nothing":           {join(whose, noop(1), noop(1), noop(1)), flow(), 0, "noop", nil},
		"a stop":                           {join(whose, failed(1, "a"), one(events.StopRequested{Mode: events.StopAfterIteration})), flow(), 0, "stopped", nil},
		"money":                            {join(baseline(manned, dollars(5)), one(agent(1, 1), ended(1, "ta", cut(5)), events.GatesStarted{Phase: "work", Iteration: 1}, judged(1, "ta", result(events.Fail, "a")), record(1, events.Fail, "a"))), flow(), 0, "cost", nil},
		"the time of the run":              {join(baseline(manned, active(time.Minute)), failed(1, "a")), flow(), time.Hour, "hours", nil},
		"lost agents":                      {join(whose, lost(1, 1), lost(1, 2), lost(1, 3)), flow(), 0, "agent-lost", nil},
		"a program that cannot be started": {join(whose, one(agent(1, 1), ended(1, "t0", func(d *events.AgentEnded) { d.Outcome = events.SpawnFailed }))), flow(), 0, "spawn-failed", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := history(by("small", 1, "A", tt.given)...)
			rule, act := engine.Explain(s, tt.flow, s.Clock.Latest.Add(tt.after))
			if rule != tt.rule {
				t.Fatalf("rule %q, want %q: %+v", rule, tt.rule, act)
			}
			got, ok := act.(engine.Escalate)
			if tt.want == nil {
				if ok {
					t.Fatalf("escalated: %+v", got)
				}
				return
			}
			if d := cmp.Diff(engine.Escalate{AgentEscalated: *tt.want}, act); d != "" {
				t.Error(d)
			}
			// With the same history, and with nobody left who could go on, it halts.
			last := history(by("big", 2, "B", append(slices.Clone(tt.given[:3]), append([]events.Data{escalation}, tt.given[3:]...)...))...)
			if _, act := engine.Explain(last, tt.flow, last.Clock.Latest); act.(engine.Halt).Reason != tt.want.Reason {
				t.Errorf("the last agent: %+v", act)
			}
		})
	}
}

func TestABrokenLogIsHandedOnToNobody(t *testing.T) {
	t.Parallel()
	s := history(by("small", 1, "A", join(baseline(manned), failed(1, "a"), failed(2, "a")))...)
	s.Log.Broken = 7
	if h, ok := engine.Next(s, flow(), s.Clock.Latest).(engine.Halt); !ok || h.Reason != events.HaltLogIntegrity {
		t.Errorf("%+v", h)
	}
}

// escalation is the event of the second agent.
var escalation = events.AgentEscalated{Role: "coder", From: 1, To: 2, Reason: events.HaltSameness, Phase: "work", Iteration: 2}

func limit(n int) func(*events.RunStarted) {
	return func(d *events.RunStarted) { d.Limits.Iterations = n }
}

func active(t time.Duration) func(*events.RunStarted) {
	return func(d *events.RunStarted) { d.Limits.ActiveMS = t.Milliseconds() }
}

func unverifiable(n int) []events.Data {
	rs := result(events.Fail, "a")
	rs[0].Verdict, rs[0].Reason = events.Unverifiable, events.ReasonNotFound
	return one(agent(n, 1), ended(n, "ta"), events.GatesStarted{Phase: "work", Iteration: n}, judged(n, "ta", rs), record(n, events.Fail, "a"))
}

func TestTheNextAgentHasABudgetOfItsOwnAndStays(t *testing.T) {
	t.Parallel()
	given := join(baseline(manned), by("small", 1, "A", join(failed(1, "a"), failed(2, "a"))), one(escalation))
	s := history(given...)
	if w := s.Worker(); w.Agent != "big" || w.Level != 2 || w.Account != "B" || s.Higher(w) {
		t.Errorf("%+v works", w)
	}
	rule, act := engine.Explain(s, flow(), s.Clock.Latest)
	if d := cmp.Diff(engine.Action(engine.RunAgent{Phase: "work", Iteration: 3, Attempt: 1}), act); rule != "start" || d != "" {
		t.Errorf("%s: %s", rule, d)
	}
	if s.Loop.Raised != "coder" || s.LastIteration() != 5 {
		t.Errorf("raised %q, last iteration %d", s.Loop.Raised, s.LastIteration())
	}
	// What the agent before left is nothing that the next one is compared with.
	given = join(given, by("big", 2, "B", failed(3, "a")))
	if s = history(given...); s.Loop.Raised != "" {
		t.Errorf("still raised: %q", s.Loop.Raised)
	}
	if rule, act := engine.Explain(s, flow(), s.Clock.Latest); rule != "start" {
		t.Errorf("%s: %+v", rule, act)
	}
	// No way leads down again.
	given = join(given, by("big", 2, "B", failed(4, "a")), one(
		events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"},
		into("review", "work", events.WayOn, 0, ""), into("work", "review", events.WayBack, 1, "")))
	if w := history(given...).Worker(); w.Agent != "big" {
		t.Errorf("after a resume and a way back: %+v", w)
	}
}

func TestASessionIsNotGoneOnInByAnotherAgent(t *testing.T) {
	t.Parallel()
	whose := by("small", 1, "A", limited(1, 1))
	s := history(join(baseline(manned), whose)...)
	if engine.Session(s) == "" {
		t.Fatal("the agent that was cut short does not go on")
	}
	s = history(join(baseline(manned), whose, one(escalation))...)
	if got := engine.Session(s); got != "" {
		t.Errorf("the next agent goes on in session %q", got)
	}
}

// Seeds 3.5: an account is no matter of the work, and one that lets nobody in
// holds back nobody who works on another.
func TestARunIsHaltedByTheAccountOfItsNextAgentAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given   []events.Data
		account string
		halts   bool
	}{
		"the first agent's":        {baseline(manned), "A", true},
		"that of a later one":      {baseline(manned), "B", false},
		"of nobody at work":        {baseline(manned, ownAccount), "own", false},
		"the next agent's":         {join(baseline(manned), one(escalation)), "B", true},
		"that of the one before":   {join(baseline(manned), one(escalation)), "A", false},
		"in a phase of gates":      {baseline(ownAccount, func(d *events.RunStarted) { d.Idle = []events.Name{"work"} }), "own", false},
		"of a run without a crew":  {baseline(ownAccount), "own", true},
		"of a run that a chat has": {baseline(ownAccount, func(d *events.RunStarted) { d.Driver = events.DriverSession }), "own", false},
	} {
		d, err := engine.Decide(history(tt.given...), engine.AccountFailed{Cause: events.ResultBilling, Account: tt.account}, start)
		if _, halts := d.(events.RunHalted); err != nil || halts != tt.halts {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	s := history(join(baseline(manned, ownAccount), by("small", 1, "A", met(1, events.ResultBilling)))...)
	if h, ok := engine.Next(s, flow(), s.Clock.Latest).(engine.Halt); !ok || h.Account != "A" {
		t.Errorf("%+v", h)
	}
}

func ownAccount(d *events.RunStarted) { d.Account = "own" }

// twoRoles is a run of many phases, in which planner and builder have a next
// agent each.
func twoRoles(t *testing.T, data []events.Data) (run.State, string, engine.Action) {
	t.Helper()
	d := data[0].(events.RunStarted)
	two := func(role, phase events.Name) events.Crew {
		return events.Crew{Role: role, Phases: []events.Name{phase}, Hands: []events.Hand{{Agent: "small", Account: "A"}, {Agent: "big", Account: "B"}}}
	}
	d.Crews, d.Idle = []events.Crew{two("builder", "build"), two("planner", "plan")}, []events.Name{"review"}
	s := history(append([]events.Data{d}, data[1:]...)...)
	rule, act := engine.Explain(s, many(t), start.Add(time.Hour))
	return s, rule, act
}

func TestWorkThatComesBackTooOftenIsHandedOnByWhoeverHadIt(t *testing.T) {
	t.Parallel()
	back := func(cycle int, plan string) events.PhaseEntered {
		return into("plan", "review", events.WayBack, cycle, "reviewed/"+plan)
	}
	raised := func(role events.Name, reason events.Halt) events.AgentEscalated {
		return events.AgentEscalated{Role: role, From: 1, To: 2, Reason: reason, Phase: "review"}
	}
	same := slices.Concat(planReady(), round(1, 0, "p1"), []events.Data{back(1, "p1")}, entryAgain(2), round(4, 1, "p1"))
	often := slices.Concat(planReady(), round(1, 0, "p1"), []events.Data{back(1, "p1")}, entryAgain(2), round(4, 1, "p2"),
		[]events.Data{back(2, "p2")}, entryAgain(3), round(7, 2, "p3"), []events.Data{back(3, "p3")}, entryAgain(4), round(10, 3, "p4"))
	for name, tt := range map[string]struct {
		given []events.Data
		role  events.Name // that is raised; empty: none
		rule  string
	}{
		"a plan that stays the same is the planner's":    {same, "planner", "plan"},
		"ways back are of the first who had the work":    {often, "planner", "cycles"},
		"then of the next of them":                       {append(slices.Clip(often), raised("planner", events.HaltStuck)), "builder", "cycles"},
		"and then it halts, as nobody is left":           {append(slices.Clip(often), raised("planner", events.HaltStuck), raised("builder", events.HaltStuck)), "", "cycles"},
		"what was handed on goes back with ways to come": {append(slices.Clip(often), raised("planner", events.HaltCycles)), "", "back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, rule, act := twoRoles(t, tt.given)
			if rule != tt.rule {
				t.Fatalf("rule %q, want %q: %+v", rule, tt.rule, act)
			}
			e, ok := act.(engine.Escalate)
			if ok != (tt.role != "") || e.Role != tt.role {
				t.Fatalf("%+v", act)
			}
			if b, ok := act.(engine.Enter); ok && b.Cycle != 1 {
				t.Errorf("it is the way back number %d of %+v", b.Cycle, s.Loop)
			}
		})
	}
}
