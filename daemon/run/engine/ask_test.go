package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

// wondering is a whole failed iteration that ended with a question.
func wondering(n int, print string, question events.Ref, edit ...func(*events.AgentEnded)) []events.Data {
	edit = append([]func(*events.AgentEnded){func(d *events.AgentEnded) {
		d.Question, d.Asks = question, events.Asks{Kind: events.AskChoice, Options: 3, Recommended: 1}
	}}, edit...)
	return one(agent(n, 1), ended(n, events.Tree("t"+print), edit...),
		events.GatesStarted{Phase: "work", Iteration: n}, judged(n, events.Tree("t"+print), result(events.Fail, print)), record(n, events.Fail, print))
}

func wonders(number, iteration int, question events.Ref) events.QuestionAsked {
	return events.QuestionAsked{
		Number: number, Phase: "work", Iteration: iteration, Kind: events.AskChoice, Text: question, Options: 3, Recommended: 1, Assurance: events.AssuredTTY,
	}
}

func chose(number int, c events.Choice) events.QuestionAnswered {
	return events.QuestionAnswered{Number: number, Choice: c, Assurance: events.AssuredTTY}
}

// Seeds 5.1 and 5.4; lesson A33: a question is asked once, and costs the iteration
// that ended with it.
func TestNextPutsTheQuestionOfAWorkerToAPerson(t *testing.T) {
	t.Parallel()
	ask := engine.Ask{Kind: events.AskChoice}
	blocked := func(d *events.AgentEnded) { d.Claim = events.ClaimBlocked }
	permission := func(d *events.AgentEnded) { d.Result = events.ResultNeedsPermission }
	quick := func(d *events.AgentEnded) { d.DurationMS, d.Tree, d.Work = 5, "t0", "t0" }
	misasked := func(d *events.AgentEnded) {
		d.Question, d.Asks, d.Misasked = "", events.Asks{}, "m"
	}
	stop := events.StopRequested{Mode: events.StopAfterIteration}
	until := func(d *events.RunStarted) { d.Limits.UntilMS = start.Add(time.Hour).UnixMilli() }
	checkNext(t, []nextCase{
		{"a question is asked once the iteration is recorded", join(baseline(), wondering(1, "a", "q1")), 0, "question", ask},
		{"also by one that is blocked until it is answered", join(baseline(), wondering(1, "a", "q1", blocked)), 0, "question", ask},
		{"one that waits for an answer is no limit of an account", join(baseline(), wondering(1, "a", "q1", func(d *events.AgentEnded) { d.Result = events.ResultNeedsHuman })), 0, "question", ask},
		{"what the agent may not do is no matter of an answer", join(baseline(), wondering(1, "a", "q1", permission)), 0, "needs-person", nil},
		{"who is blocked without a question halts", join(baseline(), wondering(1, "a", "q1", blocked, func(d *events.AgentEnded) { d.Asks = events.Asks{} })), 0, "needs-person", nil},
		{"a question that is none is a failure as any other", join(baseline(), wondering(1, "a", "", blocked, misasked)), 0, "start", nil},
		{"and is no no-op", join(baseline(), one(agent(1, 1), ended(1, "t0", quick, misasked))), 0, "gates", nil},
		{"the run waits for the answer", join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"))), 9 * time.Hour, "asking", engine.Wait{Why: "answer"}},
		{"but not beyond its time", join(baseline(until), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"))), 2 * time.Hour, "asked-until", nil},
		{
			"an answer is the beginning of the next iteration", join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"), chose(1, "b"))), 0, "start",
			engine.RunAgent{Phase: "work", Iteration: 2, Attempt: 1},
		},
		{"another question is asked, too", join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"), chose(1, "b")), wondering(2, "b", "q2")), 0, "question", ask},
		{
			"the same one is not", join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"), chose(1, "b")), wondering(2, "b", "q1")), 0, "start",
			engine.RunAgent{Phase: "work", Iteration: 3, Attempt: 1},
		},
		{"nobody gets around the iterations by asking", join(baseline(), failed(1, "a"), failed(2, "b"), wondering(3, "c", "q1")), 0, "iterations", nil},
		{"nor around sameness", join(baseline(), failed(1, "a"), wondering(2, "a", "q1")), 0, "sameness", nil},
		{"nor around a stop", join(baseline(), wondering(1, "a", "q1"), one(stop)), 0, "stopped", nil},
		{"a stop ends the wait", join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"), stop)), 0, "asked-stopping", nil},
		{
			"a resume goes on with the question", join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"), stop, events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{})),
			0, "asking", nil,
		},
		{
			"or asks it then", join(baseline(), wondering(1, "a", "q1"), one(stop, events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{})),
			0, "question", ask,
		},
		{
			"a note answers it", join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"), stop, events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{Note: "n"})),
			0, "start",
			engine.RunAgent{Phase: "work", Iteration: 2, Attempt: 1},
		},
		{
			"one that nobody answered in time is asked again",
			join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1"), events.QuestionExpired{Number: 1}, events.RunHalted{Reason: events.HaltExpired}, events.RunResumed{})),
			0, "question", ask,
		},
	})
}

func TestAnotherQuestionIsAnotherFailureAndTheSameIsTheSame(t *testing.T) {
	t.Parallel()
	print := func(d []events.Data) string {
		t.Helper()
		act, ok := engine.Next(history(join(baseline(), d[:len(d)-1])...), flow(), start).(engine.Record)
		if !ok {
			t.Fatal("not recorded")
		}
		return act.Fingerprint
	}
	none, first, again, other := print(failed(1, "a")), print(wondering(1, "a", "q1")), print(wondering(1, "a", "q1")), print(wondering(1, "a", "q2"))
	if none == first || first != again || first == other {
		t.Errorf("%s %s %s %s", none, first, again, other)
	}
}

// The answer that a person gives is the first one, of the question that is open.
func TestAnAnswerToAWorkerIsOneOfItsOptions(t *testing.T) {
	t.Parallel()
	open := join(baseline(), wondering(1, "a", "q1"), one(wonders(1, 1, "q1")))
	text := wonders(1, 1, "q1")
	text.Kind, text.Options = events.AskText, 0
	words := chose(1, events.ChoiceText)
	words.Text = "w"
	for name, tt := range map[string]struct {
		events []events.Data
		answer events.QuestionAnswered
		want   error
	}{
		"the last option":        {open, chose(1, "c"), nil},
		"one that is not there":  {open, chose(1, "d"), engine.ErrChoice},
		"a word":                 {open, words, engine.ErrChoice},
		"a skip":                 {open, chose(1, events.ChoiceSkip), engine.ErrChoice},
		"words to a free text":   {join(baseline(), wondering(1, "a", "q1"), one(text)), words, nil},
		"a letter to free text":  {join(baseline(), wondering(1, "a", "q1"), one(text)), chose(1, "a"), engine.ErrChoice},
		"a second one":           {append(slices.Clone(open), chose(1, "a")), chose(1, "b"), engine.ErrAnswered},
		"while it is stopped":    {append(slices.Clone(open), events.RunHalted{Reason: events.HaltStopped}), chose(1, "b"), engine.ErrNoQuestion},
		"after it was cancelled": {append(slices.Clone(open), events.RunEnded{State: events.EndCancelled}), chose(1, "b"), engine.ErrOver},
	} {
		d, err := engine.Decide(history(tt.events...), engine.Answer{QuestionAnswered: tt.answer}, start)
		if !errors.Is(err, tt.want) || (err == nil) != (d != nil) {
			t.Errorf("%s: %v, %v; want %v", name, d, err, tt.want)
		}
	}
	// A stop that is asked for does not close the question: it is answered until the
	// run is halted.
	stopping := history(append(slices.Clone(open), events.StopRequested{Mode: events.StopAfterIteration})...)
	if _, err := engine.Decide(stopping, engine.Answer{QuestionAnswered: chose(1, "b")}, start); err != nil {
		t.Error(err)
	}
	if _, err := engine.Decide(history(open...), engine.Report{Data: wonders(2, 1, "q1")}, start); !errors.Is(err, engine.ErrStale) {
		t.Errorf("asked while it asks: %v", err)
	}
	if n := history(open...).LastIteration(); n != 3 {
		t.Errorf("the last iteration is %d", n)
	}
	if s := history(open...); s.Status != run.Live || s.Clock.Active(start.Add(time.Hour)) != s.Clock.Active(start.Add(time.Minute)) {
		t.Error("the wait for a person counts as activity")
	}
}

// Seeds 4.1.2: an interview is skipped only by a person's word, with its reason;
// that holds for what it is about.
func TestAnInterviewIsSkippedByAPersonsWordAlone(t *testing.T) {
	t.Parallel()
	begun := started(func(d *events.RunStarted) {
		d.Gates = append(d.Gates, events.Gate{Name: "clear", Kind: events.GateInterview, Role: events.RoleCheck, Phase: "work", Roles: []events.Name{"asker"}, Most: 3, Clear: 20})
	})
	waits := judged(1, "t1", []events.GateResult{open("clear", events.GateInterview, "task")})
	given := one(begun, events.GatesStarted{Phase: "work"}, judged(0, "t0", result(events.Fail, "a")), agent(1, 1), ended(1, "t1"),
		events.GatesStarted{Phase: "work", Iteration: 1}, waits,
		events.RoleStarted{Gate: "clear", Role: "asker", Set: "task", Round: 1, Agent: events.IterationStarted{Effect: "R"}},
		events.RoleEnded{Gate: "clear", Role: "asker", Set: "task", Round: 1, Opinion: events.Opinion{Ambiguity: 70, Question: "q"}, Agent: events.AgentEnded{Effect: "R", Outcome: events.Exited}})
	if rule, act := engine.Explain(history(given...), flow(), start); rule != "ask" || act != (engine.Ask{Gate: "clear", Kind: events.AskText, Set: "task", Round: 2}) {
		t.Fatalf("%s %+v", rule, act)
	}
	asked := append(given, events.QuestionAsked{Number: 1, Phase: "work", Iteration: 1, Gate: "clear", Kind: events.AskText, Set: "task", Text: "q", Assurance: events.AssuredTTY})
	skip := events.QuestionAnswered{Number: 1, Choice: events.ChoiceSkip, Text: "reason", Set: "task", Assurance: events.AssuredTTY}
	silent := skip
	silent.Text = ""
	if _, err := engine.Decide(history(asked...), engine.Answer{QuestionAnswered: silent}, start); !errors.Is(err, engine.ErrChoice) {
		t.Errorf("without a reason: %v", err)
	}
	d, err := engine.Decide(history(asked...), engine.Answer{QuestionAnswered: skip}, start)
	if err != nil {
		t.Fatal(err)
	}
	s := history(append(asked, d)...)
	if r := s.Last.Results[0]; r.Verdict != events.Skipped || r.Reason != events.ReasonByPerson || r.Excerpt != "reason" {
		t.Errorf("%+v", r)
	}
	if rule, act := engine.Explain(s, flow(), start); rule != "record" || act.(engine.Record).Verdict != events.Pass {
		t.Errorf("%s %+v", rule, act)
	}
	other := history(append(asked, d, events.IterationRecorded{Phase: "work", Iteration: 1, Verdict: events.Fail}, agent(2, 1), ended(2, "t2"),
		events.GatesStarted{Phase: "work", Iteration: 2}, judged(2, "t2", []events.GateResult{open("clear", events.GateInterview, "another")}))...)
	if r := other.Last.Results[0]; r.Verdict != events.Open {
		t.Errorf("about another task: %+v", r)
	}
}

// An interview whose rounds are used up begins anew with what a person has said
// since: without that no word of theirs, and no resume, would ever let the run go
// on.
func TestRoundsOfAnInterviewThatAreUsedUpBeginAnewWithAPersonsWord(t *testing.T) {
	t.Parallel()
	begun := started(func(d *events.RunStarted) {
		d.Gates = append(d.Gates, events.Gate{Name: "clear", Kind: events.GateInterview, Role: events.RoleCheck, Phase: "work", Roles: []events.Name{"asker"}, Most: 2, Clear: 20})
	})
	round := func(n, vague int) []events.Data {
		return []events.Data{
			events.RoleStarted{Gate: "clear", Role: "asker", Set: "task", Round: n, Agent: events.IterationStarted{Effect: "R"}},
			events.RoleEnded{Gate: "clear", Role: "asker", Set: "task", Round: n, Opinion: events.Opinion{Ambiguity: vague, Question: "q"}, Agent: events.AgentEnded{Effect: "R", Outcome: events.Exited}},
		}
	}
	talk := func(n int) []events.Data {
		return []events.Data{
			events.QuestionAsked{Number: n, Phase: "work", Iteration: 1, Gate: "clear", Kind: events.AskText, Set: "task", Text: "q", Assurance: events.AssuredTTY},
			events.QuestionAnswered{Number: n, Gate: "clear", Choice: events.ChoiceText, Text: "a", Set: "task", Assurance: events.AssuredTTY},
		}
	}
	waits := judged(1, "t1", []events.GateResult{open("clear", events.GateInterview, "task")})
	first := join(one(begun, events.GatesStarted{Phase: "work"}, judged(0, "t0", result(events.Fail, "a")), agent(1, 1), ended(1, "t1"),
		events.GatesStarted{Phase: "work", Iteration: 1}, waits), round(1, 70))
	spent := join(first, talk(1), round(2, 60), one(events.IterationRecorded{Phase: "work", Iteration: 1, Verdict: events.Fail}, events.RunHalted{Reason: events.HaltSameness}))
	again := one(agent(2, 1), ended(2, "t1"), events.GatesStarted{Phase: "work", Iteration: 2}, judged(2, "t1", []events.GateResult{open("clear", events.GateInterview, "task")}))
	halts := join(spent[:len(spent)-1])
	name, act := engine.Explain(history(halts...), flow(), start)
	if h, ok := act.(engine.Halt); !ok || name != "unclear" || h.Reason != events.HaltUnclear || h.Gate != "clear" || h.Used != 60 || h.Limit != 20 || h.Of != 2 {
		t.Errorf("rounds that are used up halt as that, with the score: %s %+v", name, act)
	}
	for name, tt := range map[string]struct {
		events []events.Data
		rule   string
		round  int
	}{
		"a question is put before the next round":      {first, "ask", 2},
		"then it is looked at":                         {join(first, talk(1)), "look", 2},
		"without a word it stays as it was":            {join(spent, one(events.RunResumed{}), again), "record", 0},
		"with a note it begins anew":                   {join(spent, one(events.RunResumed{Note: "n"}), again), "look", 1},
		"with findings too":                            {join(spent, one(events.RunResumed{Findings: "f", Count: 1}), again), "look", 1},
		"what nobody has answered is still open":       {join(first, one(events.RunHalted{Reason: events.HaltStopped}, events.RunResumed{Findings: "f", Count: 1}), again), "ask", 2},
		"what was answered before is not asked again":  {join(spent, one(events.RunResumed{Note: "n"}), again, round(1, 50)), "look", 2},
		"and the rounds have an end again":             {join(spent, one(events.RunResumed{Note: "n"}), again, round(1, 50), round(2, 50)), "record", 0},
		"one that has made it clear is not begun anew": {join(first, talk(1), round(2, 10), one(events.IterationRecorded{Phase: "work", Iteration: 1, Verdict: events.Fail}, events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"}), again), "record", 0},
	} {
		rule, act := engine.Explain(history(tt.events...), flow(), start)
		round := 0
		switch act := act.(type) {
		case engine.Ask:
			round = act.Round
		case engine.RunRole:
			round = act.Round
		}
		if rule != tt.rule || round != tt.round {
			t.Errorf("%s: %s in round %d, want %s in %d", name, rule, round, tt.rule, tt.round)
		}
	}
}
