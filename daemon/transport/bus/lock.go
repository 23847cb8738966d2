package bus

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/events/place"
)

// ErrLocked is wrapped by a *LockedError.
var ErrLocked = errors.New("state directory is in use")

// LockedError says that another process holds the state directory.
type LockedError struct {
	State  string
	Holder place.LockInfo // as the holder wrote it; zero if it has not, or not yet
	Known  bool           // the holder is a live process of this host
}

func (e *LockedError) Error() string {
	if !e.Known {
		return fmt.Sprintf("%v: %s is locked by another process", ErrLocked, e.State)
	}
	return fmt.Sprintf("%v: %s is held by %s %s, process %d", ErrLocked, e.State, e.Holder.Exe, e.Holder.Version, e.Holder.PID)
}

// Is makes errors.Is(err, ErrLocked) true.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// StateLock holds a state directory for this process. The kernel lets go of it
// when the process ends, however it ends.
type StateLock struct {
	f     *os.File
	state string
}

// Lock takes the state directory, and makes it if it is missing. The lock is
// an flock; the content of the file is information only, so a stale one stands
// in nobody's way.
func Lock(p place.Places, version string) (*StateLock, error) {
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	if err := errors.Join(private(p.State), plain(p.State)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(p.LockFile(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := flock(f); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			info, _ := place.ReadLock(p.LockFile()) // whatever it says, the lock is held
			return nil, &LockedError{State: p.State, Holder: info, Known: Alive(info)}
		}
		return nil, fmt.Errorf("lock %s: %w", p.LockFile(), err)
	}
	l := &StateLock{f: f, state: p.State}
	if err := l.write(ownInfo(version, p.Socket)); err != nil {
		_ = l.Unlock()
		return nil, err
	}
	return l, nil
}

// private takes the state directory from everyone else: it holds prompts,
// output of agents and a log that nobody else is to write. One of another owner
// stays as it is, and so does a shared one as /tmp, which was named by mistake.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at the state directory: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) != os.Geteuid() || info.Mode()&os.ModeSticky != 0 || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("make the state directory private: %w", err)
	}
	return nil
}

// ErrNotPlain says that something in a state directory is neither a file nor a
// directory.
var ErrNotPlain = errors.New("is neither a file nor a directory")

// plain refuses what would keep its reader waiting for ever, as a pipe does.
func plain(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look at the state directory: %w", err)
	}
	for _, e := range entries {
		if t := e.Type(); t&(os.ModeNamedPipe|os.ModeSocket|os.ModeDevice|os.ModeCharDevice) != 0 {
			return fmt.Errorf("%s %w; move it away", filepath.Join(dir, e.Name()), ErrNotPlain)
		}
	}
	return nil
}

// Unlock lets go. The file stays: removing it would let two processes lock two
// files of one name.
func (l *StateLock) Unlock() error {
	if l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	// A child that is between fork and exec has the file too, and would hold the
	// lock a moment longer if the file were only closed.
	return errors.Join(f.Truncate(0), unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}

func (l *StateLock) held(state string) bool { return l != nil && l.f != nil && l.state == state }

func (l *StateLock) write(info place.LockInfo) error {
	b, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("encode lock: %w", err)
	}
	if err := l.f.Truncate(0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	if _, err := l.f.WriteAt(append(b, '\n'), 0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// ownInfo is best effort: what cannot be read stays empty.
func ownInfo(version, socket string) place.LockInfo {
	info := place.LockInfo{PID: os.Getpid(), Version: version, Socket: socket}
	if self, err := proc.Read(info.PID); err == nil {
		info.StartTime = self.Start
	}
	info.BootID, _ = proc.Boot()
	info.Host, _ = os.Hostname()
	info.Exe, _ = os.Executable()
	return info
}

// Alive reports whether info names a process that lives on this host now. A
// pid alone identifies nothing: its start time and the boot must agree too.
func Alive(info place.LockInfo) bool {
	host, err := os.Hostname()
	if err != nil || host != info.Host || info.PID <= 0 {
		return false
	}
	if boot, err := proc.Boot(); err != nil || boot != info.BootID {
		return false
	}
	holder, err := proc.Read(info.PID)
	return err == nil && holder.Start == info.StartTime
}
