package engine_test

import (
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

// Field reports, B.4 61: a foreign change stops a run before it goes on.
func TestASessionThatWritesIntoTheWorkOfARunHaltsItBeforeItGoesOn(t *testing.T) {
	t.Parallel()
	seen := events.ForeignSeen{Files: "f", Count: 2, By: "b"}
	halts := engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltForeign, Phase: "work", Iteration: 1, Files: "f", Used: 2, By: "b", Tree: "t1"}}
	base := join(baseline(), one(agent(1, 1), seen))
	rest := func(v events.Verdict) []events.Data {
		return join(base, one(ended(1, "t1"), events.GatesStarted{Phase: "work", Iteration: 1}, judged(1, "t1", result(v, "a")), record(1, v, "a")))
	}
	checkNext(t, []nextCase{
		{"the agent ends its turn", base, 0, "agent", nil},
		{"and is judged", join(base, one(ended(1, "t1"))), 0, "gates", nil},
		{"then it halts", rest(events.Fail), 0, "foreign", halts},
		{"unless everything passed", rest(events.Pass), 0, "done", nil},
		{"a lost attempt is repeated first", join(base, one(ended(1, "t1", func(a *events.AgentEnded) { a.Outcome = events.Lost }))), 0, "lost", nil},
		{"while it waits it halts at once", join(rest(events.Fail)[:len(base)-1], rest(events.Fail)[len(base):], one(waits(time.Hour), seen)), 0, "foreign", halts},
		{"a resume takes it as it is", join(rest(events.Fail), one(halts.RunHalted, events.RunResumed{})), 0, "start", nil},
		{"a cancel goes before", join(rest(events.Fail), one(events.StopRequested{Mode: events.StopCancel})), 0, "cancel", nil},
	})
	s := history(base...)
	if d, err := engine.Decide(s, engine.Foreign{ForeignSeen: seen}, start); d != nil || err != nil {
		t.Errorf("the same files again: %v, %v", d, err)
	}
	more := events.ForeignSeen{Files: "g", Count: 3}
	if d, err := engine.Decide(s, engine.Foreign{ForeignSeen: more}, start); d != more || err != nil {
		t.Errorf("more files: %v, %v", d, err)
	}
	if _, err := engine.Decide(history(join(rest(events.Fail), one(halts.RunHalted))...), engine.Foreign{ForeignSeen: seen}, start); err == nil {
		t.Error("a halted run hears of it")
	}
}

func TestChangesOfOthersDuringGatesHaltTheRunAfterThem(t *testing.T) {
	t.Parallel()
	seen := events.ForeignSeen{Files: "f", Count: 1}
	of := func(v events.Verdict) events.GatesJudged {
		j := judged(1, "t1", result(v, "a"))
		j.Foreign = seen
		return j
	}
	halts := engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltForeign, Phase: "work", Iteration: 1, Files: "f", Used: 1, Tree: "t1"}}
	base := join(baseline(), one(agent(1, 1), ended(1, "t1"), events.GatesStarted{Phase: "work", Iteration: 1}))
	checkNext(t, []nextCase{
		{"a fail halts", join(base, one(of(events.Fail), record(1, events.Fail, "a"))), 0, "foreign", halts},
		{"a pass is done", join(base, one(of(events.Pass), record(1, events.Pass, "a"))), 0, "done", nil},
		{"a resume goes on", join(base, one(of(events.Fail), record(1, events.Fail, "a"), halts.RunHalted, events.RunResumed{Changed: "f"})), 0, "start", nil},
	})
}

