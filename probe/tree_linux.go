package probe

import (
	"bytes"
	"context"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"autopilot/probe/judge"
)

// processes reads the table of processes itself: the library opens five files and
// more of each, and asks another program for children.
func (s *Sampler) processes(_ context.Context, r *judge.Reading, roots map[string][]int) {
	dir, err := os.Open(s.path("proc"))
	if err != nil {
		return
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return
	}
	page := float64(os.Getpagesize())
	all := make([]entry, 0, len(names))
	var buf [1024]byte
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := parseStat(pid, readStat(buf[:], s.path("proc", name, "stat")), page); ok {
			all = append(all, p)
		}
	}
	if len(all) > 0 {
		newTable(all).fill(r, roots, s.cfg.Agents)
	}
}

// readStat reads a small file at once, without what os.File costs.
func readStat(buf []byte, file string) []byte {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // it has ended
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}

// Fields of /proc/PID/stat behind the name (proc_pid_stat(5)).
const (
	statParent = 1
	statRSS    = 21
)

// parseStat reads a line of /proc/PID/stat. The name is in brackets, and may have
// any character in it.
func parseStat(pid int, b []byte, page float64) (entry, bool) {
	open, closed := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || closed < open {
		return entry{}, false
	}
	f := bytes.Fields(b[closed+1:])
	if len(f) <= statRSS {
		return entry{}, false
	}
	p := entry{pid: pid, name: string(b[open+1 : closed])}
	parent, err := strconv.Atoi(string(f[statParent]))
	if err != nil {
		return entry{}, false
	}
	p.parent = parent
	if pages, ok := number(f[statRSS]).Get(); ok {
		p.rss = judge.Known(pages * page)
	}
	return p, true
}
