package render

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Usage is what agents used: rows and their total, then what limits are left.
func (s Style) Usage(v wire.UsageReport) string {
	if s.Width <= 0 {
		s.Width = pipedWidth
	}
	var b strings.Builder
	if len(v.Rows) == 0 {
		b.WriteString("no agent has used anything" + s.from(v.Since) + "\n")
	} else {
		b.WriteString(s.paint(bold, "used") + s.from(v.Since) + "\n" + table(s.usageRows(v)))
		b.WriteString(gaps(v.Total))
	}
	b.WriteString(s.section("limits", table(append(s.limitRows(v.Limits), s.gaugeRows(v.Accounts)...))))
	b.WriteString(s.section("accounts", table(s.accountRows(v.Accounts))))
	return b.String()
}

func (s Style) from(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return " since " + s.Clock(since)
}

// usageRows is the table. On a narrow terminal the kinds of tokens are left out,
// then turns and agents, then the ends of names. A project keeps the end of its path.
func (s Style) usageRows(v wire.UsageReport) [][]string {
	rows := [][]string{{strings.ToUpper(Line(v.By)), "COST", "TOKENS", "ACTIVE", "AGENTS", "TURNS", "IN", "CACHED", "OUT"}}
	cut := s.cut
	if v.By == "project" {
		cut = s.cutPath
	}
	for _, r := range v.Rows {
		rows = append(rows, usageRow(cut(Line(r.Key), longKey), r.UsageSum))
	}
	if len(v.Rows) > 1 {
		rows = append(rows, usageRow("total", v.Total))
	}
	for _, most := range []int{9, 6, 4} {
		for i := range rows {
			rows[i] = rows[i][:most]
		}
		if s.fits(rows) {
			return rows
		}
	}
	for i := range rows {
		rows[i][0] = cut(rows[i][0], shortKey)
	}
	return rows
}

// Cells of a name: the most, and where there is little room.
const (
	longKey  = 44
	shortKey = 28
)

func usageRow(key string, u wire.UsageSum) []string {
	return []string{
		key, phrase.Cost(events.English, u), phrase.TokensUsed(events.English, u), Age(time.Duration(u.ActiveMS) * time.Millisecond), fmt.Sprint(u.Agents), fmt.Sprint(u.Turns),
		amount("tokens", u.Input), amount("tokens", u.CacheRead+u.CacheWrite), amount("tokens", u.Output),
	}
}

// gaps says what the sums do not hold.
func gaps(u wire.UsageSum) string {
	var b strings.Builder
	line := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(&b, "  %d of %s %s\n", n, count(u.Agents, "agent"), what)
		}
	}
	line(u.NoCost, "cost an unknown amount")
	line(u.NoTokens, "told no tokens")
	line(u.Computed, "told no cost: it is computed from a table of prices")
	return b.String()
}

// barCells is how long the bar of a limit is.
const barCells = 10

func (s Style) limitRows(limits []wire.LimitView) [][]string {
	var rows [][]string
	for _, l := range limits {
		of := "all runs"
		if l.Scope != "day" {
			of = "this project"
		}
		rows = append(rows, []string{
			of, s.limitName(l.Kind), s.bar(l.Used, l.Limit), percent(l.Used, l.Limit),
			s.usedOf(l.Kind, l.Used, l.Limit), "anew at " + s.Clock(l.Until),
		})
	}
	return rows
}

// gaugeRows are the limits of providers, as these spoke of them last.
func (s Style) gaugeRows(accounts []wire.AccountView) [][]string {
	var rows [][]string
	for _, a := range accounts {
		if a.Gauge == nil {
			continue
		}
		g, name, anew := a.Gauge, Line(a.Label), ""
		if name == "" {
			name = Hash(a.ID)
		}
		if g.Resets != nil {
			anew = "anew at " + s.Clock(*g.Resets)
		}
		rows = append(rows, []string{
			s.cut(name, gaugeKey), s.cut(Line(g.Window), gaugeKey), s.bar(int64(g.Percent), 100), percent(int64(g.Percent), 100),
			"at " + s.Clock(g.At), anew,
		})
	}
	return rows
}

// gaugeKey is how much of a name is shown beside a gauge.
const gaugeKey = 18

