package rule

import (
	"path"
	"path/filepath"
	"strings"
)

// Script is a file that a gate command executes. A relative path is from the
// workspace.
type Script struct {
	Path  string
	Shell bool // it is an argument of a shell
}

// from is a path as seen from a directory. One below HOME stays as it is.
func from(dir, name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "~/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

var shells = wordSet(`. source sh bash dash zsh ksh fish`)
