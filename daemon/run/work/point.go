package work

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/regex"
)

// The bounds of the key lines of a set.
const (
	mostPoints = 12
	fewPoints  = 2   // of a file with a list of its headings
	pointRunes = 160 // of a line
)

var (
	// codePlace is a place in a file, as store/db.go:40.
	codePlace = regex.New(`\w[\w@./-]*(?:\.[A-Za-z]\w*|/[\w-]+):[1-9][0-9]*`)
	heading   = regex.New(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	fence     = regex.New("^ {0,3}(?:```|~~~)")
)

// called lists the lines of a set that a person should read first: lines that name a
// place in the code, with their own place. A set without such lines shows its headings.
// The rule is about form alone: nothing sums up.
//
// Source: atdd-kit, seeds 3.7: key decisions with locations.
func called(l events.Language, pages []page) string {
	var points, parts []string
	for _, p := range pages {
		own := 0
		for n, line := range outsideFences(p.text) {
			place := fmt.Sprintf("  %s:%d  ", pathText(p.path), n)
			switch m := heading.FindStringSubmatch(line); {
			case codePlace.MatchString(line):
				points = append(points, place+shortLine(line))
			case m != nil && len(m[1]) <= 3 && own < max(mostPoints/len(pages), fewPoints):
				parts, own = append(parts, place+shortLine(m[2])), own+1
			}
		}
	}
	title, list := phrase.Say(l, "Key decisions, with the places that they name:", "主な判断と、その参照箇所:"), points
	if len(points) == 0 {
		title, list = phrase.Say(l, "Its parts:", "構成:"), parts
	}
	if len(list) == 0 {
		return ""
	}
	more := ""
	if n := len(list) - mostPoints; n > 0 {
		list, more = list[:mostPoints], phrase.Say(l, "  and %d more", "  ほか %d 件", n)+"\n"
	}
	return "\n" + title + "\n\n" + strings.Join(list, "\n") + "\n" + more
}

// outsideFences yields the numbered lines of a text, without code blocks: these hold
// output or code.
func outsideFences(text string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n, within := 0, false
		for line := range strings.Lines(text) {
			n++
			if fence.MatchString(line) {
				within = !within
			} else if !within && !yield(n, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

func shortLine(line string) string {
	r := []rune(strings.TrimSpace(line))
	if len(r) > pointRunes {
		return string(r[:pointRunes]) + " ..."
	}
	return string(r)
}
