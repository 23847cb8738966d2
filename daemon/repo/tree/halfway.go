package tree

import (
	"path/filepath"
	"slices"
)

// Halfway is what git was asked for in the work tree and has not ended, as rebase or
// merge; conflict where files have more than one side, as after a stash that did not fit.
// A bisect is none, as people work in each of its steps. What cannot be read is not said.
func (r *Repo) Halfway() []string {
	gd, err := gitDirOf(r.ws.Path)
	if err != nil {
		return nil
	}
	out := slices.DeleteFunc(gd.operations(), func(what string) bool { return what == "bisect" })
	text, err := readRegular(filepath.Join(gd.dir, "index"), indexBytes)
	if err == nil && indexMarks(text, r.idLen/2)[unmerged] > 0 {
		out = append(out, "conflict")
	}
	return out
}
