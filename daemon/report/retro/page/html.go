package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"autopilot/daemon/report/retro/plot"
	"autopilot/projections/retro/sheet"
	"autopilot/projections/visible"
)

//go:embed page.html
var source string

// pages are parsed once: the source is part of the program.
var pages = template.Must(template.New("page").Funcs(template.FuncMap{
	"line":  visible.Line,
	"lines": visible.Text,
	"words": sheet.Class.Words,
}).Parse(source))

// HTML writes a page. Made says when and by what it was made.
func HTML(w io.Writer, d sheet.Doc, made string) error {
	if err := pages.Execute(w, htmlOf(d, made)); err != nil {
		return fmt.Errorf("write a retro: %w", err)
	}
	return nil
}

// The types below are a sheet as the template wants it.
type htmlDoc struct {
	sheet.Doc
	Made    string
	Parts   []htmlSection
	Classes []sheet.Class
}

type htmlSection struct {
	ID, Name string
	Notes    []string
	Figures  []htmlFigure
	Tables   []htmlTable
}

type htmlFigure struct {
	Name   string // empty where it is that of the section
	Each   bool   // a mark for each column
	Series []htmlSeries
	Axis   []string
	Legend []sheet.Class
}

type htmlSeries struct {
	Label, Value string
	SVG          template.HTML
}

type htmlTable struct {
	Name  string
	Head  []sheet.Head // of the columns that say something
	Lines []htmlRow
	Long  bool
}

// htmlRow is a row, or says how many were left out.
type htmlRow struct {
	Left  int
	Cells []htmlCell
}

type htmlCell struct {
	sheet.Cell
	Head sheet.Head
}

// Look is the class of a cell.
func (c htmlCell) Look() string {
	switch {
	case c.Head.Number:
		return "n"
	case c.Free:
		return "t"
	case c.Head.Whole && c.Class != sheet.None:
		return "w " + string(c.Class)
	case c.Head.Whole:
		return "w"
	}
	return string(c.Class)
}

func htmlOf(d sheet.Doc, made string) htmlDoc {
	out := htmlDoc{Doc: d, Made: made, Classes: sheet.Classes()}
	figure := 0
	for i, s := range d.Sections {
		p := htmlSection{ID: "s" + strconv.Itoa(i+1), Name: s.Name, Notes: s.Notes}
		for _, f := range s.Figures {
			figure++
			h := figureOf(f, "f"+strconv.Itoa(figure))
			if h.Name == s.Name {
				h.Name = ""
			}
			p.Figures = append(p.Figures, h)
		}
		for _, t := range s.Tables {
			p.Tables = append(p.Tables, tableOf(t))
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

func figureOf(f sheet.Figure, id string) htmlFigure {
	out := htmlFigure{Name: f.Name, Axis: f.Axis, Legend: f.Legend}
	if len(f.Series) > 0 && f.Series[0].Form == sheet.Columns {
		out.Each = len(f.Axis) == len(f.Series[0].Values)
	}
	for i, s := range f.Series {
		desc := visible.Line(s.Value)
		if i == 0 {
			desc += ". " + visible.Line(f.Desc)
		}
		out.Series = append(out.Series, htmlSeries{Label: s.Label, Value: s.Value, SVG: template.HTML(plot.Draw(s, plot.Text{ //nolint:gosec // drawn from numbers; its texts are escaped
			ID: id + "-" + strconv.Itoa(i+1), Title: visible.Line(f.Name + ": " + s.Label), Desc: desc,
		}))})
	}
	return out
}

// longTable is how many rows are shown without being asked for.
const longTable = 12

func tableOf(t sheet.Table) htmlTable {
	out := htmlTable{Name: t.Name, Long: len(t.Rows) > longTable}
	used := t.Used()
	for i, h := range t.Head {
		if used[i] {
			out.Head = append(out.Head, h)
		}
	}
	for i, r := range t.Rows {
		if t.Left > 0 && i == t.Cut {
			out.Lines = append(out.Lines, htmlRow{Left: t.Left})
		}
		row := htmlRow{}
		for k, c := range r {
			if used[k] {
				row.Cells = append(row.Cells, htmlCell{c, t.Head[k]})
			}
		}
		out.Lines = append(out.Lines, row)
	}
	return out
}
