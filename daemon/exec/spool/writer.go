package spool

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// Writer appends to a spool. It is not safe for use by several goroutines.
type Writer struct {
	path  string
	head  *os.File
	tail  *os.File
	sizes struct{ head, tail int64 }
	total int64
	lost  bool
	err   error
}

// Create makes an empty spool that keeps the first head and the last tail
// bytes. A negative bound counts as 0.
func Create(dir, name string, head, tail int64) (*Writer, error) {
	w := &Writer{path: filepath.Join(dir, name)}
	w.sizes.head, w.sizes.tail = max(head, 0), max(tail, 0)
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create spool: %w", err)
	}
	w.head = f
	return w, nil
}

// Total is the number of bytes that were written, kept or not.
func (w *Writer) Total() int64 { return w.total }

// Truncated says that bytes were dropped.
func (w *Writer) Truncated() bool {
	return w.lost || w.total > w.sizes.head+w.sizes.tail
}

// Err is the first error of the disk. Bytes after it are counted, not kept.
func (w *Writer) Err() error { return w.err }

// Fail notes that bytes before the writer were lost, for Err and Truncated.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.keep(err)
	}
}

// Append takes all of p and cannot fail: whoever writes into the pipe must not
// be stopped by a full disk of ours. See Err.
func (w *Writer) Append(p []byte) {
	if room := w.sizes.head - w.total; room > 0 && w.err == nil {
		part := p[:min(int64(len(p)), room)]
		w.keep(w.writeHead(part))
		w.total += int64(len(part))
		p = p[len(part):]
	}
	if len(p) > 0 && w.err == nil && w.sizes.tail > 0 {
		w.keep(w.writeTail(p))
	}
	w.total += int64(len(p))
}

func (w *Writer) keep(err error) {
	if err != nil {
		w.err, w.lost = err, true
	}
}

func (w *Writer) writeHead(p []byte) error {
	if _, err := w.head.Write(p); err != nil {
		return fmt.Errorf("write spool: %w", err)
	}
	return nil
}

// writeTail puts p into the ring at the place that its offset gives.
func (w *Writer) writeTail(p []byte) error {
	if w.tail == nil {
		if err := w.openTail(); err != nil {
			return err
		}
	}
	from := w.total - w.sizes.head
	end := from + int64(len(p))
	if skip := int64(len(p)) - w.sizes.tail; skip > 0 {
		p, from = p[skip:], from+skip
	}
	if err := w.put(reservedAt, end); err != nil {
		return err
	}
	for len(p) > 0 {
		at := from % w.sizes.tail
		part := p[:min(int64(len(p)), w.sizes.tail-at)]
		if _, err := w.tail.WriteAt(part, ringStart+at); err != nil {
			return fmt.Errorf("write spool: %w", err)
		}
		p, from = p[len(part):], from+int64(len(part))
	}
	return w.put(committedAt, end)
}

// openTail makes the ring under another name first, so that a reader never
// sees one without its numbers.
func (w *Writer) openTail() error {
	made := w.path + tailSuffix + ".new"
	f, err := os.OpenFile(made, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("create spool: %w", err)
	}
	w.tail = f
	if err := w.put(committedAt, 0); err != nil {
		return err
	}
	if err := w.put(headAt, w.sizes.head); err != nil {
		return err
	}
	if err := w.put(sizeAt, w.sizes.tail); err != nil {
		return err
	}
	if err := os.Rename(made, w.path+tailSuffix); err != nil {
		return fmt.Errorf("create spool: %w", err)
	}
	return nil
}

func (w *Writer) put(at int64, v int64) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	if _, err := w.tail.WriteAt(b[:], at); err != nil {
		return fmt.Errorf("write spool: %w", err)
	}
	return nil
}

// Close closes the files.
func (w *Writer) Close() error {
	err := w.head.Close()
	if w.tail != nil {
		if tailErr := w.tail.Close(); err == nil {
			err = tailErr
		}
	}
	if err != nil {
		return fmt.Errorf("close spool: %w", err)
	}
	return nil
}
