package goals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

const lockName = ".mutation.lock"

// holder is what a lock says.
type holder struct {
	PID       int    `json:"pid"`
	CreatedAt string `json:"createdAt"`
}

// lockEvery is how often a lock that is held is looked at again.
const lockEvery = 5 * time.Millisecond

// lock waits until nobody else writes, and returns what lets go again.
func (s Store) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Wait)
	defer cancel()
	d, err := os.Open(s.dir())
	if err != nil {
		return nil, err
	}
	free := func() { _ = d.Close() } // and its flock with it
	err = until(ctx, func() (bool, error) {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		free()
		return nil, fmt.Errorf("wait for the other writers of %s: %w", s.dir(), err)
	}
	s.sweep()
	if err := s.hold(ctx); err != nil {
		free()
		return nil, err
	}
	return func() {
		_ = os.Remove(s.path(lockName))
		free()
	}, nil
}

// sweep removes what writers that were killed have left half written: whoever has the
// turn is the only one that writes.
func (s Store) sweep() {
	for _, name := range []string{planName, ledgerName, briefName, changeName, lockName} {
		left, err := filepath.Glob(filepath.Join(quoteGlob(s.dir()), tempOf(name)))
		if err != nil {
			continue // the pattern is ours
		}
		for _, path := range left {
			_ = os.Remove(path) // it is in nobody's way
		}
	}
}

// tempOf is the pattern of what is written before it is put in the place of a file.
func tempOf(name string) string { return "." + name + ".*.new" }

var quoteGlob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace

// hold makes .mutation.lock, which the release's writers look for.
func (s Store) hold(ctx context.Context) error {
	mine, err := json.Marshal(holder{os.Getpid(), s.Now()})
	if err != nil {
		return err
	}
	t, err := os.CreateTemp(s.dir(), tempOf(lockName))
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(t.Name()) }()
	_, err = t.Write(mine)
	if err = errors.Join(err, t.Close()); err != nil {
		return err
	}
	var held error
	err = until(ctx, func() (bool, error) {
		err := os.Link(t.Name(), s.path(lockName)) // with its content, so that nobody reads it empty
		if !errors.Is(err, fs.ErrExist) {
			return err == nil, err
		}
		gone, why := s.gone()
		if held = why; gone {
			err = os.Remove(s.path(lockName))
		} else {
			err = nil
		}
		return false, err
	})
	if errors.Is(err, context.DeadlineExceeded) && held != nil {
		return held
	}
	return err
}

// gone says that the process of a lock is. A lock that cannot be read is held: its
// writer may be about to write it (lesson O5).
func (s Store) gone() (bool, error) {
	text, there, err := s.read(lockName, 1<<16)
	if err != nil {
		return false, err
	}
	if !there {
		return false, nil // let go just now
	}
	var h holder
	if json.Unmarshal(text, &h) != nil || h.PID <= 0 {
		return false, fmt.Errorf("%s cannot be read, so somebody may hold it; remove it if nobody writes", s.path(lockName))
	}
	since, err := time.Parse(time.RFC3339, h.CreatedAt)
	if err != nil {
		since = time.Time{}
	}
	if h.PID == os.Getpid() || !s.Alive(h.PID) || !since.IsZero() && startedAfter(h.PID, since) {
		return true, nil
	}
	return false, fmt.Errorf("process %d writes there since %s; try again when it is done", h.PID, h.CreatedAt)
}

// until tries until it works, it fails or the time is up.
func until(ctx context.Context, try func() (bool, error)) error {
	for {
		done, err := try()
		if done || err != nil {
			return err
		}
		t := time.NewTimer(lockEvery)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}
