package worktree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Bounds of what is copied.
const (
	mostSeeds   = 200
	maxSeed     = 10 << 20 // bytes of one
	maxAllSeeds = 50 << 20
)

// Left is a file that is not copied.
type Left struct{ Path, Why string }

// seeding finds the files of a work tree that git ignores and another one needs.
type seeding struct {
	dir   string
	root  *os.Root
	found []string
	left  []Left
	bytes int64
}

// seeds are the files that the globs name and git ignores, by path below the work
// tree. What git does not ignore is in a commit or is the user's to commit. Only
// regular files are copied, and none that a link out of the work tree leads to.
//
// Source: atdd-kit, A53.
func seeds(ctx context.Context, g git, globs []string) ([]string, []Left, error) {
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	s := &seeding{dir: g.dir, root: root}
	for _, glob := range globs {
		if err := s.glob(glob); err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(s.found)
	s.found = slices.Compact(s.found)
	if s.found, err = g.ignored(ctx, s.found); err != nil {
		return nil, nil, err
	}
	s.found = slices.DeleteFunc(s.found, func(p string) bool { return !s.fits(p) })
	return s.found, s.left, nil
}

// ignored are those of some files that git ignores here.
func (g git) ignored(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := append([]string{"--literal-pathspecs", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"}, paths...)
	out, err := g.run(ctx, args...)
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), err
}

// glob adds what a glob names: files, and all files of directories.
func (s *seeding) glob(glob string) error {
	names := []string{glob}
	if strings.ContainsAny(glob, `*?[\`) {
		var err error
		if names, err = fs.Glob(s.root.FS(), glob); err != nil {
			return &GlobError{glob}
		}
	} else if !filepath.IsLocal(glob) {
		return &GlobError{glob}
	}
	for _, name := range names {
		s.name(path.Clean(name))
	}
	return nil
}

func (s *seeding) name(name string) {
	at, err := s.root.Lstat(name)
	if err != nil {
		if _, lerr := os.Lstat(filepath.Join(s.dir, name)); lerr == nil {
			s.leave(name, "a link that leads out of the work tree is on the way to it")
		}
		return
	}
	if !at.IsDir() {
		s.found = append(s.found, name)
		return
	}
	_ = fs.WalkDir(s.root.FS(), name, func(p string, d fs.DirEntry, err error) error {
		switch {
		case len(s.found) > 10*mostSeeds:
			return fs.SkipAll // it is too many, and said to be
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err == nil && d.Name() == ".git":
			return fs.SkipDir
		case err == nil && !d.IsDir():
			s.found = append(s.found, p)
		}
		return nil
	})
}

func (s *seeding) leave(name, why string) { s.left = append(s.left, Left{name, why}) }

// fits says that a file can be copied, within the bounds.
func (s *seeding) fits(name string) bool {
	st, err := s.root.Stat(name)
	why := ""
	switch {
	case err != nil:
		why = "it is a link that leads out of the work tree, or nowhere"
	case !st.Mode().IsRegular():
		why = "it is not a file"
	case st.Size() > maxSeed:
		why = "it is larger than 10 MiB"
	case s.bytes+st.Size() > maxAllSeeds:
		why = "with it they are larger than 50 MiB"
	default:
		s.bytes += st.Size()
		return true
	}
	s.leave(name, why)
	return false
}

// fill copies what was planned into a work tree that was made, and says what of it
// is not there.
func (p Plan) fill(ctx context.Context, g git) (copied []string, left []Left) {
	from, err := os.OpenRoot(p.From)
	if err != nil {
		return nil, []Left{{p.From, err.Error()}}
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, []Left{{p.Dir, err.Error()}}
	}
	defer func() { _ = to.Close() }()
	for i, name := range p.Seed {
		var err error
		switch {
		case i >= mostSeeds:
			return copied, append(left, Left{name, "it and those after it are more than 200"})
		case throughLink(to, name) || !g.ignores(ctx, name):
			err = errShown
		default:
			err = copyFile(from, to, name)
		}
		if err != nil {
			left = append(left, Left{name, reason(err)})
			continue
		}
		copied = append(copied, name)
	}
	return copied, left
}

// errShown is a file that would be in the next commit there.
var errShown = errors.New("git does not ignore it there")

// ignores says whether git would ignore a file in a work tree, which may have
// other rules than the one that it comes from.
func (g git) ignores(ctx context.Context, name string) bool {
	_, err := g.run(ctx, "check-ignore", "--quiet", "--", "./"+name) // so no : begins it
	return err == nil
}

// throughLink says that a link is on the way to a file.
func throughLink(root *os.Root, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if st, err := root.Lstat(dir); err == nil && !st.IsDir() {
			return true
		}
	}
	return false
}

// copyFile copies a file with its mode, and over nothing that is there.
func copyFile(from, to *os.Root, name string) error {
	in, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that was put there opens, and is seen
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return errors.New("it is not a file")
	}
	if err := to.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxSeed))
	if err = errors.Join(err, out.Chmod(st.Mode().Perm()), out.Close()); err != nil {
		return errors.Join(err, to.Remove(name))
	}
	return nil
}

// reason is why a file could not be copied, without the path, which is said too.
func reason(err error) string {
	var p *fs.PathError
	switch {
	case errors.Is(err, fs.ErrExist):
		return "it is there already"
	case errors.As(err, &p):
		return p.Err.Error()
	}
	return err.Error()
}
