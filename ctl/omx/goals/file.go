package goals

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"autopilot/ctl/disk"
)

// Bounds of what is read, in bytes.
const (
	mostPlan   = 16 << 20
	mostLedger = 256 << 20
	mostBrief  = 4 << 20
)

// read is a regular file of the directory, and whether it is there.
func (s Store) read(name string, most int64) (text []byte, there bool, err error) {
	return disk.Read(s.path(name), most)
}

// replace puts a whole file into its place, and returns once that is on the disk.
func (s Store) replace(name string, text []byte) error {
	return disk.Replace(s.path(name), tempOf(name), text, true)
}

// appendFrom appends text to a file that has size bytes, and returns once it is on the
// disk. What stands behind that is the beginning of the same text, cut off.
func (s Store) appendFrom(name string, size int64, text []byte) error {
	f, err := os.OpenFile(s.path(name), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644) //nolint:gosec // as the release's, readable as other files of the project are
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, size)
	if err = errors.Join(err, f.Sync()); err != nil {
		_ = f.Truncate(size)
	}
	return errors.Join(err, f.Close())
}

// keep gives a file a second name, for which none may be there.
func (s Store) keep(name, as string) error {
	err := os.Link(s.path(name), s.path(as))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s Store) dir() string { return filepath.Join(s.Root, ".omx", "ultragoal") }

func (s Store) path(name string) string { return filepath.Join(s.dir(), name) }
