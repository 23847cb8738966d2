package sheet

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events/wire"
)

func TestAColumnOfManyIsTheHighestOfThem(t *testing.T) {
	t.Parallel()
	v, c, each := group([]int64{1, 5, -1, -1, 2, 0, 9}, []Class{Good, Bad, None, None, Plain, Plain, Spent}, 4)
	if d := cmp.Diff([]int64{5, -1, 2, 9}, v); d != "" || each != 2 {
		t.Errorf("%d each: %s", each, d)
	}
	if d := cmp.Diff([]Class{Bad, None, Plain, Spent}, c); d != "" {
		t.Error(d)
	}
}

func TestALongTableKeepsItsBeginningAndItsEnd(t *testing.T) {
	t.Parallel()
	var table Table
	for _, n := range strings.Fields("a b c d e f g") {
		table.Rows = append(table.Rows, cells(n))
	}
	got := bound(table, 4)
	var rest string
	for _, r := range got.Rows {
		rest += r[0].Text
	}
	if rest != "abfg" || got.Cut != 2 || got.Left != 3 {
		t.Errorf("%s, %d left out behind %d", rest, got.Left, got.Cut)
	}
}

func TestSparksAndLinesOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Int64Range(-1, 1<<40)).Draw(t, "values")
		s := Series{Form: Columns, Values: values, Classes: make([]Class, len(values)), Max: highest(values)}
		cells := rapid.IntRange(1, 80).Draw(t, "cells")
		if got := s.Spark(cells, true); len(got) > cells {
			t.Fatalf("%d cells are %q", cells, got)
		}
		from := rapid.IntRange(0, Width).Draw(t, "from")
		line := Series{Segments: []Segment{{From: from, To: rapid.IntRange(from, Width).Draw(t, "to"), Class: Agent}}}.Line(cells)
		if len(line) != cells {
			t.Fatalf("%d cells are %v", cells, line)
		}
	})
	s := Series{Values: []int64{0, -1, 7, 3}, Classes: make([]Class, 4), Max: 7}
	if got := s.Spark(10, false) + s.Spark(10, true); got != "▁ █▄. @=" {
		t.Errorf("%q", got)
	}
}

func TestWhatIsNotKnownIsNotNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		used         wire.UsageSum
		tokens, cost string
	}{
		{wire.UsageSum{}, "-", "-"},
		{wire.UsageSum{Agents: 2, NoTokens: 2, NoCost: 2}, "unknown", "unknown"},
		{wire.UsageSum{Agents: 2, NoTokens: 1, NoCost: 1, Tokens: 950, MicroUSD: 50_000}, ">= 950", ">= $0.05"},
		{wire.UsageSum{Agents: 2, Tokens: 950, MicroUSD: 50_000}, "950", "$0.05"},
		{wire.UsageSum{Agents: 2, Computed: 1, Tokens: 950, MicroUSD: 50_000}, "950", "$0.05 (part computed)"},
	} {
		if tokens(tt.used) != tt.tokens || cost(tt.used) != tt.cost {
			t.Errorf("%+v: %s, %s", tt.used, tokens(tt.used), cost(tt.used))
		}
	}
}

func TestLengthsAndNumbersHaveTheirUnits(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int64]string{
		0: "0 ms", 999: "999 ms", 1000: "1 s", 1480: "1.4 s", 9999: "9.9 s", 10_400: "10 s", 61_000: "1 min 1 s", 3_600_000: "1 h", 90_061_000: "1 d 1 h",
	} {
		if got := span(ms); got != want {
			t.Errorf("%d is %s, want %s", ms, got, want)
		}
	}
	if got := number(1_234_567) + " " + number(999) + " " + share(1, 3) + " " + share(1, 0) + " " + cut("aé€", 2); got != "1,234,567 999 33 % - aé…" {
		t.Error(got)
	}
}

// TestOnlyTheGatesBeforeTheFirstIterationAreTheBaseline: an iteration whose gates ran
// without an agent is not called so.
func TestOnlyTheGatesBeforeTheFirstIterationAreTheBaseline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row  wire.RetroIteration
		want string
	}{
		{wire.RetroIteration{}, "baseline"},
		{wire.RetroIteration{Iteration: 3}, "open"},
		{wire.RetroIteration{Iteration: 3, Verdict: "pass"}, "pass"},
		{wire.RetroIteration{Iteration: 3, Attempts: 1, Verdict: "fail"}, "fail"},
	} {
		if got := iterationRow(c.row)[1].Text; got != c.want {
			t.Errorf("iteration %d: %q, want %q", c.row.Iteration, got, c.want)
		}
	}
	if d := cmp.Diff([]string{"iteration 2", "3"}, axis([]wire.RetroIteration{{Iteration: 2}, {Iteration: 3}})); d != "" {
		t.Error(d)
	}
}
