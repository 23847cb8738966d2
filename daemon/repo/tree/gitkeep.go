package tree

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

// Bounds of what is kept of a repository.
const (
	mostKept  = 50_000    // files
	keptBytes = 256 << 20 // that are copied, where they cannot be linked
)

// Names in the folder where the repository of a run is kept.
const (
	keptObjects = "objects"
	keptLogs    = "logs"
	keptPointer = "pointer" // text of the .git of a linked work tree
	keptNames   = "names"   // what was in the repository's folder
)

// KeepGit keeps what brings the repository of the work tree back, should it be
// removed while the run goes on: its objects and reflogs as further names of the same
// files where the file system has that, else as copies within a bound, and small files
// as they are at the first call. Nothing there decides anything, and Forget removes it.
func (r *Repo) KeepGit(run string) error {
	if !nameOK(run) {
		return fmt.Errorf("keep a repository: bad run %.80q", run)
	}
	gd, err := r.standing()
	if err != nil {
		return err
	}
	k := keeping{dir: r.keptGit(run), copied: keptBytes, files: mostKept}
	_, err = os.Lstat(filepath.Join(k.dir, keptNames))
	first := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	errs := []error{
		k.all(gd.objects(), keptObjects, func(name string) bool { return !strings.HasPrefix(filepath.Base(name), "tmp_") }),
		k.all(filepath.Join(gd.common, "logs"), keptLogs, everything),
		k.again(filepath.Join(gd.dir, "index"), "index"),
	}
	if first {
		for _, name := range []string{"config", "info/exclude", "info/attributes", "description"} {
			errs = append(errs, k.again(filepath.Join(gd.common, name), name))
		}
		errs = append(errs, k.again(filepath.Join(gd.dir, "config.worktree"), "config.worktree"),
			k.small(filepath.Join(gd.common, "hooks"), "hooks"), k.pointer(r.ws.Path), k.names(gd))
	}
	return errors.Join(errs...)
}

// keptGit is the folder where the repository of a run is kept.
func (r *Repo) keptGit(run string) string { return filepath.Join(r.dir, "kept", run) }

func everything(string) bool { return true }

// keeping is one call.
type keeping struct {
	dir    string
	copied int64 // bytes that may still be copied
	files  int   // that may still be kept
}

// all keeps a folder, but what is kept already.
func (k *keeping) all(from, to string, wanted func(string) bool) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(k.dir, to, rel)
		switch {
		case e.IsDir():
			return os.MkdirAll(at, 0o700)
		case !e.Type().IsRegular() || !wanted(rel):
			return nil
		}
		return k.file(path, at)
	})
}

// file keeps one file.
func (k *keeping) file(from, to string) error {
	if k.files--; k.files < 0 {
		return errors.New("it has too many files to be kept")
	}
	err := os.Link(from, to)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return nil
	}
	info, err := os.Lstat(from)
	if err != nil {
		return nil //nolint:nilerr // it went meanwhile
	}
	if k.copied -= info.Size(); k.copied < 0 {
		return errors.New("it is too large to be copied")
	}
	return copyFile(from, to, info.Mode().Perm())
}

// again keeps a small file as it is now.
func (k *keeping) again(from, name string) error {
	text, err := readRegular(from, indexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	to := filepath.Join(k.dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return writeFile(to, text, true)
}

// small copies the files of a folder.
func (k *keeping) small(from, to string) error {
	entries, _ := os.ReadDir(from)
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > hookBytes {
			continue
		}
		if err := os.MkdirAll(filepath.Join(k.dir, to), 0o700); err != nil {
			return err
		}
		errs = append(errs, copyFile(filepath.Join(from, e.Name()), filepath.Join(k.dir, to, e.Name()), info.Mode().Perm()))
	}
	return errors.Join(errs...)
}

// pointer keeps where a linked work tree has its repository.
func (k *keeping) pointer(top string) error {
	path := filepath.Join(top, ".git")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return k.again(path, keptPointer)
}

// names keeps what is in the folder of the repository, so that it can be said what of
// it is not brought back.
func (k *keeping) names(gd gitDir) error {
	entries, err := os.ReadDir(gd.common)
	if err != nil {
		return err
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name()+"\n")
	}
	slices.Sort(list)
	return writeFile(filepath.Join(k.dir, keptNames), []byte(strings.Join(list, "")), true)
}

// copyFile makes a copy that was not there.
func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.OpenFile(from, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
