package redact

// Writer takes a stream and passes it on without what is in its Set.
type Writer struct {
	set   *Set
	to    func([]byte)
	found func(Finding) // told of each replacement; may be nil
	count int

	held   []byte  // read and not yet decided
	before [2]byte // the bytes just before that
	at     int64   // how many there are

	eat   *class // bytes that still belong to what was replaced
	armor bool   // up to the line that ends it
	left  int    // bytes that an armored key may still have
}

// Writer makes a Writer that passes on to to, in pieces that are valid during
// the call.
func (s *Set) Writer(to func([]byte)) *Writer { return &Writer{set: s, to: to} }

// Write takes a piece of the stream. It never fails.
func (w *Writer) Write(p []byte) (int, error) {
	b := p
	if len(w.held) > 0 {
		w.held = append(w.held, p...)
		b = w.held
	}
	rest := w.scan(b, false)
	w.held = append(w.held[:0], rest...)
	return len(p), nil
}

// Close passes on what was held back: nothing follows, so it is no secret.
func (w *Writer) Close() {
	w.scan(w.held, true)
	w.held = nil
}

// Count is how many secrets were replaced.
func (w *Writer) Count() int { return w.count }

// scan passes on what is decided of b and returns the rest.
func (w *Writer) scan(b []byte, final bool) []byte {
	from, i := 0, 0 // b[from:i] is text
	for i < len(b) {
		if w.eat != nil {
			i = w.swallow(b, i, final)
			if from = i; w.eat != nil {
				break
			}
			continue
		}
		if i = w.set.next(b, i); i == len(b) {
			break
		}
		m, v := w.set.look(b[i:], w.previous(b, i), final)
		if v == more {
			break
		}
		if v == no {
			i++
			continue
		}
		w.pass(b[from:i])
		w.replace(b[i:], m, w.at+int64(i))
		i += m.n
		from = i
	}
	w.pass(b[from:i])
	w.before = w.previous(b, i)
	w.at += int64(i)
	return b[i:]
}

func (w *Writer) pass(b []byte) {
	if len(b) > 0 {
		w.to(b)
	}
}

// previous are the two bytes before b[i].
func (w *Writer) previous(b []byte, i int) [2]byte {
	switch i {
	case 0:
		return w.before
	case 1:
		return [2]byte{w.before[1], b[0]}
	}
	return [2]byte{b[i-2], b[i-1]}
}

func (w *Writer) replace(b []byte, m match, at int64) {
	w.count++
	if w.found != nil {
		w.found(Finding{m.kind, at + int64(m.keep)})
	}
	w.pass(w.set.plain(b[:m.keep]))
	w.to([]byte(m.mark))
	w.eat, w.armor, w.left = m.eat, m.armor, armorMost
}

// swallow leaves out what belongs to what was replaced. It returns where it
// ends or where b does; in the first case nothing is left to leave out. At the
// line that may end an armored key it stops until that is decided.
func (w *Writer) swallow(b []byte, i int, final bool) int {
	for ; i < len(b); i++ {
		if w.armor {
			if w.left--; w.left < 0 {
				break
			}
			if b[i] == '-' {
				n, _, v := armorLine(b[i:], armorEnd)
				if v == yes {
					w.eat = nil
					return i + n
				}
				if v == more && !final {
					w.left++
					return i
				}
			}
		}
		if !w.eat[b[i]] {
			break
		}
	}
	if i < len(b) {
		w.eat = nil
	}
	return i
}
