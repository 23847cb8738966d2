package filestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// ErrShort says that the files do not hold so many records of a subject.
var ErrShort = errors.New("the records are not in the files")

// Subject reads the first n records of one subject behind a position, from the
// files of a stream that a server may have open. Records of other subjects are
// passed over and not proven.
//
// What the server has not written yet is not there, and a file that is not as it
// should be is an error: who wants to know more asks the server.
func Subject(streams, stream, subject string, behind uint64, n int) ([]Record, error) {
	files, err := blocksFrom(streams, stream, behind+1)
	if err != nil {
		return nil, err
	}
	out := make([]Record, 0, n)
	for _, path := range files {
		if out, err = ofSubject(out, stream, path, subject, behind); err != nil {
			return nil, err
		}
		if len(out) == n {
			return out, nil
		}
	}
	return nil, fmt.Errorf("read %s: %w", subject, ErrShort)
}

// blocksFrom lists the files from the one on that holds a position.
func blocksFrom(streams, stream string, position uint64) ([]string, error) {
	files, err := blockFiles(streams, stream)
	if err != nil {
		return nil, err
	}
	for i, path := range slices.Backward(files) {
		first, err := firstOf(path)
		if err != nil {
			return nil, err
		}
		if first <= position {
			return files[i:], nil
		}
	}
	return files, nil
}

// firstOf is the position of the first record of a block, the highest number of
// one that has none yet.
func firstOf(path string) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var head [headBytes]byte
	switch _, err := io.ReadFull(f, head[:]); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ^uint64(0), nil
	case err != nil:
		return 0, err
	}
	return binary.LittleEndian.Uint64(head[4:]) &^ notStored, nil
}

// ofSubject adds the records of a subject behind a position that one block has,
// as long as there is room in list. It ends at a record that is cut off: the
// server may be writing it.
func ofSubject(list []Record, stream, path, subject string, behind uint64) ([]Record, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w := walker{hash: blockHash(stream, path)}
	for len(list) < cap(list) && len(b) >= headBytes {
		size := int(binary.LittleEndian.Uint32(b) &^ hasHeader)
		end := headBytes + int(binary.LittleEndian.Uint16(b[20:]))
		if size < end+sumBytes {
			return nil, fmt.Errorf("%w: a record of %s has an impossible length", ErrDamaged, filepath.Base(path))
		}
		if size > len(b) {
			break
		}
		seq := binary.LittleEndian.Uint64(b[4:])
		if seq&notStored == 0 && seq > behind && string(b[headBytes:end]) == subject {
			if _, _, what := w.record(b[:size]); what != "" {
				return nil, fmt.Errorf("%w: position %d in %s: %s", ErrDamaged, seq, filepath.Base(path), what)
			}
			list = append(list, message(b[:size], seq))
		}
		b = b[size:]
	}
	return list, nil
}
