//go:build !linux

package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// usesOf finds the processes of this user that have their working directory, their
// program or an open file in directories, given by their real paths. The kernel
// tells only lsof.
func usesOf(dirs []string) (map[string][]use, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/sbin/lsof", "-w", "-n", "-P", "-u", strconv.Itoa(os.Getuid()), "-F", "pcfn")
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("ask lsof which processes work where: %w", err)
	}
	return parseOpen(out, dirs), nil
}

func parseOpen(out []byte, dirs []string) map[string][]use {
	found, seen := map[string][]use{}, map[string]bool{}
	var now use
	for line := range bytes.Lines(out) {
		text := strings.TrimRight(string(line), "\n")
		if text == "" {
			continue
		}
		switch value := text[1:]; text[0] {
		case 'p':
			now = use{}
			now.PID, _ = strconv.Atoi(value) // 0 is shown as unknown
			seen = map[string]bool{}
		case 'c':
			now.Name = value
		case 'f':
			now.How = map[string]string{"cwd": "cwd", "rtd": "root", "txt": "exe"}[value]
			if now.How == "" {
				now.How = "fd"
			}
		case 'n':
			if in := innermost(value, dirs); in != "" && !seen[in] {
				seen[in] = true
				found[in] = append(found[in], now)
			}
		}
	}
	return found
}
