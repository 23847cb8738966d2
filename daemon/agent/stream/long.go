package stream

import "bytes"

// excess is how a line is read that is longer than is kept of it. An object in it
// loses only the rest of a long text. One that is long without such a text is read
// as far as it is kept, if the line ends as an object does.
type excess struct {
	told bool // its text was told
	text bool // in a text whose rest is left out
	odd  bool // the last byte of it begins an escape
	head bool // nothing more of it is kept
}

// add puts off a piece of a line.
func (r *Reader) add(p []byte) {
	r.size += len(p)
	if t := bytes.TrimRight(p, " \t\r\x00"); len(t) > 0 {
		r.end = t[len(t)-1]
	}
	for len(p) > 0 && !r.over.head {
		if r.over.text {
			p = p[r.over.skip(p):]
			continue
		}
		n := min(maxLine-len(r.buf), len(p))
		r.buf = append(r.buf, p[:n]...)
		if p = p[n:]; len(r.buf) == maxLine {
			r.shorten()
		}
	}
}

// skip is how much of these bytes belongs to the text that is left out.
func (e *excess) skip(p []byte) int {
	for n, c := range p {
		switch {
		case e.odd:
			e.odd = false
		case c == '"':
			e.text = false
			return n
		default:
			e.odd = c == '\\'
		}
	}
	return len(p)
}

// shorten makes room in a line that is too long: it reads what is whole, and leaves
// out the rest of the text that the line is in.
func (r *Reader) shorten() {
	first := r.sum.Long
	if r.size > 0 && !r.over.told {
		r.sum.Long++
	}
	if r.line == nil || r.lost {
		r.over.head, r.over.told = true, true
		return
	}
	if first != r.sum.Long {
		r.giveUp()
	}
	begun := r.find(r.trim(r.buf), nil, true)
	r.text(begun.b[:begun.at])
	r.over.told = true
	r.buf = append(r.buf[:0], begun.b[begun.at:]...)
	text := r.walk.at // that it ends in
	switch {
	case len(r.buf) < maxLine/2:
	case r.buf[text] == '"' && len(r.buf)-text > maxText:
		kept := text + maxText
		left := r.buf[kept:]
		if r.buf = r.buf[:kept]; odd(r.buf) {
			r.buf, r.over.odd = r.buf[:kept-1], true
		}
		r.over.text = true
		r.over.skip(left) // all of it: the text goes on
	default:
		r.over.head = true
	}
}

// odd says that the last byte begins an escape.
func odd(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// finish reads the line that was put off.
func (r *Reader) finish() {
	if r.size == 0 {
		return
	}
	switch {
	case r.over.head && r.line == nil:
		r.sum.Lines++
		head := r.trim(r.buf)
		r.said(valid(head[:min(len(head), maxText)], true))
	case r.over.head && !r.lost:
		r.cutLine(r.trim(r.buf))
	case r.over.told && len(r.buf) == 0:
		r.sum.Lines++
	default:
		r.whole(r.buf)
	}
	r.size, r.end, r.over, r.buf, r.lost = 0, 0, excess{}, r.buf[:0], false
	if cap(r.buf) > maxText {
		r.buf = nil
	}
}

// cutLine reads the head of an object that is too long.
func (r *Reader) cutLine(head []byte) {
	r.sum.Lines++
	r.arena.m = r.arena.m[:0]
	o, _ := r.arena.parse(head)
	if len(o.tag("type")) == 0 || r.end != '}' {
		r.text(head)
		r.tellBroken()
		return
	}
	r.object(o)
}
