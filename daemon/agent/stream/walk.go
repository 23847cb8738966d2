package stream

import "bytes"

// verdict says how far an object goes.
type verdict int

const (
	cut    verdict = iota // the bytes end before it does
	whole                 // it ends within them
	broken                // it is no JSON
)

// next is what may come next in an object.
type next byte

const (
	aKey next = iota
	aKeyOrEnd
	aColon
	aValue
	aValueOrEnd
	aComma // or an end
)

// maxDepth bounds how deep objects and lists may lie in each other.
const maxDepth = 64

// span is a part of some bytes.
type span struct{ from, to int }

// walk follows one object by the grammar of JSON. It goes on where it stopped when
// the bytes have grown. Unlike members it takes nothing that is not well formed: it
// has to tell an object from text that only looks like one.
type walk struct {
	kinds []byte // the brackets that have not ended, outermost first
	from  []int  // where each begins
	// ended are the largest objects below those that have not ended.
	ended []span
	next  next
	at    int // the token that is next
	last  int // the token before it
}

// begin forgets everything but the memory.
func (w *walk) begin() {
	w.kinds, w.from, w.ended = w.kinds[:0], w.from[:0], w.ended[:0]
	w.next, w.at, w.last = aValue, 0, 0
}

// on goes on in b, which begins with the bracket of the object. After whole, at is
// where the object ends; after broken, the token that does not fit; after cut, the
// token that the bytes end in.
func (w *walk) on(b []byte) verdict {
	for {
		if w.at = space(b, w.at); w.at >= len(b) {
			return cut
		}
		v, token := cut, w.at
		switch w.next {
		case aKey, aKeyOrEnd:
			v = w.key(b)
		case aColon:
			v = w.mark(b, ':', aValue)
		case aValue, aValueOrEnd:
			v = w.value(b)
		case aComma:
			v = w.comma(b)
		}
		switch {
		case v != whole:
			return v
		case len(w.kinds) == 0:
			return whole
		case b[token] != '}' && b[token] != ']':
			w.last = token
		}
	}
}

func (w *walk) mark(b []byte, c byte, then next) verdict {
	if b[w.at] != c {
		return broken
	}
	w.at, w.next = w.at+1, then
	return whole
}

func (w *walk) key(b []byte) verdict {
	switch {
	case b[w.at] == '}' && w.next == aKeyOrEnd:
		return w.close(b)
	case b[w.at] != '"':
		return broken
	}
	return w.word(skipString(b, w.at), aColon)
}

// word is a token that ends there; 0 is not within the bytes.
func (w *walk) word(end int, then next) verdict {
	if end == 0 {
		return cut
	}
	w.at, w.next = end, then
	return whole
}

func (w *walk) value(b []byte) verdict {
	switch c := b[w.at]; {
	case c == ']' && w.next == aValueOrEnd:
		return w.close(b)
	case c == '"':
		return w.word(skipString(b, w.at), aComma)
	case c == '{' || c == '[':
		return w.open(c)
	}
	end := w.at
	for end < len(b) && literal(b[end]) {
		end++
	}
	interrupted := end < len(b) && b[end] == '{' && plainValue(b[w.at:end], true)
	if !plainValue(b[w.at:end], end == len(b)) {
		if interrupted {
			w.at = end
		}
		return broken
	}
	if end == len(b) {
		return cut
	}
	return w.word(end, aComma)
}

// plainValue says whether that is a number, true, false or null, or the beginning of
// one.
func plainValue(b []byte, begun bool) bool {
	if len(b) == 0 {
		return false
	}
	for _, word := range []string{"true", "false", "null"} {
		if string(b) == word || begun && bytes.HasPrefix([]byte(word), b) {
			return true
		}
	}
	return b[0] == '-' || b[0] >= '0' && b[0] <= '9'
}

func (w *walk) open(c byte) verdict {
	if len(w.kinds) == maxDepth {
		return broken
	}
	w.kinds, w.from = append(w.kinds, c), append(w.from, w.at)
	w.at++
	if w.next = aKeyOrEnd; c == '[' {
		w.next = aValueOrEnd
	}
	return whole
}

func (w *walk) comma(b []byte) verdict {
	switch b[w.at] {
	case ',':
		then := aKey
		if w.kinds[len(w.kinds)-1] == '[' {
			then = aValue
		}
		return w.mark(b, ',', then)
	case '}', ']':
		return w.close(b)
	}
	return broken
}

func (w *walk) close(b []byte) verdict {
	top := len(w.kinds) - 1
	if (b[w.at] == '}') != (w.kinds[top] == '{') {
		return broken
	}
	from := w.from[top]
	w.kinds, w.from = w.kinds[:top], w.from[:top]
	w.at, w.next, w.last = w.at+1, aComma, from
	if b[from] != '{' {
		return whole
	}
	for n := len(w.ended); n > 0 && w.ended[n-1].from > from; n-- {
		w.ended = w.ended[:n-1]
	}
	w.ended = append(w.ended, span{from, w.at})
	return whole
}

// after is where the next object may begin when this one is none. A verdict of cut
// holds for all that have not ended in it.
func (w *walk) after(v verdict) int {
	if v == cut {
		return w.at + 1
	}
	from := 1
	if len(w.kinds) == maxDepth { // else each level of a deep nest would be walked for all above it
		from = maxDepth / 2
	}
	for i := from; i < len(w.kinds); i++ {
		if w.kinds[i] == '{' {
			return w.from[i]
		}
	}
	if n := len(w.ended); n > 0 {
		return max(w.last+1, w.ended[n-1].to)
	}
	return w.last + 1
}
