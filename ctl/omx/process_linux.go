package omx

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// process is when a process started, in ticks since the boot, and its command line.
func process(pid int) (started, command string, alive bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	b, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return "", "", false
	}
	// pid (name) state ...: the name may hold anything, also parentheses.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return "", "", false
	}
	c, _ := os.ReadFile(dir + "/cmdline")
	return f[19], strings.ReplaceAll(string(c), "\x00", " "), true
}
