package render

import (
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
)

func used() wire.UsageReport {
	since, reset := noon.Add(-36*time.Hour), noon.Add(3*time.Hour)
	return wire.UsageReport{
		Since: since, By: "project",
		Rows: []wire.UsageRow{
			{Key: "/home/u/p" + steering, UsageSum: wire.UsageSum{Input: 12_000, CacheRead: 400_000, CacheWrite: 9000, Output: 3100, Tokens: 424_100, MicroUSD: 4_100_000, Turns: 41, Agents: 9, ActiveMS: 5400_000, NoCost: 1}},
			{Key: "/home/u/q", UsageSum: wire.UsageSum{Output: 950, Tokens: 950, MicroUSD: 4200, Turns: 2, Agents: 1, ActiveMS: 4000, Computed: 1}},
			{Key: "unknown", UsageSum: wire.UsageSum{Agents: 2, NoTokens: 2, NoCost: 2, ActiveMS: 61_000}},
		},
		Total: wire.UsageSum{Input: 12_000, CacheRead: 400_000, CacheWrite: 9000, Output: 4050, Tokens: 425_050, MicroUSD: 4_104_200, Turns: 43, Agents: 12, ActiveMS: 5465_000, NoTokens: 2, NoCost: 3, Computed: 1},
		Limits: []wire.LimitView{
			{Scope: "day", Kind: "cost", Limit: 5_000_000, Used: 4_104_200, Until: noon.Add(12 * time.Hour)},
			{Scope: "project", Kind: "tokens", Limit: 2_000_000, Used: 425_050, Until: noon.Add(12 * time.Hour)},
			{Scope: "day", Kind: "turns", Limit: 40, Used: 43, Until: noon.Add(12 * time.Hour)},
			{Scope: "day", Kind: "hours", Limit: 8 * 3600_000, Used: 5465_000, Until: noon.Add(12 * time.Hour)},
		},
		Accounts: []wire.AccountView{
			{ID: "0123456789abcdef", Label: "claude, ~/.claude", State: "rate-limited", Until: &reset, Source: "reported", Waiting: []string{"k3xq", "d0ne"}},
			{ID: "fedcba9876543210", State: "overloaded", Until: &reset, Source: "guessed", Working: []string{"st0p"}},
		},
	}
}

func TestUsageTexts(t *testing.T) {
	t.Parallel()
	low := live()
	sum := used().Total
	low.Usage, low.Limits, low.Budgeted = &sum, &wire.Budget{MicroUSD: 5_000_000, Turns: 100}, &wire.Budget{MicroUSD: 4_104_200, Tokens: 425_050, Turns: 43}
	for style, s := range styles {
		golden(t, "usage."+style, s.Usage(used()))
		golden(t, "usage-empty."+style, s.Usage(wire.UsageReport{By: "day"}))
		golden(t, "usage-run."+style, s.Status(low)+s.Live(low)+"\n")
		if style == "colour" && Clean(s.Usage(used())) != styles["plain"].Usage(used()) {
			t.Error("it says more in colour than without")
		}
	}
}

func TestABarIsNeverLongerThanItsLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		used, limit int64
		want        string
	}{{0, 10, ".........."}, {5, 10, "#####....."}, {10, 10, "##########"}, {99, 10, "##########"}, {1, 3, "###......."}, {3, 3, "##########"}, {-1, 5, ".........."}, {1, 0, ".........."}} {
		if got := (Style{ASCII: true}).bar(tt.used, tt.limit); got != tt.want {
			t.Errorf("%d of %d: %s, want %s", tt.used, tt.limit, got, tt.want)
		}
	}
}

func TestUsageInAPipeIsAsNarrowAsOnATerminal(t *testing.T) {
	t.Parallel()
	sum := wire.UsageSum{Agents: 40, MicroUSD: 123_456_789, Computed: 3, Tokens: 12_345_678, Input: 9_000_000, CacheRead: 3_000_000, Output: 345_678, ActiveMS: 99_000_000, Turns: 4711, NoCost: 2}
	v := wire.UsageReport{
		By: "project", Rows: []wire.UsageRow{{Key: strings.Repeat("/long", 20), UsageSum: sum}, {Key: "b", UsageSum: sum}}, Total: sum,
		Accounts: []wire.AccountView{{Label: "claude", ID: "0123456789", State: "ok", Working: strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z")}},
	}
	got := Style{Now: noon}.Usage(v)
	for l := range strings.Lines(got) {
		if n := columns(strings.TrimRight(l, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	if !strings.Contains(got, "works: a, b, c and 23 more") {
		t.Error(got)
	}
}

func TestAProjectKeepsTheEndOfItsPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path string
		n    int
		want string
	}{
		{"/home/me/src/shop", 44, "/home/me/src/shop"},
		{"/home/me/work/customers/acme/services/payments/api", 28, "…/acme/services/payments/api"},
		{"/home/me/work/customers/acme/services/payments/web", 28, "…/acme/services/payments/web"},
		{"/" + strings.Repeat("a", 40) + "b", 10, "…aaaaaaaab"},
		{"/日本語/日本語/日本", 8, "…/日本"},
		{"/x/日本", 2, "…"},
	} {
		if got := (Style{}).cutPath(tt.path, tt.n); got != tt.want || columns(got) > tt.n {
			t.Errorf("%q in %d cells: %q, want %q", tt.path, tt.n, got, tt.want)
		}
	}
}

// However often a provider warns of a limit, usage has one gauge.
func TestAGaugeOfALimit(t *testing.T) {
	t.Parallel()
	resets := noon.Add(2 * time.Hour)
	v := wire.UsageReport{By: "day", Accounts: []wire.AccountView{
		{Label: "claude", ID: "0123456789", State: "ok", Gauge: &wire.GaugeView{Window: "five_hour", Percent: 91, Resets: &resets, At: noon}},
		{ID: "abcdef0123456789", State: "ok", Gauge: &wire.GaugeView{Percent: 7, At: noon}},
		{Label: "codex", ID: "9876543210", State: "ok"},
	}}
	got := Style{Now: noon}.Usage(v)
	for _, want := range []string{"five_hour  █████████░  91 %", "anew at 14:00", "7 %"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not there once in\n%s", want, got)
		}
	}
}
