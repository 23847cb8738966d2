package page

import (
	"fmt"
	"strings"
	"unicode"
)

// visible writes out what cannot be seen or changes how the rest reads. With
// lines, line breaks and tabs stay.
func visible(s string, lines bool) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case lines && (r == '\n' || r == '\t'), r == ' ':
			b.WriteRune(r)
		case r == '\n':
			b.WriteString("⏎")
		case r == '\t':
			b.WriteString("⇥")
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

// hides says that a character cannot be seen as what it is.
func hides(r rune) bool {
	return !unicode.IsGraphic(r) || unicode.IsSpace(r) ||
		unicode.In(r, unicode.Zs, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
