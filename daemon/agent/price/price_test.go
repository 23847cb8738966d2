package price

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autopilot/daemon/agent/stream"
)

func table(t testing.TB) *Table {
	t.Helper()
	all, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryPriceHasADateAndASource(t *testing.T) {
	t.Parallel()
	entries, err := parse(shipped)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if _, err := time.Parse(time.DateOnly, e.Valid); err != nil || e.Source == "" || len(e.Models) == 0 {
			t.Errorf("%+v: %v", e, err)
		}
		if e.Input <= 0 || e.Output < e.Input || e.CacheRead > e.Input || e.CacheWrite < 0 {
			t.Errorf("%v: the prices are not in their usual order", e.Models)
		}
		for _, m := range e.Models {
			if seen[m] || m != strings.ToLower(m) {
				t.Errorf("%s: twice, or not in lower case", m)
			}
			seen[m] = true
		}
	}
}

func TestAModelIsKnownByEachOfItsNames(t *testing.T) {
	t.Parallel()
	all := table(t)
	tokens := stream.Usage{Input: million} // so the cost is the price of input
	for model, want := range map[string]int64{
		"claude-opus-4-5-20251101":                   5e6,
		"claude-opus-4-20250514":                     15e6,
		"claude-opus-4-1@20250805":                   15e6,
		"anthropic/claude-opus-4.6":                  5e6,
		"us.anthropic.claude-sonnet-4-20250514-v1:0": 3e6,
		"bedrock/eu.anthropic.claude-haiku-4-5":      1e6,
		"claude-3-7-sonnet-latest":                   3e6,
		"claude-3-5-haiku-20241022":                  8e5,
		"GPT-5-Codex":                                125e4,
		"openai/gpt-5.2-codex":                       175e4,
		"gpt-5-2025-08-07":                           125e4,
		"gpt-5-mini":                                 25e4,
		"codex-mini-latest":                          15e5,
		"models/gemini-2.5-pro":                      125e4,
		"gemini-2.5-pro-preview-05-06":               125e4,
		"gemini-2.5-flash-lite-preview-09-2025":      1e5,
		"gemini-3-pro-preview":                       2e6,
		" gemini-2.5-flash-001 ":                     3e5,
	} {
		got, date, ok := all.Compute(model, tokens)
		if !ok || got != want || date == "" {
			t.Errorf("%s: %d %q %v, want %d", model, got, date, ok, want)
		}
	}
}

func TestWhatIsNotKnownIsNotFree(t *testing.T) {
	t.Parallel()
	all := table(t)
	for _, model := range []string{
		"", "claude", "opus", "claude-sonnet-4-5[1m]", "claude-opus-9", "gpt-5-turbo", "gpt-50", "claude-test-1", "llama3",
		"-latest", "@20250929", "*", "gpt-5*", "anthropic.", "/", strings.Repeat("x", 1<<16), "gpt-4.1-2025-04-14:free",
	} {
		if cost, date, ok := all.Compute(model, stream.Usage{Input: 1}); ok || cost != 0 || date != "" {
			t.Errorf("%.40q: %d %q %v", model, cost, date, ok)
		}
	}
}

func TestAPriceOfTheUserGoesFirst(t *testing.T) {
	t.Parallel()
	all := table(t)
	own := all.With(map[string]Rate{"GPT-5": {Input: 7}, "mine-*": {Input: 1, CacheRead: 1, CacheWrite: 1, Output: 3e6}})
	if cost, date, ok := own.Compute("gpt-5-2025-08-07", stream.Usage{Input: 2 * million}); !ok || cost != 14 || date != Own {
		t.Errorf("%d %q %v", cost, date, ok)
	}
	if cost, date, ok := own.Compute("mine-large", stream.Usage{Output: 2}); !ok || cost != 6 || date != Own {
		t.Errorf("%d %q %v", cost, date, ok)
	}
	if all.Knows("mine-large") || !own.Knows("gpt-5.1") || all.With(nil) != all {
		t.Error("a table has changed, or lost a row")
	}
}

func TestHalfAMillionthIsRoundedUp(t *testing.T) {
	t.Parallel()
	for tokens, want := range map[int64]int64{0: 0, 1: 0, 2: 1, 3: 1, 5: 1, 6: 2, -4: 0} { // 0.25 of a millionth each
		if got := (Rate{Input: 25e4}).cost(stream.Usage{Input: tokens}); got != want {
			t.Errorf("%d: %d, want %d", tokens, got, want)
		}
	}
}

func TestACostIsTheExactSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price, count := rapid.Int64Range(0, maxRate), rapid.Int64Range(0, math.MaxInt64)
		r := Rate{price.Draw(t, "ri"), price.Draw(t, "rr"), price.Draw(t, "rw"), price.Draw(t, "ro")}
		u := stream.Usage{Input: count.Draw(t, "i"), CacheRead: count.Draw(t, "r"), CacheWrite: count.Draw(t, "w"), Output: count.Draw(t, "o")}
		sum := new(big.Int)
		for _, p := range [][2]int64{{u.Input, r.Input}, {u.CacheRead, r.CacheRead}, {u.CacheWrite, r.CacheWrite}, {u.Output, r.Output}} {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(p[0]), big.NewInt(p[1])))
		}
		sum.Div(sum.Add(sum, big.NewInt(million/2)), big.NewInt(million))
		want := int64(math.MaxInt64)
		if sum.IsInt64() {
			want = sum.Int64()
		}
		if got := r.cost(u); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

func FuzzModels(f *testing.F) {
	all := table(f)
	for _, m := range []string{"claude-opus-4-20250514", "a/b.anthropic.c-v1:0-latest-preview", "@@--//"} {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, model string) {
		if cost, _, ok := all.Compute(model, stream.Usage{Input: million}); ok == (cost == 0) {
			t.Errorf("%q: %d %v", model, cost, ok)
		}
	})
}
