package comment

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/projections/phrase"
)

// split takes a question apart: what it says, and the diff that follows. A line of a
// diff is never empty: what comes after such a line is in files.
func split(text string) (said, diff string) {
	i := strings.Index("\n"+text, "\n"+diffStart)
	if i < 0 {
		return text, ""
	}
	diff, _, cut := strings.Cut(text[i:], "\n\n")
	if cut {
		diff += "\n"
	}
	return text[:i], diff
}

const diffStart = "diff --git "

// changes lists the places of a diff, as FILE:LINE, and gives its hunks. Of a file
// that is new all would be its body, so there are no hunks of it.
func changes(l events.Language, diff string) (places []string, hunks string) {
	var b strings.Builder
	var file string
	fresh, line := false, 0 // line is of the new side; 0 before the first hunk
	seen := false           // a change of the hunk
	for text := range strings.Lines(diff) {
		text = strings.TrimSuffix(text, "\n")
		switch {
		case strings.HasPrefix(text, diffStart):
			file, fresh, line = "", false, 0
		case line == 0 && strings.HasPrefix(text, "--- "):
			fresh = text == "--- /dev/null"
		case line == 0 && strings.HasPrefix(text, "+++ ") && fresh:
			places = add(places, code(strings.TrimPrefix(text[len("+++ "):], "b/"), lineBytes)+phrase.Say(l, " is new", " は新規"))
		case line == 0 && strings.HasPrefix(text, "+++ "):
			file = strings.TrimPrefix(text[len("+++ "):], "b/")
			b.WriteString(file + "\n")
		case fresh:
		case strings.HasPrefix(text, "@@ "):
			line, seen = max(lineOf(text), 1), false
			b.WriteString(text + "\n")
		case line > 0:
			if !seen && !strings.HasPrefix(text, " ") {
				places, seen = add(places, code(fmt.Sprintf("%s:%d", file, line), lineBytes)), true
			}
			line++
			b.WriteString(text + "\n")
		}
	}
	return places, b.String()
}

// add keeps to what a comment has place for.
func add(places []string, p string) []string {
	if len(places) >= mostFiles {
		return places
	}
	return append(places, p)
}

// lineOf is the first line, of the new side, that a hunk shows.
func lineOf(header string) int {
	_, rest, _ := strings.Cut(header, " +")
	n := 0
	_, _ = fmt.Sscanf(rest, "%d", &n) // 0 where it is none
	return n
}
