package sheet

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// span is a length of time with its two largest units.
func span(ms int64) string {
	s := ms / 1000
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case s < 10 && ms%1000 >= 100:
		return fmt.Sprintf("%d.%d s", s, ms%1000/100)
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return two(s/60, "min", s%60, "s")
	case s < 86400:
		return two(s/3600, "h", s%3600/60, "min")
	}
	return two(s/86400, "d", s%86400/3600, "h")
}

func two(a int64, unitA string, b int64, unitB string) string {
	if b == 0 {
		return fmt.Sprintf("%d %s", a, unitA)
	}
	return fmt.Sprintf("%d %s %d %s", a, unitA, b, unitB)
}

// task is the task of a run, or that it is not there: no run is without one.
func task(text string) string {
	return cmp.Or(text, "(erased or pruned)")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(int64(n)) + " " + what + "s"
}

// number has its thousands apart.
func number(n int64) string {
	t := strconv.FormatInt(n, 10)
	for i := len(t) - 3; i > 0; i -= 3 {
		t = t[:i] + "," + t[i:]
	}
	return t
}

// share is a part in whole percent.
func share(part, of int64) string {
	if of <= 0 {
		return "-"
	}
	return fmt.Sprintf("%d %%", (part*100+of/2)/of)
}

func (m maker) moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(m.zone).Format("2006-01-02 15:04:05 MST")
}

// tokens and cost are what was used, and how much of that is known.
func tokens(u wire.UsageSum) string { return orNone(u, phrase.TokensUsed) }
func cost(u wire.UsageSum) string   { return orNone(u, phrase.Cost) }

func orNone(u wire.UsageSum, of func(events.Language, wire.UsageSum) string) string {
	if u.Agents == 0 {
		return "-"
	}
	return of(events.English, u)
}

// partly says what of a sum is not known.
func partly(u wire.UsageSum) []string {
	var out []string
	if u.NoTokens > 0 {
		out = append(out, fmt.Sprintf("%d of %s told no tokens.", u.NoTokens, count(u.Agents, "agent")))
	}
	if u.NoCost > 0 {
		out = append(out, fmt.Sprintf("What %d of %s cost is not known.", u.NoCost, count(u.Agents, "agent")))
	}
	if u.Computed > 0 {
		out = append(out, fmt.Sprintf("What %d of %s cost was computed from a table of prices.", u.Computed, count(u.Agents, "agent")))
	}
	return out
}

// heads reads names: "?" before one is an extra, then "@" one that stays whole,
// then "#" a number.
func heads(names ...string) []Head {
	out := make([]Head, 0, len(names))
	for _, n := range names {
		n, extra := strings.CutPrefix(n, "?")
		n, whole := strings.CutPrefix(n, "@")
		name, number := strings.CutPrefix(n, "#")
		out = append(out, Head{Name: name, Number: number, Extra: extra, Whole: whole})
	}
	return out
}

func cells(texts ...string) []Cell {
	out := make([]Cell, 0, len(texts))
	for _, t := range texts {
		out = append(out, Cell{Text: t})
	}
	return out
}

// free is a text of others, cut.
func (m maker) free(text string) Cell { return Cell{Text: cut(text, m.Text), Free: true} }

// cut shortens a text, and says so with its last character.
func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// bound leaves the middle of a table out: how it began and how it ended matters
// most.
func bound(t Table, most int) Table {
	if left := len(t.Rows) - most; left > 0 {
		t.Cut, t.Left = most/2, left
		t.Rows = append(t.Rows[:t.Cut:t.Cut], t.Rows[t.Cut+left:]...)
	}
	return t
}

// group draws columns together where there are too many: the largest of each
// group stands for it.
func group(values []int64, classes []Class, most int) ([]int64, []Class, int) {
	each := (len(values) + most - 1) / most
	if each <= 1 {
		return values, classes, 1
	}
	var v []int64
	var c []Class
	for from := 0; from < len(values); from += each {
		top := from
		for i := from; i < min(from+each, len(values)); i++ {
			if values[i] > values[top] {
				top = i
			}
		}
		v, c = append(v, values[top]), append(c, classes[top])
	}
	return v, c, each
}

func highest(values []int64) int64 {
	top := int64(1)
	for _, v := range values {
		top = max(top, v)
	}
	return top
}
