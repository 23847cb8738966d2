package judge

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const mb = 1 << 20

// calm is a machine on which everything is known and well.
func calm() Reading {
	return Reading{
		Cores: Known(8), Load1: Known(1), Load5: Known(1), MemoryTotal: Known(32 * gib), MemoryAvailable: Known(16 * gib),
		MemoryFree: Known(1 * gib), SwapUsed: Known(0), StallMemory: Known(0), StallMemoryFull: Known(0), StallIOFull: Known(0),
		OpenFiles: Known(10), OpenFilesLimit: Known(1000), DiskStore: Known(100 * gib), DiskWork: Known(100 * gib), Peers: Known(0), Agents: Known(0),
	}
}

// TestSignals is seeds 2.2.2, a row for each limit and its other side.
func TestSignals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		with func(*Reading)
		want Verdict
		cap  int
		of   []string // the signals, worst first
	}{
		{"a calm machine has no cap", func(*Reading) {}, Green, NoCap, nil},
		{"S10: few free pages and much available is healthy", func(r *Reading) { r.MemoryFree = Known(100 * mb) }, Green, NoCap, nil},
		{"S11: memory pressure outranks what is available", func(r *Reading) { r.MemoryFreePercent, r.MemoryAvailable = Known(60), Known(gib) }, Green, NoCap, nil},
		{"pressure of 30 % free is healthy", func(r *Reading) { r.MemoryFreePercent = Known(30) }, Green, NoCap, nil},
		{"pressure under 30 % is soft", func(r *Reading) { r.MemoryFreePercent = Known(29.9) }, Green, NoCap, []string{"memory_free_percent"}},
		{"pressure of 15 % is soft", func(r *Reading) { r.MemoryFreePercent = Known(15) }, Green, NoCap, []string{"memory_free_percent"}},
		{"pressure under 15 % is hard", func(r *Reading) { r.MemoryFreePercent = Known(14.9) }, Critical, 0, []string{"memory_free_percent"}},
		{"4 GiB available is healthy", func(r *Reading) { r.MemoryAvailable = Known(4 * gib) }, Green, NoCap, nil},
		{"under 4 GiB is soft", func(r *Reading) { r.MemoryAvailable = Known(4*gib - 1) }, Green, NoCap, []string{"memory_available_bytes"}},
		{"2 GiB is soft", func(r *Reading) { r.MemoryAvailable = Known(2 * gib) }, Green, NoCap, []string{"memory_available_bytes"}},
		{"under 2 GiB is hard", func(r *Reading) { r.MemoryAvailable = Known(2*gib - 1) }, Critical, 0, []string{"memory_available_bytes"}},
		{"free memory where nothing better is known", func(r *Reading) { r.MemoryAvailable, r.MemoryFree = Num{}, Known(gib) }, Critical, 0, []string{"memory_free_bytes"}},
		{"S12: a single soft signal caps nothing", func(r *Reading) { r.Load1, r.Load5 = Known(8), Known(8) }, Green, NoCap, []string{"load1"}},
		{"S12: two soft signals warn", func(r *Reading) { r.Load1, r.Load5, r.Peers = Known(8), Known(8), Known(5) }, Warn, 2, []string{"load1", "peers"}},
		{"stalls for the disk are told, as load counts already", func(r *Reading) { r.StallIOFull, r.Load1, r.Load5 = Known(50), Known(8), Known(8) }, Green, NoCap, []string{"load1", "stall_io_full_percent"}},
		{"S15: a load that is new is no signal", func(r *Reading) { r.Load1, r.Load5 = Known(8), Known(4) }, Green, NoCap, []string{"load1"}},
		{"load of 90 % is no signal", func(r *Reading) { r.Load1, r.Load5 = Known(7.2), Known(7.2) }, Green, NoCap, nil},
		{"load counts per core", func(r *Reading) { r.Load1, r.Load5, r.Cores = Known(8), Known(8), Known(16) }, Green, NoCap, nil},
		{"load is never hard", func(r *Reading) { r.Load1, r.Load5 = Known(800), Known(800) }, Green, NoCap, []string{"load1"}},
		{"5 sessions are soft", func(r *Reading) { r.Peers = Known(5) }, Green, NoCap, []string{"peers"}},
		{"4 are none", func(r *Reading) { r.Peers = Known(4) }, Green, NoCap, nil},
		{"S12: processes count in a unit of their own: 29 are none", func(r *Reading) { r.Peers, r.Agents = Num{}, Known(29) }, Green, NoCap, nil},
		{"30 processes are soft", func(r *Reading) { r.Peers, r.Agents = Num{}, Known(30) }, Green, NoCap, []string{"agents"}},
		{"where sessions are known, processes do not count", func(r *Reading) { r.Agents = Known(300) }, Green, NoCap, nil},
		{"swap on a healthy machine is told only", func(r *Reading) { r.SwapUsed = Known(9 * gib) }, Green, NoCap, []string{"swap_used_bytes"}},
		{"swap where memory is short warns", func(r *Reading) { r.MemoryAvailable, r.SwapUsed = Known(3*gib), Known(2*gib) }, Warn, 2, []string{"memory_available_bytes", "swap_used_bytes"}},
		{"much swap there is hard", func(r *Reading) { r.MemoryAvailable, r.SwapUsed = Known(3*gib), Known(3*gib+1) }, Critical, 0, []string{"swap_used_bytes", "memory_available_bytes"}},
		{"3 GiB of it is not", func(r *Reading) { r.MemoryAvailable, r.SwapUsed = Known(3*gib), Known(3*gib) }, Warn, 2, []string{"memory_available_bytes", "swap_used_bytes"}},
		{"work that stands still for memory is hard", func(r *Reading) { r.StallMemoryFull = Known(20) }, Critical, 0, []string{"stall_memory_full_percent"}},
		{"files that are nearly used up are hard", func(r *Reading) { r.OpenFiles = Known(951) }, Critical, 0, []string{"open_files"}},
		{"a disk that is nearly full is told", func(r *Reading) { r.DiskWork = Known(100 * mb) }, Green, NoCap, []string{"disk_work_free_bytes"}},
		{"and so is one that is full", func(r *Reading) { r.DiskStore = Known(0) }, Green, NoCap, []string{"disk_store_free_bytes"}},
		{"and is none of two signals", func(r *Reading) { r.DiskStore, r.Load1, r.Load5 = Known(0), Known(8), Known(8) }, Green, NoCap, []string{"load1", "disk_store_free_bytes"}},
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

// TestQ19WhatIsUnknownIsNamedAndNeverZero: no value, no signal, and no health
// either.
func TestQ19WhatIsUnknownIsNamedAndNeverZero(t *testing.T) {
	t.Parallel()
	j := Judge(Reading{}, Signals, Defaults())
	want := Judgement{Verdict: Green, Cap: NoCap, Unknown: []Axis{Memory, CPU, Session, Swap, Stall, Files, Disk}}
	if d := cmp.Diff(want, j); d != "" {
		t.Error(d)
	}
	if j := Judge(Reading{SwapUsed: Known(4 * gib)}, Signals, Defaults()); j.Verdict != Critical {
		t.Errorf("swap of 4 GiB beside unknown memory: %s; memory that is not known is not healthy", j.Verdict)
	}
	j = Judge(Reading{}, Tiers, Defaults())
	want = Judgement{Verdict: Green, Cap: NoCap, Unknown: []Axis{Memory, Swap, Session}}
	if d := cmp.Diff(want, j); d != "" {
		t.Error(d)
	}
}

// TestTiers is seeds 2.2.3.
func TestTiers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		with func(*Reading)
		want Verdict
		cap  int
	}{
		{"6 GiB", func(r *Reading) { r.MemoryAvailable = Known(6 * gib) }, Green, NoCap},
		{"under 6 GiB", func(r *Reading) { r.MemoryAvailable = Known(6*gib - 1) }, Warn, 4},
		{"under 4 GiB", func(r *Reading) { r.MemoryAvailable = Known(4*gib - 1) }, Degraded, 2},
		{"under 2 GiB", func(r *Reading) { r.MemoryAvailable = Known(2*gib - 1) }, Critical, 0},
		{"swap under 1 GiB", func(r *Reading) { r.SwapUsed = Known(gib - 1) }, Green, NoCap},
		{"swap of 1 GiB", func(r *Reading) { r.SwapUsed = Known(gib) }, Warn, 4},
		{"swap over 2 GiB", func(r *Reading) { r.SwapUsed = Known(2*gib + 1) }, Degraded, 2},
		{"swap over 3 GiB", func(r *Reading) { r.SwapUsed = Known(3*gib + 1) }, Critical, 0},
		{"2 peers", func(r *Reading) { r.Peers = Known(2) }, Green, NoCap},
		{"3 peers", func(r *Reading) { r.Peers = Known(3) }, Warn, 4},
		{"5 peers", func(r *Reading) { r.Peers = Known(5) }, Degraded, 2},
		{"the worst decides: 8 GiB, no swap, 7 peers", func(r *Reading) { r.MemoryAvailable, r.Peers = Known(8*gib), Known(7) }, Critical, 0},
		{"30 % free", func(r *Reading) { r.MemoryFreePercent = Known(30) }, Green, NoCap},
		{"15 % free", func(r *Reading) { r.MemoryFreePercent = Known(15) }, Warn, 4},
		{"5 % free", func(r *Reading) { r.MemoryFreePercent = Known(5) }, Degraded, 2},
		{"under 5 % free", func(r *Reading) { r.MemoryFreePercent = Known(4.9) }, Critical, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := calm()
			tt.with(&r)
			if j := Judge(r, Tiers, Defaults()); j.Verdict != tt.want || j.Cap != tt.cap {
				t.Errorf("%s, cap %d; want %s, cap %d", j.Verdict, j.Cap, tt.want, tt.cap)
			}
		})
	}
}

