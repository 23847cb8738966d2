package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ReadFile reads a regular file of at most MaxBytes, without ever
// waiting for it, and one byte more of one that grows meanwhile, so that its size
// is seen to be too much. The error does not name the path.
func ReadFile(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Cause(err)
	}
	return ReadOpen(file)
}

// ReadOpen reads a file that is open, and closes it.
func ReadOpen(file *os.File) ([]byte, error) {
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, Cause(err)
	case info.IsDir():
		return nil, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > MaxBytes:
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", info.Size(), MaxBytes)
	}
	src, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	return src, Cause(err)
}

// Cause is an error without the path that is named already.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
