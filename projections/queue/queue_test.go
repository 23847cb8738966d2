package queue

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
)

var start = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

// fold adds events, one each second from the start.
func fold(s State, data ...events.Data) State {
	for _, d := range data {
		s = Evolve(s, events.Event{
			Aggregate: events.Queue("q"), Seq: s.Log.Seq + 1, Time: start.Add(time.Duration(s.Log.Seq) * time.Second), Actor: "x", Data: d,
		})
	}
	return s
}

func made(land events.LandMode) events.QueueCreated {
	return events.QueueCreated{Name: "night", Land: land, Deliveries: 1, Returns: 1}
}

// items makes items of "name: after after" texts.
func items(list ...events.QueueItem) events.ItemsAdded { return events.ItemsAdded{Items: list} }

func item(name events.Name, after ...events.Name) events.QueueItem {
	return events.QueueItem{Name: name, After: after}
}

func run(name events.Name, end events.ItemEnd) []events.Data {
	id := "run-" + string(name)
	return []events.Data{events.ItemStarted{Item: name, Run: id}, events.ItemEnded{Item: name, Run: id, End: end}}
}

func shown(s State) map[string]string {
	out := map[string]string{}
	for i, st := range Standings(s) {
		text := string(st.Standing)
		for _, n := range st.On {
			text += " " + string(n)
		}
		out[string(s.Items[i].Name)] = text
	}
	return out
}

