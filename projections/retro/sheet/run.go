package sheet

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// taskText is how much of a task is shown.
const taskText = 1200

func (m maker) run(r wire.RetroRun) Doc {
	d := Doc{
		Title: "Run " + r.Handle, State: stateOf(r.State, r.Reason), Class: classOf(r.State), Task: cut(task(r.Task), taskText),
		Facts: m.facts(r), Tiles: tilesOf(r),
	}
	d.Sections = []Section{
		m.timeline(r), m.progress(r), m.iterations(r), m.findings(r), m.repeated(r), m.decisions(r), m.turns(r),
	}
	return d
}

func stateOf(state, reason string) string {
	if reason == "" {
		return state
	}
	return state + ": " + reason
}

func classOf(state string) Class {
	switch state {
	case string(events.EndDone), string(events.EndAlreadyGreen):
		return Good
	case "running", "waiting", string(events.EndGraceful), string(events.EndCancelled):
		return Plain
	}
	return Bad
}

func (m maker) facts(r wire.RetroRun) []Fact {
	f := []Fact{
		{Name: "began", Value: m.moment(r.Started)},
		{Name: "latest event", Value: fmt.Sprintf("%s, number %d", m.moment(r.Latest), r.Seq)},
		{Name: "workflow", Value: r.Workflow, Free: true},
		{Name: "agent", Value: cut(r.Agent, m.Text), Free: true},
		{Name: "models", Value: cut(strings.Join(r.Models, ", "), m.Text), Free: true},
		{Name: "workspace", Value: cut(r.Workspace, m.Text), Free: true},
		{Name: "id", Value: r.ID},
	}
	if r.State == "running" || r.State == "waiting" {
		f = append(f, Fact{Name: "in progress", Value: "everything is up to the latest event"})
	}
	if r.Unknown > 0 {
		f = append(f, Fact{Name: "not understood", Value: count(r.Unknown, "event") + " of a newer version"})
	}
	if r.Back > 0 {
		f = append(f, Fact{Name: "clock", Value: "went back at " + count(r.Back, "event") + "; that time is not counted"})
	}
	return f
}

func tilesOf(r wire.RetroRun) []Fact {
	t := []Fact{
		{Name: "iterations", Value: number(int64(max(0, len(r.Iterations)-1)))},
		{Name: "work", Value: span(work(r.Time))},
		{Name: "tokens", Value: tokens(r.Usage)},
		{Name: "cost", Value: cost(r.Usage)},
		{Name: "waited for a person", Value: span(r.Time.Person)},
	}
	if p := r.Repeated; p != nil {
		t = append(t, Fact{Name: "after the first repeat", Value: count(p.Iterations, "iteration") + ", " + cost(p.Usage)})
	}
	return t
}

// work is the time of the run itself.
func work(t wire.RetroTime) int64 { return t.Agent + t.Gates + t.Other }

func all(t wire.RetroTime) int64 { return work(t) + t.Waiting + t.Person + t.Asleep }

// kinds are the parts of time, in the order in which they are shown.
var kinds = []Class{Agent, Gates, Waiting, Person, Asleep, Other}

func part(t wire.RetroTime, c Class) int64 {
	switch c {
	case Agent:
		return t.Agent
	case Gates:
		return t.Gates
	case Waiting:
		return t.Waiting
	case Person:
		return t.Person
	case Asleep:
		return t.Asleep
	default:
		return t.Other
	}
}

// split is where the time went: one bar, and its table.
func split(t wire.RetroTime) (Figure, Table) {
	total := all(t)
	s := Series{Label: "time", Value: span(total)}
	tab := Table{Name: "time by kind", Head: heads("kind", "#time", "#share")}
	var said []string
	at := int64(0)
	for _, k := range kinds {
		n := part(t, k)
		if n == 0 {
			continue
		}
		s.Segments = append(s.Segments, Segment{place(at, total), place(at+n, total), k})
		at += n
		row := cells(k.Words(), span(n), share(n, total))
		row[0].Class = k
		tab.Rows = append(tab.Rows, row)
		said = append(said, k.Words()+" "+share(n, total))
	}
	return Figure{Name: "Its parts", Desc: strings.Join(said, ", "), Series: []Series{s}, Legend: kinds}, tab
}

