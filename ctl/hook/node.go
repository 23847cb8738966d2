package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a value of a settings file, and where it stands in the text.
type node struct {
	kind     byte // { [ " 0 t f n
	from, to int
	text     string // of a string
	names    []name // of an object
	values   []*node
}

type name struct {
	text string
	from int
}

// member is the value of a member, nil without it.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	for i, m := range n.names {
		if m.text == name {
			return n.values[i]
		}
	}
	return nil
}

// start is where the i-th entry begins, with its name if it has one.
func (n *node) start(i int) int {
	if n.kind == '{' {
		return n.names[i].from
	}
	return n.values[i].from
}

// SyntaxError says where a settings file cannot be read.
type SyntaxError struct {
	Line, Column int
	What         string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
}

// parse reads a settings file: JSON, with comments and commas at the end, as most
// hosts take them. A file with nothing in it is nil.
func parse(src []byte) (*node, error) {
	plain := plainJSON(src)
	if len(bytes.TrimSpace(plain)) == 0 {
		return nil, nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(plain))
	n, err := read(d, plain)
	if err == nil {
		if _, end := d.ReadToken(); !errors.Is(end, io.EOF) {
			err = errors.New("there is more behind its end")
		}
	}
	if err != nil {
		return nil, placed(src, int(d.InputOffset()), err)
	}
	return n, nil
}

// placed says where an error is.
func placed(src []byte, at int, err error) error {
	var s *jsontext.SyntacticError
	what := strings.TrimPrefix(err.Error(), "jsontext: ")
	if errors.As(err, &s) {
		at, what = int(s.ByteOffset), "it is not valid JSON"
		if s.Err != nil {
			what = strings.TrimPrefix(s.Err.Error(), "jsontext: ")
		}
	}
	before := src[:min(max(at, 0), len(src))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(before[line:]) + 1, What: what}
}

func read(d *jsontext.Decoder, src []byte) (*node, error) {
	n := &node{from: begin(src, int(d.InputOffset()))}
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n.kind = byte(t.Kind())
	switch n.kind {
	case '"':
		n.text = t.String()
	case '{', '[':
		for k := d.PeekKind(); k != '}' && k != ']'; k = d.PeekKind() {
			if n.kind == '{' {
				from := begin(src, int(d.InputOffset()))
				t, err := d.ReadToken()
				if err != nil {
					return nil, err
				}
				n.names = append(n.names, name{t.String(), from})
			}
			v, err := read(d, src)
			if err != nil {
				return nil, err
			}
			n.values = append(n.values, v)
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
	}
	n.to = int(d.InputOffset())
	return n, nil
}

// begin is where the next value begins, behind what divides it from the last one.
func begin(src []byte, at int) int {
	for at < len(src) && strings.IndexByte(" \t\r\n,:", src[at]) >= 0 {
		at++
	}
	return at
}

// plainJSON writes blanks over what JSON does not have: comments, commas at the
// end, a mark at the beginning. All else stays where it is.
func plainJSON(src []byte) []byte {
	out := bytes.Clone(src)
	if bytes.HasPrefix(out, []byte("\xef\xbb\xbf")) {
		blank(out[:3])
	}
	comma := -1 // of the last value, if only blanks follow it so far
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i = closing(out, i)
			comma = -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := comment(out, i)
			blank(out[i:end])
			i = end - 1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return out
}

func blank(b []byte) {
	for i := range b {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
}

// closing is the quote that ends a string.
func closing(src []byte, at int) int {
	for i := at + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(src)
}

// comment is where a comment ends. One that does not is left for the parser.
func comment(src []byte, at int) int {
	end, skip := "\n", 0
	if src[at+1] == '*' {
		end, skip = "*/", 2
	}
	i := bytes.Index(src[at+2:], []byte(end))
	switch {
	case i >= 0:
		return at + 2 + i + skip
	case skip == 0:
		return len(src)
	}
	return at + 1 // the stroke alone: the rest is no JSON
}
