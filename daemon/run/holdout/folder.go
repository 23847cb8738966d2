package holdout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Bounds of a folder.
const (
	MostFiles = 20_000
	MostBytes = 512 << 20
)

// Folder is what a folder of held-out files holds.
type Folder struct {
	Sum   string `json:"sum"` // SHA-256 of paths, kinds, modes and contents
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// PathError says why a folder cannot be used. Its path is relative to the folder.
type PathError struct{ Path, What string }

func (e *PathError) Error() string { return e.Path + ": " + e.What }

// Read sums a folder.
func Read(dir string) (Folder, error) { return walk(dir, func(entry, io.Reader) error { return nil }) }

// entry is a file, a link or a directory of a folder.
type entry struct {
	path string // with slashes, relative
	mode fs.FileMode
	at   time.Time
	link string // where a link leads
}

// walk hands over each entry with its content, parents first, and sums what was read.
// A repository around held-out files is not taken: it is not what gates run on.
func walk(dir string, each func(entry, io.Reader) error) (Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Folder{}, err
	}
	defer root.Close()
	w := &walking{root: root, sum: sha256.New(), each: each}
	if err := w.dir("."); err != nil {
		return Folder{}, err
	}
	w.Sum = hex.EncodeToString(w.sum.Sum(nil))
	return w.Folder, nil
}

// walking is one walk.
type walking struct {
	Folder
	root *os.Root
	sum  hash.Hash
	each func(entry, io.Reader) error
	seen int
}

func (w *walking) dir(name string) error {
	d, err := w.root.Open(name)
	if err != nil {
		return err
	}
	entries, err := d.ReadDir(-1)
	if closed := d.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	sortByName(entries)
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if w.seen++; w.seen > MostFiles {
			return &PathError{name, fmt.Sprintf("the folder holds more than %d files", MostFiles)}
		}
		if err := w.entry(path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (w *walking) entry(name string) error {
	info, err := w.root.Lstat(name)
	if err != nil {
		return err
	}
	e := entry{path: name, mode: info.Mode(), at: info.ModTime()}
	switch {
	case info.IsDir():
		w.note("dir", name)
		if err := w.each(e, nil); err != nil {
			return err
		}
		return w.dir(name)
	case info.Mode()&fs.ModeSymlink != 0:
		return w.link(e)
	case !info.Mode().IsRegular():
		return &PathError{name, "it is neither a file nor a folder"}
	}
	return w.file(e)
}

func (w *walking) link(e entry) error {
	to, err := w.root.Readlink(e.path)
	if err != nil {
		return err
	}
	if path.IsAbs(to) || !filepath.IsLocal(path.Join(path.Dir(e.path), to)) {
		return &PathError{e.path, "it is a link that leads out of the folder"}
	}
	e.link = to
	w.Files++
	w.note("link", e.path, to)
	return w.each(e, nil)
}

func (w *walking) file(e entry) error {
	// What became a pipe since would make an open wait for ever.
	f, err := w.root.OpenFile(e.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return &PathError{e.path, "it is no longer a file"}
	}
	sum := sha256.New()
	text := io.TeeReader(io.LimitReader(f, MostBytes-w.Bytes+1), sum)
	if err := w.each(e, text); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, text); err != nil {
		return err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if w.Bytes += at; w.Bytes > MostBytes {
		return &PathError{e.path, fmt.Sprintf("the folder holds more than %d MiB", MostBytes>>20)}
	}
	w.Files++
	kind := "file"
	if e.mode&0o111 != 0 {
		kind = "program"
	}
	w.note(kind, e.path, hex.EncodeToString(sum.Sum(nil)))
	return nil
}

// note adds to the sum of the folder. No path holds a NUL.
func (w *walking) note(words ...string) {
	_, _ = io.WriteString(w.sum, strings.Join(words, "\x00")+"\x00\n") // a hash takes all
}
