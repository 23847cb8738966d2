package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A work tree can hold what the daemon cannot look at: a folder without r or x, a file
// without r, paths that are too long. A tree names such a file, or the folder, where a
// nested repository would stand, so that it counts as a change and hides nothing else.
// The content is not recorded.

const (
	shutFolder = "autopilot folder that cannot be read\n"
	shutFile   = "autopilot file that cannot be read\n"
)

// longPath is the length of a path below which nothing is looked at when some path is
// too long for the system.
const longPath = 2048

// isShut says that a folder cannot be listed, or what is in it not be reached.
func isShut(path string) bool {
	return errors.Is(unix.Access(path, unix.R_OK|unix.X_OK), unix.EACCES)
}

// unreadable says that a file of that kind cannot be read. Most files say so by their
// mode.
func unreadable(path string, info fs.FileInfo) bool {
	return info.Mode().Perm()&0o444 != 0o444 && errors.Is(unix.Access(path, unix.R_OK), unix.EACCES)
}

// outOfReach says that a path could not be looked at because of what is above it.
func outOfReach(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENAMETOOLONG)
}

// shutAbove is the folder because of which a path cannot be looked at; empty if there
// is none below the top.
func (rec *recording) shutAbove(path string) string {
	for i, c := range []byte(path) {
		if abs := filepath.Join(rec.r.ws.Path, path[:i]); c == '/' && (isShut(abs) || len(abs) > longPath) {
			return path[:i]
		}
	}
	return ""
}

// linkShutAbove plans the folder above an entry that cannot be looked at.
func (rec *recording) linkShutAbove(ctx context.Context, p *plan, e entry, cause error) error {
	dir := rec.shutAbove(e.path)
	if dir == "" {
		return cause
	}
	p.remove(e)
	if slices.Contains(p.skipped, dir) {
		return nil
	}
	return rec.linkShut(ctx, p, entry{path: dir}, shutFolder)
}

// linkShut plans an entry for what cannot be looked at, and names it.
func (rec *recording) linkShut(ctx context.Context, p *plan, e entry, text string) error {
	id, err := rec.store(ctx, text)
	if err != nil {
		return err
	}
	p.skipped = append(p.skipped, e.path)
	p.link(e, id)
	return nil
}

// passBy puts the folders that git could not list into the index as what they are, so
// that it does not look into them. It says whether there were any.
func (rec *recording) passBy(ctx context.Context) (bool, error) {
	dirs, err := rec.shutDirs(ctx)
	if err != nil || len(dirs) == 0 {
		return false, err
	}
	var p plan
	for _, dir := range dirs {
		if err := rec.linkShut(ctx, &p, entry{path: dir}, shutFolder); err != nil {
			return false, err
		}
	}
	return true, rec.apply(ctx, p)
}

// shutDirs finds the folders that cannot be listed, but for those that are ignored
// or in other repositories.
func (rec *recording) shutDirs(ctx context.Context) ([]string, error) {
	ignored, err := rec.r.ignoredDirs(ctx, rec.rules, rec.index+".none")
	if err != nil {
		return nil, err
	}
	var shut []string
	top := rec.r.ws.Path
	err = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e == nil || !e.IsDir() || path == top {
			return err // of the top alone
		}
		rel := strings.TrimPrefix(path, top+"/")
		switch {
		case e.Name() == ".git" || ignored[rel]:
			return fs.SkipDir
		case err != nil || isShut(path) || len(path) > longPath:
			shut = append(shut, rel)
			return fs.SkipDir
		}
		if _, err := gitDirOf(path); err == nil {
			return fs.SkipDir
		}
		return nil
	})
	return shut, err
}

// openUp makes a folder or file that cannot be read one that can be, before it is
// brought back. It says whether it was such a one.
func (rs *restoring) openUp(path string) bool {
	if rs.plainParents(path) != nil {
		return false
	}
	info, err := rs.root.Lstat(path)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		return info.Mode().Perm()&0o700 != 0o700 && rs.root.Chmod(path, info.Mode().Perm()|0o700) == nil
	case info.Mode().IsRegular():
		return info.Mode().Perm()&0o400 == 0 && rs.root.Chmod(path, info.Mode().Perm()|0o600) == nil
	}
	return false
}

// shutText is what stands for a file that cannot be read: it changes when the file does.
func shutText(info os.FileInfo) string {
	return fmt.Sprintf("%ssize %d\nchanged %d\n", shutFile, info.Size(), info.ModTime().UnixNano())
}
