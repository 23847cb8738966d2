package retro_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/retro"
)

// story writes the events of a run, a second apart unless it is told to wait.
type story struct {
	es    []events.Event
	at    time.Time
	actor string
}

func begin() *story {
	s := &story{at: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}
	return s.add(events.RunStarted{Handle: "k3xq", Workflow: "loop", Phase: "work", Task: "task", Gates: []events.Gate{{Name: "test"}}})
}

func (s *story) add(data ...events.Data) *story {
	for _, d := range data {
		s.es = append(s.es, events.Event{Aggregate: events.Run("01J"), Seq: uint64(len(s.es) + 1), Time: s.at, Actor: s.actor, Data: d})
		s.at = s.at.Add(time.Second)
	}
	return s
}

// after lets time pass before the next event, on top of its second.
func (s *story) after(d time.Duration) *story { s.at = s.at.Add(d); return s }

func (s *story) by(actor string) *story { s.actor = actor; return s }

// gates is a baseline, or the gates of an iteration, with the failing tests.
func (s *story) gates(k int, failing string) *story {
	r := events.GateResult{Gate: "test", Verdict: events.Pass}
	if failing != "" {
		r = events.GateResult{
			Gate: "test", Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1,
			Failing: strings.Count(failing, " ") + 1, FailingIDs: events.Ref(failing), FailingSum: failing,
		}
	}
	return s.add(events.GatesStarted{Phase: "work", Iteration: k}, events.GatesJudged{Phase: "work", Iteration: k, Results: []events.GateResult{r}})
}

// iteration has a failure with that fingerprint, or passes without one.
func (s *story) iteration(k int, print, failing string) *story {
	s.add(events.IterationStarted{Phase: "work", Iteration: k, Attempt: 1},
		events.AgentEnded{
			Phase: "work", Iteration: k, Attempt: 1, Outcome: events.Exited, Result: events.ResultEnded, DurationMS: 900, Model: "m1",
			Usage: events.Usage{Input: 10, Output: 5, TokensFrom: events.Reported, MicroUSD: 100, CostFrom: events.Reported},
		}).gates(k, failing)
	v := events.Pass
	if failing != "" {
		v = events.Fail
	}
	sign := ""
	if print != "" {
		sign = "s" + print[:1]
	}
	return s.add(events.IterationRecorded{Phase: "work", Iteration: k, Attempt: 1, Verdict: v, Fingerprint: print, Signature: sign})
}

// texts are the references themselves, with a line for each word.
func texts(ref events.Ref) (string, bool) {
	return strings.ReplaceAll(string(ref), " ", "\n"), ref != "gone"
}

func (s *story) view() wire.RetroRun { return s.fold().View(texts) }

func (s *story) fold() *retro.Fold {
	f := &retro.Fold{}
	for _, e := range s.es {
		f.Add(e)
	}
	return f
}

func TestAFindingLastsFromRedToGreen(t *testing.T) {
	t.Parallel()
	v := begin().gates(0, "a b").iteration(1, "f1", "b c").iteration(2, "f2", "gone").iteration(3, "f3", "c").iteration(4, "", "").view()
	var got []string
	for _, f := range v.Findings {
		got = append(got, fmt.Sprintf("%s/%s %d-%d open=%v", f.Gate, f.Test, f.Seen, f.Settled, f.Open))
	}
	want := []string{
		"test/ 0-4 open=false", "test/a 0-1 open=false", "test/b 0-3 open=false", "test/c 1-4 open=false",
	}
	if d := cmp.Diff(want, got); d != "" || v.Unread != 1 {
		t.Errorf("%d unread, %s", v.Unread, d)
	}
}

func TestAFindingThatComesBackIsANewOne(t *testing.T) {
	t.Parallel()
	v := begin().gates(0, "a").iteration(1, "", "").iteration(2, "f", "a").view()
	if n := len(v.Findings); n != 4 || v.Findings[0].Open || !v.Findings[2].Open || !v.Findings[3].Open {
		t.Errorf("%+v", v.Findings)
	}
}

