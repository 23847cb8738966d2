//go:build !linux

package tree

import (
	"errors"
	"io/fs"
	"os"
)

// fsyncMethod: git promises its batch mode for the file systems of macOS.
func fsyncMethod(string) string { return "batch" }

// stamp has no portable change time here, so large files are read every time.
func stamp(fs.FileInfo) (string, bool) { return "", false }

// mountsBelow: there are no mounts of a part of a file system here, and of others
// the device tells.
func mountsBelow(string) []string { return nil }

// whiteOut has no overlay to make it for.
func whiteOut(*os.File, string) error { return errors.ErrUnsupported }

// born: the time of birth has no portable name here.
func born(string) string { return "" }

// pathMax is how long a path of the system may be.
const pathMax = 1024

// writeOut has no weaker form here.
func writeOut(f *os.File) error { return f.Sync() }
