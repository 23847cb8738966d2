package run_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/projections/run"
)

var start = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

func at(seq uint64, after time.Duration, d events.Data) events.Event {
	return events.Event{Aggregate: events.Run("01R"), Seq: seq, Time: start.Add(after), Data: d}
}

func begun() run.State {
	return run.Evolve(run.State{}, at(1, 0, events.RunStarted{Phase: "work", Tree: "t0", Work: "t0", Limits: events.Limits{Iterations: 3}}))
}

func TestActiveTimeLeavesOutSleepAndHalts(t *testing.T) {
	t.Parallel()
	s := begun()
	steps := []struct {
		after time.Duration
		data  events.Data
		want  time.Duration // active at that moment
	}{
		{10 * time.Minute, events.GatesStarted{}, 10 * time.Minute},
		{40 * time.Minute, events.RunSuspended{MS: (25 * time.Minute).Milliseconds()}, 15 * time.Minute},
		{41 * time.Minute, events.RunHalted{Reason: events.HaltStopped}, 16 * time.Minute},
		{90 * time.Minute, events.RunResumed{}, 16 * time.Minute},
		{100 * time.Minute, events.RunHalted{Reason: events.HaltHours}, 26 * time.Minute},
		{200 * time.Minute, events.RunResumed{Note: "n"}, 0}, // new findings restart the budget
		{205 * time.Minute, events.RunEnded{State: events.EndDone}, 5 * time.Minute},
	}
	for i, st := range steps {
		s = run.Evolve(s, at(uint64(i+2), st.after, st.data))
		if got := s.Clock.Active(start.Add(st.after)); got != st.want {
			t.Errorf("after %s: active %v, want %v", st.data.EventType(), got, st.want)
		}
	}
	if got := s.Clock.Active(start.Add(24 * time.Hour)); got != 5*time.Minute {
		t.Errorf("a run that is over grows older: %v", got)
	}
}

// A pause after a no-op is no activity, nor is a wait: it takes nothing of --for.
func TestActiveTimeLeavesOutPauses(t *testing.T) {
	t.Parallel()
	s := begun()
	for i, st := range []struct {
		after time.Duration
		data  events.Data
		want  time.Duration // active a minute later
	}{
		{time.Minute, events.IterationStarted{Iteration: 1}, 2 * time.Minute},
		{2 * time.Minute, events.AgentEnded{Outcome: events.Exited}, 3 * time.Minute},
		{3 * time.Minute, events.IterationRecorded{Iteration: 1, Verdict: events.Skipped}, 3 * time.Minute},
		{13 * time.Minute, events.RunSuspended{MS: (5 * time.Minute).Milliseconds()}, 3 * time.Minute},
		{18 * time.Minute, events.IterationStarted{Iteration: 1, Attempt: 1}, 4 * time.Minute},
		{20 * time.Minute, events.IterationRecorded{Iteration: 1, Verdict: events.Skipped}, 5 * time.Minute},
		{21 * time.Minute, events.LimitWaiting{}, 5 * time.Minute},
		{30 * time.Minute, events.RunHalted{Reason: events.HaltNoop}, 5 * time.Minute},
		{60 * time.Minute, events.RunResumed{}, 6 * time.Minute},
		{70 * time.Minute, events.IterationRecorded{Iteration: 1, Verdict: events.Fail}, 16 * time.Minute},
	} {
		s = run.Evolve(s, at(uint64(i+2), st.after, st.data))
		if got := s.Clock.Active(start.Add(st.after + time.Minute)); got != st.want {
			t.Errorf("%d, after %s: active %v, want %v", i, st.data.EventType(), got, st.want)
		}
	}
}

func TestCommitsOfWhoWorkedAreKnownUntilHeadIsBackWhereItWas(t *testing.T) {
	t.Parallel()
	head := func(commit string) events.Head { return events.Head{Commit: commit} }
	s := run.Evolve(run.State{}, at(1, 0, events.RunStarted{Phase: "work", Tree: "t0", Work: "t0", Head: "c0", Limits: events.Limits{Iterations: 3}}))
	for i, st := range []struct {
		data events.Data
		want bool
	}{
		{events.GatesJudged{Head: head("c0")}, false},
		{events.IterationStarted{Iteration: 1}, false},
		{events.AgentEnded{Outcome: events.Exited, Head: head("c1")}, true},
		{events.GatesJudged{Iteration: 1, Head: head("c1")}, true},
		{events.QuestionAnswered{Choice: events.ChoiceOK}, true}, // from where HEAD is now, nobody has to have looked
		{events.RunHalted{Reason: events.HaltStopped}, true},
		{events.RunResumed{Moved: events.HeadMove{From: head("c1"), To: head("c0")}}, false},
	} {
		if s = run.Evolve(s, at(uint64(i+2), time.Duration(i), st.data)); s.Ahead != st.want {
			t.Errorf("%d, after %s: ahead %t, want %t", i, st.data.EventType(), s.Ahead, st.want)
		}
	}
}

