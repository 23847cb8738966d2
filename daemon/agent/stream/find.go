package stream

import (
	"bytes"
	"slices"

	"autopilot/projections/regex"
)

// This file finds the objects of a stream in what is printed: with text before,
// between and after them, over several lines, and with the object of another writer
// in their middle. What is not part of an object is text.

const (
	// maxForeign bounds how many objects are taken out of the middle of another.
	maxForeign = 8
	// maxPassing is how many objects may come in lines of their own before the rest of
	// one that has begun.
	maxPassing = 4
	// maxTexts is how many lines a text in an object may be cut into.
	maxTexts = 64
)

// begun is an object that the lines so far have not ended.
type begun struct {
	b      []byte // from the beginning of the text before it
	at     int    // where it begins in b
	lines  []int  // where lines begin in b, but the first
	walk   walk
	passed int // objects that came in lines of their own since
}

// find reads objects and text, in lines that begin at breaks. With more to come it
// gives back the object that has begun and has not ended, with the text before it.
func (r *Reader) find(b []byte, breaks []int, more bool) begun {
	text := 0 // where that begins which is not read
	for i := bytes.IndexByte(b, '{'); i >= 0; {
		w := &r.walk
		w.begin()
		v := w.on(b[i:])
		if v == broken {
			var foreign [][]byte
			fixed := b[i:]
			if fixed, foreign, v = r.mend(fixed, w, more); v != broken {
				r.texts(b, text, i, breaks)
				breaks = shifted(breaks, i, len(b)-i-len(fixed))
				b, i, text = fixed, 0, 0
				for _, f := range foreign {
					r.take(f)
				}
				w.begin()
				v = w.on(b)
			}
		}
		switch {
		case v == whole:
			end := i + w.at
			r.texts(b, text, i, breaks)
			r.take(b[i:end])
			i, text = end, end
		case v == cut && more:
			return begun{b: b[text:], at: i - text, lines: shifted(breaks, text, 0)}
		default: // what ended in it may be of the stream
			from := i
			i = from + w.after(v)
			for _, s := range slices.Clone(w.ended) {
				if from+s.to > i {
					break
				}
				r.texts(b, text, from+s.from, breaks)
				r.take(b[from+s.from : from+s.to])
				text = from + s.to
			}
		}
		if n := bytes.IndexByte(b[min(i, len(b)):], '{'); n >= 0 {
			i += n
		} else {
			i = -1
		}
	}
	r.texts(b, text, len(b), breaks)
	return begun{}
}

// shifted are breaks behind an index, counted from there, after so many bytes were
// taken out.
func shifted(breaks []int, from, out int) []int {
	var moved []int
	for _, at := range breaks {
		if at -= from; at > 0 {
			moved = append(moved, max(at-out, 1))
		}
	}
	return moved
}

// colours are sequences that only change how a terminal shows what follows. A
// control character is no JSON, so they are of another writer.
var colours = regex.New("\x1b\\[[0-9;?]*[A-Za-z]")

// mend takes out of an object that is broken what another program wrote into it. The
// verdict is broken where that does not make it one of a stream, else what it is then.
func (r *Reader) mend(b []byte, w *walk, more bool) (fixed []byte, foreign [][]byte, v verdict) {
	last, at := w.last, w.at // of what is well formed
	if bytes.IndexByte(b, 0x1b) >= 0 {
		var in walk
		b = colours.ReplaceAll(b, nil)
		in.begin()
		if v = in.on(b); v == cut && !more {
			return b, nil, broken
		} else if v != broken && r.mayBe(b, &in, v, more) {
			return b, nil, v
		}
		last, at = in.last, in.at
	}
	from := 0 // of the last that was taken out
	for range maxForeign {
		s, ok := inserted(b, max(last, from), at)
		if !ok {
			return b, nil, broken
		}
		from = s.from
		foreign = append(foreign, slices.Clone(b[s.from:s.to]))
		b = slices.Concat(b[:s.from], b[s.to:])
		var in walk
		in.begin()
		switch v = in.on(b); {
		case v != broken && r.mayBe(b, &in, v, more):
			return b, foreign, v
		case v != broken || in.at < s.from:
			return b, nil, broken
		}
		last, at = in.last, in.at
	}
	return b, nil, broken
}

