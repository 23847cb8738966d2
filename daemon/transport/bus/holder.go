package bus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/events/place"
)

// Holder returns who holds a state directory, and whether anybody does. The kernel's lock
// decides; what is written in the file only names the holder.
func Holder(p place.Places) (info place.LockInfo, held bool, err error) {
	f, err := os.Open(p.LockFile())
	if errors.Is(err, fs.ErrNotExist) {
		return info, false, nil
	}
	if err != nil {
		return info, false, fmt.Errorf("open lock: %w", err)
	}
	defer f.Close()
	info, _ = place.ReadLock(p.LockFile())
	// A shared lock lets other callers look at the same time.
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case err == nil:
		return info, false, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return info, true, nil
	default:
		return info, false, fmt.Errorf("look at lock: %w", err)
	}
}

// ErrUnknownHolder says that a state directory is held by a process that its lock does
// not name.
var ErrUnknownHolder = errors.New("the lock does not say which process holds the state directory")

// EndHolder kills the holder of a state directory and returns when the directory is free.
// It kills no other process: pid, start time and boot must be those of the lock.
func EndHolder(ctx context.Context, p place.Places) error {
	info, held, err := Holder(p)
	if err != nil || !held {
		return err
	}
	if !Alive(info) {
		return ErrUnknownHolder
	}
	if err := proc.Signal(proc.Process{PID: info.PID, Start: info.StartTime}, unix.SIGKILL); err != nil {
		return fmt.Errorf("end process %d: %w", info.PID, err)
	}
	for {
		if _, held, err = Holder(p); err != nil || !held {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("process %d was killed and has not ended: %w", info.PID, context.Cause(ctx))
		}
	}
}
