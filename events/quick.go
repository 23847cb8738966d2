package events

import (
	"bytes"
	"strconv"
	"strings"
)

// decodeQuick reads an event in the exact form that Encode gives an event of a
// known type. ok is false for all else, sound or not, which Decode then reads in
// full: a history is long, and nearly all of it was written by Encode.
func decodeQuick(b []byte) (e Event, ok bool) {
	n := bytes.Index(b, []byte(`,"data":`))
	if n < 0 || b[len(b)-1] != '}' {
		return e, false
	}
	s := scanner{rest: string(b[:n])}
	e = Event{ID: s.text(`{"specversion":"` + SpecVersion + `","id":`), Source: s.text(`,"source":`)}
	typ, subject, at := s.text(`,"type":`), s.text(`,"subject":`), s.text(`,"time":`)
	e.Seq = s.number(`,"seq":`)
	e.PrevHash = s.option(`,"prevhash":`)
	e.Actor = s.text(`,"actor":`)
	e.Causation = s.option(`,"causationid":`)
	e.Trace = s.option(`,"traceparent":`)
	decode, known := decoders[typ]
	if s.bad || s.rest != "" || !known || upcasters[typ].To != "" {
		return e, false
	}
	var err error
	if e.Aggregate, err = ParseAggregate(subject); err != nil {
		return e, false
	}
	if err := e.Time.UnmarshalText([]byte(at)); err != nil {
		return e, false
	}
	e.Time = e.Time.UTC()
	if e.Data, err = decode(b[n+len(`,"data":`) : len(b)-1]); err != nil {
		return e, false
	}
	return e, e.check() == nil
}

// scanner takes members off the beginning of an object.
type scanner struct {
	rest string
	bad  bool
}

func (s *scanner) take(name string) {
	rest, ok := strings.CutPrefix(s.rest, name)
	s.rest, s.bad = rest, s.bad || !ok
}

// text is a string that is written as it is.
func (s *scanner) text(name string) string {
	s.take(name)
	if s.bad || s.rest == "" || s.rest[0] != '"' {
		s.bad = true
		return ""
	}
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			out := s.rest[1:i]
			s.rest = s.rest[i+1:]
			return out
		case c < ' ' || c == '\\' || c > '~':
			s.bad = true
			return ""
		}
	}
	s.bad = true
	return ""
}

// option is a string that is left out when it is empty.
func (s *scanner) option(name string) string {
	if !strings.HasPrefix(s.rest, name) {
		return ""
	}
	return s.text(name)
}

func (s *scanner) number(name string) uint64 {
	s.take(name)
	n := strings.IndexByte(s.rest, ',')
	if s.bad || n < 0 || s.rest[0] == '+' || s.rest[0] == '0' {
		s.bad = true
		return 0
	}
	v, err := strconv.ParseUint(s.rest[:n], 10, 64)
	s.rest, s.bad = s.rest[n:], err != nil
	return v
}
