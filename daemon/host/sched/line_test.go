package sched

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var start = time.Unix(1_700_000_000, 0)

func all(Ask) bool { return true }

func slots(n int) Room { return Room{"": n} }

func TestALineIsFairByPriorityAndAge(t *testing.T) {
	t.Parallel()
	var l Line
	full := []string{"busy"}
	for i, a := range []Ask{{Run: "first"}, {Run: "second"}, {Run: "urgent", Priority: 2}, {Run: "third"}} {
		if p := l.Ask(a, slots(1), full, start.Add(time.Duration(i)*time.Second)); p.Granted() {
			t.Fatalf("%s: %+v", a.Run, p)
		}
	}
	var got []string
	now := start.Add(time.Minute)
	for range 4 {
		let := l.Fill(slots(1), nil, now, all)
		got = append(got, let...)
		for _, run := range let {
			l.Drop(run) // it was at work, and is done
		}
		now = now.Add(Stagger)
	}
	if d := cmp.Diff([]string{"urgent", "first", "second", "third"}, got); d != "" {
		t.Error(d)
	}
}

func TestWaitingRaisesPriority(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "patient"}, slots(0), nil, start)
	l.Ask(Ask{Run: "urgent", Priority: 1}, slots(0), nil, start.Add(Raise))
	if got := l.Fill(slots(1), nil, start.Add(Raise), all); !slices.Equal(got, []string{"patient"}) {
		t.Errorf("let go: %v", got)
	}
}

func TestWhoAsksAgainKeepsItsAge(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "a"}, slots(0), nil, start)
	l.Ask(Ask{Run: "b"}, slots(0), nil, start.Add(time.Second))
	p := l.Ask(Ask{Run: "a"}, slots(0), nil, start.Add(time.Minute))
	if p.Number != 1 {
		t.Errorf("it stands at %d", p.Number)
	}
}

func TestStartsAreStaggeredAndSpreadOverNoMoreThanAMoment(t *testing.T) {
	t.Parallel()
	var l Line
	var last time.Time
	for i := range 100 {
		p := l.Ask(Ask{Run: fmt.Sprint(i)}, Room{}, nil, start)
		want := start.Add(min(time.Duration(i)*Stagger, Spread+Stagger))
		if !p.Granted() || i <= 21 && !p.Begin.Equal(want) || p.Begin.After(start.Add(Spread+Stagger)) || i < 20 && !p.Begin.After(last) {
			t.Fatalf("start %d: %+v, want %v", i, p, want)
		}
		last = p.Begin
	}
	if p := l.Ask(Ask{Run: "later"}, Room{}, nil, start.Add(time.Minute)); !p.Begin.Equal(start.Add(time.Minute)) {
		t.Errorf("after a while: %+v", p)
	}
}

func TestACoordinatorBeginsWhereNothingElseDoes(t *testing.T) {
	t.Parallel()
	var l Line
	if p := l.Ask(Ask{Run: "a"}, slots(0), nil, start); p.Granted() {
		t.Error("an ordinary one began")
	}
	if p := l.Ask(Ask{Run: "b", Coordinator: true}, slots(0), nil, start); !p.Granted() {
		t.Errorf("a coordinator did not: %+v", p)
	}
}

func TestASlotThatNobodyUsesIsFreeAgain(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "a"}, slots(0), nil, start)
	l.Fill(slots(1), nil, start, all)
	l.Ask(Ask{Run: "b"}, slots(1), nil, start.Add(time.Second))
	if got := l.Fill(slots(1), nil, start.Add(Hold-1), all); len(got) != 0 {
		t.Errorf("let go: %v", got)
	}
	if got := l.Fill(slots(1), nil, start.Add(Hold), all); !slices.Equal(got, []string{"b"}) {
		t.Errorf("let go: %v", got)
	}
	if p := l.Ask(Ask{Run: "c"}, slots(-1), nil, start.Add(-time.Hour)); !p.Granted() {
		t.Errorf("with a clock that went back: %+v", p)
	}
}

// TestOnlyWhoIsReadyIsLetGo: who asked a moment ago may not wait yet, and is not
// passed by one that has just come.
func TestOnlyWhoIsReadyIsLetGo(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "a"}, slots(0), nil, start)
	if got := l.Fill(slots(1), nil, start, func(Ask) bool { return false }); len(got) != 0 {
		t.Errorf("let go: %v", got)
	}
	if p := l.Ask(Ask{Run: "b"}, slots(1), nil, start.Add(1)); p.Number != 2 {
		t.Errorf("who came later: %+v", p)
	}
	if p := l.Ask(Ask{Run: "c"}, slots(3), nil, start.Add(2)); !p.Granted() {
		t.Errorf("with room for all: %+v", p)
	}
	if got := l.Fill(slots(3), nil, start, all); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("let go: %v", got)
	}
}

