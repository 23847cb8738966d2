package ledger_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestADayIsTheOneOfItsZone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		zone, at, begin string
		hours           float64
	}{
		{"UTC", "2026-01-02T12:00:00Z", "2026-01-02T00:00:00Z", 24},
		{"UTC", "2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z", 24},
		{"UTC", "2026-01-01T23:59:59Z", "2026-01-01T00:00:00Z", 24},
		{"Europe/Vilnius", "2026-03-29T12:00:00Z", "2026-03-28T22:00:00Z", 23},
		{"Europe/Vilnius", "2026-10-25T00:30:00Z", "2026-10-24T21:00:00Z", 25},
		{"America/New_York", "2026-11-01T05:30:00Z", "2026-11-01T04:00:00Z", 25},
		{"Asia/Kathmandu", "2026-05-05T18:14:59Z", "2026-05-04T18:15:00Z", 24},
		{"Africa/Cairo", "2024-04-26T12:00:00Z", "2024-04-25T22:00:00Z", 23},      // no midnight: it begins at 01:00
		{"America/Havana", "2025-11-02T04:30:00Z", "2025-11-02T04:00:00Z", 25},    // midnight comes twice
		{"America/Sao_Paulo", "2018-02-17T23:00:00Z", "2018-02-17T02:00:00Z", 25}, // its last hour comes twice
		{"Australia/Lord_Howe", "2026-04-05T03:00:00Z", "2026-04-04T13:00:00Z", 24.5},
	} {
		at, _ := time.Parse(time.RFC3339, tt.at)
		begin, next := ledger.Day(at.In(zone(t, tt.zone)))
		if got := begin.UTC().Format(time.RFC3339); got != tt.begin || next.Sub(begin).Hours() != tt.hours {
			t.Errorf("%s %s: begins %s and has %v h, want %s and %v h", tt.zone, tt.at, got, next.Sub(begin).Hours(), tt.begin, tt.hours)
		}
	}
}

func TestDaysFollowEachOtherInEveryZone(t *testing.T) {
	t.Parallel()
	var zones []*time.Location
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/St_Johns", "America/Havana", "America/Santiago", "Asia/Beirut", "Africa/Cairo",
		"Asia/Tehran", "Pacific/Chatham", "Pacific/Apia", "Atlantic/Azores", "Australia/Lord_Howe",
	} {
		zones = append(zones, zone(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		at := time.Unix(rapid.Int64Range(1_600_000_000, 2_200_000_000).Draw(t, "at"), 0).In(z)
		begin, next := ledger.Day(at)
		if at.Before(begin) || !at.Before(next) {
			t.Fatalf("%v is not in its day, %v to %v", at, begin, next)
		}
		if y, m, d := begin.Date(); [3]int{y, int(m), d} != [3]int{at.Year(), int(at.Month()), at.Day()} {
			t.Fatalf("the day of %v begins on another one: %v", at, begin)
		}
		if again, _ := ledger.Day(next); !again.Equal(next) {
			t.Fatalf("the day after %v begins at %v or %v", at, next, again)
		}
	})
}

// spent folds the ends of agents, as a run does.
func spent(at time.Time, ends ...events.AgentEnded) []run.Spend {
	s := run.State{}
	for i, d := range ends {
		s = run.Evolve(s, events.Event{Seq: uint64(i + 1), Time: at.Add(time.Duration(i) * time.Minute), Data: d})
	}
	return s.Spent.List()
}

func ended(micro int64, from events.Source, tokens int64) events.AgentEnded {
	d := events.AgentEnded{Model: "m1", DurationMS: 1000, Usage: events.Usage{MicroUSD: micro, CostFrom: from, Input: tokens, Turns: 1}}
	if tokens > 0 {
		d.Usage.TokensFrom = events.Reported
	}
	return d
}

func entries(name, project, agent string, list []run.Spend) (out []ledger.Entry) {
	for _, s := range list {
		out = append(out, ledger.Entry{Run: name, Project: project, Agent: agent, Spend: s})
	}
	return out
}

