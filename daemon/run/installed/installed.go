// Package installed remembers what gates load from beyond the recorded tree: installed
// packages in node_modules, vendor and virtual environments, modules in the cache of Go,
// the libraries of toolchains.
//
// Take lists the files of roots by what the file system says of them and by the SHA-256
// of their content; a list that was taken before saves reading what nothing has touched.
// Compare reads only files that something has touched, so it costs a look at each file.
// What counts as a change: a file has another content, a file is gone from a package
// that is there, or a file came into a package that was there. A new package, a
// package that is gone as a whole, and one that was installed again are not changes.
//
// It writes nothing but its list. It follows no link, and what it cannot read it
// leaves out. A list may be used by one goroutine at a time.
package installed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"autopilot/daemon/run/fileid"
)

// mostBytes is the size of a file up to which its content is compared. A larger one is
// known by size and time.
const mostBytes = 256 << 20

// Root is a folder of packages, or a package.
type Root struct {
	Dir   string // absolute; a file where Kind is Linked
	Kind  Kind
	As    string // the name that it goes by, where a link leads to it
	Depth int    // of Packages: how far below the root each lies; 0: by the names of folders, see packageOf
	Most  int    // files that it may have, else it is not compared; 0: any number
}

// Kind says how the packages of a root are told apart. Lists are stored with it.
type Kind int

// The kinds of roots.
const (
	Packages Kind = iota // by the folder that a file is in
	Whole                // the root is one package
	Tools                // the same, of a toolchain: nobody installs it again, so nothing is read
	Gems                 // of RubyGems
	Module               // of Go: one package with all files as they came
	Linked               // what a link of the work tree leads to: one package, of programs and source files
)

// File is what was known of a file.
type File struct {
	ID   fileid.ID
	Sum  string // of its content, or of where a link leads; empty if it was not read
	Tool bool   // it is known by ID alone
}

// List is what roots held.
type List struct {
	Roots    []Root
	Files    map[string]File   // by path
	Versions map[string]string // of packages that say one, by their folder
	Local    map[string]bool   // packages that are installed from a folder: they follow the work
	Large    []string          // roots that have too many files to be compared
}

// Take lists roots. Files that skip names are left out.
func Take(ctx context.Context, roots []Root, known List, skip func(path string) bool) (List, error) {
	l := List{Files: map[string]File{}, Versions: map[string]string{}, Local: map[string]bool{}}
	var err error
	if l.Roots, l.Large, err = bounded(ctx, roots); err != nil {
		return l, err
	}
	err = each(ctx, l.Roots, func(root Root, path string, info fs.FileInfo) {
		if skip(path) {
			return
		}
		f := File{ID: fileid.Of(info), Tool: root.Kind == Tools}
		if f.Tool {
			l.Files[path] = f
			return
		}
		if was, ok := known.Files[path]; ok && was.ID == f.ID && was.Sum != "" {
			f.Sum = was.Sum
		} else {
			f.Sum = sumOf(path, info)
		}
		l.Files[path] = f
		l.note(root, path)
	})
	return l, err
}

