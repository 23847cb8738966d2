package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"autopilot/events/log"
	"autopilot/projections/run"
)

// ErrDropped says that a file is no snapshot that can be believed.
var ErrDropped = errors.New("the snapshot is dropped")

// A file holds the states one behind the other, the index, and an end of fixed
// size: offset and length of the index, its SHA-256, and the magic.
const (
	magic    = "apsnap 3"
	endBytes = 8 + 8 + sha256.Size + len(magic)
	maxIndex = 1 << 30
	sumBytes = 8 // of the SHA-256 of a state
)

// Snapshot is an open snapshot file. It stays readable when another takes its
// name.
type Snapshot struct {
	file   *os.File
	cursor log.Cursor
	runs   map[string]place
	order  []string // ids, in their order
}

// place is where the state of a run is.
type place struct {
	Head
	offset int64
	length int
	sum    [sumBytes]byte
}

// FileIn is the snapshot of a state directory.
func FileIn(state string) string { return filepath.Join(state, "snapshot") }

// Open opens a snapshot. One that is not there is fs.ErrNotExist; one that is
// not whole, or was made by another fold, is ErrDropped. Whether it fits a log
// is for Fold to say.
func Open(path string) (_ *Snapshot, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%w: %s: %w", ErrDropped, path, err), f.Close())
		}
	}()
	index, err := readIndex(f)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{file: f}
	return s, s.decode(index)
}

// readIndex reads the index of a file whose end is sound.
func readIndex(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < int64(endBytes) {
		return nil, errors.New("it is cut off")
	}
	end := make([]byte, endBytes)
	if _, err := f.ReadAt(end, info.Size()-int64(endBytes)); err != nil {
		return nil, err
	}
	offset, length := int64(binary.LittleEndian.Uint64(end)), int64(binary.LittleEndian.Uint64(end[8:]))
	sum, rest := end[16:16+sha256.Size], end[16+sha256.Size:]
	if string(rest) != magic || length < 0 || length > maxIndex || offset != info.Size()-int64(endBytes)-length {
		return nil, errors.New("its end is not sound")
	}
	index := make([]byte, length)
	if _, err := f.ReadAt(index, offset); err != nil {
		return nil, err
	}
	if got := sha256.Sum256(index); !bytes.Equal(got[:], sum) {
		return nil, errors.New("its index has another checksum than its content")
	}
	return index, nil
}

func (s *Snapshot) decode(index []byte) error {
	r := reader{b: index}
	if v := r.uint(); r.err == nil && v != run.FoldVersion {
		return fmt.Errorf("made by fold %d, this is %d", v, run.FoldVersion)
	}
	s.cursor = log.Cursor(r.text())
	n := r.uint()
	s.runs = make(map[string]place, min(n, uint64(len(index))))
	for range n {
		p := r.place()
		if r.err != nil {
			return r.err
		}
		s.runs[p.ID] = p
		s.order = append(s.order, p.ID)
	}
	return r.err
}

// Close lets go of the file.
func (s *Snapshot) Close() error { return s.file.Close() }

// Cursor is the place in the log that the snapshot was made at.
func (s *Snapshot) Cursor() log.Cursor { return s.cursor }

// Head is what is known of a run without its state.
func (s *Snapshot) Head(id string) (Head, bool) {
	p, ok := s.runs[id]
	return p.Head, ok
}

// Heads lists all runs, in the order of their ids.
func (s *Snapshot) Heads() []Head {
	out := make([]Head, 0, len(s.order))
	for _, id := range s.order {
		out = append(out, s.runs[id].Head)
	}
	return out
}

// State reads the state of a run. One that is not what was written is
// ErrDropped.
func (s *Snapshot) State(id string) (run.State, error) {
	p, ok := s.runs[id]
	if !ok {
		return run.State{}, fmt.Errorf("run %s is not in the snapshot", id)
	}
	return p.state(s.file)
}

// state reads a state.
func (p place) state(f *os.File) (run.State, error) {
	b, err := p.bytes(f)
	if err != nil {
		return run.State{}, err
	}
	s, err := decodeState(b)
	if err == nil && (s.ID != p.ID || s.Log.Seq != p.Seq) {
		err = fmt.Errorf("%w: another state is at the place of run %s", ErrDropped, p.ID)
	}
	return s, err
}

// bytes is the stored form of a state, proven.
func (p place) bytes(f *os.File) ([]byte, error) {
	b := make([]byte, p.length)
	if _, err := f.ReadAt(b, p.offset); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: it is cut off", ErrDropped)
		}
		return nil, fmt.Errorf("read run %s of the snapshot: %w", p.ID, err)
	}
	if sumOf(b) != p.sum {
		return nil, fmt.Errorf("%w: run %s has another checksum than its content", ErrDropped, p.ID)
	}
	return b, nil
}

func sumOf(b []byte) (sum [sumBytes]byte) {
	all := sha256.Sum256(b)
	copy(sum[:], all[:])
	return sum
}

// stateOptions write a state so that it reads back equal: what is nil stays nil.
func stateOptions() json.Options {
	return json.JoinOptions(json.FormatNilSliceAsNull(true), json.OmitZeroStructFields(true), jsonv1.FormatDurationAsNano(true))
}

func encodeState(s run.State) ([]byte, error) {
	b, err := json.Marshal(s, stateOptions())
	if err != nil {
		return nil, fmt.Errorf("encode the state of run %s: %w", s.ID, err)
	}
	return b, nil
}

func decodeState(b []byte) (s run.State, err error) {
	if err := json.Unmarshal(b, &s, stateOptions()); err != nil {
		return s, fmt.Errorf("%w: %w", ErrDropped, err)
	}
	return s, nil
}
