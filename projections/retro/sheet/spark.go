package sheet

import "strings"

// Spark draws columns as one line of at most so many cells; what is not known
// is a blank.
func (s Series) Spark(cells int, ascii bool) string {
	marks := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		marks = []rune(".:-=+*#@")
	}
	values, _, _ := group(s.Values, s.Classes, max(cells, 1))
	var b strings.Builder
	for _, v := range values {
		if v < 0 {
			b.WriteByte(' ')
			continue
		}
		i := int(v * int64(len(marks)-1) / max(s.Max, 1))
		b.WriteRune(marks[min(i, len(marks)-1)])
	}
	return strings.TrimRight(b.String(), " ")
}

// Line draws a strip as one line of so many cells: the class that a cell begins
// in, None where there is none. A stretch is at least one cell.
func (s Series) Line(cells int) []Class {
	out := make([]Class, cells)
	for _, g := range s.Segments {
		from, to := g.From*cells/Width, (g.To*cells+Width-1)/Width
		for i := from; i < min(max(to, from+1), cells); i++ {
			out[i] = g.Class
		}
	}
	return out
}
