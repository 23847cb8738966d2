package ctl

import (
	"bytes"
	"os"
	"strconv"
)

// ProcessRuns says whether a process runs. One that has ended and was not
// collected yet, as happens under a container's init, does not.
func ProcessRuns(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// pid (name) state ...: the name may hold anything, also parentheses.
	i := bytes.LastIndexByte(b, ')')
	return i < 0 || i+2 >= len(b) || b[i+2] != 'Z' && b[i+2] != 'X'
}
