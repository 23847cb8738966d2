package rule

import (
	"path"
	"slices"
	"strings"
)

// LooksFor lists the programs that a command looks for before it uses them, as in
// command -v bats || exit 127. It needs them in some case only, and says so itself.
func LooksFor(c Command) []string {
	var out []string
	for _, call := range c.calls() {
		for _, name := range lookedFor(call.words) {
			if name != "" && !strings.HasPrefix(name, "-") && !strings.Contains(name, "/") && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// lookedFor are the names that a call asks for the place of.
func lookedFor(words []string) []string {
	switch path.Base(words[0]) {
	case "command":
		if len(words) > 2 && (words[1] == "-v" || words[1] == "-V") {
			return words[2:]
		}
	case "which", "type", "hash":
		return words[1:]
	}
	return nil
}
