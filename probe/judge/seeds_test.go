package judge

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// none are values that nobody can have measured, or not as a number, as JSON.
var none = map[string]string{
	"missing": "", "null": "null", "negative": "-1", "barely negative": "-0.001", "text": `"8"`, "empty text": `""`, "NaN as text": `"NaN"`,
	"infinity as text": `"Infinity"`, "too large for a float": "1e999", "true": "true", "false": "false", "a list": "[1]", "an object": `{"value":1}`,
}

// TestSeeds221EachFieldIsKnownOrUnknownAndNeverZero is seeds 2.2.1 with Q20: every
// member of a reading, with each value that is none.
func TestSeeds221EachFieldIsKnownOrUnknownAndNeverZero(t *testing.T) {
	t.Parallel()
	for _, field := range []string{
		"cores", "load1", "load5", "busy_percent", "memory_total_bytes", "memory_available_bytes", "memory_free_bytes", "memory_free_percent",
		"swap_used_bytes", "stall_cpu_percent", "stall_memory_percent", "stall_memory_full_percent", "stall_io_full_percent",
		"open_files", "open_files_limit", "disk_store_free_bytes", "disk_work_free_bytes", "peers", "agents",
	} {
		for name, value := range none {
			text := fmt.Sprintf(`{%q:%s}`, field, value)
			if value == "" {
				text = "{}"
			}
			r, err := Decode([]byte(text))
			if err != nil {
				t.Fatalf("%s %s: %v", field, name, err)
			}
			wantInvalid := []string{field}
			if name == "missing" || name == "null" {
				wantInvalid = nil
			}
			if d := cmp.Diff(wantInvalid, r.Invalid()); d != "" || len(r.Unknown()) != 19 {
				t.Errorf("%s, %s: invalid %v, unknown %v", field, name, r.Invalid(), r.Unknown())
			}
			for _, p := range []Policy{Signals, Tiers} {
				if j := Judge(r, p, Defaults()); j.Verdict != Green || len(j.Signals) > 0 || len(j.Unknown) < 3 {
					t.Errorf("%s, %s: judged as %+v", field, name, j)
				}
			}
		}
		r, err := Decode([]byte(fmt.Sprintf(`{%q:0}`, field)))
		if err != nil || len(r.Unknown()) != 18 || len(r.Invalid()) != 0 {
			t.Errorf("%s of 0 is known: %v %v %v", field, r.Unknown(), r.Invalid(), err)
		}
		if r, err = Decode([]byte(fmt.Sprintf(`{%q:1e300}`, field))); err != nil || len(r.Invalid()) != 0 {
			t.Errorf("%s may be huge: %v %v", field, r.Invalid(), err)
		}
	}
}

// TestInjectedHugeValuesAreJudgedAndBoundNothingAbsurd: a reading from a file may
// hold any number.
func TestInjectedHugeValuesAreJudgedAndBoundNothingAbsurd(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0, 1, 1e9, 1e18, 1e300, math.MaxFloat64} {
		r := calm()
		r.MemoryAvailable, r.Load1, r.Load5, r.Cores = Known(v), Known(v), Known(v), Known(v)
		for _, p := range []Policy{Signals, Tiers} {
			j := Judge(r, p, Defaults())
			if n, _ := Room(r, j, Defaults(), Demand{RAM: gib, Running: 1}); n < NoCap || n > 1<<21 {
				t.Errorf("%g by %s: room for %d", v, p, n)
			}
		}
	}
}

