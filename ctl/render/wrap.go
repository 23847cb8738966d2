package render

import "strings"

// wrap breaks a sentence so that each line fits: at blanks, and between the
// characters of a script that has none.
func (s Style) wrap(t, prefix string) string {
	var b strings.Builder
	width := s.room(columns(prefix))
	line := ""
	for _, u := range units(t) {
		gap := ""
		if u.blank && line != "" {
			gap = " "
		}
		if line != "" && width > 0 && columns(line)+len(gap)+columns(u.text) > width {
			b.WriteString(prefix + line + "\n")
			line, gap = "", ""
		}
		line += gap + u.text
	}
	b.WriteString(prefix + line + "\n")
	return b.String()
}

// unit is a part of a text that stays on one line.
type unit struct {
	text  string
	blank bool // there is one before it
}

// What does not begin a line, and what does not end one.
const (
	noStart = "、。，．・：；？！）」』】〕〉》ー々…ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ)]}:;,.!?%"
	noEnd   = "（「『【〔〈《([{"
)

// units are the words of a text; of a word in wide characters each is a unit.
func units(t string) []unit {
	var out []unit
	for w := range strings.FieldsSeq(t) {
		var last rune
		begin := 0
		for i, r := range w {
			if i > 0 && !joins(last, r) {
				out = append(out, unit{w[begin:i], begin == 0})
				begin = i
			}
			last = r
		}
		out = append(out, unit{w[begin:], begin == 0})
	}
	return out
}

// joins says that no line ends between two characters of a word.
func joins(a, b rune) bool {
	narrow := cells(a) < 2 && cells(b) < 2
	return narrow || cells(b) == 0 || strings.ContainsRune(noStart, b) || strings.ContainsRune(noEnd, a)
}
