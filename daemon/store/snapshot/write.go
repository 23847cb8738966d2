package snapshot

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/durable"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// Write makes the fold the snapshot file of that path. States that did not
// change are copied as they are. What is there stays until the new one is whole.
func (f *Fold) Write(path string) error {
	return create(path, func(w *writer) error {
		for _, h := range f.Heads() {
			b, err := f.bytes(h.ID)
			if err != nil {
				return err
			}
			if err := w.put(h, b); err != nil {
				return err
			}
		}
		return w.end(f.cursor)
	})
}

// Folded is a state that was folded elsewhere, and the hash of its last event.
type Folded struct {
	State run.State
	Hash  string
}

// WriteStates makes a snapshot file of states that come in the order of their
// ids, with memory for their heads only. What is there stays until the new one
// is whole.
func WriteStates(path string, at log.Cursor, states iter.Seq2[Folded, error]) error {
	return create(path, func(w *writer) error {
		for s, err := range states {
			if err != nil {
				return err
			}
			b, err := encodeState(s.State)
			if err != nil {
				return err
			}
			if err := w.put(HeadOf(s.State, s.Hash), b); err != nil {
				return err
			}
		}
		return w.end(at)
	})
}

// create writes a file that is there whole or as it was before.
func create(path string, write func(*writer) error) (err error) {
	// One name, so that a daemon which is killed here leaves no file behind that
	// the next one does not write over.
	tmp, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write snapshot: %w", err), tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	if err := write(&writer{f: tmp, w: bufio.NewWriterSize(tmp, 1<<18)}); err != nil {
		return err
	}
	failpoint.Hit(failpoint.DuringSnapshot)
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterSnapshot)
	return durable.SyncDir(filepath.Dir(path))
}

// syncEvery keeps each sync short: an append that comes meanwhile has its own to
// wait for.
const syncEvery = 4 << 20

// writer writes states one behind the other, and then their index.
type writer struct {
	f      *os.File
	w      *bufio.Writer
	n      int64
	synced int64
	count  uint64
	places []byte // of the states, as the index has them
}

func (w *writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.n += int64(n)
	if err == nil && w.n-w.synced >= syncEvery {
		w.synced = w.n
		err = errors.Join(w.w.Flush(), w.f.Sync())
	}
	return err
}

// put writes the next state.
func (w *writer) put(h Head, b []byte) error {
	w.count++
	w.places = place{h, w.n, len(b), sumOf(b)}.append(w.places)
	return w.write(b)
}

// end writes the index.
func (w *writer) end(cursor log.Cursor) error {
	index := binary.AppendUvarint(nil, run.FoldVersion)
	index = appendText(index, string(cursor))
	index = binary.AppendUvarint(index, w.count)
	index = append(index, w.places...)
	sum := sha256.Sum256(index)
	end := binary.LittleEndian.AppendUint64(nil, uint64(w.n))
	end = binary.LittleEndian.AppendUint64(end, uint64(len(index)))
	end = append(append(end, sum[:]...), magic...)
	return errors.Join(w.write(index), w.write(end), w.w.Flush())
}

// bytes is the form of a state that is written.
func (f *Fold) bytes(id string) ([]byte, error) {
	switch e := f.entries[id]; {
	case e == nil:
		return f.base.runs[id].bytes(f.base.file)
	case e.at != nil:
		return e.at.bytes(f.spill.file)
	default:
		e.state.ID = id // a run whose first event is lost has none
		return encodeState(e.state)
	}
}

func (p place) append(b []byte) []byte {
	for _, t := range []string{p.ID, p.Handle, p.Project, p.From, p.Agent, p.Requested, string(p.Status), p.Hash, p.Settled} {
		b = appendText(b, t)
	}
	for _, n := range []uint64{p.Seq, uint64(p.offset), uint64(p.length)} {
		b = binary.AppendUvarint(b, n)
	}
	b = binary.AppendVarint(b, p.Latest)
	return append(p.Spent.append(b), p.sum[:]...)
}

func appendText(b []byte, t string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(t))), t...)
}

// reader reads an index; after the first error it reads nothing.
type reader struct {
	b   []byte
	err error
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) text() string { return r.bytes(r.uint()) }

func (r *reader) bytes(n uint64) string {
	if n > uint64(len(r.b)) {
		r.fail()
		return ""
	}
	t := string(r.b[:n])
	r.b = r.b[n:]
	return t
}

func (r *reader) place() (p place) {
	for _, t := range []*string{&p.ID, &p.Handle, &p.Project, &p.From, &p.Agent, &p.Requested, (*string)(&p.Status), &p.Hash, &p.Settled} {
		*t = r.text()
	}
	p.Seq = r.uint()
	p.offset, p.length = int64(r.uint()), int(r.uint())
	p.Latest = r.int()
	p.Spent = r.spent()
	if len(r.b) < sumBytes || p.length < 0 || p.length > maxIndex || p.offset < 0 {
		r.fail()
		return place{}
	}
	r.b = r.b[copy(p.sum[:], r.b):]
	return p
}

func (r *reader) fail() {
	r.b = nil
	if r.err == nil {
		r.err = io.ErrUnexpectedEOF
	}
}
