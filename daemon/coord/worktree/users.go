package worktree

import "strings"

// use is a process that is at work in a directory, as it was at one moment: it may come
// or go right after it.
type use struct {
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
