package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"autopilot/projections/rule"
)

// maxSource bounds the files that a source knows.
const maxSource = 20000

// Source is a tree for rules that follow what commands reach. It leaves out what git
// keeps, and packages that were installed.
func Source(fsys fs.FS, root string) rule.Source {
	s := rule.Source{Root: root, Read: func(name string) ([]byte, bool) { return tree{fsys, "."}.read(name) }}
	_ = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case len(s.Files) >= maxSource:
			return fs.SkipAll
		case err != nil && e != nil && e.IsDir(), e != nil && e.IsDir() && (base == ".git" || base == "node_modules" || strings.HasPrefix(base, ".venv")):
			return fs.SkipDir
		case err == nil && e.Type().IsRegular():
			s.Files = append(s.Files, name)
		}
		return nil
	})
	slices.Sort(s.Files)
	return s
}
