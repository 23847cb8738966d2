package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Of very many iterations only so many are shown: all that the rule compared,
// and the first and last ones. --json has every one.
const (
	mostRows  = 24
	firstRows = 2
)

// rowColumn is one column of the iterations.
type rowColumn struct {
	head string
	keep int // the higher the later it goes where there is little room
	cell func(wire.WhyRow) string
}

// columnsOf are the columns that say something of these rows.
func (s Style) columnsOf(w wire.WhyView) []rowColumn {
	all := []rowColumn{
		{s.say("k", "回"), 9, func(r wire.WhyRow) string { return fmt.Sprint(r.Iteration) }},
		{s.say("verdict", "判定"), 8, func(r wire.WhyRow) string { return s.verdictWord(r.Verdict) }},
		{s.say("tree", "ツリー"), 6, func(r wire.WhyRow) string { return Hash(r.Tree) }},
		{s.say("files", "変更"), 2, func(r wire.WhyRow) string { return fmt.Sprint(r.Files) }},
		{s.say("failing", "失敗"), 7, failingIn},
		{s.say("fingerprint", "フィンガープリント"), 8, func(r wire.WhyRow) string { return equal(r.Fingerprint, r.EqualTo) }},
	}
	if phases := slices.CompactFunc(slices.Clone(w.Rows), func(a, b wire.WhyRow) bool { return a.Phase == b.Phase }); len(phases) > 1 {
		all = slices.Insert(all, 1, rowColumn{s.say("phase", "フェーズ"), 7, func(r wire.WhyRow) string { return Line(r.Phase) }})
	}
	if w.Rule == string(events.HaltSignature) {
		all[len(all)-1] = rowColumn{s.say("signature", "シグネチャ"), 8, func(r wire.WhyRow) string { return equal(r.Signature, r.SignatureOf) }}
	}
	if slices.ContainsFunc(w.Rows, func(r wire.WhyRow) bool { return r.Agent != "" }) {
		all = append(all, rowColumn{"agent", 5, func(r wire.WhyRow) string { return cmp.Or(Line(r.Agent), "-") }})
	}
	if slices.ContainsFunc(w.Rows, func(r wire.WhyRow) bool { return r.Claim != "" }) {
		all = append(all, rowColumn{s.say("agent said", "申告"), 4, func(r wire.WhyRow) string { return Line(r.Claim) }})
	}
	if slices.ContainsFunc(w.Rows, func(r wire.WhyRow) bool { return r.Tokens > 0 || r.MicroUSD > 0 }) {
		all = append(all, rowColumn{s.say("used", "使用量"), 3, s.usedIn})
	}
	return all
}

// equal is a hash, and the first iteration that had the same.
func equal(hash string, to int) string {
	t := Hash(hash)
	if to > 0 {
		t += fmt.Sprintf(" = %d", to)
	}
	return t
}

// usedIn is what the agents of an iteration used: its cost where it is known,
// else its tokens.
func (s Style) usedIn(r wire.WhyRow) string {
	switch {
	case r.MicroUSD > 0 && r.CostFrom == string(events.Computed):
		return "~" + phrase.USD(r.MicroUSD)
	case r.MicroUSD > 0 && r.CostFrom != string(events.Reported):
		return ">" + phrase.USD(r.MicroUSD)
	case r.MicroUSD > 0:
		return phrase.USD(r.MicroUSD)
	case r.Tokens > 0:
		return phrase.Tokens(s.lang, r.Tokens)
	}
	return "-"
}

// rows is the table of iterations. On a narrow terminal columns are left out
// until it fits.
func (s Style) rows(w wire.WhyView) string {
	if len(w.Rows) == 0 {
		return ""
	}
	shown := chosen(w.Rows)
	all := s.columnsOf(w)
	for least := 0; ; least++ {
		kept := slices.DeleteFunc(slices.Clone(all), func(c rowColumn) bool { return c.keep < least })
		cells := s.rowCells(kept, shown, w.Rows)
		if least >= 8 || s.fits(cells) {
			return table(cells)
		}
	}
}

