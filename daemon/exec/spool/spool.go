// Package spool keeps the output of a process within a bound: the first Head
// bytes and the last Tail bytes, with a counted gap between them.
//
// It owns the files of a spool: NAME holds the head as plain text, so that it
// can be read with any tool and is the whole output in the ordinary case;
// NAME.tail exists only once the head is full and is a ring.
//
// One Writer appends; any number of Readers, in any process, read at the same
// time and after the writer is gone, also when it was killed. Positions are
// offsets into the output as it was written, so they stay valid when bytes are
// dropped. Nothing is synced: after a power cut a spool may be shorter than
// what the exit record counts. No call needs memory in proportion to the
// output.
package spool

import "encoding/binary"

// tailSuffix is added to the name of a spool to name its ring.
const tailSuffix = ".tail"

// The ring file begins with three numbers, little endian, followed by the
// ring at ringStart. A writer first reserves, then writes, then commits; so a
// reader that looks at committed before and at reserved after its read knows
// which of the bytes were whole.
const (
	headAt      = 0 // capacity of the head: where in the output the ring begins
	sizeAt      = 8 // capacity of the ring
	reservedAt  = 16
	committedAt = 24
	ringStart   = 32
)

type header struct {
	head, size, reserved, committed int64
}

func parseHeader(b []byte) header {
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[i:])) }
	return header{head: at(headAt), size: at(sizeAt), reserved: at(reservedAt), committed: at(committedAt)}
}

// sound says whether the numbers can be those of a writer.
func (h header) sound() bool {
	return h.head >= 0 && h.size > 0 && h.committed >= 0 && h.reserved >= h.committed
}