// TestInjectedValuesThatCannotBeAreUnknown: missing, negative, NaN, text.
func TestInjectedValuesThatCannotBeAreUnknown(t *testing.T) {
	t.Parallel()
	r, err := Decode([]byte(`{"cores":"8","load1":-1,"load5":"NaN","memory_available_bytes":true,"swap_used_bytes":1e999,"peers":null,"future":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"cores", "load1", "load5", "memory_available_bytes", "swap_used_bytes"}, r.Invalid()); d != "" {
		t.Error(d)
	}
	if j := Judge(r, Signals, Defaults()); j.Verdict != Green || len(j.Unknown) != 7 {
		t.Errorf("judged as %+v", j)
	}
	if _, err := Decode([]byte(`{"cores":1,"cores":2}`)); err == nil {
		t.Error("a name given twice is taken")
	}
}

func TestAReadingIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := calm()
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b)
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b Num) bool { return a == b })); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

// TestABandDoesNotFlap: readings that change at each step change nothing, but
// what is critical counts at once.
func TestABandDoesNotFlap(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	var b Band
	var seen []Verdict
	for i, v := range []Verdict{Green, Warn, Green, Warn, Green, Warn, Warn, Green, Warn, Green, Critical, Green, Warn, Green} {
		b = b.Step(v, start.Add(time.Duration(i)*time.Second))
		seen = append(seen, b.Verdict)
	}
	want := []Verdict{Green, Green, Green, Green, Green, Green, Warn, Warn, Warn, Warn, Critical, Critical, Critical, Critical}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
	at := start.Add(15*time.Second + Calm)
	if b = b.Step(Green, at); b.Verdict != Warn {
		t.Errorf("after a calm minute with a warning in it: %s, want the worst that was seen", b.Verdict)
	}
}

// TestABandChangesAtABoundedRate: better at most once a Calm, whatever is read.
func TestABandChangesAtABoundedRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b Band
		at, better := time.Unix(1_700_000_000, 0), time.Time{}
		for range rapid.IntRange(1, 200).Draw(t, "readings") {
			at = at.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
			was := b.Verdict
			b = b.Step(rapid.SampledFrom(order).Draw(t, "verdict"), at)
			if was != "" && was.Worse(b.Verdict) {
				if !better.IsZero() && at.Sub(better) < Calm {
					t.Fatalf("better twice within %v", at.Sub(better))
				}
				better = at
			}
		}
	})
}

func TestRoom(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		with func(*Reading)
		d    Demand
		want int
		by   Reason
	}{
		{"nothing bounds", func(*Reading) {}, Demand{}, NoCap, Unbounded},
		{"what is configured", func(*Reading) {}, Demand{Max: 3}, 3, ByMax},
		{"memory for so many more", func(*Reading) {}, Demand{RAM: 2 * gib, Running: 1}, 8, ByMemory},
		{"one always may", func(r *Reading) { r.MemoryAvailable = Known(2*gib + 1) }, Demand{RAM: 2 * gib}, 1, ByMemory},
		{"but not where it is critical", func(r *Reading) { r.MemoryAvailable = Known(gib) }, Demand{RAM: 2 * gib}, 0, ByVerdict},
		{"memory that is not known bounds nothing", func(r *Reading) { r.MemoryAvailable, r.MemoryFree = Num{}, Num{} }, Demand{RAM: gib}, NoCap, Unbounded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := calm()
			tt.with(&r)
			l := Defaults()
			if n, by := Room(r, Judge(r, Signals, l), l, tt.d); n != tt.want || by != tt.by {
				t.Errorf("%d by %q, want %d by %q", n, by, tt.want, tt.by)
			}
		})
	}
}