func TestStandingsNameWhatHoldsAnItem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		data []events.Data
		want map[string]string
	}{
		"nothing": {nil, map[string]string{"a": "ready", "b": "waiting a", "c": "waiting b"}},
		"only success releases (Q11)": {
			run("a", events.ItemFailed), map[string]string{"a": "failed", "b": "blocked a", "c": "blocked b"},
		},
		"halted is not done":      {run("a", events.ItemHalted), map[string]string{"a": "halted", "b": "blocked a", "c": "blocked b"}},
		"done is enough":          {run("a", events.ItemDone), map[string]string{"a": "kept", "b": "ready", "c": "waiting b"}},
		"a removed one never is":  {[]events.Data{events.ItemRemoved{Item: "a"}}, map[string]string{"a": "removed", "b": "blocked a", "c": "blocked b"}},
		"an unknown blocker (Q8)": {[]events.Data{items(item("d", "issue-7"), item("e", "d"))}, map[string]string{"a": "ready", "b": "waiting a", "c": "waiting b", "d": "unresolved issue-7", "e": "unresolved d"}},
		"that was looked up, and is done": {
			[]events.Data{items(item("d", "issue-7")), events.BlockerFound{Blocker: "issue-7", Done: true}},
			map[string]string{"a": "ready", "b": "waiting a", "c": "waiting b", "d": "ready"},
		},
		"a cycle, and what is behind it (Q10)": {
			[]events.Data{items(item("d", "e"), item("e", "d"), item("f", "a", "e"))},
			map[string]string{"a": "ready", "b": "waiting a", "c": "waiting b", "d": "cycle d e", "e": "cycle d e", "f": "behind-cycle e"},
		},
		"a run that is lost is delivered again (Q29)": {run("a", events.ItemLost), map[string]string{"a": "ready", "b": "waiting a", "c": "waiting b"}},
		"and no more than so often": {
			append(run("a", events.ItemLost), run("a", events.ItemLost)...), map[string]string{"a": "failed", "b": "blocked a", "c": "blocked b"},
		},
		"a person tries it anew": {append(run("a", events.ItemFailed), events.ItemRetried{Item: "a"}), map[string]string{"a": "ready", "b": "waiting a", "c": "waiting b"}},
	} {
		s := fold(State{}, append([]events.Data{made(events.LandNone), items(item("a"), item("b", "a"), item("c", "b"))}, tt.data...)...)
		if d := cmp.Diff(tt.want, shown(s)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestTheOldestReadyItemIsNextByPriorityThatWaitingRaises(t *testing.T) {
	t.Parallel()
	s := fold(State{}, made(events.LandNone), items(
		events.QueueItem{Name: "low", Priority: events.PriorityLow}, item("one"), item("two"), events.QueueItem{Name: "high", Priority: events.PriorityHigh},
	))
	if d := cmp.Diff([]events.Name{"high", "one", "two", "low"}, s.Ready(start)); d != "" {
		t.Error(d)
	}
	late := Evolve(s, events.Event{Seq: 3, Time: start.Add(3 * Raise), Data: items(events.QueueItem{Name: "urgent", Priority: events.PriorityHigh})})
	if d := cmp.Diff([]events.Name{"high", "one", "two", "low", "urgent"}, late.Ready(start.Add(3*Raise))); d != "" {
		t.Error(d)
	}
}

func TestStepsOfAQueue(t *testing.T) {
	t.Parallel()
	open := events.QueueOpened{Parallel: 2}
	two := items(item("a"), item("b"), item("c"))
	for name, tt := range map[string]struct {
		land events.LandMode
		data []events.Data
		at   Sight
		want Step
	}{
		"closed":                    {events.LandNone, []events.Data{two}, Sight{}, Step{}},
		"as many as may run":        {events.LandNone, []events.Data{two, open}, Sight{}, Step{Start: []events.Name{"a", "b"}}},
		"no more than may run":      {events.LandNone, []events.Data{two, open}, Sight{Busy: 1}, Step{Start: []events.Name{"a"}}},
		"all slots are taken":       {events.LandNone, []events.Data{two, open}, Sight{Busy: 3}, Step{}},
		"its time is over":          {events.LandNone, []events.Data{two, events.QueueOpened{Parallel: 1, UntilMS: start.UnixMilli()}}, Sight{Now: start}, Step{Close: events.QueueTime}},
		"it has cost what it may":   {events.LandNone, []events.Data{two, events.QueueOpened{Parallel: 1, MaxMicroUSD: 5}}, Sight{Spent: 5}, Step{Close: events.QueueCost}},
		"nothing is left":           {events.LandNone, []events.Data{open}, Sight{}, Step{Close: events.QueueDrained}},
		"items may come":            {events.LandNone, []events.Data{open}, Sight{Watches: true}, Step{}},
		"a run waits for a person":  {events.LandNone, []events.Data{items(item("a")), open, events.ItemStarted{Item: "a", Run: "r"}}, Sight{Waiting: 1}, Step{}},
		"a run was not looked at":   {events.LandNone, []events.Data{items(item("a")), open, events.ItemStarted{Item: "a", Run: "r"}}, Sight{}, Step{}},
		"what is blocked ends it":   {events.LandNone, append([]events.Data{items(item("a"), item("b", "a")), open}, run("a", events.ItemFailed)...), Sight{}, Step{Close: events.QueueDrained}},
		"a cycle ends it":           {events.LandNone, []events.Data{items(item("a", "b"), item("b", "a")), open}, Sight{}, Step{Close: events.QueueDrained}},
		"what is done is landed":    {events.LandBranch, append([]events.Data{two, open}, run("b", events.ItemDone)...), Sight{Busy: 2}, Step{Land: []events.Name{"b"}}},
		"one landing at a time":     {events.LandBranch, append(append([]events.Data{two, open}, run("b", events.ItemDone)...), events.LandingStarted{Items: []events.Name{"b"}, Run: "l"}), Sight{Busy: 2}, Step{}},
		"a paused queue lands none": {events.LandBranch, append(append([]events.Data{two, open}, run("b", events.ItemDone)...), events.QueueClosed{Why: events.QueuePaused}), Sight{}, Step{}},
		"after its time it lands":   {events.LandBranch, append(append([]events.Data{two, open}, run("b", events.ItemDone)...), events.QueueClosed{Why: events.QueueTime}), Sight{}, Step{Land: []events.Name{"b"}}},
		"a red target stops the lane": {
			events.LandBranch, append(append([]events.Data{two, open}, run("b", events.ItemDone)...),
				events.LandingStarted{Items: []events.Name{"b"}, Run: "l"}, events.LandingEnded{Items: []events.Name{"b"}, Run: "l", End: events.LandingTarget}),
			Sight{Busy: 2},
			Step{},
		},
	} {
		s := fold(State{}, append([]events.Data{made(tt.land)}, tt.data...)...)
		if d := cmp.Diff(tt.want, Next(s, tt.at), cmp.Transformer("nil", func(n []events.Name) int { return len(n) })); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if got := Next(s, tt.at); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestALandingSendsAnItemBackAndThenAsks(t *testing.T) {
	t.Parallel()
	s := fold(State{}, append([]events.Data{made(events.LandBranch), items(item("a"), item("b", "a"))}, run("a", events.ItemDone)...)...)
	red := func(run string) []events.Data {
		return []events.Data{events.LandingStarted{Items: []events.Name{"a"}, Run: run}, events.LandingEnded{Items: []events.Name{"a"}, Run: run, End: events.LandingRed, Detail: "found"}}
	}
	s = fold(s, red("l1")...)
	if i, _ := s.Get("a"); i.Stage != Waiting || i.Findings != "found" || i.Returns != 1 {
		t.Fatalf("after the first: %+v", i)
	}
	s = fold(s, append(run("a", events.ItemDone), red("l2")...)...)
	if got := shown(s); got["a"] != "escalated" || got["b"] != "blocked a" {
		t.Errorf("after the second: %v", got)
	}
	s = fold(s, events.ItemRetried{Item: "a"})
	if d := cmp.Diff([]events.Name{"a"}, Next(s, Sight{}).Land); d != "" {
		t.Errorf("tried anew, its work lands again: %s", d)
	}
}

func TestARedBatchIsHalvedUntilTheOneIsFound(t *testing.T) {
	t.Parallel()
	c := made(events.LandMerge)
	c.Batch = 4
	s := fold(State{}, c, items(item("a"), item("b"), item("c"), item("d")))
	for _, n := range []events.Name{"a", "b", "c", "d"} {
		s = fold(s, run(n, events.ItemDone)...)
	}
	var tried []string
	for n := 0; ; n++ {
		land := Next(s, Sight{}).Land
		if len(land) == 0 || n > 20 {
			break
		}
		tried = append(tried, fmt.Sprint(land))
		end := events.Landed
		for _, name := range land {
			if name == "c" {
				end = events.LandingRed
			}
		}
		s = fold(s, events.LandingStarted{Items: land, Run: "l"}, events.LandingEnded{Items: land, Run: "l", End: end})
	}
	if d := cmp.Diff([]string{"[a b c d]", "[a b]", "[c d]", "[c]", "[d]"}, tried); d != "" {
		t.Error(d)
	}
	if got := shown(s); got["c"] != "ready" || got["d"] != "landed" {
		t.Errorf("%v", got)
	}
}

func TestDecisionsRefuseWhatIsNotSo(t *testing.T) {
	t.Parallel()
	s := fold(State{}, made(events.LandBranch), items(item("a"), item("b")), events.ItemStarted{Item: "a", Run: "r"})
	refused := func(name string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	_, err := Add(s, []events.QueueItem{item("a")})
	refused("a name that is taken", err, ErrTaken)
	_, err = Add(s, []events.QueueItem{item("c"), item("c")})
	refused("a name twice", err, ErrTaken)
	_, err = Add(s, []events.QueueItem{item("c", "c")})
	refused("a self-blocking item", err, ErrItself)
	_, err = Start(s, "a", "r2")
	refused("a second run", err, ErrItem)
	_, err = Start(s, "x", "r2")
	refused("a run of nothing", err, ErrNoItem)
	_, err = End(s, events.ItemEnded{Item: "a", Run: "other", End: events.ItemDone})
	refused("the end of another run", err, ErrItem)
	_, err = Land(s, events.LandingStarted{Items: []events.Name{"a"}, Run: "l"})
	refused("a landing of what is not done", err, ErrItem)
	_, err = Retry(s, "b")
	refused("a retry of what waits", err, ErrItem)
	_, err = Close(s, events.QueueDrained)
	refused("the end of what is closed", err, ErrClosed)
	_, err = EndLanding(s, events.LandingEnded{Run: "l"})
	refused("the end of no landing", err, ErrItem)
}

// In any graph and any order of ends: what starts had all its blockers finished, what is
// ready is what a plain look finds, and folding in pieces is folding at once.
func TestNothingStartsBeforeWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "items")
		name := func(i int) events.Name { return events.Name(fmt.Sprintf("n%d", i)) }
		var list []events.QueueItem
		for i := range n {
			q := item(name(i))
			for _, on := range rapid.SliceOfN(rapid.IntRange(0, n), 0, 3).Draw(t, "after") {
				if on != i {
					q.After = append(q.After, name(on)) // n itself is unknown
				}
			}
			list = append(list, q)
		}
		data := []events.Data{made(events.LandNone), items(list...), events.QueueOpened{Parallel: 2}}
		s := fold(State{}, data...)
		finished := map[events.Name]bool{}
		for range 2 * n {
			step := Next(s, Sight{})
			if d := cmp.Diff(plainReady(s, finished), names(s.Ready(start))); d != "" {
				t.Fatalf("ready (-plain +got): %s", d)
			}
			if len(step.Start) == 0 {
				if step.Close != events.QueueDrained {
					t.Fatalf("it neither starts nor ends: %+v", step)
				}
				break
			}
			end := rapid.SampledFrom([]events.ItemEnd{events.ItemDone, events.ItemFailed, events.ItemLost, events.ItemHalted}).Draw(t, "end")
			more := run(step.Start[0], end)
			s, data = fold(s, more...), append(data, more...)
			finished[step.Start[0]] = end == events.ItemDone
		}
		for i, st := range Standings(s) {
			if st.Standing == IsReady {
				t.Fatalf("%s is ready, and the queue has ended", s.Items[i].Name)
			}
		}
		cut := rapid.IntRange(0, len(data)).Draw(t, "cut")
		if d := cmp.Diff(s, fold(fold(State{}, data[:cut]...), data[cut:]...), cmp.AllowUnexported(State{}, graph{})); d != "" {
			t.Fatalf("folded in pieces: %s", d)
		}
	})
}

func names(list []events.Name) map[events.Name]bool {
	out := map[events.Name]bool{}
	for _, n := range list {
		out[n] = true
	}
	return out
}

func plainReady(s State, finished map[events.Name]bool) map[events.Name]bool {
	out := map[events.Name]bool{}
	for _, i := range s.Items {
		free := i.Stage == Waiting
		for _, on := range i.After {
			free = free && finished[on]
		}
		if free {
			out[i.Name] = true
		}
	}
	return out
}

func TestAChainOfThousandsIsJudged(t *testing.T) {
	t.Parallel()
	var list []events.QueueItem
	for i := range 10_000 {
		q := item(events.Name(fmt.Sprintf("n%d", i)))
		if i < 9_999 {
			q.After = []events.Name{events.Name(fmt.Sprintf("n%d", i+1))}
		}
		list = append(list, q)
	}
	s := fold(State{}, made(events.LandNone), items(list...))
	if got := shown(s); got["n0"] != "waiting n1" || got["n9999"] != "ready" {
		t.Errorf("%q, %q", got["n0"], got["n9999"])
	}
}

// The floor is a loop that looks at each item once.
func BenchmarkNextOfTenThousand(b *testing.B) {
	var list []events.QueueItem
	for i := range 10_000 {
		list = append(list, item(events.Name(fmt.Sprintf("n%d", i)), events.Name(fmt.Sprintf("n%d", i/2))))
	}
	list[0].After = nil
	s := fold(State{}, made(events.LandNone), items(list...), events.QueueOpened{Parallel: 2})
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			if len(Next(s, Sight{}).Start) != 1 {
				b.Fatal("not the root")
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, i := range s.Items {
				if i.Stage == Waiting {
					n++
				}
			}
			if n != len(s.Items) {
				b.Fatal(n)
			}
		}
	})
}
