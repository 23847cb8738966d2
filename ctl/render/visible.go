package render

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible returns a text in which what cannot be seen, or changes how the rest
// reads, is written as an escape: controls, marks that reorder, separators and
// blanks that look like a space or like nothing. It is for text that a person
// agrees to, where nothing may be left out. Lines, tabs and spaces stay.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		switch {
		case r == '\n', r == '\t', r == ' ':
			b.WriteRune(r)
		case r == '\r':
			b.WriteString(`\r`)
		case !hides(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// hides says whether a character cannot be seen as what it is.
func hides(r rune) bool {
	return !unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
