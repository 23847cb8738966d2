package tree

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"autopilot/events"
)

// Restored says what Restore did.
type Restored struct {
	Written []string // given the content of the target
	Removed []string // created since, now gone
	Left    []string // large files and nested repositories, and what they stand in the way of
}

// Restore makes the work tree equal to a recorded tree. The caller records the
// present first and names it as from, which also makes the undo. Only paths
// that differ are touched, those in nested repositories too; files that are ignored,
// and what is recorded by its id only, stay and are listed in Left. It works within the
// work tree and never through a symbolic link. After an error or a crash it can
// be repeated from a new recording of the present.
func (r *Repo) Restore(ctx context.Context, from, to events.Tree) (Restored, error) {
	changes, err := r.Changes(ctx, from, to)
	if err == nil {
		changes, err = r.unfold(ctx, changes, false)
	}
	if err != nil {
		return Restored{}, fmt.Errorf("restore %s: %w", r.ws.Path, err)
	}
	root, err := os.OpenRoot(r.ws.Path)
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", r.goneOr(err))
	}
	defer root.Close()
	rs := &restoring{root: root}
	changes = slices.DeleteFunc(changes, func(c Change) bool {
		byID := c.OldMode == modeLink || c.NewMode == modeLink
		if c.OldMode == modeLink && c.NewMode != modeLink && rs.openUp(c.Path) {
			return c.Status == Deleted // what was in a folder comes by its own path
		}
		if byID {
			rs.left = append(rs.left, c.Path)
		}
		return byID
	})
	rs.done.Left = slices.Clone(rs.left)
	// Removals first: a file or link may stand where the target has a folder.
	for _, c := range changes {
		if c.Status == Deleted {
			if err := rs.remove(c.Path); err != nil {
				return rs.done, fmt.Errorf("restore %q: %w", c.Path, err)
			}
		}
	}
	if err := r.writeBack(ctx, rs, changes); err != nil {
		return rs.done, fmt.Errorf("restore: %w", err)
	}
	slices.Sort(rs.done.Left)
	return rs.done, nil
}

type restoring struct {
	root *os.Root
	left []string // recorded by id only, so not to be touched
	done Restored
}

// remove takes a file away, and the folders that it leaves empty.
func (rs *restoring) remove(path string) error {
	if err := rs.plainParents(path); err != nil {
		if gone(err) {
			return nil
		}
		return err
	}
	info, err := rs.root.Lstat(path)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%w: a folder has taken its place", errChanged)
	}
	if err := rs.root.Remove(path); err != nil {
		return err
	}
	rs.done.Removed = append(rs.done.Removed, path)
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if rs.root.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}

var errChanged = errors.New("work tree has changed since it was recorded")

// plainParents refuses a path that leads through a link.
func (rs *restoring) plainParents(path string) error {
	for i, c := range []byte(path) {
		if c != '/' {
			continue
		}
		info, err := rs.root.Lstat(path[:i])
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return &fs.PathError{Op: "enter", Path: path[:i], Err: errNotDir}
		}
	}
	return nil
}

// writeBack writes all files that the target has and the present has not,
// from one git process.
func (r *Repo) writeBack(ctx context.Context, rs *restoring, changes []Change) error {
	list := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Status == Deleted })
	return r.eachContent(ctx, list, rs.write)
}

// eachContent gives the new content of each path to write, in order. One git process
// reads all contents from the first one on that is no small loose object.
func (r *Repo) eachContent(ctx context.Context, list []Change, write func(Change, io.Reader) error) error {
	for len(list) > 0 && ctx.Err() == nil {
		text, ok := r.object("blob", list[0].NewID)
		if !ok {
			break
		}
		if err := write(list[0], bytes.NewReader(text)); err != nil {
			return fmt.Errorf("%q: %w", list[0].Path, err)
		}
		list = list[1:]
	}
	if len(list) == 0 {
		return ctx.Err()
	}
	var ids strings.Builder
	for _, c := range list {
		ids.WriteString(c.NewID + "\n")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pr, pw := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := r.run(ctx, call{args: []string{"cat-file", "--batch"}, stdin: strings.NewReader(ids.String()), stdout: pw})
		pw.CloseWithError(err)
		ended <- err
	}()
	err := writeAll(bufio.NewReader(pr), list, write)
	if err != nil {
		cancel()
	}
	pr.CloseWithError(err)
	return errors.Join(err, ignoreIf(err != nil, <-ended))
}

