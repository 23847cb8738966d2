// Package disk keeps room on the disk of the state directory.
package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Ballast keeps the disk of the state directory from filling up under the event
// server, which stays dead after a write that failed: ordinary events stop at a
// floor of free space, and for how runs end a file can be given up that was only
// there to take room.
type Ballast struct{ Dir string }

// Bytes of a disk: what ordinary events leave free, and what the ballast takes.
const (
	Floor        = 8 << 20
	BallastBytes = 16 << 20
)

// Path is the file of the ballast.
func (b Ballast) Path() string { return filepath.Join(b.Dir, "ballast") }

// Free is the room on the disk; what cannot be measured is no reason to stop.
func (b Ballast) Free() uint64 {
	var st unix.Statfs_t
	if err := unix.Statfs(b.Dir, &st); err != nil {
		return Floor
	}
	return uint64(st.Bavail) * uint64(st.Bsize)
}

// Low says that ordinary events must wait.
func (b Ballast) Low() bool { return b.Free() < Floor }

// Release gives the ballast up.
func (b Ballast) Release() error {
	err := os.Remove(b.Path())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// Plenty says that there is room for what can be done without.
func (b Ballast) Plenty() bool { return b.Free() >= 4*BallastBytes }

// Refill takes the ballast on again, once there is plenty of room for it.
func (b Ballast) Refill() error {
	info, err := os.Stat(b.Path())
	if err == nil && info.Size() == BallastBytes || !b.Plenty() {
		return nil
	}
	if err := b.take(); err != nil {
		return errors.Join(fmt.Errorf("take on ballast: %w", err), b.Release())
	}
	return nil
}

func (b Ballast) take() error {
	f, err := os.OpenFile(b.Path(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(fill(f, reserve), f.Close())
}

// fill gives a file the room of the ballast: by the word of the file system, else with
// zeros that are written, as a file with a hole takes none.
func fill(f *os.File, reserve func(*os.File, int64) error) error {
	err := reserve(f, BallastBytes)
	if errors.Is(err, errors.ErrUnsupported) {
		_, err = io.CopyN(f, zeros{}, BallastBytes)
	}
	return err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
