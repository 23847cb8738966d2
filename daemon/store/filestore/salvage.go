package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// ErrNothing says that there is no event store to read.
var ErrNothing = errors.New("there is no event store")

// Salvage reads what is left of a store, damaged or not: every sound record, in
// order. It names each place at which something is missing, as far as the mark
// can be read its end too. The error is that of each, or of a directory that
// cannot be read.
func Salvage(streams, mark string, each func(Record) error) ([]*DamagedError, error) {
	m, err := marked(streams, mark)
	if err != nil {
		return nil, err
	}
	blocks, err := blockFiles(streams, m.Stream)
	if err != nil {
		return nil, err
	}
	s := salvage{stream: m.Stream, marked: m.Last}
	for _, path := range blocks {
		if err := s.block(path, each); err != nil {
			return s.holes, err
		}
	}
	if s.last < m.Last {
		s.missing("", 0, "its end is missing")
	}
	return s.holes, nil
}

// Left is the stream that Salvage reads.
func Left(streams, mark string) (string, error) {
	m, err := marked(streams, mark)
	return m.Stream, err
}

// marked is what a mark says, as far as that can be read. What is there counts
// where it says nothing.
func marked(streams, mark string) (m state, err error) {
	if m, err = readMark(mark); err == nil && m.Stream != "" {
		return m, nil
	}
	m = state{}
	m.Stream, err = latestStream(streams)
	return m, err
}

// latestStream is the newest generation of a store, by the number that its name
// ends with.
func latestStream(streams string) (string, error) {
	entries, err := os.ReadDir(streams)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w in %s", ErrNothing, streams)
	}
	if err != nil {
		return "", fmt.Errorf("list the event store: %w", err)
	}
	name, latest := "", -1
	for _, e := range entries {
		i := strings.LastIndexByte(e.Name(), '_')
		if n, err := strconv.Atoi(e.Name()[i+1:]); err == nil && n > latest && e.IsDir() {
			name, latest = e.Name(), n
		}
	}
	if name == "" {
		return "", fmt.Errorf("%w in %s", ErrNothing, streams)
	}
	return name, nil
}

// salvage is what was read so far.
type salvage struct {
	stream string
	marked uint64
	last   uint64 // position of the last sound record
	holes  []*DamagedError
	buf    []byte
}

// missing notes a hole behind the last sound record, once.
func (s *salvage) missing(file string, offset int, what string) {
	if n := len(s.holes); n > 0 && s.holes[n-1].From == s.last+1 {
		return
	}
	s.holes = append(s.holes, &DamagedError{
		File: file, Offset: int64(offset), From: s.last + 1, Marked: max(s.marked, s.last+1), What: what,
	})
}

// block gives the sound records of one file. What cannot be read of it is
// missing, and the next file counts all the same.
func (s *salvage) block(path string, each func(Record) error) (err error) {
	if s.buf, err = readInto(path, s.buf); err != nil {
		s.missing(path, 0, "a file cannot be read: "+err.Error())
		return nil
	}
	w := walker{hash: blockHash(s.stream, path)}
	w.each = func(r Record) {
		if r.Position != s.last+1 {
			s.missing(path, 0, outOfOrder(r.Position, s.last+1))
		}
		if err == nil && r.Position > s.last {
			s.last = r.Position
			err = each(r)
		}
	}
	for at := 0; at < len(s.buf) && err == nil; {
		n, what := w.walk(s.buf[at:])
		if at += n; what == "" || err != nil {
			break
		}
		s.missing(path, at, what)
		at = w.next(s.buf, at)
	}
	return err
}

// next is the offset of the first sound record from at on, else the end. The
// walker is ready to go on there.
func (w *walker) next(b []byte, at int) int {
	for ; at < len(b); at++ {
		_, seq, what := w.record(b[at:])
		if what == "" && seq != 0 && seq&notStored == 0 {
			w.last = seq - 1
			return at
		}
	}
	return at
}

// Holes says in a line what is missing, empty if nothing is.
func Holes(list []*DamagedError) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("places that cannot be read: %d, the first at event %d: %s", len(list), list[0].From, list[0].What)
}