// each calls look for the files and links of roots, in an order that is always the same.
func each(ctx context.Context, roots []Root, look func(Root, string, fs.FileInfo)) error {
	own := make(map[string]bool, len(roots))
	for _, root := range roots {
		own[root.Dir] = true
	}
	for _, root := range roots {
		err := filepath.WalkDir(root.Dir, func(path string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && e != nil && e.IsDir():
				return fs.SkipDir
			case err != nil:
				return nil
			case e.IsDir() && path != root.Dir && (own[path] || root.leavesOut(path, e)):
				return fs.SkipDir
			case e.IsDir() || root.leavesOut(path, e):
				return nil
			}
			if info, err := e.Info(); err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) {
				if root.Kind != Linked || loaded(e.Name(), info.Mode()) {
					look(root, path, info)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bounded divides roots into those to compare and those that are too large. It reads no
// file, and stops where a root has too many.
func bounded(ctx context.Context, roots []Root) (fit []Root, large []string, err error) {
	for _, root := range roots {
		n := 0
		if root.Most > 0 {
			err = filepath.WalkDir(root.Dir, func(string, fs.DirEntry, error) error {
				if n++; n > root.Most {
					return fs.SkipAll
				}
				return ctx.Err()
			})
		}
		switch {
		case err != nil:
			return nil, nil, err
		case n > root.Most:
			large = append(large, root.Dir)
		default:
			fit = append(fit, root)
		}
	}
	return fit, large, nil
}

// sumOf reads a file whose id is known. It is empty if the file changes meanwhile, or
// is too large.
func sumOf(path string, info fs.FileInfo) string {
	h := sha256.New()
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(path)
		if err != nil {
			return ""
		}
		h.Write([]byte("link " + to))
		return hex.EncodeToString(h.Sum(nil))
	}
	if info.Size() > mostBytes {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil || !before.Mode().IsRegular() {
		return ""
	}
	_, err = io.Copy(h, f)
	after, serr := os.Lstat(path)
	if err != nil || serr != nil || fileid.Of(after) != fileid.Of(info) {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// same says that a file has the content that it had.
func (f File) same(path string, info fs.FileInfo) bool {
	if f.ID == fileid.Of(info) {
		return true
	}
	if f.Tool {
		return false
	}
	if sum := sumOf(path, info); sum != "" && f.Sum != "" {
		return sum == f.Sum
	}
	return f.ID.Size == info.Size() && f.ID.ModTime == info.ModTime().UnixNano()
}

// Change is a file that is not as it was.
type Change struct {
	Path    string
	Package string // the folder or file that it belongs to
	What    What
	Renewed bool // the package says another version of itself
}

// What says what happened to a file.
type What string

// What can happen to one.
const (
	Changed What = "changed"
	Added   What = "added"
	Removed What = "removed"
)

// Compare lists what is not as in the list, sorted by path.
func (l List) Compare(ctx context.Context, skip func(path string) bool) ([]Change, error) {
	c := comparing{list: l, packages: l.packages(), seen: map[string]bool{}, left: map[string]bool{}}
	if err := each(ctx, l.Roots, func(root Root, path string, info fs.FileInfo) {
		if !skip(path) {
			c.look(root, path, info)
		}
	}); err != nil {
		return nil, err
	}
	c.gone()
	c.renewals()
	slices.SortFunc(c.changes, func(a, b Change) int { return compare(a.Path, b.Path) })
	return c.changes, nil
}

type comparing struct {
	list     List
	packages map[string]bool // that were there
	seen     map[string]bool // files that are there
	left     map[string]bool // packages that are there
	changes  []Change
}

func (c *comparing) look(root Root, path string, info fs.FileInfo) {
	pack := packageOf(root, path)
	c.seen[path], c.left[pack] = true, true
	was, known := c.list.Files[path]
	switch {
	case c.list.Local[pack]:
	case known && !was.same(path, info):
		c.changes = append(c.changes, Change{Path: path, Package: pack, What: Changed})
	case !known && c.packages[pack] && !grows(pack):
		c.changes = append(c.changes, Change{Path: path, Package: pack, What: Added})
	case !known && !c.packages[pack] && startsWithPython(path):
		c.changes = append(c.changes, Change{Path: path, Package: pack, What: Added})
	}
}

func (c *comparing) gone() {
	of := c.list.rootOf()
	for path := range c.list.Files {
		root, ok := of(path)
		if !ok || c.seen[path] {
			continue
		}
		if pack := packageOf(root, path); c.left[pack] && !c.list.Local[pack] && !grows(pack) {
			c.changes = append(c.changes, Change{Path: path, Package: pack, What: Removed})
		}
	}
}

// packages names the packages that the list holds files of.
func (l List) packages() map[string]bool {
	packages, of := map[string]bool{}, l.rootOf()
	for _, root := range l.Roots {
		packages[root.Dir] = true
	}
	for path := range l.Files {
		if root, ok := of(path); ok {
			packages[packageOf(root, path)] = true
		}
	}
	return packages
}

// rootOf finds the root of a file.
func (l List) rootOf() func(path string) (Root, bool) {
	roots := make(map[string]Root, len(l.Roots))
	for _, r := range l.Roots {
		roots[r.Dir] = r
	}
	return func(path string) (Root, bool) {
		for dir := path; ; dir = filepath.Dir(dir) {
			if r, ok := roots[dir]; ok {
				return r, true
			}
			if dir == "/" || dir == "." {
				return Root{}, false
			}
		}
	}
}
