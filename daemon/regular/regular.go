// Package regular opens files that users and agents name. Anything may lie at such a
// path: a pipe without a writer would hold a plain open forever.
package regular

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// ErrIrregular refuses what is no regular file: a directory, pipe, socket or device.
var ErrIrregular = errors.New("it is not a regular file")

// Open opens a regular file for reading, without waiting. It follows links.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrIrregular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read is the start of a regular file: at most limit bytes, and one byte more of a
// larger file, so that its reader sees that it is too large.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	return text, errors.Join(err, f.Close())
}
