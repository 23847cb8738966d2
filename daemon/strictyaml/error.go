package strictyaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is one mistake in a file, at a place that a person can go to.
type Error struct {
	Line    int    // from 1
	Column  int    // from 1, in characters
	Msg     string // what is wrong
	Fix     string // what to do about it; may be empty
	Excerpt string // the line before and the line itself, with a mark; may be empty
	Unknown string // path of the key that is not known here; empty for any other mistake
	Path    string // of the value that could not be decoded, as Doc.Errorf takes it; may be empty
}

// in names the value that could not be decoded: the innermost one is first.
func (e *Error) in(path string) *Error {
	if e != nil && e.Path == "" {
		e.Path = path
	}
	return e
}

// Error is one line for place and message, then the excerpt.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d, column %d: %s", e.Line, e.Column, e.Msg)
	if e.Fix != "" {
		b.WriteString(": " + e.Fix)
	}
	if e.Excerpt != "" {
		b.WriteString("\n" + e.Excerpt)
	}
	return b.String()
}

// errorAt makes an Error with its excerpt from the source.
func errorAt(src string, line, column int, msg, fix string) *Error {
	line, column = max(line, 1), max(column, 1)
	return &Error{Line: line, Column: column, Msg: onOneLine(msg), Fix: fix, Excerpt: excerpt(src, line, column)}
}

// onOneLine writes as escapes what a name of the file may have brought into a
// message.
func onOneLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// maxExcerpt bounds one line of an excerpt, in characters.
const maxExcerpt = 100

func excerpt(src string, line, column int) string {
	lines := strings.Split(src, "\n")
	if line > len(lines) {
		return ""
	}
	var b strings.Builder
	width := len(fmt.Sprint(line))
	if line > 1 {
		fmt.Fprintf(&b, "  %*d | %s\n", width, line-1, cutLine(lines[line-2]))
	}
	text := cutLine(lines[line-1])
	fmt.Fprintf(&b, "> %*d | %s", width, line, text)
	if column <= utf8.RuneCountInString(text)+1 {
		fmt.Fprintf(&b, "\n  %*s | %s^", width, "", strings.Repeat(" ", column-1))
	}
	return b.String()
}

// cutLine bounds a line and makes each character one column wide, as columns are
// counted: a tab is a space, and what would begin a line or reorder it a mark.
func cutLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, strings.TrimRight(s, "\r"))
	if utf8.RuneCountInString(s) <= maxExcerpt {
		return s
	}
	return string([]rune(s)[:maxExcerpt]) + " ..."
}