// TestSeeds222Rows are the rows of seeds 2.2.2 beside the limits.
func TestSeeds222Rows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		with func(*Reading)
		want Verdict
		cap  int
		of   []string
	}{
		{"memory: a better measure replaces a worse one, also where that would be hard", func(r *Reading) {
			r.MemoryFreePercent, r.MemoryAvailable, r.MemoryFree = Known(30), Known(1), Known(1)
		}, Green, NoCap, nil},
		{"memory: and where that would be healthy", func(r *Reading) { r.MemoryFreePercent = Known(10) }, Critical, 0, []string{"memory_free_percent"}},
		{"memory: what is available replaces what is free", func(r *Reading) { r.MemoryFree = Known(1) }, Green, NoCap, nil},
		{"memory: Q19, not known is no signal, and no health", func(r *Reading) {
			r.MemoryAvailable, r.MemoryFree, r.SwapUsed = Num{}, Num{}, Known(2*gib)
		}, Green, NoCap, []string{"swap_used_bytes"}},
		{"cpu: S15, the lesser of both averages", func(r *Reading) { r.Load1, r.Load5 = Known(7.3), Known(7.3) }, Green, NoCap, []string{"load1"}},
		{"cpu: one minute alone where five are not known", func(r *Reading) { r.Load1, r.Load5 = Known(8), Num{} }, Green, NoCap, []string{"load1"}},
		{"cpu: or are told as 0 by a system that has none", func(r *Reading) { r.Load1, r.Load5 = Known(8), Known(0) }, Green, NoCap, []string{"load1"}},
		{"cpu: five minutes alone say nothing", func(r *Reading) { r.Load1, r.Load5 = Num{}, Known(8) }, Green, NoCap, nil},
		{"cpu: the share is at most 100 %", func(r *Reading) { r.Load1, r.Load5 = Known(1e6), Known(1e6) }, Green, NoCap, []string{"load1"}},
		{"cpu: 90 % are not over 90 %", func(r *Reading) { r.Load1, r.Load5, r.Cores = Known(9), Known(9), Known(10) }, Green, NoCap, nil},
		{"cpu: without cores nothing is known", func(r *Reading) { r.Load1, r.Load5, r.Cores = Known(9), Known(9), Known(0) }, Green, NoCap, nil},
		{"concurrency: Q6, none is a number of sessions", func(r *Reading) { r.Peers, r.Agents = Known(0), Known(99) }, Green, NoCap, nil},
		{"concurrency: Q21, where they cannot be counted programs are", func(r *Reading) { r.Peers, r.Agents = Num{}, Known(99) }, Green, NoCap, []string{"agents"}},
		{"concurrency: where neither is known there is no signal", func(r *Reading) { r.Peers, r.Agents = Num{}, Num{} }, Green, NoCap, nil},
		{"swap: told only where pressure is healthy, whatever is available", func(r *Reading) {
			r.MemoryFreePercent, r.MemoryAvailable, r.SwapUsed = Known(50), Known(gib), Known(4*gib)
		}, Green, NoCap, []string{"swap_used_bytes"}},
		{"swap: 1 GiB is not over 1 GiB", func(r *Reading) { r.MemoryAvailable, r.SwapUsed = Known(3*gib), Known(gib) }, Green, NoCap, []string{"memory_available_bytes"}},
		{"critical: one hard signal is enough", func(r *Reading) { r.MemoryAvailable = Known(0) }, Critical, 0, []string{"memory_available_bytes"}},
		{"critical: soft ones beside it change nothing", func(r *Reading) {
			r.MemoryAvailable, r.Load1, r.Load5, r.Peers = Known(0), Known(8), Known(8), Known(9)
		}, Critical, 0, []string{"memory_available_bytes", "load1", "peers"}},
		{"warn: three soft ones are no more than two", func(r *Reading) {
			r.MemoryAvailable, r.Load1, r.Load5, r.Peers = Known(3*gib), Known(8), Known(8), Known(9)
		}, Warn, 2, []string{"memory_available_bytes", "load1", "peers"}},
		{"green: a single soft one is reported", func(r *Reading) { r.Peers = Known(9) }, Green, NoCap, []string{"peers"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := calm()
			tt.with(&r)
			j := Judge(r, Signals, Defaults())
			var of []string
			for _, s := range j.Signals {
				of = append(of, s.Of)
			}
			if j.Verdict != tt.want || j.Cap != tt.cap || !cmp.Equal(of, tt.of) {
				t.Errorf("%s, cap %d, by %v; want %s, cap %d, by %v", j.Verdict, j.Cap, of, tt.want, tt.cap, tt.of)
			}
		})
	}
}

