package account

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
)

var start = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

func at(seq uint64, after time.Duration, d events.Data) events.Event {
	return events.Event{Aggregate: events.Account("a1"), Seq: seq, Time: start.Add(after), Data: d}
}

func fold(es ...events.Event) State {
	var s State
	for _, e := range es {
		s = Evolve(s, e)
	}
	return s
}

func limitedUntil(after time.Duration, streak, slots int, effect string) events.AccountLimited {
	return events.AccountLimited{
		Cause: events.LimitRate, UntilMS: start.Add(after).UnixMilli(), Source: events.Guessed, Streak: streak, Slots: slots, Run: "r1", Effect: effect,
	}
}

func TestHowLongALimitIsWaitedFor(t *testing.T) {
	t.Parallel()
	in := func(d time.Duration) time.Time { return start.Add(d) }
	for name, tc := range map[string]struct {
		cause  events.Limit
		streak int
		reset  time.Time
		want   time.Duration
		source events.Source
	}{
		"until the provider's reset (B-25)":                   {events.LimitRate, 1, in(90 * time.Second), 90 * time.Second, events.Reported},
		"a quarter of an hour where nobody says (B-25)":       {events.LimitRate, 1, time.Time{}, 15 * time.Minute, events.Guessed},
		"longer each time":                                    {events.LimitRate, 3, time.Time{}, time.Hour, events.Guessed},
		"but not longer than the longest window":              {events.LimitRate, 90, time.Time{}, 5 * time.Hour, events.Guessed},
		"a reset in the past is not believed":                 {events.LimitRate, 1, in(-time.Second), 15 * time.Minute, events.Guessed},
		"nor one right now":                                   {events.LimitRate, 1, in(0), 15 * time.Minute, events.Guessed},
		"a month is believed":                                 {events.LimitRate, 1, in(31 * 24 * time.Hour), 31 * 24 * time.Hour, events.Reported},
		"five weeks are not":                                  {events.LimitRate, 1, in(35 * 24 * time.Hour), 15 * time.Minute, events.Guessed},
		"half a minute without a network":                     {events.LimitNetwork, 1, time.Time{}, 30 * time.Second, events.Guessed},
		"and longer each time":                                {events.LimitNetwork, 4, time.Time{}, 5 * time.Minute, events.Guessed},
		"at most fifteen minutes":                             {events.LimitNetwork, 90, time.Time{}, 15 * time.Minute, events.Guessed},
		"a reset that did not hold is trusted less":           {events.LimitRate, 3, in(5 * time.Second), time.Minute, events.Guessed},
		"unless it is later anyway":                           {events.LimitRate, 3, in(time.Hour), time.Hour, events.Reported},
		"half a minute for an overload":                       {events.LimitOverload, 1, time.Time{}, 30 * time.Second, events.Guessed},
		"then one":                                            {events.LimitOverload, 2, time.Time{}, time.Minute, events.Guessed},
		"two":                                                 {events.LimitOverload, 3, time.Time{}, 2 * time.Minute, events.Guessed},
		"five":                                                {events.LimitOverload, 4, time.Time{}, 5 * time.Minute, events.Guessed},
		"ten":                                                 {events.LimitOverload, 5, time.Time{}, 10 * time.Minute, events.Guessed},
		"and fifteen from then on":                            {events.LimitOverload, 60, time.Time{}, 15 * time.Minute, events.Guessed},
		"an overload whose end is said":                       {events.LimitOverload, 1, in(4 * time.Minute), 4 * time.Minute, events.Reported},
		"an end that is said to be sooner than the back-off":  {events.LimitOverload, 1, in(2 * time.Second), 30 * time.Second, events.Guessed},
		"a streak of none counts as the first":                {events.LimitRate, 0, time.Time{}, 15 * time.Minute, events.Guessed},
		"an overload far beyond what can be is no end either": {events.LimitOverload, 2, in(1000 * time.Hour), time.Minute, events.Guessed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			until, source := Wait(tc.cause, tc.streak, tc.reset, start)
			if got := until.Sub(start); got != tc.want || source != tc.source {
				t.Errorf("waits %v (%s), want %v (%s)", got, source, tc.want, tc.source)
			}
		})
	}
}

// agentEnded is an agent that ended ten minutes after the start.
func agentEnded(effect string, r events.Result, change ...func(*Ended)) Ended {
	e := Ended{Run: "r2", At: start.Add(10 * time.Minute), Agent: events.AgentEnded{Effect: effect, Result: r}}
	for _, c := range change {
		c(&e)
	}
	return e
}