// mayBe says that an object is of a stream, as far as it goes: it has a type, or may
// still have one and holds nothing that is of the stream itself.
func (r *Reader) mayBe(b []byte, w *walk, v verdict, more bool) bool {
	if v == whole {
		var in arena
		o, _ := in.parse(b)
		return len(o.tag("type")) > 0
	}
	return more && !r.holds(b, w)
}

// holds says whether an object that has begun has one of the stream in it.
func (r *Reader) holds(b []byte, w *walk) bool {
	return slices.ContainsFunc(w.ended, func(s span) bool {
		probe := New(r.sum.Format, nil)
		probe.take(b[s.from:s.to])
		return probe.sum.Known > 0
	})
}

// inserted is an object that begins with the token that does not fit, or in the text
// or as the object before it: of two objects side by side the one with a type.
func inserted(b []byte, last, at int) (found span, ok bool) {
	before := span{max(last, 1), at}
	if at >= len(b) || before.from > at {
		return span{}, false
	}
	switch b[before.from] {
	case '{':
		before.to = before.from + 1
	case '[':
		before.to = before.from
	}
	for _, part := range []span{{at, at + 1}, before} {
		for i := part.from; i < min(part.to, len(b)); i++ {
			if b[i] != '{' {
				continue
			}
			s, typed := objectAt(b, i)
			if typed {
				return s, true
			}
			if s.to > 0 && !ok {
				found, ok = s, true
			}
		}
	}
	return found, ok
}

// objectAt is the object that begins there, if it is whole, and whether it has a type.
func objectAt(b []byte, from int) (_ span, typed bool) {
	var w walk
	w.begin()
	if w.on(b[from:]) != whole {
		return span{}, false
	}
	var in arena
	o, _ := in.parse(b[from:])
	return span{from, from + w.at}, len(o.tag("type")) > 0
}

// goOn adds a line to the object that has begun.
func (r *Reader) goOn(line []byte) {
	o := &r.open
	o.b, o.lines = append(o.b, line...), append(o.lines, len(o.b))
	in := o.b[o.at:]
	if o.walk.on(in) != cut {
		r.found(o.b, o.lines)
		return
	}
	inText := in[min(o.walk.at, len(in)-1)] == '"'
	if len(o.b) >= maxLine || inText && len(o.lines) > maxTexts {
		r.giveUp()
	}
}

// found reads what is whole now, or cannot become it, and keeps what begins behind it.
func (r *Reader) found(b []byte, lines []int) {
	r.open = begun{}
	r.begin(r.find(b, lines, true))
}

// begin keeps an object that has begun.
func (r *Reader) begin(o begun) {
	if len(o.b) == 0 {
		return
	}
	o.b, o.walk = slices.Clone(o.b), r.open.walk
	o.walk.begin()
	o.walk.on(o.b[o.at:])
	r.open = o
}

// passes counts an object that came while another has begun. It says whether that
// was given up: what came in it before has to be read before.
func (r *Reader) passes() bool {
	if len(r.open.b) == 0 {
		return false
	}
	r.open.passed++
	if r.open.passed <= maxPassing && !r.holds(r.open.b[r.open.at:], &r.open.walk) {
		return false
	}
	r.giveUp()
	return true
}

// giveUp reads what has begun as what it is without an end.
func (r *Reader) giveUp() {
	b, lines := r.open.b, r.open.lines
	r.open = begun{}
	r.find(b, lines, false)
	r.tellBroken()
}

// take reads an object. One without a type is text, and may have objects of the
// stream in it.
func (r *Reader) take(b []byte) {
	r.arena.m = r.arena.m[:0]
	o, _ := r.arena.parse(b)
	if len(o.tag("type")) > 0 {
		r.object(o)
		return
	}
	r.untyped(b)
}

func (r *Reader) untyped(b []byte) {
	r.sum.Unknown++
	if bytes.Contains(b, []byte(`"type"`)) {
		was := r.quiet
		r.quiet = true
		r.find(b[1:], nil, false)
		r.quiet = was
	}
	if len(bytes.Trim(b, "{} \t")) > 0 {
		r.aside(b)
	}
}

// texts are what is not of the stream, by lines.
func (r *Reader) texts(b []byte, from, to int, breaks []int) {
	for _, at := range breaks {
		if at > from && at < to {
			r.text(b[from:at])
			from = at
		}
	}
	if from < to {
		r.text(b[from:to])
	}
}
