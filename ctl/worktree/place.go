package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// place is where the work trees of a repository are made.
type place struct {
	root string // real path
	stem string // of directories below it: a directory with a root of the user's, else the start of a name
	own  bool   // it is a root of the user's
}

// placeOf is below a root of the user's, else beside the repository.
//
// Source: session-orchestrator, seeds 2.7 path and promotion.
func placeOf(root, main string) (place, error) {
	stem, own := filepath.Base(main)+string(filepath.Separator), root != ""
	if !own {
		root, stem = filepath.Dir(main), filepath.Base(main)+"-"
	}
	if !filepath.IsAbs(root) {
		return place{}, &RootError{root, errors.New("it is not an absolute path")}
	}
	real, err := realPath(root)
	if err == nil && strings.ContainsAny(real+stem, "\n\r") {
		err = errors.New("there is a line break in it, and git lists work trees by line")
	}
	if err == nil {
		err = directories(real, filepath.Dir(filepath.Join(real, stem+"x")))
	}
	if err != nil {
		return place{}, &RootError{root, err}
	}
	return place{real, stem, own}, nil
}

// directories says that what is there of these is a directory each.
func directories(paths ...string) error {
	for _, path := range paths {
		at, err := os.Stat(path)
		if err == nil && !at.IsDir() {
			return fmt.Errorf("%s is not a directory", path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// typed is the path of a work tree, links in it not resolved.
func (p place) typed(name string) string {
	return filepath.Join(p.root, p.stem+strings.ReplaceAll(name, "/", "-"))
}

// dir is the real path of a work tree. The root was resolved first.
//
// Source: session-orchestrator, seeds 2.7 path; S34.
func (p place) dir(name string) (string, error) {
	typed := p.typed(name)
	real, err := realPath(typed)
	if err != nil {
		return "", &RootError{typed, err}
	}
	if !below(p.root, real) {
		return "", &EscapeError{typed, real, p.root}
	}
	if in := repositoryAbove(real); p.own && in != "" {
		return "", &RootError{p.root, fmt.Errorf("%w: %s", ErrInRepository, in)}
	}
	return real, nil
}

// repositoryAbove is the directory in which git keeps a repository, or its part of a
// work tree, and which a path is below; empty for none. Beside a work tree that is in
// such a directory there may be more: people keep them in their bare repository.
func repositoryAbove(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		is := func(name string) bool { return !free(filepath.Join(dir, name)) }
		if is("HEAD") && (is("objects") && is("refs") || is("commondir")) {
			return dir
		}
	}
	return ""
}

// below says that a real path is strictly below another.
func below(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// realPath resolves all links of a path whose end may not be there yet. A link
// that leads nowhere is an error: something may be put there.
func realPath(path string) (string, error) {
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return "", err
		}
		if _, lerr := os.Lstat(path); lerr == nil {
			return "", err
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
}

// free says that nothing is in the way of a new directory.
func free(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// empty says that nothing is there but maybe a directory without anything in it,
// which git takes.
func empty(path string) bool {
	list, err := os.ReadDir(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0
}
