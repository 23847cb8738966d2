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

// GateScripts are the scripts that gate commands execute and that GatePins
// cannot pin, as the tree at the start does not have them: they are outside the
// workspace, or git ignores them. onDisk reports whether there is a file at a
// path that may be absolute and may lead out of the workspace.
func GateScripts(commands []Command, inTree, onDisk func(name string) bool) []Script {
	var found []Script
	for _, cmd := range commands {
		dirs := []string{"."}
		for _, c := range cmd.calls() {
			if path.Base(c.words[0]) == "cd" && len(c.words) > 1 && c.words[1] != "" {
				for _, d := range dirs {
					dirs = append(dirs, from(d, c.words[1]))
				}
				continue
			}
			names := script(c.words)
			if len(firstExisting(dirs, names, inTree)) > 0 {
				continue
			}
			found = append(found, firstScripts(dirs, names, shells[interpreter(c.words[0])], onDisk)...)
		}
	}
	return found
}

// firstScripts are the files that the first name stands for that is one.
func firstScripts(dirs, names []string, shell bool, onDisk func(string) bool) []Script {
	var found []Script
	for _, n := range names {
		for _, d := range dirs {
			if p := from(d, n); n != "" && onDisk(p) {
				found = append(found, Script{p, shell})
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// from is a path as seen from a directory. One below HOME stays as it is.
func from(dir, name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "~/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

var shells = wordSet(`. source sh bash dash zsh ksh fish`)
