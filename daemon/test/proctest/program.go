package proctest

import (
	"os"
	"path/filepath"
	"syscall"
)

// WriteProgram writes a program that can be run at once, and the folders above it.
// While it is open for writing no child is forked: one that held it open between fork
// and exec would have its run fail as "text file busy".
func WriteProgram(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o755)
}
