package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// private are the flags of directories that are made here.
const private = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC

// terminals is where the kernel shows pseudo-terminals.
const terminals = "/dev/pts"

// cover makes the mounts of a plan, and returns what could not be made.
func cover(p Plan) []Gap {
	c := &covering{shown: map[string]int{}}
	for _, path := range p.Show {
		c.keep(path)
	}
	for _, l := range p.Layers { // they may lie in what is hidden
		c.keep(l.Upper)
		c.keep(l.Work)
	}
	for _, path := range slices.Sorted(slices.Values(p.Fixed)) {
		c.note(ReadOnly, path, unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""))
	}
	// Outer ones first: what lies in a covered directory is gone with it.
	for _, path := range slices.Sorted(slices.Values(p.Empty)) {
		c.note(Hide, path, c.empty(path))
	}
	for _, path := range slices.Sorted(slices.Values(p.Hide)) {
		c.note(Hide, path, c.hide(path))
	}
	for _, path := range slices.Sorted(slices.Values(p.Show)) { // outer ones first
		c.note(Hide, path, c.show(path))
	}
	for _, l := range p.Layers {
		if err := c.lay(l); err != nil {
			c.lacking = append(c.lacking, Gap{Layers, fmt.Sprintf("%s: %v", l.Dir, err)})
		}
		// What is mounted below a directory is no part of its layer.
		for _, path := range p.Hide {
			if strings.HasPrefix(path, l.Dir+"/") {
				c.note(Hide, path, c.hide(path))
			}
		}
	}
	for _, path := range c.closed {
		c.note(Hide, path, unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|private, ""))
	}
	for _, path := range p.ReadOnly {
		c.note(ReadOnly, path, readOnly(path))
	}
	c.note(Terminals, terminals, ownTerminals())
	if p.Sealed {
		if err := seal(p); err != nil {
			c.lacking = append(c.lacking, Gap{Sealed, err.Error()})
		}
	}
	return c.lacking
}

// seal makes every mount read-only but those that the plan lets be written. A layer
// holds on to its upper directory in its own way.
func seal(p Plan) error {
	open := []string{terminals, "/proc"} // maps of users are written there
	for _, path := range p.Write {
		err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, "")
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR):
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		open = append(open, path)
	}
	for _, l := range p.Layers {
		open = append(open, l.Dir)
	}
	open = append(open, p.Empty...)
	if err := unix.MountSetattr(-1, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("/: %w", err)
	}
	for _, path := range open {
		err := unix.MountSetattr(-1, path, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.EINVAL) { // not there, or no mount
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// covering is one cover.
type covering struct {
	shown   map[string]int // descriptors of what is shown again, by path
	closed  []string       // directories that are to become read-only
	lacking []Gap
}

// beyondReach says that no path leads there: for the effect it is as if there were
// nothing. A folder of its own that is shut is in reach of a stage, which may open it.
func beyondReach(err error) bool {
	return slices.ContainsFunc([]error{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ELOOP, unix.ENAMETOOLONG},
		func(one error) bool { return errors.Is(err, one) })
}

// note keeps what failed, but for paths that are not there or beyond reach. That a mount
// is refused, as by a security module, is no sign of either.
func (c *covering) note(word, path string, err error) {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return
	}
	if _, look := os.Lstat(path); look == nil || !beyondReach(look) {
		c.lacking = append(c.lacking, Gap{word, fmt.Sprintf("%s: %v", path, err)})
	}
}

// keep holds on to what will be out of sight.
func (c *covering) keep(path string) {
	if fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0); err == nil {
		c.shown[path] = fd
	}
}

func (c *covering) hide(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return unix.Mount(os.DevNull, path, "", unix.MS_BIND, "")
	}
	c.closed = append(c.closed, path)
	return unix.Mount("hidden", path, "tmpfs", private, "mode=0700,size=1m")
}

// empty keeps the mode: a directory for all stays one.
func (c *covering) empty(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	mode := uint32(info.Mode().Perm())
	if info.Mode()&fs.ModeSticky != 0 {
		mode |= unix.S_ISVTX
	}
	return unix.Mount("empty", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=%#o", mode))
}

// show puts something back where it was, unless nothing covers it.
func (c *covering) show(path string) error {
	fd, ok := c.shown[path]
	if !ok {
		return nil
	}
	defer unix.Close(fd)
	var was, is unix.Stat_t
	if err := unix.Fstat(fd, &was); err != nil {
		return err
	}
	if unix.Lstat(path, &is) == nil && is.Dev == was.Dev && is.Ino == was.Ino {
		return nil
	}
	if err := standIn(path, was.Mode&unix.S_IFMT == unix.S_IFDIR); err != nil {
		return err
	}
	return unix.Mount("/proc/self/fd/"+strconv.Itoa(fd), path, "", unix.MS_BIND|unix.MS_REC, "")
}

// lay mounts a layer. The kernel finds the directories by descriptors, so that no
// path has to be quoted.
func (c *covering) lay(l Layer) error {
	upper, ok := c.shown[l.Upper]
	work, there := c.shown[l.Work]
	if !ok || !there {
		return fs.ErrNotExist
	}
	lower, err := unix.Open(l.Dir, unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(lower)
	return unix.Mount("overlay", l.Dir, "overlay", unix.MS_NODEV,
		fmt.Sprintf("lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,userxattr", lower, upper, work))
}

// standIn makes what something can be mounted on.
func standIn(path string, dir bool) error {
	if dir {
		return os.MkdirAll(path, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func readOnly(path string) error {
	if _, err := os.Lstat(path); err != nil {
		return err
	}
	if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return unix.MountSetattr(-1, path, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// ownTerminals gives the effect pseudo-terminals of its own: reading that of a
// person would take the keys that are typed there.
func ownTerminals() error {
	if err := unix.Mount("devpts", terminals, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return err
	}
	link, err := os.Readlink("/dev/ptmx")
	if err == nil && strings.HasSuffix(link, "pts/ptmx") {
		return nil
	}
	return unix.Mount(terminals+"/ptmx", "/dev/ptmx", "", unix.MS_BIND, "")
}
