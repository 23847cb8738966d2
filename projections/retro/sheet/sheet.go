// Package sheet says what a retro has to say, as headings, plots and tables in
// no markup: the page, the text for a pull request and the terminal are three
// writings of one Doc, so they say the same.
//
// It is pure. Texts that came from people, agents and programs are marked as
// Free and are as they were stored: whoever writes them makes them harmless. A
// Doc is bounded by its Limits, whatever the run; what was left out or drawn
// together is said in it.
//
// It links nothing but the vocabulary, as apctl pays for all that it links at
// every start.
package sheet

import (
	"slices"
	"strings"
	"time"

	"autopilot/events/wire"
)

// Doc is one retro.
type Doc struct {
	Title    string
	State    string // in words
	Class    Class  // of that
	Task     string // free, with its line breaks
	Facts    []Fact
	Tiles    []Fact // the numbers that matter most
	Sections []Section
}

// Fact is a name and a value.
type Fact struct {
	Name, Value string
	Free        bool
}

// Section is one question and its answers.
type Section struct {
	Name    string
	Notes   []string
	Figures []Figure
	Tables  []Table
}

// Figure is series over one axis.
type Figure struct {
	Name   string
	Desc   string // the same in words
	Series []Series
	Axis   []string // a mark for each column; else at equal distances, from the left edge to the right one
	Legend []Class
}

// Form is how a series is drawn.
type Form int

// The forms: stretches on a line, or a column for each value.
const (
	Strip Form = iota
	Columns
)

// Series is one line of a figure.
type Series struct {
	Label    string
	Value    string
	Form     Form
	Segments []Segment // of a strip, in order
	Values   []int64   // of columns; -1 is not known
	Classes  []Class   // of each column
	Max      int64     // the full height
}

// Width is what positions in a strip are parts of.
const Width = 1000

// Segment is a stretch of a strip.
type Segment struct {
	From, To int
	Class    Class
}

// Table is rows under heads. Left is how many rows were left out, and where
// from: behind the row Cut.
type Table struct {
	Name string
	Head []Head
	Rows [][]Cell
	Left int
	Cut  int
}

// Used says which columns say something.
func (t Table) Used() []bool {
	used := make([]bool, len(t.Head))
	for _, r := range t.Rows {
		for i, c := range r {
			used[i] = used[i] || strings.Trim(c.Text, " -") != ""
		}
	}
	return used
}

// Head is one column. An extra one is left out first where there is no room; a
// whole one is not broken into lines.
type Head struct {
	Name   string
	Number bool
	Extra  bool
	Whole  bool
}

// Cell is one field of a table.
type Cell struct {
	Text  string
	Free  bool
	Class Class
}

// Class is what something means, for its colour and mark.
type Class string

// The classes: kinds of time, then verdicts.
const (
	None    Class = ""
	Agent   Class = "agent"
	Gates   Class = "gates"
	Waiting Class = "waiting"
	Person  Class = "person"
	Asleep  Class = "asleep"
	Other   Class = "other"
	Good    Class = "good"
	Bad     Class = "bad"
	Unclear Class = "unclear"
	Plain   Class = "plain"
	Spent   Class = "spent" // after a repeat
)

// Classes are all that have a colour.
func Classes() []Class {
	return []Class{Agent, Gates, Waiting, Person, Asleep, Other, Good, Bad, Unclear, Plain, Spent}
}

// Words names a class in a legend.
func (c Class) Words() string {
	switch c {
	case Agent:
		return "agent works"
	case Gates:
		return "gates run"
	case Waiting:
		return "waits for a limit"
	case Person:
		return "waits for a person"
	case Asleep:
		return "the host sleeps"
	case Other:
		return "daemon"
	case Good:
		return "pass"
	case Bad:
		return "fail"
	case Unclear:
		return "skipped or unverifiable"
	case Spent:
		return "after a repeat"
	case None, Plain:
	}
	return string(c)
}

// Limits bound a Doc.
type Limits struct {
	Rows    int // of iterations, runs and spans
	Entries int // of every other table
	Columns int // of a plot
	Text    int // characters of a free text
}

// Page are the limits of a page under a megabyte.
func Page() Limits { return Limits{Rows: 400, Entries: 150, Columns: 240, Text: 240} }

// maker makes a Doc.
type maker struct {
	Limits
	zone *time.Location
}

// Make says what a retro has to say, with times in a zone.
func Make(v wire.RetroView, zone *time.Location, l Limits) Doc {
	m, d := maker{l, zone}, Doc{Title: "Retro"}
	switch {
	case v.Run != nil:
		d = m.run(*v.Run)
	case v.Many != nil:
		d = m.fleet(*v.Many)
	}
	for _, s := range d.Sections {
		for i := range s.Figures {
			s.Figures[i].Legend = used(s.Figures[i])
		}
	}
	return d
}

// used are the classes of a legend that its figure has.
func used(f Figure) []Class {
	seen := map[Class]bool{}
	for _, s := range f.Series {
		for _, g := range s.Segments {
			seen[g.Class] = true
		}
		for _, c := range s.Classes {
			seen[c] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(f.Legend), func(c Class) bool { return !seen[c] })
}
