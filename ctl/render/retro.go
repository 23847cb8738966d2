package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/retro/sheet"
)

// RetroLimits bound a retro on a terminal: what is left out is in the other
// formats.
func RetroLimits() sheet.Limits { return sheet.Limits{Rows: 24, Entries: 12, Columns: 60, Text: 70} }

// plotCells is how wide plots are where there is room.
const plotCells = 60

// Retro writes a retro with bars and sparklines.
func (s Style) Retro(d sheet.Doc) string {
	var b strings.Builder
	b.WriteString(s.paint(bold, Line(d.Title)) + "  " + s.paint(colourOf(d.Class), Line(d.State)) + "\n")
	if task := Line(d.Task); task != "" {
		b.WriteString(s.wrap(s.cut(task, 400), "  "))
	}
	pairs := make([][2]string, 0, len(d.Tiles)+len(d.Facts))
	for _, f := range append(append([]sheet.Fact{}, d.Tiles...), d.Facts...) {
		pairs = append(pairs, [2]string{f.Name, Line(f.Value)})
	}
	b.WriteString(s.facts(pairs))
	for _, p := range d.Sections {
		b.WriteString(s.section(strings.ToLower(p.Name), s.retroPart(p)))
	}
	return b.String()
}

func (s Style) retroPart(p sheet.Section) string {
	var blocks []string
	if len(p.Notes) > 0 {
		blocks = append(blocks, s.sentences(p.Notes))
	}
	for _, f := range p.Figures {
		blocks = append(blocks, s.figure(f))
	}
	for _, t := range p.Tables {
		blocks = append(blocks, s.retroTable(t))
	}
	return strings.Join(blocks, "\n")
}

func (s Style) figure(f sheet.Figure) string {
	label, value := 0, 0
	for _, r := range f.Series {
		label, value = max(label, columns(Line(r.Label))), max(value, columns(Line(r.Value)))
	}
	label = min(label, 24)
	cells := plotCells
	if s.Width > 0 {
		cells = max(8, min(plotCells, s.Width-label-value-7))
	}
	var b strings.Builder
	for _, r := range f.Series {
		plot := ""
		if r.Form == sheet.Columns {
			plot = r.Spark(cells, s.ASCII)
		} else {
			plot = s.strip(r.Line(cells))
		}
		line := "  " + pad(s.cut(Line(r.Label), label), label) + "  " + pad(plot, cells) + "  " + Line(r.Value)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if len(f.Legend) > 0 && len(f.Series) > 0 && f.Series[0].Form == sheet.Strip {
		b.WriteString(s.wrap(s.legend(f), "  "))
	}
	return b.String()
}

// legend names the marks of a figure.
func (s Style) legend(f sheet.Figure) string {
	parts := make([]string, 0, len(f.Legend))
	for _, c := range f.Legend {
		parts = append(parts, s.shade(c)+" "+c.Words())
	}
	return strings.Join(parts, ", ")
}

func (s Style) strip(cells []sheet.Class) string {
	var b strings.Builder
	for _, c := range cells {
		if c == sheet.None {
			b.WriteByte(' ')
		} else {
			b.WriteString(s.shade(c))
		}
	}
	return b.String()
}

// shade tells classes apart without colour.
func (s Style) shade(c sheet.Class) string {
	switch c {
	case sheet.Gates:
		return s.pick("▓", "g")
	case sheet.Waiting:
		return s.pick("░", "w")
	case sheet.Person:
		return s.pick("▒", "p")
	case sheet.Asleep:
		return s.pick("·", "z")
	case sheet.Other:
		return s.pick("─", "-")
	case sheet.Agent:
		return s.pick("█", "a")
	case sheet.Bad:
		return s.pick("▒", "x")
	default:
		return s.pick("█", "#")
	}
}

func colourOf(c sheet.Class) string {
	switch c {
	case sheet.Good:
		return green
	case sheet.Bad:
		return red
	default:
		return bold
	}
}

// retroTable writes a table without the columns that say nothing, and without
// extra ones, the last first, until it fits.
func (s Style) retroTable(t sheet.Table) string {
	used := t.Used()
	rows := s.retroRows(t, used)
	for i := len(t.Head) - 1; i >= 0 && !s.fits(rows); i-- {
		if t.Head[i].Extra {
			used[i] = false
			rows = s.retroRows(t, used)
		}
	}
	return s.narrow(table(rows))
}

func (s Style) retroRows(t sheet.Table, used []bool) [][]string {
	rows := [][]string{nil}
	for i, h := range t.Head {
		if used[i] {
			rows[0] = append(rows[0], h.Name)
		}
	}
	for k, r := range t.Rows {
		if t.Left > 0 && k == t.Cut {
			rows = append(rows, []string{s.pick("…", "..."), fmt.Sprintf("%d more", t.Left)})
		}
		var row []string
		for i, c := range r {
			if used[i] {
				row = append(row, Line(c.Text))
			}
		}
		rows = append(rows, row)
	}
	return rightAlign(t.Head, used, rows)
}

// rightAlign pads the numbers of each column.
func rightAlign(head []sheet.Head, used []bool, rows [][]string) [][]string {
	n := 0
	for i, h := range head {
		if !used[i] {
			continue
		}
		at, wide := n, 0
		if n++; !h.Number {
			continue
		}
		for _, r := range rows {
			if len(r) > at && len(r) > 2 {
				wide = max(wide, columns(r[at]))
			}
		}
		for _, r := range rows {
			if len(r) > at && len(r) > 2 {
				r[at] = strings.Repeat(" ", wide-columns(r[at])) + r[at]
			}
		}
	}
	return rows
}

// narrow cuts lines that are wider than the terminal.
func (s Style) narrow(t string) string {
	if s.Width <= 0 {
		return t
	}
	var b strings.Builder
	for l := range strings.Lines(t) {
		b.WriteString(s.cut(strings.TrimRight(l, "\n"), s.Width) + "\n")
	}
	return b.String()
}

// Faults of a retro.

// BadFormat is a format that is none.
func BadFormat(value string) *wire.Error {
	return usage("--format html, md or json; without it, text", "a retro cannot be written as %q", value)
}

// NoFormat is a file whose name does not say its format.
func NoFormat(file string) *wire.Error {
	return usage("name it .html, .md or .json, or add --format", "%s does not say what it shall hold", file)
}

// PageOnTerminal is a page without a file.
func PageOnTerminal() *wire.Error {
	return usage("apctl retro --format html -o retro.html", "a page is not for a terminal")
}

// BadSince is a --since that cannot be read, or is to come.
func BadSince(value string) *wire.Error {
	return usage("write it like 7d, 12h, yesterday or 2026-01-02", "--since %q is not a time in the past", value)
}

// FileThere is a file that would be overwritten.
func FileThere(file string) *wire.Error {
	return &wire.Error{Code: wire.Conflict, Message: file + " is there already", Hint: "-y overwrites it"}
}

// NoFile is a place that no file can be written to.
func NoFile(file, why string) *wire.Error {
	return usage("name another file", "%s cannot be written: %s", file, why)
}

// FileWritten says what was written.
func FileWritten(file string, size int) string {
	return fmt.Sprintf("wrote %s (%s)\n", Line(file), Size(int64(size)))
}
