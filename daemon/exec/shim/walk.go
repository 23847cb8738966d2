package shim

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of one look at files. What is beyond them counts as unchanged: a
// program that changes nothing else also shows it by its CPU time.
const (
	lookMost    = time.Second
	entriesMost = 200_000
	foldersMost = 20_000
)

// newestBelow is the newest time at which one of the roots, or a file or
// directory below, was changed: after since, and not in the future of until.
// It goes broad before deep, leaves repositories of git alone and follows no
// links but roots.
func newestBelow(roots []string, since, until time.Time) time.Time {
	w := &walker{since: since, until: until.Add(jumpLeast), deadline: time.Now().Add(lookMost)}
	for _, root := range roots {
		var st unix.Stat_t
		if unix.Stat(root, &st) != nil {
			continue // it may not be there yet
		}
		w.note(&st)
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			w.folders = append(w.folders, root)
		}
	}
	for i := 0; i < len(w.folders) && w.folder(w.folders[i]); i++ {
		w.folders[i] = "" // not needed any more
	}
	return w.newest
}

type walker struct {
	since, until, deadline time.Time
	newest                 time.Time
	folders                []string
	entries                int
}

// folder looks at the entries of a directory and says whether to go on.
func (w *walker) folder(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return true // it may be gone by now
	}
	defer f.Close()
	for {
		names, _ := f.Readdirnames(256)
		if len(names) == 0 {
			return true
		}
		if w.entries += len(names); w.entries > entriesMost || time.Now().After(w.deadline) {
			return false
		}
		for _, name := range names {
			w.entry(int(f.Fd()), dir, name)
		}
	}
}

func (w *walker) entry(fd int, dir, name string) {
	var st unix.Stat_t
	if name == ".git" || unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return
	}
	w.note(&st)
	if st.Mode&unix.S_IFMT == unix.S_IFDIR && len(w.folders) < foldersMost {
		w.folders = append(w.folders, filepath.Join(dir, name))
	}
}

func (w *walker) note(st *unix.Stat_t) {
	for _, ts := range []unix.Timespec{st.Mtim, st.Ctim} {
		if t := time.Unix(ts.Unix()); t.After(w.since) && t.After(w.newest) && t.Before(w.until) {
			w.newest = t
		}
	}
}