// TestNoMoreThanThereIsRoomForAndNobodyStarves: whatever asks, ends and drops.
func TestNoMoreThanThereIsRoomForAndNobodyStarves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l Line
		var at []string
		now := start
		room := rapid.IntRange(1, 5).Draw(t, "room")
		asked := map[string]time.Time{}
		begin := func(let []string) {
			for _, run := range let {
				at = append(at, run)
				delete(asked, run)
			}
			if len(at) > room {
				t.Fatalf("%d at work, room for %d", len(at), room)
			}
		}
		for step := range 300 {
			now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "seconds")) * time.Second)
			begin(l.Fill(slots(room), at, now, all))
			if run := fmt.Sprintf("r%d", rapid.IntRange(0, 9).Draw(t, "run")); !slices.Contains(at, run) {
				if _, ok := asked[run]; !ok {
					asked[run] = now
				}
				if l.Ask(Ask{Run: run, Priority: rapid.IntRange(0, 3).Draw(t, "priority")}, slots(room), at, now).Granted() {
					begin([]string{run})
				}
			}
			if len(at) > 0 && step%2 == 0 { // one ends
				at = at[1:]
			}
			for run, since := range asked {
				if now.Sub(since) > 4*Raise+time.Hour {
					t.Fatalf("%s waits since %v", run, now.Sub(since))
				}
			}
		}
	})
}

// BenchmarkAsk decides among 1,000 that wait.
func BenchmarkAsk(b *testing.B) {
	var l Line
	at := make([]string, 8)
	for i := range 1000 {
		l.Ask(Ask{Run: fmt.Sprint(i)}, slots(8), at, start)
	}
	for b.Loop() {
		l.Ask(Ask{Run: "x"}, slots(8), at, start)
	}
}

func TestAnAgentThatFollowsAnotherIsNotStaggered(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "a"}, Room{}, nil, start)
	if p := l.Ask(Ask{Run: "b", Again: true}, Room{}, nil, start); !p.Begin.Equal(start) {
		t.Errorf("%+v", p)
	}
}

// TestWhoIsAboutToBeginKeepsItsSlot: recording a large work tree may take longer
// than anybody is waited for.
func TestWhoIsAboutToBeginKeepsItsSlot(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "a"}, slots(0), nil, start)
	l.Fill(slots(1), nil, start, all)
	now := start.Add(Hold - 1)
	if p := l.Ask(Ask{Run: "a"}, slots(1), nil, now); !p.Granted() {
		t.Fatalf("it came for its slot: %+v", p)
	}
	if p := l.Ask(Ask{Run: "b"}, slots(1), nil, now.Add(Prepare-1)); p.Granted() || p.Taken != 1 {
		t.Errorf("another, while it prepares: %+v", p)
	}
	if got := l.Fill(slots(1), nil, now.Add(Prepare), all); !slices.Equal(got, []string{"b"}) {
		t.Errorf("let go: %v", got)
	}
}

// TestACoordinatorKeepsToTheBoundOfAPerson: it is let off what the machine bears,
// not what its user has said.
func TestACoordinatorKeepsToTheBoundOfAPerson(t *testing.T) {
	t.Parallel()
	var l Line
	room := Room{"": 0, Own: 1}
	if p := l.Ask(Ask{Run: "a", Coordinator: true}, room, nil, start); !p.Granted() {
		t.Errorf("the first: %+v", p)
	}
	if p := l.Ask(Ask{Run: "b", Coordinator: true}, room, nil, start); p.Granted() {
		t.Error("a second began")
	}
}

// TestWhoIsPutBackHasTheAgeOfItsRecord: as after the end of a daemon.
func TestWhoIsPutBackHasTheAgeOfItsRecord(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "new"}, slots(0), nil, start)
	l.Put(Ask{Run: "old", Since: start.Add(-time.Hour)})
	l.Put(Ask{Run: "new", Since: start.Add(-2 * time.Hour)}) // it stands there
	if _, p, ok := l.At("new", slots(0), nil, start); !ok || p.Number != 2 {
		t.Errorf("who was there: %+v %v", p, ok)
	}
	if got := l.Fill(slots(2), []string{"busy"}, start, all); !slices.Equal(got, []string{"old"}) {
		t.Errorf("let go: %v", got)
	}
	l.Put(Ask{Run: "old", Since: start})
	if _, _, ok := l.At("old", slots(0), nil, start); ok {
		t.Error("who has a slot stands in line too")
	}
	if _, p, _ := l.At("new", slots(2), []string{"busy"}, start); p != (Place{Number: 1, Taken: 2}) {
		t.Errorf("who is next: %+v", p)
	}
}

