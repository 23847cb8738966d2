package render

import (
	"strings"
	"unicode/utf8"
)

// maxControl bounds an escape sequence. A longer one is taken for text that
// has lost its end, so that nothing can swallow the rest of an output.
const maxControl = 4096

type cleanState int

const (
	ground     cleanState = iota
	escape                // after ESC
	csi                   // in a control sequence, until its final byte
	text                  // in an OSC, DCS, SOS, PM or APC string, until BEL or ST
	textEscape            // after ESC within such a string
)

// Cleaner removes what could steer a terminal from a stream of output: C0 and
// C1 controls, escape sequences, marks that reorder text, invisible tags.
// Newlines and tabs stay; a carriage return becomes a newline, so that a line
// cannot hide the one before. Invalid UTF-8 becomes U+FFFD.
//
// Sequences may be cut anywhere between calls. The zero value is ready; it is
// not safe for concurrent use.
type Cleaner struct {
	state   cleanState
	length  int    // bytes of the present sequence
	partial []byte // start of a rune that the last call ended in
	cr      bool   // the last rune was a carriage return
}

// Clean returns the next piece of output without controls.
func (c *Cleaner) Clean(b []byte) []byte {
	if len(c.partial) > 0 {
		b = append(c.partial, b...)
		c.partial = nil
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		if !utf8.FullRune(b) {
			c.partial = append([]byte(nil), b...)
			break
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && b[0] >= 0x80 && b[0] <= 0x9f {
			r = rune(b[0]) // a bare C1 byte steers terminals that are not in UTF-8 mode
		}
		b = b[n:]
		out = c.step(out, r)
	}
	return out
}

// Flush ends the stream: what is left of a cut rune or a carriage return.
func (c *Cleaner) Flush() []byte {
	var out []byte
	if c.cr {
		out = append(out, '\n')
	}
	if len(c.partial) > 0 {
		out = utf8.AppendRune(out, utf8.RuneError)
	}
	*c = Cleaner{}
	return out
}

func (c *Cleaner) step(out []byte, r rune) []byte {
	if c.cr {
		c.cr = false
		out = append(out, '\n')
		if r == '\n' {
			return out
		}
	}
	if c.state != ground {
		c.length++
		if r == '\n' || c.length > maxControl {
			c.state = ground
		} else {
			c.control(r)
			return out
		}
	}
	switch {
	case r == '\n' || r == '\t':
		return append(out, byte(r))
	case r == '\r':
		c.cr = true
		return out
	case r == 0x2028 || r == 0x2029:
		return append(out, '\n')
	case c.begins(r) || steers(r):
		return out
	}
	return utf8.AppendRune(out, r)
}

// begins enters the state of the sequence that r starts.
func (c *Cleaner) begins(r rune) bool {
	switch r {
	case 0x1b:
		c.state = escape
	case 0x9b:
		c.state = csi
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		c.state = text
	default:
		return false
	}
	c.length = 0
	return true
}

// control consumes one rune of a sequence.
func (c *Cleaner) control(r rune) {
	switch c.state {
	case escape:
		switch {
		case r == '[':
			c.state = csi
		case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
			c.state = text
		case r >= 0x20 && r <= 0x2f: // intermediate: the final byte follows
		case r == 0x1b:
		default:
			c.state = ground
		}
	case csi:
		if r == 0x1b {
			c.state = escape
		} else if r < 0x20 || r > 0x3f {
			c.state = ground
		}
	case text, textEscape:
		switch {
		case r == 0x07 || r == 0x9c || (c.state == textEscape && r == '\\'):
			c.state = ground
		case r == 0x1b:
			c.state = textEscape
		default:
			c.state = text
		}
	case ground:
	}
}

// steers says whether r is a control or changes how the text around it reads.
func steers(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f: // direction marks
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // overrides, isolates
		return true
	case r >= 0xe0000 && r <= 0xe007f: // invisible tags
		return true
	}
	return false
}

// Clean returns a whole text without controls.
func Clean(s string) string {
	var c Cleaner
	b := c.Clean([]byte(s))
	return string(append(b, c.Flush()...))
}

// Line returns a text as one line without controls.
func Line(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}
