package log

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Cursor is a place between two events of a log. Only this package makes and
// reads one; the zero value is before the first event.
type Cursor string

// Place is the stream and the position behind which a cursor is; neither for the
// zero value.
func (c Cursor) Place() (stream string, position uint64) {
	p, err := parseCursor(c)
	if err != nil {
		return "", 0
	}
	return StreamName(p.generation), p.position
}

// Begin is the place before the first event of a generation.
func Begin(generation uint64) Cursor { return place{generation: generation}.cursor() }

// CursorError is an ErrCursorExpired with the oldest place that can be read
// from.
type CursorError struct {
	Why    string
	Oldest Cursor
}

// Error says why the cursor cannot be used.
func (e *CursorError) Error() string { return ErrCursorExpired.Error() + ": " + e.Why }

// Is makes errors.Is(err, ErrCursorExpired) true.
func (e *CursorError) Is(target error) bool { return target == ErrCursorExpired }

// cursorHash is how many hex digits of an event's hash a cursor carries: they
// tell two histories apart, they prove nothing.
const cursorHash = 16

// place is what a cursor says: behind the event at this position of this
// generation, whose hash begins like this. Position 0 is before the first.
type place struct {
	generation uint64
	position   uint64
	hash       string
}

func (p place) cursor() Cursor {
	b := make([]byte, 0, 64)
	b = strconv.AppendUint(b, p.generation, 10)
	b = append(b, '.')
	b = strconv.AppendUint(b, p.position, 10)
	if p.position > 0 {
		b = append(b, '.')
		b = append(b, shortHash(p.hash)...)
	}
	return Cursor(b)
}

func (p place) holds(hash string) bool { return shortHash(hash) == p.hash }

func shortHash(h string) string { return h[:min(len(h), cursorHash)] }

var errNoCursor = errors.New("not a cursor")

func parseCursor(c Cursor) (place, error) {
	gen, rest, ok := strings.Cut(string(c), ".")
	if !ok {
		return place{}, errNoCursor
	}
	pos, hash, _ := strings.Cut(rest, ".")
	g, gerr := strconv.ParseUint(gen, 10, 64)
	n, nerr := strconv.ParseUint(pos, 10, 64)
	if gerr != nil || nerr != nil || g == 0 || (n == 0) != (hash == "") || (n > 0 && len(hash) != cursorHash) {
		return place{}, errNoCursor
	}
	return place{g, n, hash}, nil
}

// resolve turns a cursor into the position to go on behind. hashAt answers the
// hash of the event at a position, or false when none is there.
func resolve(c Cursor, generation uint64, hashAt func(position uint64) (string, bool, error)) (uint64, error) {
	if c == "" {
		return 0, nil
	}
	expired := func(why string) error {
		return &CursorError{Why: why, Oldest: place{generation: generation}.cursor()}
	}
	p, err := parseCursor(c)
	switch {
	case err != nil:
		return 0, expired(err.Error())
	case p.generation != generation:
		return 0, expired(fmt.Sprintf("it belongs to generation %d, this is %d", p.generation, generation))
	case p.position == 0:
		return 0, nil
	}
	hash, ok, err := hashAt(p.position)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 0, expired("its event is not in the log")
	case !p.holds(hash):
		return 0, expired("another event is at its place")
	}
	return p.position, nil
}
