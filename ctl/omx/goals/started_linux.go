package goals

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// ticks of a second in /proc, on every Linux.
const ticks = 100

// startedAfter says that a process is younger than a lock with its id: the id was given
// to another process since (lesson O23).
func startedAfter(pid int, since time.Time) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return false
	}
	start, err := strconv.ParseInt(string(fields[19]), 10, 64) // field 22: ticks since the host began
	if err != nil {
		return false
	}
	boot := bootTime()
	return boot > 0 && time.Unix(boot, 0).Add(time.Duration(start)*time.Second/ticks).After(since.Add(5*time.Second))
}

func bootTime() int64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("btime ")); ok {
			n, _ := strconv.ParseInt(string(bytes.TrimSpace(rest)), 10, 64) // 0 is unknown
			return n
		}
	}
	return 0
}
