package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrMark says that a mark file is none, or cannot be read: what was
// acknowledged is not known.
var ErrMark = errors.New("not a mark")

// markBytes is the size of a mark: one write of so little is whole or not
// there.
const markBytes = 128

// Mark is the last position that was acknowledged. It is written after each
// acknowledgement, unless it is eased, and not synced: after a power cut it may be behind, never
// ahead of a store that is synced before it acknowledges.
type Mark struct {
	mu     sync.Mutex
	f      *os.File
	weak   bool
	boot   string
	latest Position
	easy   bool
	wrote  time.Time // when it was written, if easy
}

// Position is a place in the store.
type Position struct {
	Stream string // name of the stream
	Last   uint64 // position of its last acknowledged message
}

// state is what a mark file says.
type state struct {
	Position
	clean  int64  // bytes of all blocks at a clean end, -1 after anything else
	weak   bool   // the store was not synced at every write
	boot   string // of the host
	sealed bool   // there are seals, too
}

// The form of a mark: the first was written before there were seals.
const (
	markBare   = "1"
	markSealed = "2"
)

// OpenMark opens the mark, or makes one. weak says that acknowledged positions
// may be lost with a power cut; boot names this boot of the host.
func OpenMark(path string, weak bool, boot string) (*Mark, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open mark: %w", err)
	}
	return &Mark{f: f, weak: weak, boot: boot}, nil
}

// Set moves the mark. A position that is not ahead changes nothing.
func (m *Mark) Set(p Position) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.Stream == m.latest.Stream && p.Last <= m.latest.Last {
		return nil
	}
	m.latest = p
	if m.easy {
		now := time.Now()
		if now.Sub(m.wrote) < easyFor {
			return nil
		}
		m.wrote = now
	}
	return m.writeLocked(-1)
}

// easyFor is how far an easy mark may be behind.
const easyFor = time.Second

// Ease lets the mark be behind by what was acknowledged within a second: where
// seals say what was, no append has to wait for it.
func (m *Mark) Ease() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.easy = true
}

// Stream is the stream that the mark is in, empty before the first event.
func (m *Mark) Stream() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest.Stream
}

// Sync makes what the mark says survive a power cut.
func (m *Mark) Sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.latest.Stream != "" {
		if err := m.writeLocked(-1); err != nil {
			return err
		}
	}
	return m.f.Sync()
}

// Latest is where the mark is.
func (m *Mark) Latest() Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest
}

// Close notes a clean end, at which all blocks together have so many bytes.
func (m *Mark) Close(blocks int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.latest.Stream != "" {
		err = m.writeLocked(blocks)
	}
	return errors.Join(err, m.f.Close())
}

func (m *Mark) writeLocked(clean int64) error {
	line, err := markLine(m.latest, clean, m.weak, m.boot)
	if err == nil {
		_, err = m.f.WriteAt(line, 0)
	}
	if err != nil {
		return fmt.Errorf("write mark: %w", err)
	}
	return nil
}

func markLine(p Position, clean int64, weak bool, boot string) ([]byte, error) {
	line := fmt.Sprintf("%s %s %d %d %t %s", markSealed, p.Stream, p.Last, clean, weak, boot)
	if len(line) >= markBytes {
		return nil, fmt.Errorf("%q is too long", line)
	}
	return []byte(line + strings.Repeat(" ", markBytes-1-len(line)) + "\n"), nil
}

// readMark reads a mark file. A missing, empty or blank one marks nothing.
func readMark(path string) (state, error) {
	b, err := os.ReadFile(path)
	// A power cut may leave a file of zeros.
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.Trim(b, "\x00")) == 0 {
		return state{clean: -1}, nil
	}
	if err != nil {
		return state{}, fmt.Errorf("%w: %w", ErrMark, err)
	}
	f := strings.Fields(string(b))
	if len(f) != 6 || f[0] != markBare && f[0] != markSealed {
		return state{}, fmt.Errorf("read mark %s: %w", path, ErrMark)
	}
	s := state{boot: f[5], weak: f[4] == "true", sealed: f[0] == markSealed}
	s.Stream = f[1]
	var errs [2]error
	s.Last, errs[0] = strconv.ParseUint(f[2], 10, 64)
	s.clean, errs[1] = strconv.ParseInt(f[3], 10, 64)
	if err := errors.Join(errs[:]...); err != nil {
		return state{}, fmt.Errorf("read mark %s: %w: %w", path, ErrMark, err)
	}
	return s, nil
}

// Acknowledged is what a mark file says, in this boot of the host.
func Acknowledged(mark, boot string) (Position, error) {
	m, err := readMark(mark)
	return m.after(boot).Position, err
}