// TestS13WhatIsLeftBehindHoldsNothingBack: zombies are no member of a reading, so
// none of their numbers can cap anything.
func TestS13WhatIsLeftBehindHoldsNothingBack(t *testing.T) {
	t.Parallel()
	r, err := Decode([]byte(`{"zombie_processes_count":50,"zombies":50,"load1":8,"load5":8,"cores":8}`))
	if err != nil {
		t.Fatal(err)
	}
	if j := Judge(r, Signals, Defaults()); j.Verdict != Green || len(j.Signals) != 1 {
		t.Errorf("%+v", j)
	}
}

// TestS14TheThresholdsAreThePublishedOnes: there is one definition of them.
func TestS14TheThresholdsAreThePublishedOnes(t *testing.T) {
	t.Parallel()
	l := Defaults()
	for name, c := range map[string]struct{ got, want float64 }{
		"ram-free-min-gb": {l.MemorySoft, 4 * gib}, "ram-free-critical-gb": {l.MemoryHard, 2 * gib}, "cpu-load-max-pct": {l.CPUSoft, 90},
		"concurrent-sessions-warn": {l.SessionsSoft, 5}, "processes": {l.AgentsSoft, 6 * l.SessionsSoft}, "pressure, soft": {l.FreeSoft, 30},
		"pressure, hard": {l.FreeHard, 15}, "swap, soft": {l.SwapSoft, 1024 * mb}, "swap, hard": {l.SwapHard, 3072 * mb}, "cap of warn": {float64(l.WarnCap), 2},
	} {
		if c.got != c.want {
			t.Errorf("%s is %g, want %g", name, c.got, c.want)
		}
	}
}

// TestS12ASingleAxisThatComplainsCapsNothing: whatever its value, as long as it is
// not hard.
func TestS12ASingleAxisThatComplainsCapsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := calm()
		switch rapid.IntRange(0, 4).Draw(t, "axis") {
		case 0:
			r.MemoryAvailable = Known(rapid.Float64Range(2*gib, 8*gib).Draw(t, "available"))
		case 1:
			v := Known(rapid.Float64Range(0, 1000).Draw(t, "load"))
			r.Load1, r.Load5 = v, v
		case 2:
			r.Peers = Known(float64(rapid.IntRange(0, 1000).Draw(t, "sessions")))
		case 3:
			r.StallMemory = Known(rapid.Float64Range(0, 100).Draw(t, "stalls"))
		case 4:
			r.SwapUsed = Known(rapid.Float64Range(0, 100*gib).Draw(t, "swap"))
		}
		if j := Judge(r, Signals, Defaults()); j.Verdict != Green || j.Cap != NoCap {
			t.Fatalf("%s, cap %d: %+v", j.Verdict, j.Cap, j.Signals)
		}
	})
}

// TestQ17TwoTablesJudgeOneReadingByTheirName: 8 GiB, no swap, 7 sessions.
func TestQ17TwoTablesJudgeOneReadingByTheirName(t *testing.T) {
	t.Parallel()
	r := calm()
	r.MemoryAvailable, r.Peers = Known(8*gib), Known(7)
	if a, b := Judge(r, Signals, Defaults()), Judge(r, Tiers, Defaults()); a.Verdict != Green || b.Verdict != Critical {
		t.Errorf("signals %s, tiers %s", a.Verdict, b.Verdict)
	}
}

// TestSeeds222TheOrderOfVerdicts: degraded stands between warn and critical.
func TestSeeds222TheOrderOfVerdicts(t *testing.T) {
	t.Parallel()
	all := []Verdict{Green, Warn, Degraded, Critical}
	for i, a := range all {
		for k, b := range all {
			if a.Worse(b) != (i > k) {
				t.Errorf("%s worse than %s: %v", a, b, a.Worse(b))
			}
		}
	}
}

