package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ballast keeps the disk of the state directory from filling up under the event
// server, which stays dead after a write that failed: ordinary events stop at a
// floor of free space, and for how runs end a file can be given up that was only
// there to take room.
type ballast struct{ dir string }

const (
	diskFloor    = 8 << 20
	ballastBytes = 16 << 20
)

func (b ballast) path() string { return filepath.Join(b.dir, "ballast") }

// free is the room on the disk; what cannot be measured is no reason to stop.
func (b ballast) free() uint64 {
	var st unix.Statfs_t
	if err := unix.Statfs(b.dir, &st); err != nil {
		return diskFloor
	}
	return uint64(st.Bavail) * uint64(st.Bsize)
}

// low says that ordinary events must wait.
func (b ballast) low() bool { return b.free() < diskFloor }

// release gives the ballast up.
func (b ballast) release() error {
	err := os.Remove(b.path())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// plenty says that there is room for what can be done without.
func (b ballast) plenty() bool { return b.free() >= 4*ballastBytes }

// refill takes the ballast on again, once there is plenty of room for it.
func (b ballast) refill() error {
	info, err := os.Stat(b.path())
	if err == nil && info.Size() == ballastBytes || !b.plenty() {
		return nil
	}
	if err := b.take(); err != nil {
		return errors.Join(fmt.Errorf("take on ballast: %w", err), b.release())
	}
	return nil
}

func (b ballast) take() error {
	f, err := os.OpenFile(b.path(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(fill(f, reserve), f.Close())
}

// fill gives a file the room of the ballast: by the word of the file system, else with
// zeros that are written, as a file with a hole takes none.
func fill(f *os.File, reserve func(*os.File, int64) error) error {
	err := reserve(f, ballastBytes)
	if errors.Is(err, errors.ErrUnsupported) {
		_, err = io.CopyN(f, zeros{}, ballastBytes)
	}
	return err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