func TestActiveTimeDoesNotGoBackWithTheClock(t *testing.T) {
	t.Parallel()
	if got := begun().Clock.Active(start.Add(-8 * time.Hour)); got != 0 {
		t.Errorf("active %v, want 0", got)
	}
}

func TestGatesThatWereDroppedByAHaltAreAnnouncedAnew(t *testing.T) {
	t.Parallel()
	s := run.Fold(begun(),
		at(2, 1, events.GatesStarted{Phase: "work"}), at(3, 2, events.RunHalted{Reason: events.HaltStopped}))
	if s.Stage != run.Started {
		t.Errorf("stage %q of a halted baseline, want the start", s.Stage)
	}
	s = run.Fold(begun(),
		at(2, 1, events.IterationStarted{Iteration: 1}), at(3, 2, events.AgentEnded{Outcome: events.Exited}),
		at(4, 3, events.GatesStarted{Iteration: 1}), at(5, 4, events.RunHalted{Reason: events.HaltStopped}))
	if s.Stage != run.Ended {
		t.Errorf("stage %q of halted gates, want %q", s.Stage, run.Ended)
	}
}

func TestAPersonsNoteIsToldUntilAnAgentHasEndedWithIt(t *testing.T) {
	t.Parallel()
	s := run.Fold(begun(), at(2, 1, events.RunHalted{Reason: events.HaltStuck}), at(3, 2, events.RunResumed{Note: "n"}))
	steps := []struct {
		data events.Data
		want events.Ref
	}{
		{events.IterationStarted{Iteration: 1, Attempt: 1}, "n"},
		{events.AgentEnded{Outcome: events.Lost}, "n"},
		{events.IterationStarted{Iteration: 1, Attempt: 2}, "n"},
		{events.AgentEnded{Outcome: events.Exited}, ""},
	}
	for i, st := range steps {
		s = run.Evolve(s, at(uint64(i+4), time.Second, st.data))
		if s.Note != st.want {
			t.Errorf("note %q after %s, want %q", s.Note, st.data.EventType(), st.want)
		}
	}
}

// A gate that nobody says anything of that counts halts; who resumes has mended that.
func TestAResumeLetsARoleLookAgainThatSaidNothingThatCounts(t *testing.T) {
	t.Parallel()
	gate := events.Gate{Name: "reviewed", Kind: events.GateReview, Phase: "work", Roles: []events.Name{"critic"}}
	open := events.GatesJudged{Results: []events.GateResult{{Gate: gate.Name, Kind: gate.Kind, Set: "s", Verdict: events.Open}}}
	none := events.RoleEnded{Gate: gate.Name, Role: "critic", Set: "s", Void: events.VoidBadResult, Agent: events.AgentEnded{Outcome: events.Exited}}
	s := run.Fold(run.State{}, at(1, 0, events.RunStarted{Phase: "work", Gates: []events.Gate{gate}}),
		at(2, 1, open), at(3, 2, none), at(4, 3, none))
	if got := s.Last.Results[0]; got.Verdict != events.Unverifiable || got.Reason != events.ReasonVoid {
		t.Fatalf("after two that do not count: %+v", got)
	}
	s = run.Fold(s, at(5, 4, events.RunHalted{Reason: events.HaltUnverifiable}), at(6, 5, events.RunResumed{Note: "n"}), at(7, 6, open))
	if got := s.Last.Results[0]; got.Verdict != events.Open {
		t.Errorf("after the resume: %+v", got)
	}
}

