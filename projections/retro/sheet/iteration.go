package sheet

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// progress is plots over the iterations.
func (m maker) progress(r wire.RetroRun) Section {
	s := Section{Name: "Iteration by iteration"}
	rows := r.Iterations
	if len(rows) == 0 {
		s.Notes = append(s.Notes, "There is no iteration yet.")
		return s
	}
	gates := Figure{Name: "Gates", Legend: []Class{Good, Bad, Unclear}, Axis: axis(rows)}
	var said []string
	for _, g := range gatesOf(rows) {
		series, words := m.gate(rows, g)
		gates.Series = append(gates.Series, series)
		said = append(said, words)
	}
	gates.Desc = strings.Join(said, "; ")
	if len(gates.Series) > 0 {
		s.Figures = append(s.Figures, gates)
	}
	used := Figure{Name: "What each iteration needed", Legend: []Class{Spent}, Axis: axis(rows)}
	used.Series = []Series{
		m.columns("failing tests", rows, failing, func(n int64) string { return "up to " + number(n) }),
		m.columns("work", rows, func(i wire.RetroIteration) int64 { return work(i.Time) }, func(n int64) string { return "up to " + span(n) }),
		m.columns("tokens", rows, tokensOf, func(n int64) string { return "up to " + phrase.Tokens(events.English, n) }),
		m.columns("cost", rows, costOf, func(n int64) string { return "up to " + phrase.USD(n) }),
	}
	used.Series = drop(used.Series)
	said = nil
	for _, c := range used.Series {
		said = append(said, c.Label+" "+c.Value)
	}
	used.Desc = strings.Join(said, ", ") + "; each iteration is in the table below"
	s.Figures = append(s.Figures, used)
	if each := (len(rows) + m.Columns - 1) / m.Columns; each > 1 {
		s.Notes = append(s.Notes, fmt.Sprintf("Each column stands for %d iterations and shows the highest of them; of gates, a fail.", each))
	}
	return s
}

// drop leaves out series of which nothing is known.
func drop(list []Series) []Series {
	var out []Series
	for _, s := range list {
		known := false
		for _, v := range s.Values {
			known = known || v >= 0
		}
		if known {
			out = append(out, s)
		}
	}
	return out
}

// eachColumn is how many columns have a mark of their own.
const eachColumn = 9

// axis has a mark for each column where they are few, else for the first, the
// middle and the last.
func axis(rows []wire.RetroIteration) []string {
	last := len(rows) - 1
	if len(rows) > eachColumn {
		return []string{where(rows[0].Iteration), fmt.Sprint(rows[(last+1)/2].Iteration), fmt.Sprintf("iteration %d", rows[last].Iteration)}
	}
	marks := []string{where(rows[0].Iteration)}
	for _, r := range rows[1:] {
		marks = append(marks, fmt.Sprint(r.Iteration))
	}
	return marks
}

func gatesOf(rows []wire.RetroIteration) []string {
	var names []string
	seen := map[string]bool{}
	for _, r := range rows {
		for _, g := range r.Gates {
			if !seen[g.Gate] && len(names) < 24 {
				seen[g.Gate] = true
				names = append(names, g.Gate)
			}
		}
	}
	return names
}

// gate is a column for each iteration: high for a pass, low for a fail.
func (m maker) gate(rows []wire.RetroIteration, name string) (Series, string) {
	values, classes := make([]int64, 0, len(rows)), make([]Class, 0, len(rows))
	passed, judged := 0, 0
	for _, r := range rows {
		v, c := int64(-1), None
		for _, g := range r.Gates {
			if g.Gate == name {
				c = verdictClass(g.Verdict)
				v = map[Class]int64{Good: 1, Bad: 3, Unclear: 2}[c]
			}
		}
		if v > 0 {
			judged++
		}
		if c == Good {
			passed++
		}
		values, classes = append(values, v), append(classes, c)
	}
	values, classes, _ = group(values, classes, m.Columns) // the worst of each group
	for i := range values {
		if values[i] > 0 {
			values[i] = 4 - values[i]
		}
	}
	words := fmt.Sprintf("%d of %d passed", passed, judged)
	return Series{Label: name, Value: words, Form: Columns, Values: values, Classes: classes, Max: 3}, name + " " + words
}