// bar shows a part of a whole. From four fifths on it warns.
func (s Style) bar(used, limit int64) string {
	n := 0
	if limit > 0 {
		n = int(min(max(float64(used), 0)/float64(limit), 1) * barCells)
	}
	t := strings.Repeat(s.pick("█", "#"), n) + strings.Repeat(s.pick("░", "."), barCells-n)
	return s.warnIf(isLow(used, limit), t)
}

// warnIf paints every cell of a column, as colours count for its width.
func (s Style) warnIf(low bool, t string) string {
	if low {
		return s.Warn(t)
	}
	return s.paint(green, t)
}

// isLow says that four fifths of a limit are used.
func isLow(used, limit int64) bool { return limit > 0 && limit-used <= limit/5 }

func percent(used, limit int64) string {
	if limit <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", float64(used)*100/float64(limit))
}

// usedOf is a part of a limit: 43 of 100 turns.
func (s Style) usedOf(kind string, used, limit int64) string {
	t := s.say("%s of %s", "%s / %s", amount(kind, used), amount(kind, limit))
	switch kind {
	case "tokens", "turns":
		t += " " + s.limitName(kind)
	}
	return t
}

func (s Style) accountRows(accounts []wire.AccountView) [][]string {
	var rows [][]string
	known := map[string]int{}
	for _, a := range accounts {
		known[a.Label]++
	}
	for _, a := range accounts {
		name := Line(a.Label)
		switch {
		case name == "":
			name = Hash(a.ID)
		case known[a.Label] > 1: // as with two keys in one variable
			name += " " + Line(a.ID[:min(len(a.ID), 4)])
		}
		state := Line(a.State)
		if a.Until != nil {
			state += " until " + s.Clock(*a.Until)
		}
		if a.Source == string(events.Guessed) {
			state += ", a guess"
		}
		rows = append(rows, []string{name, s.warnIf(a.State != "ok", state), handles("works", a.Working), handles("waits", a.Waiting)})
	}
	return rows
}

// namedRuns is how many runs of an account are named.
const namedRuns = 3

func handles(what string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, h := range list[:min(len(list), namedRuns)] {
		names = append(names, Line(h))
	}
	t := what + ": " + strings.Join(names, ", ")
	if n := len(list) - namedRuns; n > 0 {
		t += fmt.Sprintf(" and %d more", n)
	}
	return t
}

// usageOf is what a run used, in a few words.
func (s Style) usageOf(v wire.RunView) string {
	if v.Usage == nil {
		return ""
	}
	tokens, cost := phrase.TokensUsed(s.lang, *v.Usage), phrase.Cost(s.lang, *v.Usage)
	if tokens == cost {
		return tokens // neither is known
	}
	return s.say("%s tokens, %s", "%s トークン、%s", tokens, cost)
}

// costOf is what a run cost so far, in as few cells as there may be.
func costOf(v wire.RunView) string {
	if v.Usage == nil || v.Usage.MicroUSD == 0 {
		return ""
	}
	return phrase.USD(v.Usage.MicroUSD)
}

// budgetOf is what a run has used of its own limits.
func (s Style) budgetOf(v wire.RunView) string {
	if v.Limits == nil || v.Budgeted == nil {
		return ""
	}
	var lines []string
	for _, l := range []struct {
		kind        string
		used, limit int64
	}{
		{"cost", v.Budgeted.MicroUSD, v.Limits.MicroUSD},
		{"tokens", v.Budgeted.Tokens, v.Limits.Tokens},
		{"turns", int64(v.Budgeted.Turns), int64(v.Limits.Turns)},
	} {
		if l.limit == 0 {
			continue
		}
		t := s.usedOf(l.kind, l.used, l.limit) + " (" + percent(l.used, l.limit) + ")"
		if isLow(l.used, l.limit) {
			t = s.Warn(t)
		}
		lines = append(lines, t)
	}
	return strings.Join(lines, "\n")
}

// BadAmount is a limit on what is used that means nothing.
func BadAmount(flag, value, want string) *wire.Error {
	return usage("write it as "+want+", more than 0", "%s %q means nothing", flag, value)
}

// BadWay is a way to divide usage that there is not.
func BadWay(value string) *wire.Error {
	return usage("--by "+strings.Join(wire.UsageWays(), ", "), "usage is not divided by %q", value)
}