// TestSeeds224AHeavyRepositoryTakesNoMoreThanItSays: whatever room the machine has;
// who is of another one does not wait behind those of it.
func TestSeeds224AHeavyRepositoryTakesNoMoreThanItSays(t *testing.T) {
	t.Parallel()
	l := Line{Groups: map[string]string{"a": "heavy"}}
	heavy := func(run string) Ask { return Ask{Run: run, Group: "heavy", Most: 2} }
	at := []string{"a"}
	if p := l.Ask(heavy("b"), slots(9), at, start); !p.Granted() {
		t.Fatalf("the second of two: %+v", p)
	}
	for i, run := range []string{"c", "d"} {
		p := l.Ask(heavy(run), slots(9), at, start.Add(time.Duration(i+1)))
		if p.Number != i+1 || !p.Group || p.Taken != 2 {
			t.Errorf("%s: %+v", run, p)
		}
	}
	if p := l.Ask(Ask{Run: "light"}, slots(9), at, start.Add(5)); !p.Granted() {
		t.Errorf("one of another repository: %+v", p)
	}
	if p := l.Ask(Ask{Run: "full"}, slots(3), at, start.Add(6)); p.Number != 3 || p.Group {
		t.Errorf("one that the machine holds back stands behind all: %+v", p)
	}
	l.Drop("b") // at work, and done
	if got := l.Fill(slots(9), at, start.Add(time.Second), all); !slices.Equal(got, []string{"c", "full"}) {
		t.Errorf("let go: %v", got)
	}
	if _, p, ok := l.At("d", slots(9), at, start); !ok || p.Number != 1 {
		t.Errorf("d: %+v, %v", p, ok)
	}
	if _, p, ok := l.At("c", slots(9), at, start); ok {
		t.Errorf("c stands in line: %+v", p)
	}
}

// TestSeeds224ACoordinatorBeginsInAFullRepository: coordinator-direct stays.
func TestSeeds224ACoordinatorBeginsInAFullRepository(t *testing.T) {
	t.Parallel()
	l := Line{Groups: map[string]string{"a": "heavy"}}
	if p := l.Ask(Ask{Run: "b", Group: "heavy", Most: 1, Coordinator: true}, slots(0), []string{"a"}, start); !p.Granted() {
		t.Errorf("%+v", p)
	}
}

// TestAGroupNeverHasMoreThanItsMost: whatever asks, ends and drops, in several
// groups with bounds of their own.
func TestAGroupNeverHasMoreThanItsMost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := Line{Groups: map[string]string{}}
		most := []int{0, 1, 2, 3}
		var at []string
		now := start
		begin := func(runs ...string) {
			for _, run := range runs {
				at = append(at, run)
				l.Groups[run] = run[:1]
			}
			n := map[string]int{}
			for _, run := range at {
				n[run[:1]]++
			}
			for g, m := range most {
				if m > 0 && n[fmt.Sprint(g)] > m {
					t.Fatalf("group %d has %d at work, most %d", g, n[fmt.Sprint(g)], m)
				}
			}
		}
		for range 200 {
			now = now.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "seconds")) * time.Second)
			begin(l.Fill(slots(5), at, now, all)...)
			g := rapid.IntRange(0, 3).Draw(t, "group")
			run := fmt.Sprintf("%d-%d", g, rapid.IntRange(0, 4).Draw(t, "run"))
			if !slices.Contains(at, run) && l.Ask(Ask{Run: run, Group: run[:1], Most: most[g]}, slots(5), at, now).Granted() {
				begin(run)
			}
			if len(at) > 0 && rapid.Bool().Draw(t, "one ends") {
				at = at[1:]
			}
		}
	})
}

// TestWhoLookedAtTheClockEarlierTakesNoSlotAway: of many that ask at once, the time
// of one is before that at which another got its slot.
func TestWhoLookedAtTheClockEarlierTakesNoSlotAway(t *testing.T) {
	t.Parallel()
	var l Line
	l.Ask(Ask{Run: "a"}, slots(1), nil, start.Add(time.Millisecond))
	if p := l.Ask(Ask{Run: "b"}, slots(1), nil, start); p.Granted() {
		t.Errorf("two have one slot: %+v", p)
	}
}
