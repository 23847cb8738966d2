package tree

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// holderOf is a process of this user that has a file open, or a git that works in
// the work tree: git may have closed the file while an editor is open.
func holderOf(file, top string) int {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, p := range procs {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		dir := filepath.Join("/proc", p.Name())
		if isGit(dir, top) || opens(dir, file) {
			return pid
		}
	}
	return 0
}

func isGit(proc, top string) bool {
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil || filepath.Base(exe) != "git" {
		return false
	}
	at, err := os.Readlink(filepath.Join(proc, "cwd"))
	return err == nil && (at == top || strings.HasPrefix(at, top+"/"))
}

func opens(proc, file string) bool {
	fds, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(proc, "fd", fd.Name())); err == nil && to == file {
			return true
		}
	}
	return false
}