// place is a position on a strip.
func place(at, total int64) int {
	if total <= 0 {
		return 0
	}
	return int(at * Width / total)
}

func (m maker) timeline(r wire.RetroRun) Section {
	total := all(r.Time)
	share, tab := split(r.Time)
	fig := Figure{
		Name: "Timeline", Axis: []string{"0", span(total / 2), span(total)},
		Desc: fmt.Sprintf("%s in %s; %s.", count(len(r.Spans), "stretch of time"), span(total), phasesSaid(r.Phases)),
	}
	for _, k := range kinds {
		if part(r.Time, k) > 0 {
			fig.Series = append(fig.Series, lane(r.Spans, k, total))
		}
	}
	s := Section{Name: "Where the time went", Figures: []Figure{fig, share}, Tables: []Table{tab}}
	if len(r.Phases) > 1 {
		s.Tables = append(s.Tables, m.phases(r))
	}
	stops := Table{Name: "waits and halts", Head: heads("after", "what", "why", "#took", "#iteration")}
	for _, p := range r.Spans {
		if c := Class(p.Kind); c == Waiting || c == Person || c == Asleep {
			stops.Rows = append(stops.Rows, []Cell{{Text: span(p.At)}, {Text: c.Words(), Class: c}, {Text: p.Cause}, {Text: span(p.Length)}, {Text: fmt.Sprint(p.Iteration)}})
		}
	}
	if len(stops.Rows) > 0 {
		s.Tables = append(s.Tables, bound(stops, m.Entries))
	}
	return s
}

func phasesSaid(list []wire.RetroPhase) string {
	var said []string
	for _, p := range list[:min(len(list), 5)] {
		said = append(said, fmt.Sprintf("phase %s for %s", p.Phase, span(p.Length)))
	}
	if len(list) > 5 {
		said = append(said, "and more")
	}
	return strings.Join(said, ", ")
}

// lane is the stretches of one kind. What is closer than can be seen is drawn
// together, and what is too short to be seen is as wide as the least.
func lane(spans []wire.RetroSpan, k Class, total int64) Series {
	s := Series{Label: k.Words()}
	sum := int64(0)
	for _, p := range spans {
		if Class(p.Kind) != k {
			continue
		}
		sum += p.Length
		from, to := place(p.At, total), place(p.At+p.Length, total)
		from = min(from, Width-2)
		to = max(to, from+2)
		if n := len(s.Segments) - 1; n >= 0 && from <= s.Segments[n].To {
			s.Segments[n].To = max(to, s.Segments[n].To)
			continue
		}
		s.Segments = append(s.Segments, Segment{from, to, k})
	}
	s.Value = span(sum)
	return s
}

func (m maker) phases(r wire.RetroRun) Table {
	t := Table{Name: "phases", Head: heads("phase", "after", "#time", "#iterations", "verdict")}
	for _, p := range r.Phases {
		t.Rows = append(t.Rows, cells(p.Phase, span(p.At), span(p.Length), fmt.Sprint(p.Iterations), p.Verdict))
	}
	return bound(t, m.Entries)
}

func verdictClass(v string) Class {
	switch events.Verdict(v) {
	case events.Pass:
		return Good
	case events.Fail:
		return Bad
	case events.Skipped, events.Unverifiable, events.Open:
	}
	return Unclear
}

// phrases for sources of numbers.
func source(from string) string {
	switch events.Source(from) {
	case events.Reported:
		return "reported"
	case events.Computed:
		return "computed"
	case events.Guessed:
		return "guessed"
	case events.SourceUnknown:
		return "unknown"
	}
	return "-"
}

func usd(u wire.UsageSum) string {
	if u.Agents == 0 || u.NoCost == u.Agents {
		return "-"
	}
	return phrase.USD(u.MicroUSD)
}
