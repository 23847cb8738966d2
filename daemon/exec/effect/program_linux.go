package effect

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// program is the supervisor's program as it was when the Runner was opened.
type program struct {
	path string   // of the program then
	file *os.File // open while the Runner is; nil if the program was missing
	info os.FileInfo
}

// hold opens the program, so that the same one is started whatever an effect makes of
// its path.
func hold(path string) (program, error) {
	p := program{path: path}
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return p, nil // to be said when one has to be started
	}
	if err != nil {
		return p, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return p, err
	}
	p.file, p.info = file, info
	return p, nil
}

// exe is the path by which processes of this user start it while it is held.
func (p program) exe() string {
	if p.file == nil {
		return p.path
	}
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), p.file.Fd())
}

// runs says that a process runs it.
func (p program) runs(pid int) bool {
	info, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return err == nil && p.file != nil && os.SameFile(info, p.info)
}

func (p program) close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}