func TestUnknownEventsAreCountedAndChangeNothingElse(t *testing.T) {
	t.Parallel()
	s := begun()
	got := run.Evolve(s, at(2, time.Second, events.Unknown{Type: "phase.entered.v1"}))
	if got.Log.Unknown != 1 || got.Log.Seq != 2 {
		t.Fatalf("log %+v", got.Log)
	}
	s.Log, s.Clock.Latest = got.Log, got.Clock.Latest
	if diff := cmp.Diff(s, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheFirstGapInTheLogIsRemembered(t *testing.T) {
	t.Parallel()
	s := run.Fold(begun(), at(2, 1, events.RunSuspended{}), at(4, 2, events.RunSuspended{}), at(9, 3, events.RunSuspended{}))
	if s.Log.Broken != 4 {
		t.Errorf("broken at %d, want 4", s.Log.Broken)
	}
}

func TestAGreenGoalBecomesAnInvariant(t *testing.T) {
	t.Parallel()
	s := run.Evolve(run.State{}, at(1, 0, events.RunStarted{Gates: []events.Gate{
		{Name: "a", Role: events.RoleGoal}, {Name: "b", Role: events.RoleGoal}, {Name: "c", Role: events.RoleInvariant},
	}}))
	s = run.Evolve(s, at(2, 1, events.GatesJudged{Results: []events.GateResult{
		{Gate: "a", Role: events.RoleGoal, Verdict: events.Fail},
		{Gate: "b", Role: events.RoleGoal, Verdict: events.Pass},
		{Gate: "c", Role: events.RoleInvariant, Verdict: events.Pass},
	}}))
	for gate, want := range map[events.Name]events.GateRole{"a": events.RoleGoal, "b": events.RoleInvariant, "c": events.RoleInvariant} {
		if got := s.Role(gate); got != want {
			t.Errorf("gate %s is %q, want %q", gate, got, want)
		}
	}
}

// Evolve takes any history at all: it never fails, and folding in pieces gives
// what folding at once gives.
func TestAnyHistoryFoldsInPieces(t *testing.T) {
	t.Parallel()
	data := rapid.SampledFrom([]events.Data{
		events.RunStarted{Phase: "work"},
		events.RunStarted{Phase: "work", Crews: []events.Crew{{Role: "coder", Phases: []events.Name{"work"}, Hands: []events.Hand{{Agent: "a"}, {Agent: "b"}}}}},
		events.AgentEscalated{Role: "coder", From: 1, To: 2, Reason: events.HaltCycles},
		events.PhaseEntered{Phase: "work", Way: events.WayBack, Plan: "p"},
		events.GatesStarted{},
		events.GatesJudged{Iteration: 1},
		events.GatesJudged{},
		events.IterationStarted{Iteration: 1, Attempt: 2},
		events.AgentEnded{Outcome: events.Lost},
		events.AgentEnded{Outcome: events.Exited},
		events.IterationRecorded{Verdict: events.Fail, Fingerprint: "f"},
		events.IterationRecorded{Verdict: events.Skipped},
		events.IterationRecorded{Verdict: events.Pass},
		events.RunSuspended{MS: 5},
		events.StopRequested{Mode: events.StopNow},
		events.RunHalted{Reason: events.HaltStuck},
		events.RunResumed{Note: "n"},
		events.RunEnded{State: events.EndDone},
		events.Unknown{Type: "x.v1"},
	})
	rapid.Check(t, func(t *rapid.T) {
		var es []events.Event
		for i, d := range rapid.SliceOfN(data, 1, 30).Draw(t, "history") {
			es = append(es, at(uint64(i+1), time.Duration(i)*time.Second, d))
		}
		cut := rapid.IntRange(0, len(es)).Draw(t, "cut")
		whole := run.Fold(run.State{}, es...)
		pieces := run.Fold(run.Fold(run.State{}, es[:cut]...), es[cut:]...)
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatalf("cut at %d:\n%s", cut, diff)
		}
	})
}

// agentAt is an agent that ended so many minutes behind the i-th time of day,
// which are ten minutes apart.
func agentAt(i, minutes int, ms int64) events.Event {
	return at(uint64(i+1), time.Duration(10*i+minutes)*time.Minute, events.AgentEnded{DurationMS: ms})
}

func TestWhatAgentsUsedIsNeverChangedInPlace(t *testing.T) {
	t.Parallel()
	var s run.State
	var states []run.State
	for i := range 200 {
		s = run.Evolve(s, agentAt(i, 0, 1))
		run.Fold(s, agentAt(i, 1, 1000), agentAt(i, 20, 1000)) // another future of the same past
		states = append(states, s)
	}
	for i, s := range states {
		var agents, quarters, last int64 = 0, 0, -1
		for _, u := range s.Spent.List() {
			if u.Quarter <= last || u.ActiveMS != int64(u.Agents) {
				t.Fatalf("after %d agents: %+v", i+1, u)
			}
			agents, quarters, last = agents+u.ActiveMS, quarters+1, u.Quarter
		}
		if want := int64(i)*10/15 + 1; agents != int64(i+1) || quarters != want {
			t.Fatalf("after %d agents: %d in %d quarters, want %d", i+1, agents, quarters, want)
		}
	}
}

// What an earlier iteration asked for and may not have counts as well.
func TestRefusedRequestsAreCountedOverTheWholeRun(t *testing.T) {
	t.Parallel()
	results := []events.GateResult{{Gate: "test", Verdict: events.Fail, Refused: 2}, {Gate: "lint", Verdict: events.Pass, Refused: 1}}
	s := run.Fold(begun(),
		at(2, 1, events.GatesStarted{}), at(3, 2, events.GatesJudged{Results: results}),
		at(4, 3, events.IterationStarted{Iteration: 1}), at(5, 4, events.AgentEnded{Refused: 4}),
		at(6, 5, events.GatesStarted{Iteration: 1}), at(7, 6, events.GatesJudged{Iteration: 1, Results: results}),
		at(8, 7, events.RoleStarted{Gate: "review", Role: "critic"}), at(9, 8, events.RoleEnded{Gate: "review", Role: "critic", Agent: events.AgentEnded{Refused: 1}}),
		at(10, 9, events.IterationStarted{Iteration: 2}), at(11, 10, events.AgentEnded{}))
	if d := cmp.Diff(run.Refused{Agents: 5, Gates: 6}, s.Refused); d != "" || s.Refused.Sum() != 11 {
		t.Error(d)
	}
}