func TestARunThatLostItsWorkTreeEndsItsAgentAndHaltsWithWhoHasIt(t *testing.T) {
	t.Parallel()
	stop := events.StopRequested{Mode: events.StopNow, Reason: events.HaltClaimLost, By: "b"}
	base := join(baseline(), one(agent(1, 1)))
	if d, err := engine.Decide(history(base...), engine.Stop{Mode: events.StopNow, Reason: events.HaltClaimLost, By: "b"}, start); d != stop || err != nil {
		t.Errorf("%v, %v", d, err)
	}
	base = join(base, one(stop))
	halts := engine.Halt{RunHalted: events.RunHalted{Reason: events.HaltClaimLost, Phase: "work", Iteration: 1, By: "b", Tree: "t1"}}
	checkNext(t, []nextCase{
		{"its agent is ended", base, 0, "agent", engine.RunAgent{Phase: "work", Iteration: 1, Attempt: 1, Announced: true, End: true}},
		{"then it halts", join(base, one(ended(1, "t1"))), 0, "stop-now", halts},
		{"once it has it again it goes on", join(base, one(ended(1, "t1"), halts.RunHalted, events.RunResumed{})), 0, "gates", nil},
		{"and is stopped as anybody asks for", join(base, one(ended(1, "t1"), halts.RunHalted, events.RunResumed{}, events.StopRequested{Mode: events.StopNow})), 0, "stop-now", nil},
	})
}

// What a person lets go on is taken as it is: what the gates have judged is not there
// any more, so they judge anew, and what was HEAD is asked no more.
func TestAResumeAndAnAnswerTakeTheWorkTreeAsItIs(t *testing.T) {
	t.Parallel()
	head := events.Head{Commit: "c1", Branch: "r"}
	j := judged(1, "t1", result(events.Pass, ""))
	j.Head = head
	base := join(baseline(), one(agent(1, 1), ended(1, "t1"), events.GatesStarted{Phase: "work", Iteration: 1}, j))
	s := history(base...)
	if s.Last.Head != head || !s.Clock.Taken.Equal(s.Clock.Latest) {
		t.Errorf("judged: %+v, taken %v", s.Last.Head, s.Clock.Taken)
	}
	s = history(join(base, one(events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{Changed: "f"}))...)
	if s.Stage != run.Ended || s.Last.Head != (events.Head{}) || !s.Clock.Taken.Equal(s.Clock.Latest) || s.Changed != "f" {
		t.Errorf("resumed with changes: %s %+v %v %q", s.Stage, s.Last.Head, s.Clock.Taken, s.Changed)
	}
	s = history(join(base, one(events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{}))...)
	if s.Stage != run.Judged || s.Changed != "" {
		t.Errorf("resumed without: %s %q", s.Stage, s.Changed)
	}
	asks := one(events.QuestionAsked{Number: 1, Gate: "ok", Kind: events.AskText})
	for changed, want := range map[events.Ref]run.Stage{"f": run.Ended, "": run.Judged} {
		s = history(join(base, asks, one(events.QuestionAnswered{Number: 1, Gate: "ok", Choice: events.ChoiceText, Text: "t", Changed: changed}))...)
		if s.Stage != want || s.Changed != changed {
			t.Errorf("answered with %q: %s %q", changed, s.Stage, s.Changed)
		}
	}
	s = history(join(base, one(events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{Changed: "f"}, agent(2, 1), ended(2, "t2")))...)
	if s.Changed != "" {
		t.Errorf("who works was told, and is told again: %q", s.Changed)
	}
	moved := events.HeadMove{From: head, To: events.Head{Commit: "c2"}}
	s = history(join(base, one(events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{Moved: moved}))...)
	if s.Stage != run.Judged || s.Moved != moved || s.InPrompt {
		t.Errorf("resumed with HEAD elsewhere: %s %+v", s.Stage, s.Moved)
	}
	s = history(join(base, asks, one(events.QuestionAnswered{Number: 1, Gate: "ok", Choice: events.ChoiceText, Text: "t", Moved: moved}))...)
	if s.Stage != run.Judged || s.Moved != moved {
		t.Errorf("answered with HEAD elsewhere: %s %+v", s.Stage, s.Moved)
	}
	s = history(join(base, one(events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{Moved: moved}, agent(2, 1), ended(2, "t2")))...)
	if s.Moved != (events.HeadMove{}) {
		t.Errorf("who works was told, and is told again: %+v", s.Moved)
	}
	if s = history(baseline()...); !s.Clock.Taken.IsZero() {
		t.Error("nothing was recorded, and what changes before the first iteration counts")
	}
}
