package sheet

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

func (m maker) fleet(f wire.RetroFleet) Doc {
	d := Doc{
		Title: count(f.Runs, "run") + " since " + m.moment(f.Since), State: share(int64(f.Passed), int64(f.Closed)) + " passed", Class: Plain,
		Tiles: []Fact{
			{Name: "passed", Value: fmt.Sprintf("%d of %d", f.Passed, f.Closed)},
			{Name: "iterations to green, median", Value: median(f)},
			{Name: "cost of a done run", Value: perDone(f)},
			{Name: "tokens", Value: tokens(f.Usage)},
			{Name: "cost", Value: cost(f.Usage)},
			{Name: "waited for a person", Value: span(f.Time.Person)},
		},
	}
	if f.Repeats > 0 {
		d.Tiles = append(d.Tiles, Fact{Name: "after a first repeat", Value: count(f.Repeats, "iteration") + ", " + cost(f.Repeated)})
	}
	if f.Runs == 0 {
		d.State = "nothing to learn from yet"
		d.Tiles = nil
		return d
	}
	if f.Unknown > 0 {
		d.Facts = append(d.Facts, Fact{Name: "not understood", Value: count(f.Unknown, "event") + " of a newer version"})
	}
	if f.Unread > 0 {
		d.Facts = append(d.Facts, Fact{Name: "not read", Value: count(f.Unread, "run") + " whose events cannot be read: apctl verify"})
	}
	d.Sections = []Section{m.outcomes(f), m.toGreen(f), m.stops(f), m.times(f), m.days(f), m.rows(f)}
	return d
}

func median(f wire.RetroFleet) string {
	if f.Done == 0 {
		return "-"
	}
	return fmt.Sprint(f.Median)
}

// perDone is the mean of done runs; where the cost of one is not known in full
// it is the least.
func perDone(f wire.RetroFleet) string {
	switch {
	case f.Done == 0:
		return "-"
	case f.DonePart == f.Done && f.DoneUSD == 0:
		return "unknown"
	}
	mean := phrase.USD((f.DoneUSD + int64(f.Done)/2) / int64(f.Done))
	if f.DonePart > 0 {
		return "at least " + mean
	}
	return mean
}

// bars is a bar for each count, and the same as a table.
func (m maker) bars(name, unit string, list []wire.RetroCount, timed bool, class func(string) Class) (Figure, Table) {
	fig := Figure{Name: name}
	t := Table{Name: strings.ToLower(name), Head: heads(unit, "#count")}
	if timed {
		t.Head = append(t.Head, Head{Name: "time", Number: true})
	}
	total, top := 0, 1
	for _, c := range list {
		total += c.Count
		top = max(top, c.Count)
	}
	var said []string
	for i, c := range list {
		row := cells(c.Key, number(int64(c.Count)))
		if timed {
			row = append(row, Cell{Text: span(c.Length)})
		}
		t.Rows = append(t.Rows, row)
		if i < m.Entries/5+1 {
			fig.Series = append(fig.Series, Series{
				Label: c.Key, Value: number(int64(c.Count)),
				Segments: []Segment{{0, place(int64(c.Count), int64(top)), class(c.Key)}},
			})
			said = append(said, fmt.Sprintf("%s %d", c.Key, c.Count))
		}
	}
	fig.Desc = cut(strings.Join(said, ", "), 400)
	return fig, bound(t, m.Entries)
}

func plain(string) Class { return Plain }

func (m maker) outcomes(f wire.RetroFleet) Section {
	fig, t := m.bars("How runs ended", "state", f.States, false, classOf)
	fig.Legend = []Class{Good, Bad}
	return Section{Name: "How runs ended", Figures: []Figure{fig}, Tables: []Table{t}, Notes: []string{fmt.Sprintf(
		"Of %s %d passed (%s). Cancelled, refused and live runs are not among them.",
		count(f.Closed, "settled run"), f.Passed, share(int64(f.Passed), int64(f.Closed)))}}
}

func (m maker) toGreen(f wire.RetroFleet) Section {
	s := Section{Name: "Iterations to green"}
	if len(f.ToGreen) == 0 {
		s.Notes = append(s.Notes, "No run became green.")
		return s
	}
	fig, t := m.bars("Iterations to green", "iterations", f.ToGreen, false, plain)
	s.Figures, s.Tables = []Figure{fig}, []Table{t}
	s.Notes = append(s.Notes, fmt.Sprintf("Half of %s took %s at most.", count(f.Done, "done run"), count(f.Median, "iteration")))
	if f.DonePart > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Of %d done runs the cost is not known in full.", f.DonePart))
	}
	return s
}

