package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// CopyBounds is how much may be copied.
type CopyBounds struct {
	Entries int   // files, links and directories
	Bytes   int64 // of files
}

// ErrTooLarge means that a work tree is larger than a copy may be.
var ErrTooLarge = errors.New("the work tree is too large to be copied")

// Copy copies the work tree into an empty directory, with the files that git ignores, and
// with recorded files as in another tree. The changes lead from the work tree to that
// tree, as in Layer. Times and permissions are kept. Repositories (.git) are left out, so
// that no command in the copy reaches the original one; so are pipes, sockets and devices.
//
// It is for hosts that cannot lay one directory over another.
func (r *Repo) Copy(ctx context.Context, changes []Change, dir string, most CopyBounds) error {
	changes, err := r.unfold(ctx, changes, true)
	if err != nil {
		return fmt.Errorf("copy the work tree: %w", err)
	}
	from, err := os.OpenRoot(r.ws.Path)
	if err != nil {
		return fmt.Errorf("copy the work tree: %w", err)
	}
	defer from.Close()
	to, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("copy the work tree: %w", err)
	}
	defer to.Close()
	c := &copying{ctx: ctx, from: from, to: to, left: most, without: map[string]bool{".git": true}}
	if below, err := filepath.Rel(r.ws.Path, dir); err == nil {
		c.without[filepath.ToSlash(below)] = true // itself
	}
	var texts []Change
	for _, ch := range changes {
		if ch.OldMode == modeLink || ch.NewMode == modeLink {
			continue
		}
		c.without[ch.Path] = true
		if ch.Status != Deleted {
			texts = append(texts, ch)
		}
	}
	if err := fs.WalkDir(from.FS(), ".", c.entry); err != nil {
		return fmt.Errorf("copy the work tree: %w", err)
	}
	if err := r.eachContent(ctx, texts, c.write); err != nil {
		return fmt.Errorf("copy the work tree: %w", err)
	}
	return nil
}

// copying is one Copy.
type copying struct {
	ctx      context.Context
	from, to *os.Root
	left     CopyBounds
	without  map[string]bool // paths that are not copied
}

func (c *copying) entry(name string, d fs.DirEntry, err error) error {
	if err == nil {
		err = c.ctx.Err()
	}
	switch {
	case err != nil:
		return err
	case name == ".":
		return nil
	case c.without[name] || d.Name() == ".git":
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	if c.left.Entries--; c.left.Entries < 0 {
		return ErrTooLarge
	}
	switch {
	case d.IsDir():
		return c.to.Mkdir(name, info.Mode().Perm()|0o700) // it may be shut, and has to be filled
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := c.from.Readlink(name)
		if err != nil {
			return err
		}
		return c.to.Symlink(target, name)
	case info.Mode().IsRegular():
		return c.file(name, info)
	}
	return nil
}

func (c *copying) file(name string, info fs.FileInfo) error {
	if c.left.Bytes -= info.Size(); c.left.Bytes < 0 {
		return ErrTooLarge
	}
	in, err := c.from.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if info.Mode().Perm()&0o111 != 0 { // as in create
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	out, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, info.Size()))
	err = errors.Join(err, out.Chmod(info.Mode().Perm()), out.Close())
	return errors.Join(err, c.to.Chtimes(name, info.ModTime(), info.ModTime()))
}

// write writes a changed file, also where the work tree has a directory, or a file in
// the place of one of its directories.
func (c *copying) write(to Change, text io.Reader) error {
	if err := c.to.RemoveAll(to.Path); err != nil {
		return err
	}
	if err := c.to.MkdirAll(path.Dir(to.Path), 0o755); err != nil {
		return err
	}
	return create(c.to, to.Path, to.NewMode, nil, text)
}
