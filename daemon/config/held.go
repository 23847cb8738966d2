package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"autopilot/daemon/store/durable"
	"autopilot/daemon/strictyaml"
	"autopilot/events/wire"
)

// notRead ends the problems of a folder that is not the one that the user has chosen.
const notRead = ", so the file is not read"

// Held is the user's file in a folder that a daemon holds from its start on, so that no
// effect decides what it reads by another folder in that place. Its methods may be called
// from any goroutine.
type Held struct {
	path string
	dir  *os.File // nil where there can be none
	info fs.FileInfo
	link []wire.ConfigProblem // that a link leads elsewhere than for the last daemon
}

// Hold opens the folder of the user's file, which is made if it is missing. An empty path
// holds the defaults. A folder that can neither be made nor opened is not held: the file
// is read by its path.
func Hold(path string) *Held {
	h := &Held{path: path}
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return h
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return h
	}
	if h.info, err = dir.Stat(); err != nil {
		_ = dir.Close()
		return h
	}
	h.dir = dir
	return h
}

// Remember compares where the folder really is with the note of an earlier daemon, or
// writes that note. No effect can write it. If a link leads elsewhere now, the file is not
// read until somebody removes the note.
func (h *Held) Remember(note string) error {
	if h.dir == nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(filepath.Dir(h.path))
	if err != nil {
		return err
	}
	b, err := os.ReadFile(note)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	path, was, known := strings.Cut(strings.TrimSuffix(string(b), "\x00"), "\x00")
	if !known || path != h.path {
		return durable.Replace(note, []byte(h.path+"\x00"+real+"\x00"))
	}
	if was != real {
		h.link = []wire.ConfigProblem{{
			File: h.path, Message: fmt.Sprintf("a link leads to %s, and led to %s when the last daemon started%s", real, was, notRead),
			Fix: fmt.Sprintf("take it with rm %s; apctl daemon restart", note),
		}}
	}
	return nil
}

// Path is where the file was when the folder was opened.
func (h *Held) Path() string { return h.path }

// Read reads the file over the defaults, from the held folder. If another folder stands in
// its place, the file has a problem. A folder that was moved away is read on.
func (h *Held) Read() UserFile {
	if h.dir == nil {
		return ReadUser(h.path)
	}
	if h.link != nil {
		return UserFile{File: File{Path: h.path, Exists: true, Problems: h.link}, User: DefaultUser()}
	}
	f := UserFile{File: h.read(), User: DefaultUser()}
	f.Problems = append(f.Problems, h.replaced()...)
	f.parseUser()
	return f
}

func (h *Held) read() File {
	f := File{Path: h.path}
	fd, err := unix.Openat(int(h.dir.Fd()), filepath.Base(h.path), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		var link unix.Stat_t
		if unix.Fstatat(int(h.dir.Fd()), filepath.Base(h.path), &link, unix.AT_SYMLINK_NOFOLLOW) != nil {
			return f
		}
	}
	f.Exists = true
	if err == nil {
		f.Source, err = strictyaml.ReadOpen(os.NewFile(uintptr(fd), h.path))
	}
	if err != nil {
		f.Problems = []wire.ConfigProblem{unreadable(h.path, err)}
	}
	return f
}

// Err says that another folder is in the place of the one that is held.
func (h *Held) Err() error { return File{Path: h.path, Problems: h.replaced()}.Err() }

func (h *Held) replaced() []wire.ConfigProblem {
	if h.dir == nil || h.link != nil {
		return h.link
	}
	now, err := os.Stat(filepath.Dir(h.path))
	if err != nil || os.SameFile(now, h.info) {
		return nil
	}
	return []wire.ConfigProblem{{
		File: h.path, Message: "another folder is in the place of its folder since the daemon started" + notRead, Fix: "take it with apctl daemon restart",
	}}
}

// Close lets go of the folder.
func (h *Held) Close() error {
	if h.dir == nil {
		return nil
	}
	return h.dir.Close()
}
