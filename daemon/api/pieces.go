package api

import (
	"bufio"
	"io"

	"autopilot/events/wire"
)

// inPieces sends what is written in frames that are full but for the last.
func inPieces(send func(wire.Raw) error, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(pieces(send), wire.MaxFrame)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// pieces cuts what is written into frames.
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
