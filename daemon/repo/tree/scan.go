package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// seen is one path of the work tree that no rule ignores.
type seen struct {
	path   string
	mode   string // of a file or link; modeLink for a folder that is too deep
	mark   mark
	nested bool // a repository
	shut   bool // an unreadable folder
}

// scanning is one pass over the folders of a work tree, several at once. It opens each
// folder relative to its parent, never through a link.
type scanning struct {
	ctx   context.Context
	top   string
	rules ignoring
	index index
	limit int // longest path of a folder

	others chan struct{} // slots for goroutines in other folders
	wait   sync.WaitGroup

	mu      sync.Mutex
	special []string // pipes, sockets, devices
	err     error
}

var errTooLong = errors.New("a path is too long")

// scan lists the work tree in git's order, byte by byte. It lists folders themselves if
// their path is too long or they are unreadable. It skips index entries recorded by id
// alone.
func (rec *recording) scan(ctx context.Context, x index) (list []seen, special []string, err error) {
	rules := parseIgnore(rec.ignore)
	for _, limit := range []int{pathMax - 1, min(longPath, pathMax/2)} {
		s := &scanning{ctx: ctx, top: rec.r.ws.Path, rules: rules, index: x, limit: limit, others: make(chan struct{}, runtime.GOMAXPROCS(0))}
		if list, err = s.all(); !errors.Is(err, errTooLong) {
			return list, s.special, err
		}
	}
	return nil, nil, err
}

func (s *scanning) all() ([]seen, error) {
	fd, err := unix.Open(s.top, unix.O_RDONLY|openFolder|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: s.top, Err: err}
	}
	top := &folder{}
	s.fill(top, os.NewFile(uintptr(fd), s.top))
	s.wait.Wait()
	if s.err != nil {
		return nil, s.err
	}
	return top.flat(nil), nil
}

// folder is the content of a folder, in git's order.
type folder struct {
	rel   string // with a slash at its end, except the top
	items []item
}

type item struct {
	seen
	sub *folder // at its place in the order
}

func (f *folder) flat(list []seen) []seen {
	for i := range f.items {
		if sub := f.items[i].sub; sub != nil {
			list = sub.flat(list)
			continue
		}
		list = append(list, f.items[i].seen)
	}
	return list
}

func (s *scanning) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || errors.Is(err, errTooLong) && s.limit == pathMax-1 {
		s.err = err
	}
}

// fill reads an open folder, and closes it.
func (s *scanning) fill(d *folder, f *os.File) {
	defer f.Close()
	if err := s.ctx.Err(); err != nil {
		s.fail(err)
		return
	}
	entries, err := f.ReadDir(-1)
	if err != nil {
		s.fail(err)
		return
	}
	if d.rel != "" && s.repository(d, entries) {
		return
	}
	slices.SortFunc(entries, inGitsOrder)
	d.items = make([]item, 0, len(entries))
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if err := s.entry(d, f, e); err != nil {
			s.fail(err)
			return
		}
	}
}

// repository says whether a folder is a repository, without any file of its own in the
// record.
func (s *scanning) repository(d *folder, entries []fs.DirEntry) bool {
	path := strings.TrimSuffix(d.rel, "/")
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }) || s.index.below(path) {
		return false
	}
	if _, err := gitDirOf(filepath.Join(s.top, path)); err != nil {
		return false
	}
	d.items = []item{{seen: seen{path: path, nested: true}}}
	return true
}

// inGitsOrder compares names like whole paths: a folder as if a slash followed.
func inGitsOrder(a, b fs.DirEntry) int {
	x, y := a.Name(), b.Name()
	n := min(len(x), len(y))
	if c := strings.Compare(x[:n], y[:n]); c != 0 {
		return c
	}
	next := func(name string, e fs.DirEntry) int {
		switch {
		case len(name) > n:
			return int(name[n])
		case e.IsDir():
			return '/'
		}
		return -1
	}
	return next(x, a) - next(y, b)
}

func (s *scanning) entry(d *folder, f *os.File, e fs.DirEntry) error {
	path := d.rel + e.Name()
	switch e.Type() {
	case fs.ModeDir:
		if s.index.link(path) || s.rules.match(path, true) {
			return nil
		}
		return s.into(d, f, e.Name(), path)
	case 0, fs.ModeSymlink:
		if s.rules.match(path, false) {
			return nil
		}
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.special = append(s.special, path)
		return nil
	}
	var st unix.Stat_t
	if err := unix.Fstatat(int(f.Fd()), e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if gone(err) {
			return nil
		}
		return &fs.PathError{Op: "look at", Path: path, Err: err}
	}
	if len(s.top)+1+len(path) > pathMax-1 {
		return errTooLong
	}
	if mode := modeOf(&st); mode != "" {
		d.items = append(d.items, item{seen: seen{path: path, mode: mode, mark: markOf(&st)}})
	}
	return nil
}

// modeOf is git's mode of a file or link; empty for other kinds.
func modeOf(st *unix.Stat_t) string {
	switch mode := uint32(st.Mode); mode & unix.S_IFMT { //nolint:unconvert,nolintlint // 16 bits on some systems
	case unix.S_IFREG:
		if mode&0o100 != 0 {
			return modes[1]
		}
		return modes[0]
	case unix.S_IFLNK:
		return modes[2]
	}
	return ""
}

// into reads a folder below an open one.
func (s *scanning) into(d *folder, parent *os.File, name, path string) error {
	if len(s.top)+1+len(path) > s.limit {
		if s.limit == pathMax-1 {
			return errTooLong
		}
		d.items = append(d.items, item{seen: seen{path: path, mode: modeLink, shut: true}})
		return nil
	}
	fd, err := unix.Openat(int(parent.Fd()), name, unix.O_RDONLY|openFolder|unix.O_CLOEXEC, 0)
	if err == nil {
		// It may be readable but not searchable.
		if err = unix.Faccessat(fd, ".", unix.X_OK, 0); err != nil {
			_ = unix.Close(fd)
		}
	}
	switch {
	case errors.Is(err, unix.EACCES):
		d.items = append(d.items, item{seen: seen{path: path, shut: true}})
		return nil
	case gone(err) || errors.Is(err, unix.ELOOP):
		return nil
	case err != nil:
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	sub := &folder{rel: path + "/"}
	d.items = append(d.items, item{sub: sub})
	f := os.NewFile(uintptr(fd), filepath.Join(s.top, path))
	select {
	case s.others <- struct{}{}:
		s.wait.Go(func() {
			s.fill(sub, f)
			<-s.others
		})
	default:
		s.fill(sub, f)
	}
	return nil
}