func TestWhatIsUsedAfterTheFirstRepeatIsCounted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		tell func(*story) *story
		want string
	}{
		{"no failure came twice", func(s *story) *story { return s.iteration(1, "a", "x").iteration(2, "b", "x").iteration(3, "", "") }, "none"},
		{"an equal fingerprint is a repeat", func(s *story) *story {
			return s.iteration(1, "a", "x").iteration(2, "b", "x").iteration(3, "a", "x").iteration(4, "c", "x")
		}, "3=1 fingerprint n=2 usd=200 tokens=30"},
		{"the third equal signature is a repeat, the second is none", func(s *story) *story {
			return s.iteration(1, "a1", "x").iteration(2, "a2", "x").iteration(3, "a3", "x")
		}, "3=1 signature n=1 usd=100 tokens=15"},
		{"a pass repeats nothing", func(s *story) *story {
			return s.iteration(1, "a", "x").iteration(2, "a", "x").iteration(3, "", "")
		}, "2=1 fingerprint n=1 usd=100 tokens=15 green"},
		{"new findings of a person end it", func(s *story) *story {
			return s.iteration(1, "a", "x").iteration(2, "a", "x").add(events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{Note: "n"}).iteration(3, "b", "x")
		}, "2=1 fingerprint n=1 usd=100 tokens=15 told"},
		{"to be resumed without findings ends nothing", func(s *story) *story {
			return s.iteration(1, "a", "x").iteration(2, "a", "x").add(events.RunHalted{Reason: events.HaltSameness}, events.RunResumed{}).iteration(3, "b", "x")
		}, "2=1 fingerprint n=2 usd=200 tokens=30"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := "none"
			if p := tt.tell(begin().gates(0, "x")).view().Repeated; p != nil {
				got = fmt.Sprintf("%d=%d %s n=%d usd=%d tokens=%d", p.First, p.EqualTo, p.By, p.Iterations, p.Usage.MicroUSD, p.Usage.Tokens)
				if p.Green {
					got += " green"
				}
				if p.Resumed {
					got += " told"
				}
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestADecisionTakesUntilSomebodyMakesIt(t *testing.T) {
	t.Parallel()
	v := begin().gates(0, "x").iteration(1, "a", "x").
		add(events.RunHalted{Reason: events.HaltNeedsPerson, Question: "which one?"}).after(time.Hour).
		by("person:0@h/1").add(events.RunResumed{Note: "the first"}, events.StopRequested{Mode: events.StopNow}).
		by("").add(events.RunHalted{Reason: events.HaltStopped}).after(time.Minute).view()
	var got []string
	for _, d := range v.Decisions {
		got = append(got, fmt.Sprintf("%s %d %dms %q by %s: %s > %s", d.Kind, d.Iteration, d.Took, d.Made, d.By, d.Asked, d.Answer))
	}
	want := []string{
		`needs-person 1 3601000ms "resumed with findings" by person:0@h/1: ` + "which\none? > the\nfirst",
		`stop-now 1 0ms "asked for" by person:0@h/1:  > `,
		`stopped 1 0ms "" by :  > `,
	}
	if d := cmp.Diff(want, got); d != "" || v.State != "halted" || v.Reason != "stopped" || v.Time.Person != 3601000 {
		t.Errorf("%s %s %+v %s", v.State, v.Reason, v.Time, d)
	}
}

func TestTimeIsDividedByWhatWasDone(t *testing.T) {
	t.Parallel()
	v := begin().gates(0, "x").add(events.IterationStarted{Phase: "work", Iteration: 1, Attempt: 1}).after(time.Hour).
		add(events.RunSuspended{MS: 600_000}).after(time.Minute).
		add(events.AgentEnded{Iteration: 1, Attempt: 1, Result: events.ResultRateLimited},
			events.IterationRecorded{Iteration: 1, Verdict: events.Skipped}, events.LimitWaiting{Cause: events.LimitRate}).after(2*time.Hour).
		add(events.LimitLifted{}, events.IterationStarted{Phase: "work", Iteration: 1, Attempt: 2},
			events.AgentEnded{Iteration: 1, Attempt: 2}, events.IterationRecorded{Iteration: 1, Verdict: events.Skipped}).after(time.Minute).
		add(events.RunEnded{State: events.EndCancelled}).after(time.Hour).add(events.LimitLifted{}).view()
	want := wire.RetroTime{
		Agent: 3_601_000 - 600_000 + 61_000 + 1000, Asleep: 600_000, Gates: 1000,
		Waiting: 7_201_000 + 61_000, Other: 6000,
	}
	if d := cmp.Diff(want, v.Time); d != "" {
		t.Error(d)
	}
	if len(v.Iterations) != 2 || v.Iterations[1].Attempts != 2 {
		t.Errorf("%+v", v.Iterations)
	}
}

func TestAClockThatWentBackIsCountedAndTakesNoTime(t *testing.T) {
	t.Parallel()
	s := begin().gates(0, "x")
	s.after(-time.Hour).iteration(1, "a", "x")
	v := s.view()
	if v.Back != 1 || retro.All(v.Time) != int64(len(s.es)-2)*1000 {
		t.Errorf("%d times, %+v", v.Back, v.Time)
	}
}

func TestNewerAndOlderEventsAreNoReasonToFail(t *testing.T) {
	t.Parallel()
	s := begin().gates(0, "x").add(events.Unknown{})
	s.add(events.IterationStarted{Phase: "work", Iteration: 1}, events.AgentEnded{Phase: "work", Iteration: 1}, events.RunHalted{}, events.RunHalted{Reason: "new"})
	v := s.view()
	u := v.Iterations[1]
	if v.Unknown != 1 || u.CostFrom != "unknown" || u.Usage.NoCost != 1 || u.Usage.NoTokens != 1 || v.Reason != "new" {
		t.Errorf("%+v", v)
	}
	if v := (&retro.Fold{}).View(texts); v.State != "" || len(v.Iterations) != 0 {
		t.Errorf("a run without events: %+v", v)
	}
	f := &retro.Fold{} // its first event is of a newer version
	f.Add(events.Event{Seq: 1, Time: time.Unix(1, 0), Data: events.Unknown{}})
	f.Add(events.Event{Seq: 2, Time: time.Unix(2, 0), Data: events.RunResumed{}})
	if v := f.View(nil); v.Unknown != 1 || v.Time.Other != 1000 {
		t.Errorf("%+v", v)
	}
}

func TestRepeatsAndConflictsOfTurnsAreNamed(t *testing.T) {
	t.Parallel()
	v := begin().add(events.IterationStarted{Iteration: 1}, events.AgentEnded{
		Iteration: 1, Repeats: 9, Repeat: "Bash", Cut: events.CutRepetition, Result: events.ResultEnded, By: events.FromStream,
		Conflicts: []events.Signal{{By: events.FromExit, Result: events.ResultAgentError}},
	}, events.AgentEnded{Iteration: 1, Repeats: 1}).view()
	if d := cmp.Diff([]wire.RetroRepeat{{Iteration: 1, Times: 9, What: "Bash", Ended: true}}, v.Repeats); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]wire.RetroConflict{{Iteration: 1, By: "stream", Result: "ended", Other: "exit", Says: "agent-error"}}, v.Conflicts); d != "" {
		t.Error(d)
	}
}

// anyStory draws events in any order, with any clock.
func anyStory(t *rapid.T) []events.Event {
	s := &story{at: time.Unix(1_700_000_000, 0).UTC()}
	k := 0
	name := rapid.SampledFrom([]string{"a", "b", ""})
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		s.after(time.Duration(rapid.Int64Range(-5000, 90_000).Draw(t, "ms")) * time.Millisecond)
		switch rapid.IntRange(0, 13).Draw(t, "what") {
		case 0:
			s.add(events.RunStarted{Handle: "h", Phase: "work"})
		case 1:
			k++
			s.add(events.IterationStarted{Phase: "work", Iteration: k})
		case 2:
			s.add(events.IterationStarted{Phase: "work", Iteration: k})
		case 3, 4:
			n := rapid.Int64Range(0, 1000).Draw(t, "n")
			s.add(events.AgentEnded{Iteration: k, DurationMS: n, Usage: events.Usage{
				Input: n, MicroUSD: n, TokensFrom: events.Reported, CostFrom: rapid.SampledFrom([]events.Source{events.Reported, events.Computed, ""}).Draw(t, "from"),
			}})
		case 5:
			s.gates(k, name.Draw(t, "tests"))
		case 6:
			s.add(events.IterationRecorded{Iteration: k, Verdict: events.Fail, Fingerprint: name.Draw(t, "print"), Signature: name.Draw(t, "sign")})
		case 7:
			s.add(events.IterationRecorded{Iteration: k, Verdict: rapid.SampledFrom([]events.Verdict{events.Pass, events.Skipped}).Draw(t, "verdict")})
		case 8:
			s.add(events.RunSuspended{MS: rapid.Int64Range(-10, 100_000).Draw(t, "slept")})
		case 9:
			s.add(events.LimitWaiting{Cause: events.LimitRate})
		case 10:
			s.add(events.RunHalted{Reason: events.HaltStuck})
		case 11:
			s.add(events.RunResumed{Note: events.Ref(name.Draw(t, "note"))})
		case 12:
			s.add(events.Unknown{})
		case 13:
			if rapid.IntRange(0, 9).Draw(t, "over") == 0 {
				s.add(events.RunEnded{State: events.EndDone})
			}
		}
	}
	return s.es
}

func TestThePartsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		es := anyStory(t)
		f := &retro.Fold{}
		agents, micro, passed := 0, int64(0), int64(0)
		over := false
		for i, e := range es {
			f.Add(e)
			if i > 0 && !over {
				passed += max(0, e.Time.UnixMilli()-es[i-1].Time.UnixMilli())
			}
			switch d := e.Data.(type) {
			case events.AgentEnded:
				agents, micro = agents+1, micro+d.Usage.MicroUSD
			case events.RunEnded:
				over = true
			}
		}
		v := f.View(texts)
		var rows wire.RetroTime
		var used wire.UsageSum
		spans, phases := int64(0), int64(0)
		for _, r := range v.Iterations {
			used = retro.Sum(used, r.Usage)
			for _, k := range retro.Kinds() {
				*retro.Part(&rows, k) += *retro.Part(&r.Time, k)
			}
		}
		at := int64(0)
		for _, s := range v.Spans {
			if s.At < at || s.Length <= 0 {
				t.Fatalf("spans overlap: %+v", v.Spans)
			}
			at, spans = s.At+s.Length, spans+s.Length
		}
		for _, p := range v.Phases {
			phases += p.Length
		}
		if rows != v.Time || used != v.Usage || retro.All(v.Time) != passed || spans != passed || phases != passed {
			t.Fatalf("%d ms passed; iterations %+v, run %+v, spans %d, phases %d", passed, rows, v.Time, spans, phases)
		}
		if v.Usage.Agents != agents || v.Usage.MicroUSD != micro {
			t.Fatalf("%+v, want %d agents and %d", v.Usage, agents, micro)
		}
		if p := v.Repeated; p != nil && (p.Iterations > len(v.Iterations) || p.Usage.MicroUSD > v.Usage.MicroUSD || p.Length > retro.Work(v.Time)) {
			t.Fatalf("a part is more than the whole: %+v of %+v", p, v)
		}
	})
}

func TestToLookInBetweenChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		es := anyStory(t)
		at := rapid.IntRange(0, len(es)).Draw(t, "at")
		once, pieces, prefix := &retro.Fold{}, &retro.Fold{}, &retro.Fold{}
		for i, e := range es {
			if i == at {
				first := pieces.View(texts)
				if d := cmp.Diff(prefix.View(texts), first); d != "" {
					t.Fatal(d)
				}
			}
			if i < at {
				prefix.Add(e)
			}
			once.Add(e)
			pieces.Add(e)
		}
		if d := cmp.Diff(once.View(texts), pieces.View(texts)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestRunsAreSummed(t *testing.T) {
	t.Parallel()
	done := begin().gates(0, "x").iteration(1, "a", "x").iteration(2, "", "").add(events.RunEnded{State: events.EndDone}).fold()
	halted := begin().gates(0, "x").iteration(1, "a", "x").iteration(2, "a", "x").add(events.RunHalted{Reason: events.HaltSameness}).fold()
	twice := begin().gates(0, "x").add(events.LimitWaiting{Cause: events.LimitRate}, events.RunHalted{Reason: events.HaltHours}, events.RunResumed{}).
		iteration(1, "", "").add(events.RunEnded{State: events.EndDone}).fold()
	cancelled := begin().add(events.RunEnded{State: events.EndCancelled}).fold()
	l := retro.NewFleet(time.Unix(0, 0).UTC(), time.UTC)
	for _, r := range []*retro.Fold{done, halted, twice, cancelled} {
		l.Add(r)
	}
	l.Unread()
	v := l.View(texts)
	got := fmt.Sprintf("%d runs, %d of %d, median %d, green %v, halts %v, waits %v, done %d for %d, repeats %d, unread %d",
		v.Runs, v.Passed, v.Closed, v.Median, v.ToGreen, v.Halts, v.Waits, v.Done, v.DoneUSD, v.Repeats, v.Unread)
	want := "4 runs, 2 of 3, median 1, green [{1 1 0} {2 1 0}], halts [{hours 1 1000} {sameness 1 0}], waits [{rate-limited 1 1000}], done 2 for 300, repeats 1, unread 1"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(v.Days) != 1 || v.Days[0].Runs != 4 || v.Days[0].Passed != 2 || len(v.Rows) != 4 || v.Rows[2].Halts != 1 || v.Rows[0].Task != "task" {
		t.Errorf("%+v %+v", v.Days, v.Rows)
	}
}

func TestOnlyTheNewestRunsAreListedAndAllAreSummed(t *testing.T) {
	t.Parallel()
	l := retro.NewFleet(time.Unix(0, 0), time.UTC)
	one := begin().add(events.RunEnded{State: events.EndDone}).fold()
	for range retro.MaxRows + 7 {
		l.Add(one)
	}
	if v := l.View(texts); len(v.Rows) != retro.MaxRows || v.More != 7 || v.Runs != retro.MaxRows+7 {
		t.Errorf("%d rows, %d more of %d", len(v.Rows), v.More, v.Runs)
	}
}

func TestEveryKindOfTimeHasItsOwnPart(t *testing.T) {
	t.Parallel()
	var time wire.RetroTime
	for i, k := range retro.Kinds() {
		*retro.Part(&time, k) = int64(1) << i
	}
	if retro.All(time) != 63 || !slices.Contains(retro.Kinds(), retro.Other) {
		t.Errorf("%+v", time)
	}
}

func TestPhasesRolesAndAnswersAreInARetro(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 1, 2, 6, 0, 0, 0, time.UTC)
	var f retro.Fold
	seq := uint64(0)
	add := func(min int, d events.Data) {
		seq++
		f.Add(events.Event{Aggregate: events.Run("01R"), Seq: seq, Time: base.Add(time.Duration(min) * time.Minute), Actor: "person:1@h/tty", Data: d})
	}
	open := func(gate events.Name, kind events.GateKind) events.GateResult {
		return events.GateResult{Gate: gate, Kind: kind, Verdict: events.Open, Reason: events.ReasonNobody, Set: "s"}
	}
	add(0, events.RunStarted{Phase: "plan", Gates: []events.Gate{
		{Name: "agreed", Kind: events.GateConsensus, Roles: []events.Name{"critic"}}, {Name: "approved", Kind: events.GateApproval},
	}})
	add(1, events.IterationStarted{Phase: "plan", Iteration: 1})
	add(2, events.AgentEnded{Phase: "plan", Iteration: 1, Usage: events.Usage{Output: 10, TokensFrom: events.Reported}})
	add(2, events.GatesStarted{Phase: "plan", Iteration: 1})
	add(3, events.GatesJudged{Phase: "plan", Iteration: 1, Results: []events.GateResult{
		open("agreed", events.GateConsensus), open("approved", events.GateApproval),
	}})
	add(3, events.RoleStarted{Gate: "agreed", Role: "critic", Set: "s"})
	add(8, events.RoleEnded{
		Gate: "agreed", Role: "critic", Set: "s", Opinion: events.Opinion{Verdict: events.RulingApprove},
		Agent: events.AgentEnded{Usage: events.Usage{Output: 5, TokensFrom: events.Reported}},
	})
	add(8, events.QuestionAsked{Number: 1, Gate: "approved", Kind: events.AskApproval, Set: "s"})
	add(38, events.QuestionAnswered{Number: 1, Gate: "approved", Choice: events.ChoiceOK, Set: "s"})
	add(38, events.IterationRecorded{Phase: "plan", Iteration: 1, Verdict: events.Pass})
	add(38, events.PhaseEntered{Phase: "review", From: "plan", Way: events.WayOn})
	add(38, events.GatesStarted{Phase: "review", Iteration: 2})
	add(39, events.GatesJudged{Phase: "review", Iteration: 2})
	v := f.View(nil)
	if len(v.Iterations) != 3 || v.Iterations[2].Phase != "review" {
		t.Fatalf("iterations %+v", v.Iterations)
	}
	one := v.Iterations[1]
	if one.Usage.Output != 15 || one.Time.Person != 30*60_000 || one.Time.Agent != 6*60_000 {
		t.Errorf("usage %+v, time %+v", one.Usage, one.Time)
	}
	for _, g := range one.Gates {
		if g.Verdict != string(events.Pass) {
			t.Errorf("gate %s: %s", g.Gate, g.Verdict)
		}
	}
	if len(v.Decisions) != 1 || v.Decisions[0].Made != "ok" || v.Decisions[0].Took != 30*60_000 {
		t.Errorf("decisions %+v", v.Decisions)
	}
}
