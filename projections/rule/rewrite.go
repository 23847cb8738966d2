package rule

import "slices"

// Rewritten are recorded files that gates changed before any work.
type Rewritten struct {
	Tracked []string // by git
	Others  []string // that git neither tracks nor ignores
}

// Unsettled sorts the recorded files that gates changed before any work, and says whether
// that refuses them. What a tool settles once and what is written at any time (lock
// files, logs, hidden files) refuses only where it was changed again when they ran once
// more.
func Unsettled(once, twice []string, tracked func(string) bool) (r Rewritten, refused bool) {
	list := twice
	for _, name := range once {
		if Counts(name) && !slices.Contains(twice, name) {
			list = append(list[:len(list):len(list)], name)
		}
	}
	for _, name := range list {
		if tracked(name) {
			r.Tracked = append(r.Tracked, name)
		} else {
			r.Others = append(r.Others, name)
		}
	}
	return r, len(list) > 0
}
