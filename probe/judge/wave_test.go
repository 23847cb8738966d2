package judge

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSeeds224Rows is the wave gate of seeds 2.2.4, a row each.
func TestSeeds224Rows(t *testing.T) {
	t.Parallel()
	of := func(v Verdict, limit int) Judgement { return Judgement{Verdict: v, Cap: limit} }
	for _, tt := range []struct {
		name    string
		planned int
		j       Judgement
		p       Policy
		most    int
		want    Wave
	}{
		{"the probe cannot look: as planned", 6, Judgement{}, Signals, 0, Wave{6, 6, Proceed, ""}},
		{"nothing to judge by: a heavy repository counts all the same", 6, Judgement{}, Signals, 4, Wave{6, 4, Reduce, ByProject}},
		{"critical: who leads works alone", 6, of(Critical, 0), Signals, 0, Wave{6, 0, Direct, ByVerdict}},
		{"critical: and stays so in a heavy repository", 6, of(Critical, 0), Signals, 4, Wave{6, 0, Direct, ByVerdict}},
		{"warn: half", 6, of(Warn, 2), Signals, 0, Wave{6, 3, Reduce, ByVerdict}},
		{"warn: half, rounded down", 7, of(Warn, 2), Signals, 0, Wave{7, 3, Reduce, ByVerdict}},
		{"warn: at least one", 1, of(Warn, 2), Signals, 0, Wave{1, 1, Proceed, ""}},
		{"green: as planned", 6, of(Green, NoCap), Signals, 0, Wave{6, 6, Proceed, ""}},
		{"heavy: lowers what is green", 6, of(Green, NoCap), Signals, 4, Wave{6, 4, Reduce, ByProject}},
		{"heavy: lowers what was halved", 8, of(Warn, 2), Signals, 2, Wave{8, 2, Reduce, ByProject}},
		{"heavy: never raises", 2, of(Green, NoCap), Signals, 4, Wave{2, 2, Proceed, ""}},
		{"heavy: never raises what was halved", 6, of(Warn, 2), Signals, 4, Wave{6, 3, Reduce, ByVerdict}},
		{"tiers: what the tier has", 6, of(Warn, 4), Tiers, 0, Wave{6, 4, Reduce, ByVerdict}},
		{"tiers: degraded", 6, of(Degraded, 2), Tiers, 0, Wave{6, 2, Reduce, ByVerdict}},
		{"tiers: green", 6, of(Green, NoCap), Tiers, 0, Wave{6, 6, Proceed, ""}},
	} {
		if got := Plan(tt.planned, tt.j, tt.p, tt.most); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestS16NothingRaisesAPlan: and what a heavy repository takes is never passed.
func TestS16NothingRaisesAPlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		planned, most := rapid.IntRange(1, 100).Draw(t, "planned"), rapid.IntRange(0, 20).Draw(t, "most")
		v := rapid.SampledFrom(order).Draw(t, "verdict")
		p := rapid.SampledFrom([]Policy{Signals, Tiers}).Draw(t, "policy")
		w := Plan(planned, Judgement{Verdict: v, Cap: caps[v]}, p, most)
		if w.Agents > planned || most > 0 && w.Agents > most || w.Agents < 0 || (w.Agents == planned) != (w.Decision == Proceed) {
			t.Fatalf("%+v", w)
		}
	})
}

// TestSeeds222AHeavyRepositoryLowersTheCap: green with cap 4.
func TestSeeds222AHeavyRepositoryLowersTheCap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ limit, most, want int }{{NoCap, 4, 4}, {2, 4, 2}, {0, 4, 0}, {9, 4, 4}, {NoCap, 0, NoCap}, {2, 0, 2}} {
		if got := Lower(c.limit, c.most); got != c.want {
			t.Errorf("a cap of %d and at most %d: %d, want %d", c.limit, c.most, got, c.want)
		}
	}
}