// TestSeeds223EachCellOfTheTable: every row of the published tiers, by the value
// itself, and by the one next to its limit.
func TestSeeds223EachCellOfTheTable(t *testing.T) {
	t.Parallel()
	memory := func(v float64) func(*Reading) { return func(r *Reading) { r.MemoryAvailable = Known(v) } }
	swap := func(v float64) func(*Reading) { return func(r *Reading) { r.SwapUsed = Known(v) } }
	peers := func(v float64) func(*Reading) { return func(r *Reading) { r.Peers = Known(v) } }
	free := func(v float64) func(*Reading) { return func(r *Reading) { r.MemoryFreePercent = Known(v) } }
	for _, tier := range []struct {
		want Verdict
		cap  int
		with []func(*Reading)
	}{
		{Green, NoCap, []func(*Reading){memory(6 * gib), memory(64 * gib), swap(0), swap(gib - 1), peers(0), peers(2), free(30), free(100)}},
		{Warn, 4, []func(*Reading){memory(6*gib - 1), memory(4 * gib), swap(gib), swap(2 * gib), peers(3), peers(4), free(29.9), free(15)}},
		{Degraded, 2, []func(*Reading){memory(4*gib - 1), memory(2 * gib), swap(2*gib + 1), swap(3 * gib), peers(5), peers(6), free(14.9), free(5)}},
		{Critical, 0, []func(*Reading){memory(2*gib - 1), memory(0), swap(3*gib + 1), swap(99 * gib), peers(7), peers(99), free(4.9), free(0)}},
	} {
		for i, with := range tier.with {
			r := calm()
			with(&r)
			if j := Judge(r, Tiers, Defaults()); j.Verdict != tier.want || j.Cap != tier.cap {
				t.Errorf("%s, case %d: %s, cap %d", tier.want, i, j.Verdict, j.Cap)
			}
		}
	}
}

// TestSeeds223TheWorstValueDecides: of any reading.
func TestSeeds223TheWorstValueDecides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := func(set func(*Reading, Num), v float64) Verdict {
			r := Reading{}
			set(&r, Known(v))
			return Judge(r, Tiers, Defaults()).Verdict
		}
		var all Reading
		worst := Green
		for _, set := range []func(*Reading, Num){
			func(r *Reading, n Num) { r.MemoryAvailable = n }, func(r *Reading, n Num) { r.SwapUsed = n },
			func(r *Reading, n Num) { r.Peers = n }, func(r *Reading, n Num) { r.MemoryFreePercent = n },
		} {
			v := rapid.SampledFrom([]float64{0, 2, 4, 6, 7, 10, 20, 50, gib, 2 * gib, 3 * gib, 4 * gib, 5 * gib, 8 * gib}).Draw(t, "value")
			set(&all, Known(v))
			if alone := one(set, v); alone.Worse(worst) {
				worst = alone
			}
		}
		if got := Judge(all, Tiers, Defaults()).Verdict; got != worst {
			t.Fatalf("%s, want %s of %+v", got, worst, all)
		}
	})
}

// TestATextThatIsNoReadingIsNamedInPlainWords: where, and what is wrong with it.
func TestATextThatIsNoReadingIsNamedInPlainWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"load1":NaN}`:                "not valid JSON at /load1: invalid character 'N' at start of value",
		`{"load1":-Infinity}`:          "not valid JSON at /load1: invalid character 'I' in number (expecting digit)",
		`x`:                            "not valid JSON: invalid character 'x' at start of value",
		`{"load1":1`:                   "not valid JSON: it ends too early",
		`{"time":7}`:                   "/time is a number, want a time such as 2026-01-02T07:00:00Z",
		`{"time":"yesterday"}`:         "/time is a text, want a time such as 2026-01-02T07:00:00Z",
		`{"took_us":"1"}`:              "/took_us is a text, want a whole number",
		`{"runs":[{"processes":1.5}]}`: "/runs/0/processes is 1.5, want a whole number",
		`[1]`:                          "the input is a list, want an object",
		`"a"`:                          "the input is a text, want an object",
		``:                             "not valid JSON: it ends too early",
	} {
		_, err := Decode([]byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
