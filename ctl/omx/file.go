package omx

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"autopilot/ctl/disk"
	"autopilot/projections/omx"
)

// mostState bounds a state that is read.
const mostState = 16 << 20

// readObject reads a file that is one JSON object. It refuses a link, a pipe, a directory
// and a file that was cut.
func readObject(path string) (o omx.Object, there bool, err error) {
	text, there, err := disk.Read(path, mostState)
	if err != nil || !there {
		return nil, there, err
	}
	o, err = omx.Parse(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if err != nil {
		return nil, true, fmt.Errorf("%s is not one JSON object, and is left as it is: %w", path, err)
	}
	return o, true, nil
}

// replace writes a state so that it is there whole or not at all.
func replace(path string, o omx.Object, synced bool) error {
	return disk.Replace(path, "."+filepath.Base(path)+".*.tmp", o.Indented(), synced)
}

// lockWithin bounds what a writer waits for another one (lesson O26).
const lockWithin = 10 * time.Second

// lock is the right to write the states of the workspace. It ends with its process.
func (s *Store) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.Base, 0o755); err != nil { //nolint:gosec // a directory of the project, readable as others are
		return nil, err
	}
	path := filepath.Join(s.Base, ".apctl.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644) //nolint:gosec // as other files of the project
	if err != nil {
		return nil, fmt.Errorf("open the lock of the states: %w", err)
	}
	for start := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || time.Since(start) > lockWithin {
			_ = f.Close()
			return nil, fmt.Errorf("another writer holds %s: try again: %w", path, err)
		}
	}
}
