package api

import (
	"bufio"
	"io"

	"autopilot/events/wire"
)

// inPieces sends the output of write in frames; all but the last are full.
func inPieces(send func(wire.Raw) error, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(pieces(send), wire.MaxFrame)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// pieces cuts written bytes into frames.
type pieces func(wire.Raw) error

func (send pieces) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		k := min(len(b), wire.MaxFrame)
		if err := send(b[:k]); err != nil {
			return n - len(b), err
		}
		b = b[k:]
	}
	return n, nil
}
