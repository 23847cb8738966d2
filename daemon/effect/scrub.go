package effect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"autopilot/daemon/redact"
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
// one. Links are neither followed nor changed.
func (d Dir) Scrub(set *redact.Set) error {
	root, err := os.OpenRoot(d.Box())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("scrub box: %w", err)
	}
	defer root.Close()
	files := 0
	var errs []error
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			// It is gone, or may not be looked into: then it goes as a whole.
			errs = append(errs, root.RemoveAll(name))
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
	if err := errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("scrub box: %w", err)
	}
	return nil
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

// gone is the error of a removal: what is not there was what was wanted.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
