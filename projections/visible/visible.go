// Package visible writes out what cannot be seen in a text, or changes how the
// rest of it reads: controls, marks that reorder, separators, and blanks that
// look like a space or like nothing. It is for texts of others that a person
// reads and may act on, where nothing may be left out.
//
// It is pure and links the standard library only, as apctl pays for all that it
// links at every start.
package visible

import (
	"fmt"
	"strings"
	"unicode"
)

// Text keeps line breaks, tabs and spaces. Bytes that are no text become
// U+FFFD.
func Text(s string) string {
	return write(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) string {
		switch r {
		case '\n', '\t':
			return string(r)
		case '\r':
			return `\r`
		}
		return ""
	})
}

// Line gives one line: signs stand for breaks and tabs.
func Line(s string) string {
	return write(s, func(r rune) string {
		switch r {
		case '\n':
			return "⏎"
		case '\t':
			return "⇥"
		}
		return ""
	})
}

// write writes a text; own are the characters that have a form of their own.
func write(s string, own func(rune) string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch o := own(r); {
		case o != "":
			b.WriteString(o)
		case r == ' ' || !hides(r):
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
		unicode.In(r, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
