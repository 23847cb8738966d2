package wire

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxText bounds the message and the hint of a frame, in bytes. Longer texts are cut.
const MaxText = 4 << 10

// A Frame is one piece of a reply. The last frame has a Code; with any code except OK it
// has a message too. The frames of a one-shot verb carry pieces of the answer, to be
// joined. A frame of a stream carries one whole JSON object, or for run.diff a piece of
// text. The last frame of a stream carries nothing.
type Frame struct {
	N       int    // 1, 2, 3 ... within the reply
	Code    Code   // on the last frame only
	Message string // with a code other than OK
	Hint    string
	Cursor  string // with the code CursorExpired
	Writer  *WriterView
	Payload []byte
}

// ErrFrame is wrapped by every error of ParseFrame.
var ErrFrame = errors.New("malformed frame")

// Last reports whether no frame follows.
func (f Frame) Last() bool { return f.Code != "" }

// Err is the error that the frame carries, nil with OK and without a code.
func (f Frame) Err() error {
	if f.Code == "" || f.Code == OK {
		return nil
	}
	return &Error{Code: f.Code, Message: f.Message, Hint: f.Hint, Cursor: f.Cursor, Writer: f.Writer}
}

// Header is the frame without its payload, as message headers. Texts are
// written as JSON strings, so that line ends and spaces survive.
func (f Frame) Header() map[string][]string {
	h := map[string][]string{HeaderFrame: {strconv.Itoa(f.N)}}
	if f.Code == "" {
		return h
	}
	h[HeaderCode] = []string{string(f.Code)}
	if f.Message != "" {
		h[HeaderMessage] = []string{quote(f.Message)}
	}
	if f.Hint != "" {
		h[HeaderHint] = []string{quote(f.Hint)}
	}
	if f.Cursor != "" {
		h[HeaderCursor] = []string{quote(f.Cursor)}
	}
	if f.Writer != nil {
		w := *f.Writer
		w.Task = strings.ToValidUTF8(w.Task, "\uFFFD")
		if b, err := json.Marshal(w); err == nil && len(b) <= MaxText {
			h[HeaderWriter] = []string{string(b)}
		}
	}
	return h
}

// ParseFrame is the inverse of Header. The payload is kept, not copied.
func ParseFrame(h map[string][]string, payload []byte) (Frame, error) {
	if len(payload) > MaxFrame {
		return Frame{}, fmt.Errorf("%w: %d bytes", ErrFrame, len(payload))
	}
	f := Frame{Payload: payload, Code: Code(first(h, HeaderCode))}
	n, err := strconv.Atoi(first(h, HeaderFrame))
	if err != nil || n < 1 {
		return Frame{}, fmt.Errorf("%w: number %.20q", ErrFrame, first(h, HeaderFrame))
	}
	f.N = n
	if f.Code == "" {
		return f, nil
	}
	if f.Message, err = unquote(first(h, HeaderMessage)); err != nil {
		return Frame{}, fmt.Errorf("%w: message: %w", ErrFrame, err)
	}
	if f.Hint, err = unquote(first(h, HeaderHint)); err != nil {
		return Frame{}, fmt.Errorf("%w: hint: %w", ErrFrame, err)
	}
	if f.Cursor, err = unquote(first(h, HeaderCursor)); err != nil {
		return Frame{}, fmt.Errorf("%w: cursor: %w", ErrFrame, err)
	}
	if text := first(h, HeaderWriter); text != "" {
		f.Writer = &WriterView{}
		if err := json.Unmarshal([]byte(text), f.Writer); err != nil {
			return Frame{}, fmt.Errorf("%w: writer: %w", ErrFrame, err)
		}
	}
	return f, nil
}

// Final is the frame that ends a reply with err: OK for nil, the code of an
// *Error, Failed for anything else.
func Final(n int, err error) Frame {
	if err == nil {
		return Frame{N: n, Code: OK}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return Frame{N: n, Code: e.Code, Message: e.Message, Hint: e.Hint, Cursor: e.Cursor, Writer: e.Writer}
	}
	return Frame{N: n, Code: Failed, Message: err.Error()}
}

func first(h map[string][]string, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// quote never fails: invalid UTF-8 is replaced before it is written.
func quote(s string) string {
	if len(s) > MaxText {
		s = s[:MaxText]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	b, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return `""`
	}
	return string(b)
}

func unquote(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	// Escapes make a text of MaxText bytes at most six times as long.
	if len(s) > 6*MaxText+2 {
		return "", fmt.Errorf("%d bytes", len(s))
	}
	var text string
	if err := json.Unmarshal([]byte(s), &text); err != nil {
		return "", err
	}
	return text, nil
}
