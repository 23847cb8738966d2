package effect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/redact"
)

// Bounds of what an effect may leave in its box and keep there.
const (
	scrubBytes = 16 << 20 // of a file: more is removed
	scrubFiles = 1000     // more of them are removed
)

// scrubbed is the name of a file in the making.
const scrubbed = ".scrubbed"

// Scrub takes what is in the set out of the files in the box of an effect that
// has ended: they stay for as long as the run is kept. Each is replaced as a
// whole, so one that is read meanwhile or after a crash is the old or the new
// one. Links are neither followed nor changed. A box in which that cannot be done,
// as the effect took our permission from a folder in it, is removed.
func (d Dir) Scrub(set *redact.Set) error {
	info, err := os.Lstat(d.Box())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.IsDir() {
		err = scrubBox(d.Box(), set)
	}
	if err == nil {
		return nil
	}
	if left := RemoveAll(d.Box()); left != nil {
		return fmt.Errorf("scrub box: %w", errors.Join(err, left))
	}
	return nil
}

func scrubBox(box string, set *redact.Set) error {
	root, err := os.OpenRoot(box)
	if err != nil {
		return err
	}
	defer root.Close()
	files := 0
	var errs []error
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			errs = append(errs, gone(err))
			return nil
		}
		if !e.Type().IsRegular() {
			return nil
		}
		if files++; files > scrubFiles {
			return root.Remove(name)
		}
		errs = append(errs, scrub(root, name, set))
		return nil
	})
	return errors.Join(append(errs, err)...)
}

func scrub(root *os.Root, name string, set *redact.Set) error {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return gone(root.Remove(name)) // what cannot be read cannot be kept
	}
	text, err := io.ReadAll(io.LimitReader(f, scrubBytes+1))
	f.Close()
	if err != nil || len(text) > scrubBytes {
		return gone(root.Remove(name))
	}
	clean := set.Text(string(text))
	if clean == string(text) {
		return nil
	}
	if err := gone(root.Remove(scrubbed)); err != nil {
		return err
	}
	if err := root.WriteFile(scrubbed, []byte(clean), 0o600); err != nil {
		return err
	}
	return root.Rename(scrubbed, name)
}

// gone is an error about a file that shall be clean or not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
