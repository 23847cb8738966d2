package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve has the file system give a file its blocks. ErrUnsupported says that it
// cannot.
func reserve(f *os.File, bytes int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), 0, 0, bytes); err != unix.EINTR {
			return err
		}
	}
}
