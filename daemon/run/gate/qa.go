package gate

import (
	"path"
	"slices"
)

// Files that nothing runs, and nothing installs from: by their ends, and by name.
var (
	docEnds  = []string{".md", ".rst", ".adoc"}
	docNames = []string{"LICENSE", "LICENSE.txt", "NOTICE", "NOTICE.txt", "CHANGELOG", "CHANGELOG.txt"}
)

// DocsOnly says that something was changed, and nothing but documentation: then
// there is nothing to use, and a gate of kind qa may be skipped.
//
// Source: oh-my-codex, seeds 4.1.2 ultraqa to complete.
func DocsOnly(changed []string) bool {
	return len(changed) > 0 && !slices.ContainsFunc(changed, func(p string) bool {
		return !slices.Contains(docEnds, path.Ext(p)) && !slices.Contains(docNames, path.Base(p))
	})
}
