package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
)

// logBytes is how large the daemon's log grows before it is begun anew; the one
// before is kept beside it.
const logBytes = 10 << 20

// logFile is the daemon's log. It is a writer for any number of goroutines.
type logFile struct {
	path string
	most int64

	mu   sync.Mutex
	f    *os.File
	size int64
}

// openLog opens the daemon's log and sends crashes there.
func openLog(path string, most int64) (*logFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	l := &logFile{path: path, most: most}
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := os.Stat(path); err == nil && info.Size() > most {
		return l, l.rotateLocked()
	}
	return l, l.openLocked()
}

// Write adds a line. One that does not fit begins the log anew.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(line)) > l.most {
		// Where it cannot be begun anew it grows: a line is worth more than the bound.
		_ = l.rotateLocked()
	}
	if l.f == nil {
		return 0, os.ErrClosed
	}
	n, err := l.f.Write(line)
	l.size += int64(n)
	return n, err
}

// rotateLocked moves the log aside and begins it anew. Readers see that by the
// path naming another file.
func (l *logFile) rotateLocked() error {
	if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("rotate log: %w", err)
	}
	return l.openLocked()
}

func (l *logFile) openLocked() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("open log: %w", err), f.Close())
	}
	if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil {
		return errors.Join(fmt.Errorf("send crashes to the log: %w", err), f.Close())
	}
	if l.f != nil {
		_ = l.f.Close() // all of it is written
	}
	l.f, l.size = f, info.Size()
	return nil
}

// Close closes the file; nothing is written after it.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}
