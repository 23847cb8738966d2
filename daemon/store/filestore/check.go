package filestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// ErrDamaged is what every *DamagedError is.
var ErrDamaged = errors.New("the event store is damaged")

// DamagedError says where acknowledged events are not what they were.
type DamagedError struct {
	File   string // empty when files are missing
	Offset int64  // of the first record that is not sound
	From   uint64 // first position that cannot be read from there
	Marked uint64 // last position that was acknowledged
	What   string
}

func (e *DamagedError) Error() string {
	where := e.File
	if where != "" {
		where = fmt.Sprintf(" (%s, byte %d)", e.File, e.Offset)
	}
	return fmt.Sprintf("%v: %s; event %d of %d cannot be read%s", ErrDamaged, e.What, e.From, e.Marked, where)
}

// Is makes it ErrDamaged.
func (e *DamagedError) Is(target error) bool { return target == ErrDamaged }

// Check proves that a store holds what its mark says, before a server touches
// it. streams is the directory of all streams, mark the mark file, boot this
// boot of the host. After a clean end it only looks at sizes; deep reads
// everything all the same.
func Check(streams, mark, boot string, deep bool) error {
	m, err := readMark(mark)
	if err != nil {
		return err
	}
	if m.Stream == "" {
		return nil // nothing was acknowledged yet
	}
	blocks, err := blockFiles(streams, m.Stream)
	if err != nil {
		return err
	}
	if !deep && m.clean >= 0 {
		if n, err := size(blocks); err == nil && n == m.clean {
			return nil
		}
	}
	return scan(m.after(boot), blocks, nil, func(block) struct{} { return struct{}{} }, nil)
}

// after is what is marked in this boot: a power cut may have taken the end of a
// store that is not synced.
func (m state) after(boot string) state {
	if m.weak && m.boot != boot {
		m.Last = 0
	}
	return m
}

// BlockBytes is the size of all blocks of a stream, for Mark.Close.
func BlockBytes(streams, stream string) (int64, error) {
	blocks, err := blockFiles(streams, stream)
	if err != nil {
		return 0, err
	}
	return size(blocks)
}

// blockFiles lists the message blocks of a stream in order. One that is not
// there has none.
func blockFiles(streams, stream string) ([]string, error) {
	dir := filepath.Join(streams, stream, "msgs")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the event store: %w", err)
	}
	var files []string
	for _, e := range entries {
		if _, ok := blockIndex(e.Name()); ok {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		i, _ := blockIndex(filepath.Base(a))
		j, _ := blockIndex(filepath.Base(b))
		return i - j
	})
	return files, nil
}

func blockIndex(name string) (int, bool) {
	digits, ok := strings.CutSuffix(name, ".blk")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

func size(files []string) (int64, error) {
	var n int64
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return 0, err
		}
		n += info.Size()
	}
	return n, nil
}

// The form of a record, as nats-server 2.15 writes it: length, sequence, time
// and length of the subject; subject, headers with their own length, message;
// and the checksum of all but the lengths.
const (
	headBytes = 22
	sumBytes  = 8
	hasHeader = 1 << 31
	maxRecord = 32 << 20
	notStored = 3 << 62 // marks of records that hold no message
)

// blockHash is keyed by stream and number of the block.
func blockHash(stream, file string) hash.Hash64 {
	index, _ := blockIndex(filepath.Base(file))
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, index))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	return h
}

// walker walks the records of one block.
type walker struct {
	hash  hash.Hash64
	first uint64 // position of the first message, 0 before it
	last  uint64 // position of the last sound message
	begin int    // offset of the first message
	each  func(Record)
	wants func(subject []byte) bool // nil is all
}

// walk returns how many bytes are sound, and what is wrong behind them.
func (w *walker) walk(b []byte) (n int, what string) {
	for n < len(b) {
		size, seq, what := w.record(b[n:])
		switch {
		case what != "":
			return n, what
		case seq&notStored != 0 || seq == 0:
		case w.first == 0:
			w.first, w.begin = seq, n
		case seq != w.last+1:
			return n, outOfOrder(seq, w.last+1)
		}
		if seq&notStored == 0 && seq != 0 {
			w.last = seq
			if w.each != nil && (w.wants == nil || w.wants(subjectOf(b[n:]))) {
				w.each(message(b[n:n+size], seq))
			}
		}
		n += size
	}
	return n, ""
}

// subjectOf is the subject of the sound record that b begins with.
func subjectOf(b []byte) []byte {
	return b[headBytes : headBytes+int(binary.LittleEndian.Uint16(b[20:]))]
}

func outOfOrder(seq, due uint64) string {
	return fmt.Sprintf("event %d comes where %d was due", seq, due)
}

func (w *walker) record(b []byte) (size int, seq uint64, what string) {
	if len(b) < headBytes {
		return 0, 0, "a record is cut off"
	}
	length := binary.LittleEndian.Uint32(b)
	size = int(length &^ hasHeader)
	subject := int(binary.LittleEndian.Uint16(b[20:]))
	if size > maxRecord || size < headBytes+sumBytes+subject {
		return 0, 0, "a record has an impossible length"
	}
	if size > len(b) {
		return 0, 0, "a record is cut off"
	}
	body := b[headBytes : size-sumBytes]
	w.hash.Reset()
	w.hash.Write(b[4:20])
	w.hash.Write(body[:subject])
	rest := body[subject:]
	if length&hasHeader != 0 {
		if len(rest) < 4 {
			return 0, 0, "a record has an impossible length"
		}
		rest = rest[4:]
	}
	w.hash.Write(rest)
	if !bytes.Equal(w.hash.Sum(nil), b[size-sumBytes:size]) {
		return 0, 0, "a record has another checksum than its content"
	}
	return size, binary.LittleEndian.Uint64(b[4:]), ""
}
