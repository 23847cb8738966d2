package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Contents is all that is in a directory, ignored or not. Links are named and not
// followed.
type Contents struct {
	Files   int
	Bytes   int64
	Newest  time.Time // of its files and folders
	Nested  []string  // folders that are, or seem to be, repositories of their own
	Strange []string  // pipes, sockets, devices
	Mounts  []string  // what another file system is mounted on
	Stuck   []string  // folders out of which nothing can be removed
	Sum     string    // changes when anything in it does
}

// mostNamed bounds each list.
const mostNamed = 16

// Walk looks at everything below a work tree's top.
func Walk(ctx context.Context, top string) (Contents, error) {
	var c Contents
	info, err := os.Lstat(top)
	if err == nil && !info.IsDir() {
		err = errNotDir
	}
	if err != nil {
		return c, fmt.Errorf("look at all of %s: %w", top, err)
	}
	w := &walking{c: &c, top: top, sum: sha256.New(), device: deviceOf(info)}
	err = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		return w.visit(path, e)
	})
	if err != nil {
		return c, fmt.Errorf("look at all of %s: %w", top, err)
	}
	c.Sum = hex.EncodeToString(w.sum.Sum(nil))
	c.Mounts = append(c.Mounts, mountsBelow(top)...)
	return c, nil
}

type walking struct {
	c      *Contents
	top    string
	sum    hash.Hash
	device uint64
}

func deviceOf(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(st.Dev) //nolint:unconvert,nolintlint // it is signed elsewhere
}

func (w *walking) visit(path string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(w.top, path)
	if err != nil {
		return err
	}
	named := func(list *[]string) {
		if len(*list) < mostNamed {
			*list = append(*list, rel)
		}
	}
	if deviceOf(info) != w.device {
		named(&w.c.Mounts)
		return fs.SkipDir
	}
	w.add(rel, info)
	switch mode := info.Mode(); {
	case mode.IsDir():
		if unix.Access(path, unix.W_OK|unix.X_OK) != nil {
			named(&w.c.Stuck)
		}
		if rel != "." && (e.Name() == ".git" || isGitDir(path, path)) {
			named(&w.c.Nested)
		}
	case mode.IsRegular():
		w.c.Files++
		w.c.Bytes += info.Size()
		if e.Name() == ".git" && rel != ".git" {
			named(&w.c.Nested)
		}
	case mode&fs.ModeSymlink == 0:
		named(&w.c.Strange)
	}
	return nil
}

// add puts a file into the sum. The change time of the top is left out, as a new
// name changes it.
func (w *walking) add(rel string, info fs.FileInfo) {
	if info.ModTime().After(w.c.Newest) && info.Mode()&fs.ModeSymlink == 0 {
		w.c.Newest = info.ModTime()
	}
	state, _ := stamp(info)
	if rel == "." {
		state = ""
	}
	fmt.Fprintf(w.sum, "%q %s %s %d %d\n", rel, info.Mode(), state, info.Size(), info.ModTime().UnixNano())
}

// ErrStays says that a work tree was not removed, as it is not what it was.
var ErrStays = errors.New("something has changed in it meanwhile")

// Aside is the name that the directory of a work tree has while it is removed:
// whoever comes by its path finds nothing any more.
func Aside(top, name string) string {
	return filepath.Join(filepath.Dir(top), "."+filepath.Base(top)+"."+name)
}

// MoveAside gives a directory the name that Aside says. One that is there already
// is an error.
func MoveAside(top, aside string) error {
	if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move %s aside: %s is there", top, aside)
	}
	return os.Rename(top, aside)
}

// MoveBack undoes MoveAside, if it was done and nothing stands in the old place.
func MoveBack(top, aside string) error {
	if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Lstat(top); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move %s back: something is in its place", aside)
	}
	return os.Rename(aside, top)
}

// RemoveBelow removes a directory with all that is in it, never through a link.
// One that is not there is no error.
func RemoveBelow(parent, name string) error {
	root, err := os.OpenRoot(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(name)
}

// Unlink removes what a repository knows of a linked work tree, by its folder
// there, and the folder of all of them when it was the last one.
func Unlink(dir string) error {
	folder := filepath.Dir(dir)
	if filepath.Base(folder) != "worktrees" {
		return fmt.Errorf("forget the work tree of %s: that is no folder of one", dir)
	}
	if err := RemoveBelow(folder, filepath.Base(dir)); err != nil {
		return fmt.Errorf("forget a work tree: %w", err)
	}
	_ = os.Remove(folder) // others are in it, mostly
	return nil
}
