package rule

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Touched are the pinned files that touches of paths in the workspace would
// change, sorted, each once. pinned are the files of the start that are pinned;
// of one that is pinned in part the rest may be written, and it may not go.
func (p Pins) Touched(pinned []string, touches []Touch) []string {
	var hit []string
	for _, t := range touches {
		t.Path = clean(t.Path)
		for _, name := range pinned {
			if t.takes(name) || !t.Gone && t.is(name) && !p.Partial(name) {
				hit = append(hit, name)
			}
		}
		if !t.Gone && p.denied(t.Path) {
			hit = append(hit, t.Path)
		}
	}
	slices.Sort(hit)
	return slices.Compact(hit)
}

// is says that the touch is of that file.
func (t Touch) is(name string) bool {
	if t.Path == name {
		return true
	}
	ok, err := doublestar.Match(t.Path, name)
	return err == nil && ok
}

// takes says that the file goes with what is taken away.
func (t Touch) takes(name string) bool {
	return t.Gone && (t.Path == "." || strings.HasPrefix(name, t.Path+"/") || t.Path == name || match("/"+t.Path, name))
}