func (m maker) columns(label string, rows []wire.RetroIteration, of func(wire.RetroIteration) int64, words func(int64) string) Series {
	values, classes := make([]int64, 0, len(rows)), make([]Class, 0, len(rows))
	for _, r := range rows {
		c := Plain
		if r.AfterRepeat {
			c = Spent
		}
		values, classes = append(values, of(r)), append(classes, c)
	}
	values, classes, _ = group(values, classes, m.Columns)
	top := highest(values)
	most := int64(0)
	for _, v := range values {
		most = max(most, v)
	}
	return Series{Label: label, Value: words(most), Form: Columns, Values: values, Classes: classes, Max: top}
}

func failing(r wire.RetroIteration) int64 {
	if r.NoFailing || len(r.Gates) == 0 {
		return -1
	}
	return int64(r.Failing)
}

func tokensOf(r wire.RetroIteration) int64 {
	if r.Usage.Agents == r.Usage.NoTokens {
		return -1
	}
	return r.Usage.Tokens
}

func costOf(r wire.RetroIteration) int64 {
	if r.Usage.Agents == r.Usage.NoCost {
		return -1
	}
	return r.Usage.MicroUSD
}

func (m maker) iterations(r wire.RetroRun) Section {
	t := Table{Name: "iterations", Head: heads("#k", "verdict", "?gates that fail", "#failing", "?#files", "?agent", "#agent time", "?#gate time", "#tokens", "#cost", "?cost is", "note")}
	for _, i := range r.Iterations {
		t.Rows = append(t.Rows, iterationRow(i))
	}
	return Section{Name: "Iterations", Tables: []Table{bound(t, m.Rows)}, Notes: partly(r.Usage)}
}

func iterationRow(i wire.RetroIteration) []Cell {
	verdict := i.Verdict
	if i.Iteration == 0 {
		verdict = baseline
	} else if verdict == "" {
		verdict = "open"
	}
	var red []string
	for _, g := range i.Gates {
		if verdictClass(g.Verdict) == Bad {
			red = append(red, g.Gate)
		}
	}
	fails := "-"
	if n := failing(i); n >= 0 {
		fails = number(n)
	}
	used := "-"
	if i.Usage.Agents > i.Usage.NoTokens {
		used = number(i.Usage.Tokens)
	}
	row := cells(fmt.Sprint(i.Iteration), verdict, cut(strings.Join(red, ", "), 80), fails, number(int64(i.Files)), agentWords(i),
		span(i.Time.Agent), span(i.Time.Gates), used, usd(i.Usage), source(i.CostFrom), strings.Join(marks(i), ", "))
	if i.Verdict != "" {
		row[1].Class = verdictClass(i.Verdict)
	}
	return row
}

func agentWords(i wire.RetroIteration) string {
	if i.Attempts == 0 {
		return "-"
	}
	words := i.Result
	if i.Agent != "" {
		words = strings.TrimSuffix(i.Agent+": "+words, ": ")
	}
	if i.Claim != "" {
		words = strings.TrimPrefix(words+"; says "+i.Claim, "; ")
	}
	return words
}

// marks is what else there is to say of an iteration.
func marks(i wire.RetroIteration) []string {
	var out []string
	if i.Attempts > 1 {
		out = append(out, fmt.Sprintf("%d attempts", i.Attempts))
	}
	switch {
	case i.EqualTo > 0:
		out = append(out, fmt.Sprintf("as iteration %d", i.EqualTo))
	case i.SameFailure > 0:
		out = append(out, fmt.Sprintf("failure of %d", i.SameFailure))
	}
	if i.EscalatedTo != "" {
		out = append(out, i.EscalatedBy+", so agent "+i.EscalatedTo+" goes on")
	}
	if i.Cut != "" {
		out = append(out, "turn ended: "+i.Cut)
	}
	return out
}