func TestWhatIsUsedIsDividedInEveryWay(t *testing.T) {
	t.Parallel()
	vilnius := zone(t, "Europe/Vilnius")
	night := time.Date(2026, 1, 2, 23, 50, 0, 0, vilnius)
	other := ended(5, events.Computed, 7)
	other.Model = ""
	all := slices.Concat(
		entries("aaaa", "p", "claude", spent(night, ended(100, events.Reported, 10))),
		entries("aaaa", "p", "claude", spent(night.Add(10*time.Minute), ended(200, events.Reported, 20), ended(0, events.SourceUnknown, 0))),
		entries("bbbb", "q", "codex", spent(night.Add(time.Hour), other)),
	)
	for by, want := range map[ledger.By][]string{
		ledger.ByDay:     {"2026-01-02 100 1 0 0", "2026-01-03 205 3 1 1"},
		ledger.ByProject: {"p 300 3 1 0", "q 5 1 0 1"},
		ledger.ByAgent:   {"claude 300 3 1 0", "codex 5 1 0 1"},
		ledger.ByModel:   {"m1 300 3 1 0", "unknown 5 1 0 1"},
		ledger.ByRun:     {"aaaa 300 3 1 0", "bbbb 5 1 0 1"},
	} {
		rows, total := ledger.Report(slices.Values(all), time.Time{}, vilnius, by)
		var got []string
		for _, r := range rows {
			got = append(got, line(r))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s: %s", by, diff)
		}
		if total.MicroUSD != 305 || total.Agents != 4 || total.NoCost != 1 || total.Computed != 1 || total.Tokens != 37 || total.NoTokens != 1 {
			t.Errorf("by %s: %+v", by, total)
		}
	}
	rows, _ := ledger.Report(slices.Values(all), night.Add(10*time.Minute), time.UTC, ledger.ByDay)
	if len(rows) != 1 || line(rows[0]) != "2026-01-02 205 3 1 1" {
		t.Errorf("since midnight there, by days of UTC: %+v", rows)
	}
}

func line(r wire.UsageRow) string {
	return fmt.Sprint(r.Key, " ", r.MicroUSD, " ", r.Agents, " ", r.NoCost, " ", r.Computed)
}

func TestEveryWayHasTheNameOfTheWire(t *testing.T) {
	t.Parallel()
	var names []string
	for _, w := range ledger.Ways() {
		names = append(names, string(w))
	}
	if diff := cmp.Diff(wire.UsageWays(), names); diff != "" {
		t.Error(diff)
	}
}

func TestNoAgentIsCountedTwiceAndNoneIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []ledger.Entry
		var micro int64
		agents := 0
		for range rapid.IntRange(0, 6).Draw(t, "runs") {
			var ends []events.AgentEnded
			for range rapid.IntRange(0, 8).Draw(t, "agents") {
				n := rapid.Int64Range(0, 1e6).Draw(t, "micro")
				ends = append(ends, ended(n, rapid.SampledFrom([]events.Source{events.Reported, events.Computed, events.SourceUnknown}).Draw(t, "from"), n))
				micro, agents = micro+n, agents+1
			}
			at := time.Unix(rapid.Int64Range(1_700_000_000, 1_701_000_000).Draw(t, "at"), 0)
			all = append(all, entries(rapid.StringMatching("[a-c]").Draw(t, "run"), rapid.StringMatching("[p-q]").Draw(t, "project"), "a", spent(at, ends...))...)
		}
		for _, by := range ledger.Ways() {
			rows, total := ledger.Report(slices.Values(all), time.Time{}, time.UTC, by)
			var sum int64
			n := 0
			for _, r := range rows {
				sum, n = sum+r.MicroUSD, n+r.Agents
			}
			if sum != micro || n != agents || total.MicroUSD != micro || total.Agents != agents {
				t.Fatalf("by %s: rows %d of %d agents, total %d of %d, want %d of %d", by, sum, n, total.MicroUSD, total.Agents, micro, agents)
			}
		}
	})
}
