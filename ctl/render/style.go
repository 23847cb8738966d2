package render

import (
	"strings"
	"time"

	"autopilot/events"
)

// Style says how text is made for one writer.
type Style struct {
	Colour bool
	ASCII  bool           // no marks beyond ASCII
	Width  int            // columns of the terminal; 0 is no limit
	Now    time.Time      // what ages are counted to
	Zone   *time.Location // of times; nil is UTC

	lang events.Language // of texts about runs
}

// pipedWidth is for what is read and not processed, where there is no terminal.
const pipedWidth = 80

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"

	unpaint = "\x1b[0m"
)

func (s Style) paint(colour, t string) string {
	if !s.Colour || t == "" {
		return t
	}
	return "\x1b[" + colour + "m" + t + unpaint
}

func (s Style) pick(unicode, ascii string) string {
	if s.ASCII {
		return ascii
	}
	return unicode
}

func (s Style) local(t time.Time) time.Time {
	if s.Zone == nil {
		return t.UTC()
	}
	return t.In(s.Zone)
}

// Clock writes a time of day, with the date when that is not today.
func (s Style) Clock(t time.Time) string {
	l, now := s.local(t), s.local(s.Now)
	if l.Year() == now.Year() && l.YearDay() == now.YearDay() {
		return l.Format("15:04")
	}
	return l.Format("2006-01-02 15:04")
}

func (s Style) since(t time.Time) time.Duration { return s.Now.Sub(t) }

// table writes rows with aligned columns, two spaces apart.
func table(rows [][]string) string {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(c))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		var l strings.Builder
		for i, c := range r {
			l.WriteString("  ")
			l.WriteString(pad(c, widths[i]))
		}
		b.WriteString(strings.TrimRight(l.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// fits says that a table of rows is not wider than the terminal.
func (s Style) fits(rows [][]string) bool {
	if s.Width <= 0 {
		return true
	}
	for l := range strings.Lines(table(rows)) {
		if columns(strings.TrimRight(uncoloured(l), "\n")) > s.Width {
			return false
		}
	}
	return true
}

// facts writes name and value pairs; pairs without a value are left out.
func (s Style) facts(pairs [][2]string) string {
	w := 0
	for _, p := range pairs {
		if p[1] != "" {
			w = max(w, columns(p[0]))
		}
	}
	var b strings.Builder
	for _, p := range pairs {
		if p[1] == "" {
			continue
		}
		lines := strings.Split(p[1], "\n")
		b.WriteString("  " + s.paint(dim, pad(p[0], w)) + "  " + lines[0] + "\n")
		for _, l := range lines[1:] {
			b.WriteString("  " + pad("", w) + "  " + l + "\n")
		}
	}
	return b.String()
}

// section writes a heading and an indented block; nothing for an empty block.
func (s Style) section(name, block string) string {
	if block == "" {
		return ""
	}
	return "\n" + s.paint(bold, name) + "\n" + block
}

func indent(prefix, t string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(t, "\n"), "\n") {
		b.WriteString(strings.TrimRight(prefix+l, " "))
		b.WriteByte('\n')
	}
	return b.String()
}
