package snapshot

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/projections/run"
)

func TestWhatWasSpentComesBackAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64()
		list := rapid.SliceOf(rapid.Custom(func(t *rapid.T) run.Spend {
			return run.Spend{
				Quarter: rapid.Int64Range(-10, 1<<40).Draw(t, "quarter"), Model: rapid.SampledFrom([]string{"", "m", "claude-opus-4"}).Draw(t, "model"), Agent: rapid.SampledFrom([]string{"", "codex"}).Draw(t, "agent"),
				Usage:    events.Usage{Input: n.Draw(t, "i"), CacheRead: n.Draw(t, "r"), CacheWrite: n.Draw(t, "w"), Output: n.Draw(t, "o"), MicroUSD: n.Draw(t, "usd"), Turns: rapid.Int().Draw(t, "turns")},
				ActiveMS: n.Draw(t, "ms"), Agents: rapid.Int().Draw(t, "agents"), NoTokens: 1, NoCost: 2, Computed: 3,
			}
		})).Draw(t, "list")
		p := Pack(list)
		if diff := cmp.Diff(list, slices.AppendSeq([]run.Spend{}, p.All())); diff != "" {
			t.Fatal(diff)
		}
		r := reader{b: append(p.append(nil), 7)}
		if back := r.spent(); back != p || r.err != nil || len(r.b) != 1 {
			t.Fatalf("%+v %v, want %+v", back, r.err, p)
		}
		for _, s := range list {
			if !p.Within(s.Quarter, s.Quarter) {
				t.Fatalf("%+v does not hold %d", p, s.Quarter)
			}
		}
		if p.Within(1<<41, 1<<42) || len(list) == 0 && p.Within(0, 1<<62) {
			t.Fatal("it holds what it has not")
		}
	})
}

func TestWhatIsCutOffEnds(t *testing.T) {
	t.Parallel()
	p := Pack([]run.Spend{{Quarter: 5, Model: "some-model", ActiveMS: 1 << 40}, {Quarter: 6}})
	for n := range len(p.packed) {
		for range (Spent{packed: p.packed[:n]}).All() {
			continue
		}
	}
}
