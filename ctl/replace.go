package ctl

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// tempName is the pattern of the files that replaceFile writes first.
func tempName(path string) string { return "." + filepath.Base(path) + ".*" }

// replaceFile writes a file so that it is there whole or not at all.
func replaceFile(path, text string, mode fs.FileMode) error {
	return replaceWith(path, mode, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// replaceWith is replaceFile for what comes in pieces.
func replaceWith(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempName(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = write(f)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
