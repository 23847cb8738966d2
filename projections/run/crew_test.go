package run_test

import (
	"slices"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/projections/run"
)

// crewed has a role that works in two phases and looks in another, and a phase
// of the run's own agent.
func crewed() run.State {
	return run.Evolve(run.State{}, at(1, 0, events.RunStarted{
		Phase: "plan", Account: "own", Idle: []events.Name{"review"},
		Crews: []events.Crew{{Role: "coder", Phases: []events.Name{"build", "fix"}, Hands: []events.Hand{{Agent: "small", Account: "A"}, {Agent: "big", Account: "B"}}}},
	}))
}

func TestWhoWorksFollowsFromThePhaseAndFromHowFarItsRoleWasRaised(t *testing.T) {
	t.Parallel()
	own, small, big := run.Worker{Account: "own"}, run.Worker{Role: "coder", Agent: "small", Level: 1, Account: "A"}, run.Worker{Role: "coder", Agent: "big", Level: 2, Account: "B"}
	s := crewed()
	raised := run.Evolve(s, at(2, 1, events.AgentEscalated{Role: "coder", From: 1, To: 2}))
	for phase, want := range map[events.Name][2]run.Worker{"plan": {own, own}, "build": {small, big}, "fix": {small, big}, "review": {}} {
		if got := [2]run.Worker{s.WorkerIn(phase), raised.WorkerIn(phase)}; got != want {
			t.Errorf("%s: %+v, want %+v", phase, got, want)
		}
	}
	if s.Looker("coder") != small || raised.Looker("coder") != big || s.Looker("critic") != own {
		t.Error("another looks")
	}
	if !s.Higher(small) || s.Higher(big) || s.Higher(own) || s.Higher(run.Worker{}) {
		t.Error("another can go on")
	}
	if got := s.Accounts(); !slices.Equal(got, []string{"own", "A", "B"}) || !s.Uses("B") || s.Uses("C") {
		t.Errorf("accounts %v", got)
	}
	s.Facts.Driver = events.DriverSession
	if w := s.WorkerIn("build"); w != (run.Worker{}) {
		t.Errorf("a chat works, not %+v", w)
	}
}

func TestWhatAgentsUsedCountsForThemAndTheirAccounts(t *testing.T) {
	t.Parallel()
	s := crewed()
	for i, l := range []events.IterationStarted{{Effect: "a"}, {Effect: "b", Agent: "small", Account: "A"}, {Effect: "c", Agent: "small", Account: "A"}} {
		s = run.Fold(s, at(uint64(2*i+2), time.Duration(i)*time.Second, l), at(uint64(2*i+3), time.Duration(i)*time.Second, events.AgentEnded{Effect: l.Effect, DurationMS: 10}))
	}
	list := s.Spent.List()
	if len(list) != 2 || list[0].Agent != "" || list[1].Agent != "small" || list[1].Agents != 2 {
		t.Errorf("%+v", list)
	}
	if s.SessionAccount() != "A" || s.AccountOf(events.IterationStarted{}) != "own" {
		t.Error("it counts for another account")
	}
}
