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
func columnsOf(w wire.WhyView) []rowColumn {
	all := []rowColumn{
		{"k", 9, func(r wire.WhyRow) string { return fmt.Sprint(r.Iteration) }},
		{"verdict", 8, func(r wire.WhyRow) string { return Line(r.Verdict) }},
		{"tree", 6, func(r wire.WhyRow) string { return Hash(r.Tree) }},
		{"files", 2, func(r wire.WhyRow) string { return fmt.Sprint(r.Files) }},
		{"failing", 7, failingIn},
		{"fingerprint", 8, func(r wire.WhyRow) string { return equal(r.Fingerprint, r.EqualTo) }},
	}
	if phases := slices.CompactFunc(slices.Clone(w.Rows), func(a, b wire.WhyRow) bool { return a.Phase == b.Phase }); len(phases) > 1 {
		all = slices.Insert(all, 1, rowColumn{"phase", 7, func(r wire.WhyRow) string { return Line(r.Phase) }})
	}
	if w.Rule == string(events.HaltSignature) {
		all[len(all)-1] = rowColumn{"signature", 8, func(r wire.WhyRow) string { return equal(r.Signature, r.SignatureOf) }}
	}
	if slices.ContainsFunc(w.Rows, func(r wire.WhyRow) bool { return r.Agent != "" }) {
		all = append(all, rowColumn{"agent", 5, func(r wire.WhyRow) string { return cmp.Or(Line(r.Agent), "-") }})
	}
	if slices.ContainsFunc(w.Rows, func(r wire.WhyRow) bool { return r.Claim != "" }) {
		all = append(all, rowColumn{"agent said", 4, func(r wire.WhyRow) string { return Line(r.Claim) }})
	}
	if slices.ContainsFunc(w.Rows, func(r wire.WhyRow) bool { return r.Tokens > 0 || r.MicroUSD > 0 }) {
		all = append(all, rowColumn{"used", 3, usedIn})
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
func usedIn(r wire.WhyRow) string {
	switch {
	case r.MicroUSD > 0 && r.CostFrom == string(events.Computed):
		return "~" + phrase.USD(r.MicroUSD)
	case r.MicroUSD > 0 && r.CostFrom != string(events.Reported):
		return ">" + phrase.USD(r.MicroUSD)
	case r.MicroUSD > 0:
		return phrase.USD(r.MicroUSD)
	case r.Tokens > 0:
		return phrase.Tokens(r.Tokens)
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
	all := columnsOf(w)
	for least := 0; ; least++ {
		kept := slices.DeleteFunc(slices.Clone(all), func(c rowColumn) bool { return c.keep < least })
		cells := rowCells(kept, shown, w.Rows)
		if least >= 8 || s.fits(cells) {
			return table(cells)
		}
	}
}

// rowCells makes the cells of rows by their index; a jump is said.
func rowCells(cols []rowColumn, shown []int, rows []wire.WhyRow) [][]string {
	head := make([]string, 0, len(cols))
	for _, c := range cols {
		head = append(head, c.head)
	}
	cells := [][]string{head}
	before := -1
	for _, i := range shown {
		if n := i - before - 1; n > 0 {
			cells = append(cells, []string{"...", fmt.Sprintf("%d more", n)})
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
		fmt.Fprintf(&b, "  %d earlier: apctl why %s --json\n", more, Line(w.Run.Handle))
	}
	for _, t := range list {
		line := Line(t.Line)
		if t.Kind == "resumed" || t.Kind == "lifted" {
			line += ", by " + who(t.By)
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
		rows = append(rows, []string{limitName(l.Kind), leftOf(l)})
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

func leftOf(l wire.WhyLeft) string {
	text := amount(l.Kind, l.Left)
	switch {
	case l.Left == 0:
		text = "nothing of " + amount(l.Kind, l.Limit)
	case l.Kind == "until":
		text += " of the wall clock"
	default:
		text += " of " + amount(l.Kind, l.Limit)
	}
	if l.Unknown {
		text += "; an agent has not told what it used"
	}
	return text
}

func limitName(kind string) string {
	if kind == "hours" {
		return "active time"
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
		return strings.TrimSuffix(phrase.Tokens(n), " tokens")
	}
	return fmt.Sprint(n)
}
