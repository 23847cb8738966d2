package tree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Workspace is a git work tree that runs work in.
type Workspace struct {
	ID   string // first 16 hex digits of the SHA-256 of Path
	Path string // real path of the top of the work tree
}

// PlaceError says why a directory is in no work tree, and what to do about it.
// It is an ErrNotRepository.
type PlaceError struct{ What, Fix string }

func (e *PlaceError) Error() string { return e.What }

// Unwrap returns ErrNotRepository.
func (e *PlaceError) Unwrap() error { return ErrNotRepository }

// Find returns the work tree that dir is in, by looking at files only.
// Work trees of `git worktree` and submodules are work trees of their own.
func Find(ctx context.Context, dir string) (Workspace, error) {
	real, err := realDir(dir)
	if err != nil {
		return Workspace{}, err
	}
	for top := real; ; top = filepath.Dir(top) {
		if err := ctx.Err(); err != nil {
			return Workspace{}, fmt.Errorf("find work tree of %s: %w", dir, err)
		}
		if filepath.Base(top) == ".git" && isGitDir(top, top) {
			return Workspace{}, &PlaceError{dir + " is inside a repository's own folder", "change to its work tree"}
		}
		if _, err := gitDirOf(top); err == nil {
			return workspaceAt(top), nil
		}
		if isGitDir(top, top) {
			return Workspace{}, &PlaceError{top + " is a bare repository, so it has no files to work on", "git clone   makes a work tree of it; work there"}
		}
		if top == filepath.Dir(top) {
			return Workspace{}, &PlaceError{dir + " is not in a git work tree", "git init   makes it one; a first commit is not needed"}
		}
	}
}

func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find work tree of %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("find work tree of %s: %w", dir, ErrGone)
	}
	if err != nil {
		return "", fmt.Errorf("find work tree of %s: %w", dir, err)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", &PlaceError{dir + " is not a directory", "give a directory in a git work tree"}
	}
	return real, nil
}

// gitDir is where a work tree keeps its own state, and where it keeps what it
// shares with other work trees of the same repository.
type gitDir struct{ dir, common string }

func gitDirOf(top string) (gitDir, error) {
	dir := filepath.Join(top, ".git")
	info, err := os.Stat(dir)
	if err != nil {
		return gitDir{}, err
	}
	if !info.IsDir() {
		text, err := readRegular(dir, 64<<10)
		if err != nil {
			return gitDir{}, err
		}
		to, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if !ok || to == "" {
			return gitDir{}, fmt.Errorf("%s: %w", dir, ErrNotRepository)
		}
		dir = to
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
	}
	gd := gitDir{dir: dir, common: dir}
	if text, err := readRegular(filepath.Join(dir, "commondir"), 64<<10); err == nil {
		gd.common = strings.TrimRight(string(text), "\r\n")
		if !filepath.IsAbs(gd.common) {
			gd.common = filepath.Join(dir, gd.common)
		}
	}
	if !isGitDir(gd.dir, gd.common) {
		return gitDir{}, fmt.Errorf("%s: %w", dir, ErrNotRepository)
	}
	return gd, nil
}

func isGitDir(dir, common string) bool {
	if info, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil || info.IsDir() {
		return false
	}
	for _, sub := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, sub)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// head reads HEAD from files: the commit (empty if none exists yet) and the
// full name of the branch (empty if detached).
func (gd gitDir) head() (commit, ref string, err error) {
	value, err := readRegular(filepath.Join(gd.dir, "HEAD"), 64<<10)
	if err != nil {
		return "", "", err
	}
	for range 5 { // git's own limit on chains of symbolic refs
		text := strings.TrimSpace(string(value))
		name, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			if !idOK(text) {
				return "", "", fmt.Errorf("HEAD: unexpected value %.80q", text)
			}
			return text, ref, nil
		}
		ref = strings.TrimSpace(name)
		if ref == "refs/heads/.invalid" {
			return "", "", ErrRefFormat
		}
		if !filepath.IsLocal(ref) || !strings.HasPrefix(ref, "refs/") {
			return "", "", fmt.Errorf("HEAD: bad ref name %.80q", ref)
		}
		if value, err = gd.ref(ref); err != nil || value == nil {
			return "", ref, err
		}
	}
	return "", "", errors.New("HEAD: too many symbolic refs")
}

// ref returns the stored value of a ref, nil if there is none.
func (gd gitDir) ref(name string) ([]byte, error) {
	for _, dir := range []string{gd.dir, gd.common} {
		if value, err := readRegular(filepath.Join(dir, name), 64<<10); err == nil {
			return value, nil
		}
	}
	packed, err := readRegular(filepath.Join(gd.common, "packed-refs"), 256<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(packed))
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && ref == name && idOK(id) {
			return []byte(id), nil
		}
	}
	return nil, lines.Err()
}
