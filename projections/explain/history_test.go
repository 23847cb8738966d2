package explain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

var night = time.Date(2026, 1, 2, 22, 0, 0, 0, time.UTC)

// history folds events that come a minute apart.
func history(list ...events.Data) explain.History {
	var h explain.History
	for i, d := range list {
		h.Add(events.Event{Seq: uint64(i + 1), Time: night.Add(time.Duration(i) * time.Minute), Actor: "daemon:h", Data: d})
	}
	return h
}

func TestWhatWasTriedIsToldInItsOrder(t *testing.T) {
	t.Parallel()
	h := history(
		events.RunStarted{},
		events.IterationStarted{Iteration: 1, Attempt: 1},
		events.AgentEnded{Iteration: 1, Attempt: 1, Outcome: events.Lost},
		events.IterationStarted{Iteration: 1, Attempt: 2},
		events.AgentEnded{Iteration: 1, Attempt: 2, Outcome: events.Exited, Result: events.ResultRateLimited},
		events.IterationRecorded{Iteration: 1, Verdict: events.Skipped},
		events.LimitWaiting{Cause: events.LimitRate},
		events.LimitWaiting{Cause: events.LimitRate},
		events.IterationStarted{Iteration: 1, Attempt: 3},
		events.LimitWaiting{Cause: events.LimitSlots},
		events.LimitLifted{},
		events.RunHalted{Reason: events.HaltSameness, Iteration: 3, Iterations: []int{2, 3}},
		events.RunResumed{Note: "n1"},
	)
	want := []string{
		"3 attempt: iteration 1, attempt 1: the agent was lost",
		"5 attempt: iteration 1, attempt 2: the provider's limit is reached",
		"9 waited: waited 2m0s: the provider's limit is reached",
		"11 waited: waited 1m0s: the account allows fewer agents at once for now",
		"11 lifted: a person ended a wait early",
		"13 resumed: resumed after sameness (iterations 2 and 3)",
	}
	var got []string
	for _, r := range h.Tried {
		got = append(got, fmt.Sprintf("%d %s: %s", r.Seq, r.Kind, r.Line))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if last := h.Tried[len(h.Tried)-1]; last.Text != "n1" || last.Iteration != 3 {
		t.Errorf("%+v", last)
	}
}

func TestWhatSettledARunIsNotWhatCameAfter(t *testing.T) {
	t.Parallel()
	h := history(events.RunStarted{}, events.RunHalted{Reason: events.HaltStuck}, events.StopRequested{}, events.RunSuspended{}, events.Unknown{Type: "x.v9"})
	if h.Settled.Seq != 2 || h.Settled.Type != events.TypeRunHalted {
		t.Errorf("%+v", h.Settled)
	}
	h.Add(events.Event{Seq: 6, Data: events.RunEnded{State: events.EndCancelled}})
	if h.Settled.Seq != 6 {
		t.Errorf("%+v", h.Settled)
	}
}

func TestAClockThatWentBackMakesNoNegativeWait(t *testing.T) {
	t.Parallel()
	var h explain.History
	h.Add(events.Event{Seq: 1, Time: night, Data: events.LimitWaiting{Cause: events.LimitRate}})
	h.Add(events.Event{Seq: 2, Time: night.Add(-time.Hour), Data: events.IterationStarted{Iteration: 1}})
	if len(h.Tried) != 1 || strings.Contains(h.Tried[0].Line, "-") {
		t.Errorf("%+v", h.Tried)
	}
}

func TestRowsSayWhatWasComparedAndWhatItUsed(t *testing.T) {
	t.Parallel()
	used := func(micro int64, from events.Source) events.AgentEnded {
		return events.AgentEnded{Result: events.ResultEnded, Usage: events.Usage{Input: 10, MicroUSD: micro, CostFrom: from}}
	}
	h := history(
		used(5, events.Reported), used(7, events.Computed), events.IterationRecorded{Iteration: 1, Verdict: events.Fail, Signature: "s"},
		used(3, events.Reported), events.IterationRecorded{Iteration: 2, Verdict: events.Fail, Signature: "s"},
		events.IterationRecorded{Iteration: 3, Verdict: events.Skipped},
	)
	h.Compared(halted(events.RunHalted{Reason: events.HaltSignature, Iterations: []int{1, 2, 3}}))
	want := []wire.WhyRow{
		{Iteration: 1, Verdict: "fail", FailingUnknown: true, Signature: "s", Compared: true, Result: "ended", Tokens: 20, MicroUSD: 12, CostFrom: "computed"},
		{Iteration: 2, Verdict: "fail", FailingUnknown: true, Signature: "s", SignatureOf: 1, Compared: true, Result: "ended", Tokens: 10, MicroUSD: 3, CostFrom: "reported"},
		{Iteration: 3, Verdict: "skipped", FailingUnknown: true},
	}
	if diff := cmp.Diff(want, h.Rows); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsLeftOfEachLimit(t *testing.T) {
	t.Parallel()
	s := state(func(s *run.State) {
		s.Facts.Limits = events.Limits{Iterations: 10, ActiveMS: 60_000, UntilMS: night.Add(time.Hour).UnixMilli(), MicroUSD: 100, Tokens: 50, Turns: 4}
		s.Clock.Started, s.Clock.Since = night, night
		s.Loop.Spent, s.Loop.Unpriced = 3, 1
		s.Loop.Used = events.Usage{MicroUSD: 120, Input: 20, Turns: 1}
	})
	want := []wire.WhyLeft{
		{Kind: "iterations", Limit: 10, Used: 3, Left: 7},
		{Kind: "hours", Limit: 60_000, Used: 45_000, Left: 15_000},
		{Kind: "until", Limit: 3600_000, Used: 45_000, Left: 3555_000},
		{Kind: "cost", Limit: 100, Used: 120, Unknown: true},
		{Kind: "tokens", Limit: 50, Used: 20, Left: 30},
		{Kind: "turns", Limit: 4, Used: 1, Left: 3},
	}
	if diff := cmp.Diff(want, explain.Left(s, night.Add(45*time.Second))); diff != "" {
		t.Error(diff)
	}
	if got := explain.Left(ended(events.RunEnded{State: events.EndDone}), night); got != nil {
		t.Errorf("of a run that is over: %+v", got)
	}
}

func TestEveryLiveStateNamesItsRule(t *testing.T) {
	t.Parallel()
	waits := func(l events.Limit) func(*run.State) {
		return func(s *run.State) {
			s.Stage, s.Waiting = run.Ready, &run.Waiting{LimitWaiting: events.LimitWaiting{Cause: l, UntilMS: night.UnixMilli(), Limit: 9, Used: 9, Place: 2}}
		}
	}
	for rule, edit := range map[string]func(*run.State){
		"rate-limited": waits(events.LimitRate), "overloaded": waits(events.LimitOverload), "slots": waits(events.LimitSlots),
		"day-cost": waits(events.LimitDayCost), "day-tokens": waits(events.LimitDayTokens),
		"day-turns": waits(events.LimitDayTurns), "day-hours": waits(events.LimitDayHours),
		"noop":          func(s *run.State) { s.Stage, s.Loop.Noops = run.Ready, 1 },
		"log-integrity": func(s *run.State) { s.Log.Broken = 4 },
		"running":       func(s *run.State) { s.Stage = run.Ended },
	} {
		if got, because := explain.Why(state(edit)); got != rule || because == "" {
			t.Errorf("%s: %s, %q", rule, got, because)
		}
	}
}

func TestEveryEndHasASentence(t *testing.T) {
	t.Parallel()
	for _, e := range []events.End{events.EndDone, events.EndGraceful, events.EndAlreadyGreen, events.EndCancelled, events.EndFailed, events.EndRefused} {
		rule, because := explain.Why(ended(events.RunEnded{State: e, Iteration: 2, Reason: events.RefusedSetup}))
		if rule != string(e) || because == string(e) {
			t.Errorf("%s: %s, %q", e, rule, because)
		}
	}
}

// What only shows something may be told to an agent, and nothing else: neither
// how a run goes on, nor how a gate, a pin or a trust is got around.
func TestAnAgentIsToldOfReadingCommandsOnly(t *testing.T) {
	t.Parallel()
	states := map[string]run.State{"live": state(func(*run.State) {})}
	for _, h := range halts() {
		states[string(h)] = halted(events.RunHalted{Reason: h, Iterations: []int{1, 2}})
	}
	for _, r := range refusals() {
		states[string(r)] = ended(events.RunEnded{State: events.EndRefused, Reason: r})
	}
	for name, s := range states {
		for _, n := range explain.ForAgents(append(explain.Next(s), explain.Worktree(events.English, "/w", "b", false, nil)...)) {
			for _, no := range []string{"resume", "-m", "run ", "--", "trust", "allow", "cancel", "stop", "git", "config", "agent"} {
				if strings.Contains(n.Command, no) && !strings.HasPrefix(n.Command, "apctl usage --by run") {
					t.Errorf("%s: an agent is told %q", name, n.Command)
				}
			}
		}
	}
}

func refusals() []events.Refusal {
	return []events.Refusal{events.RefusedGoalGreen, events.RefusedInvariantRed, events.RefusedUnverifiable, events.RefusedUnstable, events.RefusedSetup}
}