// ignoreIf drops an error that is only the consequence of another.
func ignoreIf(drop bool, err error) error {
	if drop {
		return nil
	}
	return err
}

func writeAll(in *bufio.Reader, list []Change, write func(Change, io.Reader) error) error {
	for _, c := range list {
		size, err := batchHeader(in, c.NewID)
		if err != nil {
			return fmt.Errorf("%q: %w", c.Path, err)
		}
		text := &io.LimitedReader{R: in, N: size}
		if err := write(c, text); err != nil {
			return fmt.Errorf("%q: %w", c.Path, err)
		}
		// Drain what a path left alone did not take, and the line break after it.
		if _, err := io.CopyN(io.Discard, in, text.N+1); err != nil {
			return fmt.Errorf("%q: %w", c.Path, err)
		}
	}
	return nil
}

func batchHeader(in *bufio.Reader, id string) (int64, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != id || fields[1] != "blob" {
		return 0, fmt.Errorf("object %s: %w", id, ErrNotFound)
	}
	return strconv.ParseInt(fields[2], 10, 64)
}

// write gives one path the content of the target.
func (rs *restoring) write(c Change, text io.Reader) error {
	if blocked, err := rs.makeParents(c.Path); err != nil {
		return err
	} else if blocked {
		rs.done.Left = append(rs.done.Left, c.Path)
		return nil
	}
	present, err := rs.root.Lstat(c.Path)
	if err != nil && !gone(err) {
		return err
	}
	if err == nil && present.IsDir() {
		// Ignored files may be in it; those are not ours to take.
		if err := rs.root.Remove(c.Path); err != nil {
			rs.done.Left = append(rs.done.Left, c.Path)
			return nil
		}
		present = nil
	}
	if err != nil {
		present = nil
	}
	temp := filepath.Join(filepath.Dir(c.Path), tempPrefix+"restore-"+c.NewID)
	if err := rs.root.Remove(temp); err != nil && !gone(err) {
		return err
	}
	if err := create(rs.root, temp, c.NewMode, present, text); err != nil {
		return err
	}
	if err := rs.root.Rename(temp, c.Path); err != nil {
		_ = rs.root.Remove(temp)
		return err
	}
	rs.done.Written = append(rs.done.Written, c.Path)
	return nil
}

// makeParents makes the folders on the way; blocked says that something which
// Restore leaves alone stands there: an ignored file or link, a large file, a
// nested repository.
func (rs *restoring) makeParents(path string) (blocked bool, err error) {
	for i, c := range []byte(path) {
		if c != '/' {
			continue
		}
		dir := path[:i]
		if slices.Contains(rs.left, dir) {
			return true, nil
		}
		info, err := rs.root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := rs.root.Mkdir(dir, 0o777); err != nil {
				return false, err
			}
		case err != nil:
			return false, err
		case !info.IsDir():
			return true, nil
		}
	}
	return false, nil
}

// create makes a file or link that is not there, with the permissions of the
// present one where there is one.
func create(root *os.Root, name, mode string, present fs.FileInfo, text io.Reader) error {
	want, err := fileMode(mode)
	if err != nil {
		return err
	}
	if want&fs.ModeSymlink != 0 {
		target, err := io.ReadAll(text)
		if err != nil {
			return err
		}
		return root.Symlink(string(target), name)
	}
	if want.Perm()&0o111 != 0 {
		// A child that is started meanwhile has the file open until it becomes its own
		// program, and who runs this one before that is told "text file busy".
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, want.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, text)
	if present != nil && present.Mode().IsRegular() {
		err = errors.Join(err, f.Chmod(permissions(present.Mode().Perm(), want)))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = root.Remove(name)
	}
	return err
}

// permissions keeps who may do what, and changes only whether it is a program.
func permissions(old, want fs.FileMode) fs.FileMode {
	if want&0o100 == 0 {
		return old &^ 0o111
	}
	return old | 0o100 | (old&0o044)>>2
}
