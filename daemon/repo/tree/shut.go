package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
const longPath = pathMax / 2

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
func (rec *recording) linkShut(_ context.Context, p *plan, e entry, text string) error {
	id, err := rec.store(text)
	if err != nil {
		return err
	}
	p.skipped = append(p.skipped, e.path)
	p.link(e, id)
	return nil
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