// rowCells makes the cells of rows by their index; a jump is said.
func (s Style) rowCells(cols []rowColumn, shown []int, rows []wire.WhyRow) [][]string {
	head := make([]string, 0, len(cols))
	for _, c := range cols {
		head = append(head, c.head)
	}
	cells := [][]string{head}
	before := -1
	for _, i := range shown {
		if n := i - before - 1; n > 0 {
			cells = append(cells, []string{"...", s.say("%d more", "ほか %d 件", n)})
		}
		before = i
		row := make([]string, 0, len(cols))
		for _, c := range cols {
			row = append(row, c.cell(rows[i]))
		}
		cells = append(cells, row)
	}
	return cells
}

// chosen are the indices of the rows that are shown.
func chosen(rows []wire.WhyRow) []int {
	var out []int
	for i, r := range rows {
		if len(rows) <= mostRows || i < firstRows || i >= len(rows)-mostRows/2 || r.Compared && len(out) < mostRows {
			out = append(out, i)
		}
	}
	return out
}

// mostTried is how much of what was tried is shown: the latest.
const mostTried = 8

// tried tells what was done about a run before, with what people wrote.
func (s Style) tried(w wire.WhyView) string {
	list, more := w.Tried, w.TriedMore
	if n := len(list) - mostTried; n > 0 {
		list, more = list[n:], more+n
	}
	var b strings.Builder
	if more > 0 {
		b.WriteString(s.say("  %d earlier: apctl why %s --json", "  以前の %d 件: apctl why %s --json", more, Line(w.Run.Handle)) + "\n")
	}
	for _, t := range list {
		line := Line(t.Line)
		if t.Kind == "resumed" || t.Kind == "lifted" {
			line += s.say(", by %s", "(%s)", who(t.By))
		}
		b.WriteString(s.step("  "+s.Clock(t.At), line))
		if t.Note != "" {
			b.WriteString(s.wrap(Line(t.Note), "      > "))
		}
	}
	return b.String()
}

// left tells what of each limit is left.
func (s Style) left(list []wire.WhyLeft) string {
	rows := make([][]string, 0, len(list))
	for _, l := range list {
		rows = append(rows, []string{s.limitName(l.Kind), s.leftOf(l)})
	}
	if s.fits(rows) {
		return table(rows)
	}
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(s.wrap(r[0]+": "+r[1], "  "))
	}
	return b.String()
}

func (s Style) leftOf(l wire.WhyLeft) string {
	text := amount(l.Kind, l.Left)
	switch {
	case l.Left == 0:
		text = s.say("none of %s", "残りなし(上限 %s)", amount(l.Kind, l.Limit))
	case l.Kind == "until":
		text = s.say("%s of the wall clock", "実時間で残り %s", text)
	default:
		text = s.say("%s of %s", "残り %s(上限 %s)", text, amount(l.Kind, l.Limit))
	}
	if l.Unknown {
		text += s.say("; an agent has not told what it used", "。使用量が不明なエージェントあり")
	}
	return text
}

func (s Style) limitName(kind string) string {
	switch kind {
	case "iterations":
		return s.say("iterations", "イテレーション")
	case "hours":
		return s.say("active time", "稼働時間")
	case "until":
		return s.say("until", "終了時刻")
	case "cost":
		return s.say("cost", "費用")
	case "tokens":
		return s.say("tokens", "トークン")
	case "turns":
		return s.say("turns", "ターン")
	}
	return Line(kind)
}

func amount(kind string, n int64) string {
	switch kind {
	case "hours", "until":
		return Duration(time.Duration(n) * time.Millisecond)
	case "cost":
		return phrase.USD(n)
	case "tokens":
		return phrase.Number(n)
	}
	return fmt.Sprint(n)
}
