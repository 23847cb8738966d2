package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent/price"
	"autopilot/daemon/config"
	"autopilot/daemon/run/order"
	"autopilot/events"
	"autopilot/events/stored"
)

func TestMoneyAndTokensAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	f := config.ParseUser("f", []byte("limits:\n  usd: 5\n  tokens: 1.5M\n  turns: 40\n"+
		"  day: {usd: \"$50\", tokens: 2000000, turns: 300, hours: 8}\n  project: {usd: 0.50, hours: 90m}\n"))
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	want := []config.Budget{
		{Kind: events.LimitDayCost, Limit: 50_000_000, Setting: "limits.day.usd"},
		{Kind: events.LimitDayTokens, Limit: 2_000_000, Setting: "limits.day.tokens"},
		{Kind: events.LimitDayTurns, Limit: 300, Setting: "limits.day.turns"},
		{Kind: events.LimitDayHours, Limit: 8 * 3600_000, Setting: "limits.day.hours"},
		{Project: true, Kind: events.LimitDayCost, Limit: 500_000, Setting: "limits.project.usd"},
		{Project: true, Kind: events.LimitDayHours, Limit: 5400_000, Setting: "limits.project.hours"},
	}
	if diff := cmp.Diff(want, config.Layers{User: &f}.Budgets()); diff != "" {
		t.Error(diff)
	}
	if f.Limits.USD != 5_000_000 || f.Limits.Tokens != 1_500_000 || f.Limits.Turns != 40 {
		t.Errorf("%+v", f.Limits)
	}
}

