package ctl

import (
	"os"
	"path/filepath"
	"strconv"
)

// RegularFile is the absolute path of an open regular file, empty for anything
// else and for a file that no path leads to any more.
func RegularFile(f *os.File) string {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	if at, err := os.Stat(path); err != nil || !os.SameFile(st, at) {
		return ""
	}
	return path
}
