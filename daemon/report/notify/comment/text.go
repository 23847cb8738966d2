package comment

import (
	"strings"
	"unicode/utf8"

	"autopilot/projections/visible"
)

// code is a text in one line, as code. A line without anything in it is empty.
func code(text string, most int) string {
	line := visible.Line(strings.TrimSpace(cut(text, most)))
	if line == "" {
		return ""
	}
	fence := strings.Repeat("`", runOf(line, '`')+1)
	if strings.HasPrefix(line, "`") || strings.HasSuffix(line, "`") {
		line = " " + line + " "
	}
	return fence + line + fence
}

// block is a text as a block of code, with its beginning alone where it is long.
func block(kind, text string, lines, bytes int) string {
	text = strings.TrimRight(visible.Text(cut(text, bytes)), "\n ")
	all := strings.Split(text, "\n")
	if len(all) > lines {
		text = strings.Join(all[:lines], "\n") + "\n..."
	}
	fence := strings.Repeat("`", max(runOf(text, '`')+1, 3))
	return fence + kind + "\n" + text + "\n" + fence + "\n"
}

// cut is the beginning of a text, cut between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + " ..."
}

// runOf is how often a sign stands in a row at most.
func runOf(text string, sign rune) (most int) {
	n := 0
	for _, r := range text {
		if n++; r != sign {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