func knew(e *Ended)    { e.Knew = true }
func worked1(e *Ended) { e.Agent.Usage.Output = 7 }

func lasting(e *Ended) { e.Agent.DurationMS = time.Minute.Milliseconds() }
func others(n int) func(*Ended) {
	return func(e *Ended) { e.Others = n }
}

func resets(after time.Duration) func(*Ended) {
	return func(e *Ended) { e.Agent.ResetMS = start.Add(after).UnixMilli() }
}

func TestWhatTheEndOfAnAgentSaysOfItsAccount(t *testing.T) {
	t.Parallel()
	hit := at(1, 0, limitedUntil(15*time.Minute, 1, 0, "e1"))
	slotted := at(1, 0, limitedUntil(5*time.Minute, 1, 3, "e1"))
	refused := at(1, 0, events.AccountRefused{Cause: events.ResultAuthFailed, Run: "r1", Effect: "e1"})
	limit := func(until time.Duration, source events.Source, streak, slots int) events.Data {
		return events.AccountLimited{
			Cause: events.LimitRate, UntilMS: start.Add(until).UnixMilli(), Source: source, Streak: streak, Slots: slots, Run: "r2", Effect: "e2",
		}
	}
	yes := func(slots int) events.Data { return events.AccountWorked{Slots: slots, Run: "r2", Effect: "e2"} }
	for name, tc := range map[string]struct {
		given []events.Event
		ended Ended
		want  events.Data
	}{
		"work on an account without trouble":             {nil, agentEnded("e2", events.ResultEnded, knew), nil},
		"a first limit":                                  {nil, agentEnded("e2", events.ResultRateLimited, knew), limit(25*time.Minute, events.Guessed, 1, 0)},
		"a limit with its reset":                         {nil, agentEnded("e2", events.ResultRateLimited, knew, resets(11*time.Minute)), limit(11*time.Minute, events.Reported, 1, 0)},
		"the same agent again":                           {[]events.Event{hit}, agentEnded("e1", events.ResultRateLimited), nil},
		"another that was at work with it":               {[]events.Event{hit}, agentEnded("e2", events.ResultRateLimited), limit(25*time.Minute, events.Guessed, 1, 0)},
		"one that knows the reset":                       {[]events.Event{hit}, agentEnded("e2", events.ResultRateLimited, resets(12*time.Minute)), limit(12*time.Minute, events.Reported, 1, 0)},
		"one that was let in since is one more in a row": {[]events.Event{hit}, agentEnded("e2", events.ResultRateLimited, knew), limit(40*time.Minute, events.Guessed, 2, 0)},
		"one that had worked for a while begins a new row": {
			[]events.Event{at(1, 0, limitedUntil(time.Minute, 4, 0, "e1"))},
			agentEnded("e2", events.ResultRateLimited, knew, worked1, lasting), limit(25*time.Minute, events.Guessed, 1, 0),
		},
		"one that was answered once and then met the limit is one more in a row": {
			[]events.Event{hit}, agentEnded("e2", events.ResultRateLimited, knew, worked1), limit(40*time.Minute, events.Guessed, 2, 0),
		},
		"one that met the limit when it should have been over": {
			[]events.Event{at(1, 0, limitedUntil(time.Minute, 1, 0, "e1"))},
			agentEnded("e2", events.ResultRateLimited), limit(40*time.Minute, events.Guessed, 2, 0),
		},
		"seven at work lower the slots to the half (B-68)": {nil, agentEnded("e2", events.ResultRateLimited, knew, others(6)), limit(25*time.Minute, events.Guessed, 1, 3)},
		"but not twice for one limit":                      {[]events.Event{at(1, 0, limitedUntil(25*time.Minute, 1, 3, "e1"))}, agentEnded("e2", events.ResultRateLimited, others(5)), limit(25*time.Minute, events.Guessed, 1, 3)},
		"nor for a quota that is used up":                  {nil, agentEnded("e2", events.ResultRateLimited, knew, others(6), resets(3*time.Hour)), limit(3*time.Hour, events.Reported, 1, 0)},
		"nor where the network is gone":                    {nil, agentEnded("e2", events.ResultUnreachable, knew, others(6)), events.AccountLimited{Cause: events.LimitNetwork, UntilMS: start.Add(10*time.Minute + 30*time.Second).UnixMilli(), Source: events.Guessed, Streak: 1, Run: "r2", Effect: "e2"}},
		"at least one slot stays":                          {nil, agentEnded("e2", events.ResultRateLimited, knew, others(1)), limit(25*time.Minute, events.Guessed, 1, 1)},
		"one agent alone says nothing of slots":            {[]events.Event{slotted}, agentEnded("e2", events.ResultRateLimited, knew), limit(40*time.Minute, events.Guessed, 2, 3)},
		"work by one that was let in since":                {[]events.Event{hit}, agentEnded("e2", events.ResultEnded, knew), yes(0)},
		"work that ended otherwise":                        {[]events.Event{hit}, agentEnded("e2", events.ResultBudget, knew, worked1), yes(0)},
		"a failure that shows nothing of the provider":     {[]events.Event{hit}, agentEnded("e2", events.ResultAgentError, knew), nil},
		"work that began before the limit":                 {[]events.Event{hit}, agentEnded("e2", events.ResultEnded, worked1), nil},
		"work raises the slots by one":                     {[]events.Event{slotted}, agentEnded("e2", events.ResultEnded, knew), yes(4)},
		"and clears them in the end":                       {[]events.Event{slotted, at(2, 1, events.AccountWorked{Slots: 6, Effect: "e0"})}, agentEnded("e2", events.ResultEnded, knew), yes(0)},
		"what ended before the latest yes is past":         {[]events.Event{hit, at(2, 20*time.Minute, events.AccountWorked{Effect: "e0"})}, agentEnded("e2", events.ResultRateLimited), nil},
		"a refused login (B-69)":                           {nil, agentEnded("e2", events.ResultAuthFailed, knew), events.AccountRefused{Cause: events.ResultAuthFailed, Run: "r2", Effect: "e2"}},
		"the same by one that was at work with it (B-69)":  {[]events.Event{refused}, agentEnded("e2", events.ResultAuthFailed), nil},
		"by one that has tried again":                      {[]events.Event{refused}, agentEnded("e2", events.ResultBilling, knew), events.AccountRefused{Cause: events.ResultBilling, Run: "r2", Effect: "e2"}},
		"a login that works again":                         {[]events.Event{refused}, agentEnded("e2", events.ResultEnded, knew), yes(0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Learn(fold(tc.given...), tc.ended)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhoMayBegin(t *testing.T) {
	t.Parallel()
	hit := at(1, 0, limitedUntil(90*time.Second, 1, 0, "e1"))
	slotted := at(1, 0, limitedUntil(-time.Minute, 1, 2, "e1"))
	refused := at(1, 0, events.AccountRefused{Cause: events.ResultAuthFailed, Run: "r1", Effect: "e1"})
	due := func(d time.Duration) Answer {
		return Answer{Wait: events.LimitRate, Until: start.Add(90*time.Second + d), Reset: start.Add(90 * time.Second), Place: 1}
	}
	slot := func(now time.Duration, place int) Answer {
		return Answer{Wait: events.LimitSlots, Until: start.Add(now + time.Hour), Place: place}
	}
	j := jitter("r2")
	for name, tc := range map[string]struct {
		given []events.Event
		ask   Ask
		now   time.Duration
		want  Answer
	}{
		"anybody, on an account without trouble":                     {nil, Ask{Working: 50, Ahead: 50}, 0, Answer{}},
		"nobody before a limit is over":                              {[]events.Event{hit}, Ask{}, 89 * time.Second, due(j)},
		"the first as a probe":                                       {[]events.Event{hit}, Ask{}, 90*time.Second + j, Answer{}},
		"not the second with it":                                     {[]events.Event{hit}, Ask{Gone: 1, Working: 1}, 95 * time.Second, due(probe + j)},
		"nor one that an older one is before":                        {[]events.Event{hit}, Ask{Ahead: 1}, 95 * time.Second, Answer{Wait: events.LimitRate, Until: start.Add(90*time.Second + probe + j), Reset: start.Add(90 * time.Second), Place: 2}},
		"the others one by one":                                      {[]events.Event{hit}, Ask{Gone: 3, Working: 3}, 95 * time.Second, due(probe + 2*Stagger + j)},
		"as many as there are slots":                                 {[]events.Event{slotted}, Ask{Working: 1, Gone: 1}, time.Minute, Answer{}},
		"no more (B-68)":                                             {[]events.Event{slotted}, Ask{Working: 2}, time.Minute, slot(time.Minute, 1)},
		"none that an older one is before":                           {[]events.Event{slotted}, Ask{Working: 1, Ahead: 1}, time.Minute, slot(time.Minute, 2)},
		"nobody on a refused account":                                {[]events.Event{refused}, Ask{Since: start.Add(-time.Hour)}, time.Hour, Answer{Refused: true}},
		"one that was started or resumed since, to try":              {[]events.Event{refused}, Ask{Since: start.Add(time.Minute)}, time.Hour, Answer{}},
		"not two of them":                                            {[]events.Event{refused}, Ask{Since: start.Add(time.Minute), Gone: 1}, time.Hour, slot(time.Hour, 1)},
		"anybody to try once the clock was put back (B-46)":          {[]events.Event{refused}, Ask{Since: start.Add(-9 * time.Hour)}, -8 * time.Hour, Answer{}},
		"agents from before a refusal do not keep others from a try": {[]events.Event{refused}, Ask{Since: start.Add(time.Minute), Working: 4}, time.Hour, Answer{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.ask.Run = "r2"
			if diff := cmp.Diff(tc.want, Admit(fold(tc.given...), tc.ask, start.Add(tc.now))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestALimitIsTheSameUntilItsEndHasPassed(t *testing.T) {
	t.Parallel()
	es := []events.Event{
		at(1, 0, limitedUntil(15*time.Minute, 1, 0, "e1")),
		at(2, time.Minute, limitedUntil(16*time.Minute, 1, 0, "e2")),
		at(3, 17*time.Minute, limitedUntil(47*time.Minute, 2, 0, "e3")),
		at(4, 3*time.Hour, limitedUntil(4*time.Hour, 1, 0, "e4")), // by an agent that had worked
	}
	for i, want := range []time.Duration{0, 0, 0, 3 * time.Hour} {
		if got := fold(es[:i+1]...).Since; !got.Equal(start.Add(want)) {
			t.Errorf("after %d events it began at %v, want %v", i+1, got, start.Add(want))
		}
	}
}

func TestTheOrderOfOffsetsIsThatOfPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		last := time.Duration(-1)
		for place := 1; place < 30; place++ {
			d := Offset(place, rapid.String().Draw(t, "run"))
			if d <= last {
				t.Fatalf("place %d begins after %v, the one before it after %v", place, d, last)
			}
			last = d
		}
	})
}

func TestWhatWasSeenIsBoundedAndTheLatest(t *testing.T) {
	t.Parallel()
	var s State
	for i := range maxSeen + 5 {
		s = Evolve(s, at(uint64(i+1), 0, events.AccountWorked{Effect: fmt.Sprint(i)}))
	}
	if len(s.Seen) != maxSeen || s.Seen[0] != "5" || slices.Contains(s.Seen, "4") {
		t.Errorf("%d are seen, from %s", len(s.Seen), s.Seen[0])
	}
}

func TestUnknownEventsAndGapsAreCounted(t *testing.T) {
	t.Parallel()
	s := fold(at(1, 0, events.Unknown{Type: "account.renamed.v1"}), at(3, 0, events.AccountWorked{Effect: "e"}))
	if s.Log != (Log{Seq: 3, Unknown: 1, Broken: 3}) {
		t.Errorf("log %+v", s.Log)
	}
}

func TestAnyHistoryFoldsInPieces(t *testing.T) {
	t.Parallel()
	data := rapid.SampledFrom([]events.Data{
		limitedUntil(time.Minute, 1, 0, "e1"), limitedUntil(time.Hour, 2, 3, "e2"),
		events.AccountRefused{Cause: events.ResultBilling, Run: "r1", Effect: "e3"},
		events.AccountWorked{Slots: 2, Effect: "e4"},
		events.AccountWorked{Effect: "e5"},
		events.Unknown{Type: "x.v1"},
	})
	rapid.Check(t, func(t *rapid.T) {
		var es []events.Event
		for i, d := range rapid.SliceOfN(data, 1, 20).Draw(t, "history") {
			es = append(es, at(uint64(i+1), time.Duration(i)*time.Minute, d))
		}
		cut := rapid.IntRange(0, len(es)).Draw(t, "cut")
		pieces := fold(es[:cut]...)
		if diff := cmp.Diff(pieces, fold(es[:cut]...)); diff != "" {
			t.Fatal(diff)
		}
		for _, e := range es[cut:] {
			pieces = Evolve(pieces, e)
		}
		if diff := cmp.Diff(fold(es...), pieces); diff != "" {
			t.Fatalf("cut at %d:\n%s", cut, diff)
		}
	})
}
