package proc

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupMounts are where the unified hierarchy is: alone, or beside the older
// ones. A list of all mounts would cost a start more than it finds.
var cgroupMounts = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// OwnCgroup is the control group of this process, empty where there is none to
// be seen.
func OwnCgroup() Cgroup {
	path := cgroupPath("self")
	if path == "" || strings.HasPrefix(path, "/..") {
		return "" // it is outside of what our namespace shows
	}
	for _, mount := range cgroupMounts {
		var fs unix.Statfs_t
		if unix.Statfs(mount, &fs) == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC {
			return Cgroup(filepath.Join(mount, path))
		}
	}
	return ""
}

// cgroupPath is where in the unified hierarchy a process is.
func cgroupPath(pid string) string {
	var buf [2048]byte
	b, err := readInto(buf[:], "/proc/"+pid+"/cgroup")
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(b) {
		if path, ok := bytes.CutPrefix(line, []byte("0::")); ok {
			return string(bytes.TrimSuffix(path, []byte("\n")))
		}
	}
	return ""
}

// CgroupMaker is the supervisor in whose control group pid is and this process
// is not: that may itself be part of an effect, of another daemon.
func CgroupMaker(pid int) (maker Process, ok bool) {
	path, err := filepath.Rel(orRoot(cgroupPath("self")), orRoot(cgroupPath(strconv.Itoa(pid))))
	if err != nil {
		return Process{}, false
	}
	for name := range strings.SplitSeq(path, "/") {
		if maker, ok := Cgroup(name).Maker(); ok {
			return maker, true
		}
	}
	return Process{}, false
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// tick is the unit of times in /proc: USER_HZ is 100 on all that Go runs on.
const tick = 10 * time.Millisecond

// CPU is the CPU time of a process and of its children that it waited for, 0
// if it is gone.
func CPU(pid int) time.Duration {
	var buf [1024]byte
	b, err := readInto(buf[:], "/proc/"+strconv.Itoa(pid)+"/stat")
	if err != nil {
		return 0
	}
	_, f, err := statFields(b)
	if err != nil {
		return 0
	}
	var used time.Duration
	for _, field := range f[11:15] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0
		}
		used += time.Duration(n) * tick
	}
	return used
}
