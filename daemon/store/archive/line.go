package archive

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
)

// maxEvent is the largest stored event, sound or not: far more than events.MaxBytes,
// as what somebody else put into a log is kept too.
const maxEvent = 8 << 20

// escaped begins a line that has the bytes of an event in base64, as they are no
// line by themselves. No event begins so.
const escaped = '='

// appendLine adds the line of an event.
func appendLine(b, event []byte) []byte {
	if len(event) > 0 && event[0] != escaped && bytes.IndexByte(event, '\n') < 0 {
		return append(append(b, event...), '\n')
	}
	return append(base64.StdEncoding.AppendEncode(append(b, escaped), event), '\n')
}

// event is what is on a line. It is valid as long as the line is.
func event(line []byte) ([]byte, error) {
	if len(line) == 0 {
		return nil, errors.New("an empty line")
	}
	if line[0] != escaped {
		return line, nil
	}
	b, err := base64.StdEncoding.Strict().AppendDecode([]byte{}, line[1:])
	if err != nil {
		return nil, fmt.Errorf("a line in base64: %w", err)
	}
	if !bytes.Equal(appendLine(nil, b), append(bytes.Clone(line), '\n')) {
		return nil, errors.New("a line in base64 that needs none")
	}
	return b, nil
}

var errNoEnd = errors.New("the last line has no end")

// lines reads lines that all have an end.
func lines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4<<10), base64.StdEncoding.EncodedLen(maxEvent)+2)
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, data[:i], nil
		}
		if atEOF && len(data) > 0 {
			return 0, nil, errNoEnd
		}
		return 0, nil, nil
	})
	return s
}
