package filestore

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"golang.org/x/sys/unix"
)

// windowBytes is how much of a file is mapped at once, and by how much it grows.
// It is a multiple of the page size of every system.
const windowBytes = 1 << 16

// window writes seals into a file through memory that is shared with it: what a
// killed process wrote so is in the file, and no append waits for the system. The
// file is filled with zeros ahead, so that a full disk is met in a write and not
// in memory. It may be used from many goroutines.
type window struct {
	file *os.File

	mu    sync.Mutex
	chunk int64
	mem   []byte // nil before the first
}

// put writes the n-th seal of the file, from 0.
func (w *window) put(n int64, s seal) error {
	at := n * sealBytes
	w.mu.Lock()
	defer w.mu.Unlock()
	if chunk := at / windowBytes; w.mem == nil || chunk > w.chunk {
		if err := w.openLocked(chunk); err != nil {
			return err
		}
	}
	if at/windowBytes < w.chunk {
		_, err := w.file.WriteAt(s[:], at) // an append that took long
		return err
	}
	return place(w.mem[at%windowBytes:], s)
}

// place copies a seal into memory whose file somebody may have cut off.
func place(to []byte, s seal) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("write a seal: %v", r)
		}
	}()
	copy(to, s[:])
	return nil
}

// openLocked maps a chunk of the file.
func (w *window) openLocked(chunk int64) error {
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if missing := (chunk+1)*windowBytes - info.Size(); missing > 0 {
		if _, err := w.file.WriteAt(make([]byte, missing), info.Size()); err != nil {
			return fmt.Errorf("make room for seals: %w", err)
		}
	}
	mem, err := unix.Mmap(int(w.file.Fd()), chunk*windowBytes, windowBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map seals: %w", err)
	}
	if err := w.unmapLocked(); err != nil {
		return err
	}
	w.chunk, w.mem = chunk, mem
	return nil
}

// sync brings what was written to the disk.
func (w *window) sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mem != nil {
		if err := unix.Msync(w.mem, unix.MS_SYNC); err != nil {
			return err
		}
	}
	return w.file.Sync()
}

// cut ends the file behind n seals.
func (w *window) cut(n int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.unmapLocked(); err != nil {
		return err
	}
	return w.file.Truncate(n * sealBytes)
}

func (w *window) unmapLocked() error {
	if w.mem == nil {
		return nil
	}
	mem := w.mem
	w.mem = nil
	return unix.Munmap(mem)
}

func (w *window) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.unmapLocked()
	if cerr := w.file.Close(); err == nil {
		err = cerr
	}
	return err
}
