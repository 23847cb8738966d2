package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Reader reads a spool while it grows and after. It is not safe for use by
// several goroutines.
type Reader struct {
	path string
	head *os.File
	tail *os.File
}

// Open opens a spool. One that does not exist yet is fs.ErrNotExist.
func Open(dir, name string) (*Reader, error) {
	r := &Reader{path: filepath.Join(dir, name)}
	f, err := os.Open(r.path)
	if err != nil {
		return nil, fmt.Errorf("open spool: %w", err)
	}
	r.head = f
	return r, nil
}

// Close closes the files.
func (r *Reader) Close() error {
	err := r.head.Close()
	if r.tail != nil {
		err = errors.Join(err, r.tail.Close())
	}
	return err
}

// Extent says what of an output is kept: [0, Head) and [From, Total). The two
// touch when nothing is missing; with a growing spool it is a moment's truth.
type Extent struct {
	Head, From, Total int64
}

// Extent returns what is kept now.
func (r *Reader) Extent() (Extent, error) {
	info, err := r.head.Stat()
	if err != nil {
		return Extent{}, fmt.Errorf("read spool: %w", err)
	}
	size := info.Size()
	h, ok, err := r.ring()
	if err != nil {
		return Extent{}, err
	}
	if !ok {
		return Extent{Head: size, From: size, Total: size}, nil
	}
	total := h.head + h.committed
	return Extent{Head: min(size, h.head), From: h.head + max(0, h.reserved-h.size), Total: total}, nil
}

// ring returns the numbers of the ring, and false while there is none.
func (r *Reader) ring() (header, bool, error) {
	if r.tail == nil {
		f, err := os.Open(r.path + tailSuffix)
		if errors.Is(err, fs.ErrNotExist) {
			return header{}, false, nil
		}
		if err != nil {
			return header{}, false, fmt.Errorf("open spool: %w", err)
		}
		r.tail = f
	}
	var b [ringStart]byte
	if _, err := r.tail.ReadAt(b[:], 0); err != nil {
		return header{}, false, fmt.Errorf("read spool: %w", err)
	}
	h := parseHeader(b[:])
	if !h.sound() {
		return header{}, false, fmt.Errorf("read spool %s: the numbers of the ring are damaged", r.path)
	}
	return h, true, nil
}

// Read returns up to limit bytes of the output at off or, when that place was
// dropped, at the next one that is kept; at says where they begin. No bytes
// means that nothing is there yet.
func (r *Reader) Read(off int64, limit int) (data []byte, at int64, err error) {
	for {
		x, err := r.Extent()
		if err != nil {
			return nil, off, err
		}
		switch {
		case off < 0:
			off = 0
		case off >= x.Head && off < x.From:
			off = x.From
		}
		if off >= x.Total {
			return nil, off, nil
		}
		if off < x.Head {
			data, err = r.readHead(off, min(int64(limit), x.Head-off))
			return data, off, err
		}
		data, at, err = r.readRing(off, min(int64(limit), x.Total-off))
		if err != nil || len(data) > 0 || limit <= 0 {
			return data, at, err
		}
		// The writer overtook all of it: what is there now begins later.
	}
}

func (r *Reader) readHead(off, n int64) ([]byte, error) {
	b := make([]byte, n)
	m, err := r.head.ReadAt(b, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read spool: %w", err)
	}
	return b[:m], nil
}

// readRing reads n bytes at off and leaves out those that the writer replaced
// meanwhile.
func (r *Reader) readRing(off, n int64) ([]byte, int64, error) {
	h, ok, err := r.ring()
	if err != nil || !ok {
		return nil, off, err
	}
	b := make([]byte, n)
	for done := int64(0); done < n; {
		at := (off - h.head + done) % h.size
		part := b[done:min(n, done+h.size-at)]
		if _, err := r.tail.ReadAt(part, ringStart+at); err != nil {
			return nil, off, fmt.Errorf("read spool: %w", err)
		}
		done += int64(len(part))
	}
	h, _, err = r.ring()
	if err != nil {
		return nil, off, err
	}
	first := h.head + max(0, h.reserved-h.size)
	if stale := first - off; stale > 0 {
		stale = min(stale, n)
		return b[stale:], off + stale, nil
	}
	return b, off, nil
}

// Output is an output within a bound: its beginning, how many bytes are
// missing after that, and its end.
type Output struct {
	Head []byte
	Gap  int64
	Tail []byte
}

// Output returns at most limit bytes, one half from each end when there are
// more.
func (r *Reader) Output(limit int64) (Output, error) {
	x, err := r.Extent()
	if err != nil {
		return Output{}, err
	}
	limit = max(limit, 0)
	if x.From == x.Head && x.Total <= limit {
		b, _, err := r.span(0, x.Total)
		return Output{Head: b}, err
	}
	gap := x.From > x.Head
	first := min(x.Head, limit/2)
	if gap {
		// What the end cannot use of its half goes to the beginning.
		first = min(x.Head, max(limit/2, limit-(x.Total-x.From)))
	}
	var out Output
	if out.Head, _, err = r.span(0, first); err != nil {
		return Output{}, err
	}
	from := max(first, x.Total-(limit-first))
	if gap {
		from = max(from, x.From)
	}
	tail, at, err := r.span(from, x.Total)
	if err != nil {
		return Output{}, err
	}
	out.Tail, out.Gap = tail, at-int64(len(out.Head))
	return out, nil
}

// Tail returns the last n bytes, fewer if fewer were kept in one piece.
func (r *Reader) Tail(n int64) ([]byte, error) {
	x, err := r.Extent()
	if err != nil {
		return nil, err
	}
	from := max(0, x.Total-n)
	if x.From > x.Head {
		from = max(from, x.From)
	}
	b, _, err := r.span(from, x.Total)
	return b, err
}

// span reads [from, end), and what follows a gap only if the gap is at its
// very start.
func (r *Reader) span(from, end int64) ([]byte, int64, error) {
	var all []byte
	at := from
	for off := from; off < end; {
		b, got, err := r.Read(off, int(end-off))
		if err != nil {
			return nil, from, err
		}
		if len(b) == 0 || got != off && len(all) > 0 {
			break
		}
		if len(all) == 0 {
			at = got
		}
		all = append(all, b...)
		off = got + int64(len(b))
	}
	return all, at, nil
}

// Last is when the spool was last written to.
func (r *Reader) Last() (time.Time, error) {
	info, err := r.head.Stat()
	if err != nil {
		return time.Time{}, fmt.Errorf("read spool: %w", err)
	}
	last := info.ModTime()
	if _, ok, err := r.ring(); err != nil || !ok {
		return last, err
	}
	if info, err = r.tail.Stat(); err != nil {
		return time.Time{}, fmt.Errorf("read spool: %w", err)
	}
	if info.ModTime().After(last) {
		last = info.ModTime()
	}
	return last, nil
}
