package work

import (
	"errors"
	"fmt"
	"strings"

	"autopilot/events"

	"golang.org/x/sys/unix"
)

// MinFree is the least room on the state's disk to begin anything. Work under way must
// still be able to end, and the event server does not recover from a failed write.
const MinFree = 32 << 20

// room refuses to begin anything on a disk that is nearly full.
func (w *places) room() error {
	free, err := w.free()
	if err == nil && free < MinFree {
		err = fmt.Errorf("%w: %d MiB are left in %s, at least %d are needed", events.ErrNoRoom, free>>20, w.cfg.State, MinFree>>20)
	}
	return err
}

// free is how many bytes are left on the disk of the state.
func (w *places) free() (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(w.cfg.State, &st); err != nil {
		return 0, fmt.Errorf("measure the room of %s: %w", w.cfg.State, err)
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}

// noRoom translates an error from a full disk. From git's error it keeps the words alone.
func noRoom(err error) error {
	if err == nil || errors.Is(err, events.ErrNoRoom) {
		return err
	}
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || strings.Contains(err.Error(), unix.ENOSPC.Error()) ||
		strings.Contains(err.Error(), "No space left on device") {
		return fmt.Errorf("%w: %w", events.ErrNoRoom, err)
	}
	return err
}
