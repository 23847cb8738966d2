// Package atwork finds the processes that are at work in directories. It only looks,
// at one moment: a process may come or go right after it.
package atwork

import "strings"

// Use is a process that is at work in a directory.
type Use struct {
	PID  int
	Name string // of its program, as it calls itself
	How  string // cwd, root, exe, or fd for an open file
}

// innermost is the longest of dirs that a path is in, empty for none.
func innermost(path string, dirs []string) (in string) {
	for _, d := range dirs {
		if (path == d || strings.HasPrefix(path, d+"/")) && len(d) > len(in) {
			in = d
		}
	}
	return in
}
