package claim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// Info is what a mark says of its holder. It is information for people and for
// other daemons, and proves nothing.
type Info struct {
	State string    `json:"state"` // directory of the daemon
	Host  string    `json:"host"`  // its name in events
	PID   int       `json:"pid"`   // of the daemon
	Who   string    `json:"who"`   // for people: the run, or the session
	Since time.Time `json:"since"`
	Beat  time.Time `json:"beat"`
	TTL   int64     `json:"ttl_s"` // seconds
}

// Until is when the mark counts for nothing, if its daemon has ended.
func (i Info) Until() time.Time { return i.Beat.Add(time.Duration(i.TTL) * time.Second) }

// MarkedError says that another state directory has the work tree.
type MarkedError struct {
	Info   Info
	Locked bool // its daemon is there; else it has ended, and may come back
}

func (e *MarkedError) Error() string {
	return fmt.Sprintf("the work tree is held by %s of another state directory, %s", e.Info.Who, e.Info.State)
}

// errStrange says that what is in the place of a mark is no plain file.
var errStrange = errors.New("is no plain file of its own")

// MarkFile is where the mark of a work tree is. id is the work tree's.
func MarkFile(common, id string) string { return filepath.Join(common, "autopilot-"+id+".lock") }

// Mark is held as long as it is open.
type Mark struct {
	f    *os.File
	path string
	info Info
}

// maxInfo bounds what is read of a mark.
const maxInfo = 16 << 10

// opens bounds how often a file is opened anew that was taken away meanwhile, or
// that nobody is named in who has it: somebody looks, has just got it, or a child of
// who gave it back is between fork and exec. Each of them is over in a moment.
const (
	opens  = 40
	moment = 5 * time.Millisecond
)

// Hold takes the mark at path for a holder. One that another state directory has,
// or comes back for, is a *MarkedError.
//
// Source: session-orchestrator, seeds 2.8.3: a mark that is fresh stands, whatever
// has become of its process.
func Hold(path string, as Info) (*Mark, error) {
	for try := range opens {
		f, err := openMark(path, os.O_CREATE)
		if err != nil {
			return nil, err
		}
		locked := errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
		m := &Mark{f: f, path: path, info: as}
		if !locked && !m.there() {
			_ = f.Close() // somebody has removed it: who holds another file of that name holds more
			continue
		}
		left, err := m.read()
		if nobody := locked && err == nil && left.Host == ""; nobody && try < opens-1 {
			_ = f.Close()
			time.Sleep(moment)
			continue
		} else if nobody {
			left.Who = "another process"
		}
		if err == nil && (locked || comesBack(left, as)) {
			err = &MarkedError{left, locked}
		}
		if err == nil {
			err = m.write()
		}
		if err != nil {
			return nil, errors.Join(err, m.let())
		}
		return m, nil
	}
	return nil, fmt.Errorf("hold %s: it is taken away again and again", path)
}

// comesBack says that who left a mark may come back for it.
func comesBack(left, as Info) bool {
	if left.Host == "" || left.Host == as.Host || !as.Beat.Before(left.Until()) {
		return false
	}
	host, err := os.ReadFile(filepath.Join(left.State, "host"))
	gone := errors.Is(err, fs.ErrNotExist) || err == nil && string(host) != left.Host
	return !gone
}

// openMark opens a mark without waiting and without following a link.
func openMark(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|flags, 0o600)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENXIO) {
		return nil, fmt.Errorf("%s %w", path, errStrange)
	}
	if err != nil {
		return nil, fmt.Errorf("open the mark of a work tree: %w", err)
	}
	info, err := f.Stat()
	st, ok := info.Sys().(*syscall.Stat_t)
	if err != nil || !info.Mode().IsRegular() || !ok || st.Nlink > 1 {
		_ = f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s %w", path, errStrange))
	}
	return f, nil
}

// there says that the file is the one with its name.
func (m *Mark) there() bool {
	mine, err := m.f.Stat()
	named, nerr := os.Lstat(m.path)
	return err == nil && nerr == nil && os.SameFile(mine, named)
}

// read is what the holder wrote. What cannot be understood says nothing.
func (m *Mark) read() (Info, error) {
	b, err := io.ReadAll(io.NewSectionReader(m.f, 0, maxInfo))
	if err != nil {
		return Info{}, fmt.Errorf("read the mark of a work tree: %w", err)
	}
	var i Info
	if json.Unmarshal(b, &i) != nil {
		return Info{Who: "a run"}, nil
	}
	return i, nil
}

func (m *Mark) write() error {
	b, err := json.Marshal(m.info)
	if err == nil {
		err = m.f.Truncate(0)
	}
	if err == nil {
		_, err = m.f.WriteAt(b, 0)
	}
	if err != nil {
		return fmt.Errorf("write the mark of a work tree: %w", err)
	}
	return nil
}

// rewrite says who holds it now; since when stays, for the same holder.
func (m *Mark) rewrite(as Info) error {
	if as.Who == m.info.Who {
		as.Since = m.info.Since
	}
	m.info = as
	return m.write()
}

// Beat says that the holder is still there.
func (m *Mark) Beat(at time.Time) error {
	m.info.Beat = at
	return m.write()
}

// Keep closes the mark and leaves what it says: its holder comes back.
func (m *Mark) Keep() error { return m.let() }

// Release gives the mark back. The file stays: to remove it would let two
// processes hold two files of one name.
func (m *Mark) Release() error { return errors.Join(m.f.Truncate(0), m.let()) }

// let lets go at once: a child that is between fork and exec has the file too.
func (m *Mark) let() error { return errors.Join(unix.Flock(int(m.f.Fd()), unix.LOCK_UN), m.f.Close()) }

// Look says who has the mark at path, without taking it: nil for nobody.
func Look(path string, as Info) (*MarkedError, error) {
	f, err := openMark(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nobody has it
	}
	if err != nil {
		return nil, err
	}
	m := &Mark{f: f}
	defer func() { _ = m.let() }()
	left, err := m.read()
	if err != nil {
		return nil, err
	}
	locked := errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
	if left.Host == as.Host || left.Host == "" || !locked && !comesBack(left, as) {
		return nil, nil //nolint:nilnil // as above
	}
	return &MarkedError{left, locked}, nil
}

// clearMark takes away what a daemon that has ended left in a mark. One that is
// there keeps it: a *MarkedError.
func clearMark(path string, as Info) error {
	f, err := openMark(path, 0)
	if err != nil {
		return err
	}
	m := &Mark{f: f, path: path, info: as}
	if errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK) {
		left, err := m.read()
		return errors.Join(err, &MarkedError{left, true}, f.Close())
	}
	return m.Release()
}
