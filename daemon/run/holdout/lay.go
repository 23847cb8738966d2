package holdout

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Lay writes the files of a folder into the directory to, each at its own path. What
// is there in the place of one of them, or of its folders, is taken away: a link is
// never followed. Folders get the modes that they have below like, which may be empty.
// It returns what was written, which the caller compares with what it expects.
func Lay(dir, to, like string) (Folder, error) {
	root, err := os.OpenRoot(to)
	if err != nil {
		return Folder{}, fmt.Errorf("lay held-out files: %w", err)
	}
	defer root.Close()
	l := &laying{root: root, like: like}
	return walk(dir, l.entry)
}

// laying is one Lay.
type laying struct {
	root *os.Root
	like string
}

func (l *laying) entry(e entry, text io.Reader) error {
	if e.mode.IsDir() {
		return l.dir(e.path)
	}
	if err := l.root.RemoveAll(e.path); err != nil {
		return err
	}
	if e.link != "" {
		return l.root.Symlink(e.link, e.path)
	}
	mode := fs.FileMode(0o644)
	if e.mode&0o111 != 0 {
		mode = 0o755
	}
	f, err := l.root.OpenFile(e.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return l.root.Chtimes(e.path, e.at, e.at)
}

// dir makes a folder. Its parent was made before it.
func (l *laying) dir(name string) error {
	info, err := l.root.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		err = l.root.Remove(name)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return err
	}
	if err := l.root.Mkdir(name, 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o755)
	if info, err := os.Lstat(filepath.Join(l.like, filepath.FromSlash(name))); l.like != "" && err == nil && info.IsDir() {
		mode = info.Mode().Perm() | 0o700
	}
	return l.root.Chmod(name, mode)
}

func sortByName(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}
