package rule

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hiddenMost bounds what is said of one command.
const hiddenMost = 5

// HidesIn is what a command hides, and what the scripts, recipes and package scripts
// hide that it reaches. Of those only what tests by its words counts, as they prepare
// and clean up too.
func HidesIn(c Command, src Source) []Hidden {
	var out []Hidden
	if h := Hides(c); h.What != "" {
		out = append(out, h)
	}
	f := newFollower(src)
	f.hidden = func(h Hidden) {
		if len(out) < hiddenMost && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	f.command(c)
	return out
}

// hides looks at the text of a script that was reached.
func (f *follower) hides(where, text string) {
	if f.hidden == nil {
		return
	}
	// What a script does with the exit code of each of its lines is its own matter.
	if h := hidesText(text, []string{"-e"}, true); h.found != "" {
		f.hidden(Hidden{Where: where, What: h.found})
	}
}

// hidesLine looks at one command line that was reached, which may be corrected.
func (f *follower) hidesLine(where, text string) {
	if f.hidden == nil {
		return
	}
	if h := hidesText(text, nil, true); h.found != "" {
		f.hidden(Hidden{where, h.found, mended(text, nil, true)})
	}
}

// hidesRecipe looks at a line of a makefile: raw as it is written, text as it is run.
func (f *follower) hidesRecipe(where, raw, text string) {
	if f.hidden == nil {
		return
	}
	line := strings.TrimLeft(raw, "@+ \t")
	if rest := strings.TrimLeft(line, "-@+ \t"); rest != line && strings.HasPrefix(line, "-") {
		if file := parseShell(text); file != nil && slices.ContainsFunc(file.Stmts, func(s *syntax.Stmt) bool { return verifies(s.Cmd) }) {
			f.hidden(Hidden{where, "-", rest})
		}
		return
	}
	if h := hidesText(text, nil, true); h.found != "" {
		instead := ""
		if text == line {
			instead = mended(text, nil, true)
		}
		f.hidden(Hidden{where, h.found, instead})
	}
}