func TestTheLowerLimitOfAProjectCounts(t *testing.T) {
	t.Parallel()
	l := layers("limits: {project: {usd: 3, tokens: 9M}}\n", "limits: {project: {usd: 4, tokens: 1M, turns: 7}}\n", nil)
	var got []string
	for _, b := range l.Budgets() {
		got = append(got, fmt.Sprint(b.Setting, " ", b.Limit, " ", b.Project))
	}
	if diff := cmp.Diff([]string{"limits.project.usd 3000000 true", "limits.project.tokens 1000000 true", "limits.project.turns 7 true"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLimitsOnWhatIsUsedComeFromTheStrongestLayer(t *testing.T) {
	t.Parallel()
	gate := "gates: {t: x}\n"
	a, err := layers(gate+"limits: {usd: 2, tokens: 100k}\n", "agent: codex\nlimits: {usd: 1, turns: 9, day: {usd: 7}}\n",
		map[string]string{"limits.tokens": "7k"}).Apply(order.Order{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if s := a.Order; s.MaxMicroUSD != 2_000_000 || s.MaxTokens != 7000 || s.MaxTurns != 9 || len(a.Budgets) != 1 {
		t.Errorf("%+v, budgets %+v", s, a.Budgets)
	}
	var used []string
	for _, v := range a.Used {
		if strings.HasPrefix(v.Key, "limits.") {
			used = append(used, v.Key+" "+v.Value+" "+v.Origin)
		}
	}
	if diff := cmp.Diff([]string{"limits.usd 2 project", "limits.tokens 7k environment", "limits.turns 9 user", "limits.day.usd 7 user"}, used); diff != "" {
		t.Error(diff)
	}
	a, err = layers(gate, "limits: {usd: 1}\n", nil).Apply(order.Order{MaxMicroUSD: 3, Spec: stored.Spec{Agent: stored.Agent{Command: "x"}}}, noon)
	if err != nil || a.Order.MaxMicroUSD != 3 {
		t.Errorf("what is typed counts: %+v %v", a.Order.Spec, err)
	}
}

func TestALimitThatMeansNothingIsRefused(t *testing.T) {
	t.Parallel()
	inProject, inUser := true, false
	for _, c := range []struct {
		project   bool
		src, want string
	}{
		{inProject, "limits: {usd: 0}\n", `1:15 "0" is not an amount in dollars: write 5 or 0.50, more than 0`},
		{inProject, "limits: {usd: -5}\n", `"-5" is not an amount in dollars`},
		{inProject, "limits: {usd: 5 EUR}\n", `"5 EUR" is not an amount in dollars`},
		{inProject, "limits: {usd: .inf}\n", `".inf" is not an amount in dollars`},
		{inProject, "limits: {usd: [1]}\n", "limits.usd: want dollars, as 5 or 0.50, found a list"},
		{inProject, "limits: {tokens: 0}\n", `"0" is not a number of tokens`},
		{inProject, "limits: {tokens: 1.5}\n", `"1.5" is not a number of tokens`},
		{inProject, "limits: {tokens: true}\n", "limits.tokens: want a number of tokens"},
		{inProject, "limits: {turns: 0}\n", "limits.turns: 0 is too small: write 1 or more, or take the line out"},
		{inProject, "limits: {turns: many}\n", "limits.turns: want a whole number, found text"},
		{inProject, "limits: {day: {usd: 5}}\n", "limits.day: it belongs in the user's file: take it out: a project can set limits.project"},
		{inProject, "limits: {project: {hours: 0}}\n", `"0" is not a number of hours: write 8, 1.5 or 90m`},
		{inProject, "limits: {project: {eur: 5}}\n", `unknown key "eur": allowed: usd, tokens, turns, hours`},
		{inProject, "prices: {}\n", "prices belongs in the user's file"},
		{inUser, "limits: {day: {hours: true}}\n", "limits.day.hours: want a number of hours"},
		{inUser, "limits: {day: {turns: -1}}\n", "limits.day.turns: -1 is too small"},
		{inUser, "limits: {day: 5}\n", "limits.day: want a mapping"},
		{inUser, "prices: {m: {input: 3}}\n", "a price needs input and output"},
		{inUser, "prices: {m: {input: -3, output: 1}}\n", "it is no price in dollars per million tokens: write it as 3 or 0.25"},
		{inUser, "prices: {m: {input: \"3\", output: 1}}\n", "want dollars per million tokens, as 3 or 0.25, found text"},
		{inUser, "prices: {m: 3}\n", "prices.m: want a mapping"},
		{inUser, "prices: {\"*\": {input: 3, output: 1}}\n", `"*" is not a model`},
	} {
		file := config.ParseUser("f", []byte(c.src)).File
		if c.project {
			file = config.ParseProject("f", []byte(c.src)).File
		}
		if len(file.Problems) != 1 {
			t.Errorf("%q has %d problems: %+v", c.src, len(file.Problems), file.Problems)
			continue
		}
		p := file.Problems[0]
		if got := fmt.Sprintf("%d:%d %s: %s", p.Line, p.Column, p.Message, p.Fix); !strings.Contains(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.src, got, c.want)
		}
	}
	for key, text := range map[string]string{"limits.usd": "0", "limits.tokens": "-1", "limits.turns": "1.5"} {
		_, err := layers("gates: {t: x}\n", "", map[string]string{key: text}).Apply(order.Order{}, noon)
		if err == nil || !strings.Contains(err.Error(), `AUTOPILOT_MAX_`) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestPricesOfTheUserSayAllFour(t *testing.T) {
	t.Parallel()
	f := config.ParseUser("f", []byte("prices:\n  mine-large: {input: 3, output: 15.5}\n  gpt-5.1: {input: 1, cache_read: 0, cache_write: 2, output: 0.000001}\n"))
	want := map[string]price.Rate{
		"mine-large": {Input: 3e6, CacheRead: 3e6, CacheWrite: 3e6, Output: 155e5},
		"gpt-5.1":    {Input: 1e6, CacheRead: 0, CacheWrite: 2e6, Output: 1},
	}
	if diff := cmp.Diff(want, f.Rates()); diff != "" || f.Err() != nil {
		t.Error(diff, f.Err())
	}
}
