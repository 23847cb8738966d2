package place

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// LockInfo says who holds, or last held, a state directory. It is information
// for people and a hint where to connect; the kernel's lock on the file is the
// truth.
type LockInfo struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"start_time"` // of the process, in the system's own unit
	BootID    string `json:"boot_id"`
	Host      string `json:"host"`
	Exe       string `json:"exe"`
	Version   string `json:"version"`
	Socket    string `json:"socket,omitzero"` // where it listens
}

// LockFile is the file that the daemon of this state directory locks.
func (p Places) LockFile() string { return filepath.Join(p.State, "lock") }

// maxLock bounds what is read from a lock file.
const maxLock = 16 << 10

// ReadLock reads a lock file. The zero LockInfo and an error come back for a
// file that is missing, empty or damaged; that says nothing about the lock.
func ReadLock(path string) (LockInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return LockInfo{}, fmt.Errorf("read lock: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLock))
	if err != nil {
		return LockInfo{}, fmt.Errorf("read lock: %w", err)
	}
	var info LockInfo
	if err := json.Unmarshal(b, &info); err != nil {
		return LockInfo{}, fmt.Errorf("read lock %s: %w", path, err)
	}
	return info, nil
}
