package redact

import "strings"

// Set is what is looked for.
type Set struct {
	first  [256]bool       // bytes with which something can begin
	starts [1 << 10]uint64 // of three bytes, a bit each by their hash
	forms  [256][]form     // by their first byte
	shapes [256][]shape
}

// Compile makes a Set of secrets, as NAME=value, and all shapes.
func Compile(secrets []string) *Set {
	s := &Set{}
	for _, entry := range secrets {
		name, value, _ := strings.Cut(entry, "=")
		value = strings.TrimSpace(value)
		mark := markOf(name)
		if len(value) < leastNamed || strings.Contains(mark, value) {
			continue // what stands in the mark cannot be kept out
		}
		for _, f := range forms(value) {
			f.mark, f.name = mark, name
			s.forms[f.text[0]] = append(s.forms[f.text[0]], f)
			s.begins(f.text)
			if f.fold {
				for _, end := range lineBreaks {
					s.begins(f.text[:1] + end + f.text[1:2])
					s.begins(f.text[:2] + end)
				}
			}
		}
	}
	for _, sh := range shapes() {
		known := [256]bool{}
		for _, start := range sh.starts {
			s.begins(start)
			if !known[start[0]] {
				known[start[0]] = true
				s.shapes[start[0]] = append(s.shapes[start[0]], sh)
			}
		}
	}
	return s
}

func markOf(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r > '~' || !word[r] }) {
		return plainMark
	}
	return strings.TrimSuffix(plainMark, "]") + " " + name + "]"
}

func (s *Set) begins(text string) {
	s.first[text[0]] = true
	k := hash(uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2]))
	s.starts[k>>6] |= 1 << (k & 63)
}

// hash is of three bytes.
func hash(k uint32) uint32 { return k * 0x9E3779B1 >> 16 }

// next is the first place from i on at which something can begin, else the end.
func (s *Set) next(b []byte, i int) int {
	if i+2 < len(b) {
		k := uint32(b[i])<<8 | uint32(b[i+1])
		for j, c := range b[i+2:] {
			k = k<<8 | uint32(c)
			h := hash(k & 0xFFFFFF)
			if s.starts[h>>6]&(1<<(h&63)) != 0 {
				return i + j
			}
		}
		i = len(b) - 2
	}
	for ; i < len(b); i++ {
		if s.first[b[i]] {
			return i
		}
	}
	return i
}

// look says what begins at the beginning of b; before are the two bytes before
// it. The longest form wins, and forms win over shapes. With final nothing
// follows.
func (s *Set) look(b []byte, before [2]byte, final bool) (match, verdict) {
	m, v := s.form(b, final)
	if v != no {
		return m, v
	}
	for _, sh := range s.shapes[b[0]] {
		if within(before, sh.strict) {
			continue
		}
		switch m, v := sh.find(b); {
		case v == yes:
			m.mark, m.kind = plainMark, sh.kind
			return m, yes
		case v == more && !final:
			return match{}, more
		}
	}
	return match{}, no
}

func (s *Set) form(b []byte, final bool) (match, verdict) {
	var best match
	found := no
	list := s.forms[b[0]]
	for i := range list {
		f := &list[i]
		switch n, v := f.at(b); {
		case v == more && !final:
			return match{}, more
		case v == yes && n > best.n:
			best, found = match{n: n, mark: f.mark, kind: "value of " + f.name}, yes
		}
	}
	return best, found
}

// within says that what comes next is inside of a word, and so no beginning. The
// letter of an escape, as in \n, and the end of a colour are no part of one.
func within(before [2]byte, strict bool) bool {
	a, b := before[0], before[1]
	switch {
	case b == '-' || b == '_':
		return strict
	case !alnum[b]:
		return false
	case b == 'n' || b == 'r' || b == 't':
		return a != '\\'
	case b == 'm':
		return !digit[a] && a != '[' && a != ';'
	}
	return true
}

// plain is a short text without the forms that are whole in it.
func (s *Set) plain(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); {
		if m, v := s.form(b[i:], true); v == yes {
			out = append(out, m.mark...)
			i += m.n
			continue
		}
		out = append(out, b[i])
		i++
	}
	return out
}

// Text is a text without what is in the set.
func (s *Set) Text(text string) string {
	var out strings.Builder
	w := s.Writer(func(b []byte) { out.Write(b) })
	_, _ = w.Write([]byte(text)) // it has no errors
	w.Close()
	if w.Count() == 0 {
		return text
	}
	return out.String()
}

// Finding is something that is in a text and should not be.
type Finding struct {
	Kind   string // "value of NAME", or the kind of key
	Offset int64  // of its first byte
}

// Find lists what is in a text. It tells nothing of the values.
func (s *Set) Find(text string) []Finding {
	var out []Finding
	w := s.Writer(func([]byte) {})
	w.found = func(f Finding) { out = append(out, f) }
	_, _ = w.Write([]byte(text))
	w.Close()
	return out
}

// New is the Writer of a Set that is used once.
func New(secrets []string, to func([]byte)) *Writer { return Compile(secrets).Writer(to) }

// Text is a text without secrets and keys.
func Text(secrets []string, text string) string { return Compile(secrets).Text(text) }

// Find lists the secrets and keys in a text.
func Find(secrets []string, text string) []Finding { return Compile(secrets).Find(text) }
