// Package plot draws the series of a sheet as SVG: stretches on a line, and
// columns. Each drawing is a pure function of its series and stands alone: it
// has no text of its own to scale, but a title and a description for who cannot
// see it. Colours come from the page, by class.
//
// What it returns is well-formed XML. Every text is escaped; numbers and the
// names of classes are the only other things that enter.
package plot

import (
	"fmt"
	"html"
	"strings"

	"autopilot/projections/retro/sheet"
)

// Height of a drawing, in the units of its width.
const (
	stripHeight  = 24
	columnHeight = 64
)

// stripGap is between stretches that meet, in tenths.
const stripGap = 20

// columnMost is how wide a column is at most, in tenths.
const columnMost = 600

// Text is what a drawing says to who cannot see it. ID is unique within a page.
type Text struct{ ID, Title, Desc string }

// Draw draws a series.
func Draw(s sheet.Series, t Text) string {
	if s.Form == sheet.Columns {
		return frame(columnHeight, "columns", t, columns(s))
	}
	return frame(stripHeight, "strip", t, strip(s))
}

func frame(height int, class string, t Text, inside string) string {
	return fmt.Sprintf(`<svg class="%s" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-labelledby="%s-t %s-d">`+
		`<title id="%s-t">%s</title><desc id="%s-d">%s</desc>%s</svg>`,
		class, sheet.Width, height, t.ID, t.ID, t.ID, html.EscapeString(t.Title), t.ID, html.EscapeString(t.Desc), inside)
}

func strip(s sheet.Series) string {
	var b strings.Builder
	rect(&b, 0, 0, sheet.Width*10, stripHeight*10, "back")
	for i, g := range s.Segments {
		wide := (g.To - g.From) * 10
		if i+1 < len(s.Segments) && s.Segments[i+1].From == g.To && wide > 4*stripGap {
			wide -= stripGap // the next one begins here, and may look alike on paper
		}
		rect(&b, g.From*10, 0, wide, stripHeight*10, string(g.Class))
	}
	return b.String()
}

// columns fill the width; what is not known has none.
func columns(s sheet.Series) string {
	var b strings.Builder
	rect(&b, 0, columnHeight*10-6, sheet.Width*10, 6, "base")
	n := len(s.Values)
	for i, v := range s.Values {
		if v < 0 {
			continue
		}
		from, to := i*sheet.Width*10/n, (i+1)*sheet.Width*10/n
		gap := max(min(20, (to-from)/6), (to-from-columnMost)/2) // in the middle of its place
		high := max(12, int(v*columnHeight*10/max(s.Max, 1)))
		rect(&b, from+gap, columnHeight*10-high, to-from-2*gap, high, string(s.Classes[i]))
	}
	return b.String()
}

// rect takes tenths.
func rect(b *strings.Builder, x, y, w, h int, class string) {
	fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, tenths(x), tenths(y), tenths(w), tenths(h))
}

func tenths(n int) string {
	if n%10 == 0 {
		return fmt.Sprint(n / 10)
	}
	return fmt.Sprintf("%d.%d", n/10, n%10)
}