func (m maker) stops(f wire.RetroFleet) Section {
	s := Section{Name: "Halts and waits"}
	if len(f.Halts) > 0 {
		fig, t := m.bars("Halts by reason", "reason", f.Halts, true, func(string) Class { return Person })
		s.Figures, s.Tables = append(s.Figures, fig), append(s.Tables, t)
	}
	if len(f.Waits) > 0 {
		fig, t := m.bars("Waits by cause", "cause", f.Waits, true, func(string) Class { return Waiting })
		s.Figures, s.Tables = append(s.Figures, fig), append(s.Tables, t)
	}
	if len(s.Figures) == 0 {
		s.Notes = append(s.Notes, "No run was halted, and none had to wait.")
	}
	return s
}

func (m maker) times(f wire.RetroFleet) Section {
	fig, t := split(f.Time)
	return Section{Name: "Where the time went", Figures: []Figure{fig}, Tables: []Table{t}, Notes: partly(f.Usage)}
}

func (m maker) days(f wire.RetroFleet) Section {
	s := Section{Name: "Day by day"}
	t := Table{Name: "days", Head: heads("@day", "#runs", "#passed", "#tokens", "#cost")}
	var runs, passed, money []int64
	var classes, good []Class
	for _, d := range f.Days {
		runs, passed, money = append(runs, int64(d.Runs)), append(passed, int64(d.Passed)), append(money, d.MicroUSD)
		classes, good = append(classes, Plain), append(good, Good)
		t.Rows = append(t.Rows, cells(d.Day, number(int64(d.Runs)), number(int64(d.Passed)), number(d.Tokens), phrase.USD(d.MicroUSD)))
	}
	series := func(label, value string, v []int64, c []Class, top int64) Series {
		v, c, _ = group(v, c, m.Columns)
		return Series{Label: label, Value: value, Form: Columns, Values: v, Classes: c, Max: top}
	}
	most, top := highest(runs), max(0, slices.Max(append(money, 0)))
	fig := Figure{
		Name: "Runs by day", Desc: fmt.Sprintf("%s, up to %d runs and %s a day", count(len(f.Days), "day"), most, phrase.USD(top)),
		Series: []Series{
			series("started", fmt.Sprintf("up to %d", most), runs, classes, most),
			series("passed", fmt.Sprintf("up to %d", slices.Max(append(passed, 0))), passed, good, most),
			series("cost", "up to "+phrase.USD(top), money, classes, top),
		},
	}
	if n := len(f.Days); n > 0 {
		fig.Axis = []string{f.Days[0].Day, f.Days[n-1].Day}[:min(n, 2)]
	}
	s.Figures, s.Tables = []Figure{fig}, []Table{bound(t, m.Entries)}
	return s
}

func (m maker) rows(f wire.RetroFleet) Section {
	t := Table{Name: "runs", Head: heads("@run", "@state", "?@began", "#iterations", "?#halts", "?#work", "?#tokens", "#cost", "task")}
	for _, r := range f.Rows {
		u := wire.UsageSum{Agents: max(r.Iterations, r.NoCost, r.NoTokens), NoCost: r.NoCost, NoTokens: r.NoTokens, Tokens: r.Tokens, MicroUSD: r.MicroUSD}
		row := []Cell{
			{Text: r.Handle},
			{Text: stateOf(r.State, r.Reason), Class: classOf(r.State)},
			{Text: m.moment(r.Started)},
			{Text: number(int64(r.Iterations))},
			{Text: number(int64(r.Halts))},
			{Text: span(r.Length)},
			{Text: tokens(u)},
			{Text: cost(u)},
			{Text: cut(task(r.Task), min(m.Text, 120)), Free: true},
		}
		t.Rows = append(t.Rows, row)
	}
	s := Section{Name: "Runs", Tables: []Table{bound(t, m.Rows)}}
	if f.More > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("The newest %d are listed; %s more are in the sums.", len(f.Rows), number(int64(f.More))))
	}
	return s
}
