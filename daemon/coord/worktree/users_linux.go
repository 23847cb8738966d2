package worktree

import (
	"os"
	"strconv"
	"strings"
)

// usesOf finds the processes that work in directories, given by their real paths:
// with their working directory, their root, their program or an open file. Each is
// named once for each of them. Processes of other users cannot be seen.
func usesOf(dirs []string) (map[string][]use, error) {
	found := map[string][]use{}
	for _, pid := range numbers("/proc") {
		seen := map[string]bool{}
		note := func(link, how string) {
			to, err := os.Readlink(link)
			if err != nil {
				return
			}
			if in := innermost(to, dirs); in != "" && !seen[in] {
				seen[in] = true
				found[in] = append(found[in], use{PID: pid, Name: nameOf(pid), How: how})
			}
		}
		dir := "/proc/" + strconv.Itoa(pid)
		for _, how := range []string{"cwd", "root", "exe"} {
			note(dir+"/"+how, how)
		}
		for _, fd := range numbers(dir + "/fd") {
			note(dir+"/fd/"+strconv.Itoa(fd), "fd")
		}
	}
	return found, nil
}

func numbers(dir string) (found []int) {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // of a process that ends meanwhile there are some
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			found = append(found, n)
		}
	}
	return found
}

func nameOf(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
