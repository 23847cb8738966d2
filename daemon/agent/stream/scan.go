package stream

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The scanner finds its way through JSON without decoding what nobody asks for.
// It is lenient: only what it steps over has to be well formed.

// member is one member of an object. The value of the last one may be cut.
type member struct {
	key, value []byte
}

// maxMembers bounds what is kept of one object; more are stepped over.
const maxMembers = 64

// literal says whether c may be in a value that is neither text, list nor
// object.
func literal(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\t', '\r', '\n', ':', '"', '{', '[':
		return false
	}
	return true
}

// members appends the members of the object that b begins with, and says where
// it ends: 0 when that is not within b.
func members(b []byte, to []member) (_ []member, end int) {
	if len(b) == 0 || b[0] != '{' {
		return to, 0
	}
	most := len(to) + maxMembers
	i := space(b, 1)
	if i < len(b) && b[i] == '}' {
		return to, i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return to, 0
		}
		k := skipString(b, i)
		if k == 0 {
			return to, 0
		}
		key := b[i+1 : k-1]
		if i = space(b, k); i >= len(b) || b[i] != ':' {
			return to, 0
		}
		i = space(b, i+1)
		v := skip(b, i)
		last := v
		if v == 0 {
			last = len(b)
		}
		if len(to) < most && i < last {
			to = append(to, member{key, b[i:last]})
		}
		if v == 0 {
			return to, 0
		}
		if i = space(b, v); i >= len(b) {
			return to, 0
		}
		switch b[i] {
		case '}':
			return to, i + 1
		case ',':
			i = space(b, i+1)
		default:
			return to, 0
		}
	}
}

// elements calls use with each value of the array that b begins with.
func elements(b []byte, use func([]byte)) {
	if len(b) == 0 || b[0] != '[' {
		return
	}
	for i := space(b, 1); i < len(b) && b[i] != ']'; {
		end := skip(b, i)
		if end == 0 {
			use(b[i:])
			return
		}
		use(b[i:end])
		if i = space(b, end); i >= len(b) || b[i] != ',' {
			return
		}
		i = space(b, i+1)
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skip is the index behind the value at i, 0 when it does not end within b.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return 0
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	from := i
	for i < len(b) && literal(b[i]) {
		i++
	}
	if i == len(b) || i == from {
		return 0
	}
	return i
}

// skipNested steps over an object or a list. It ends where a token cannot follow the
// one before it: there another program has written into the line.
func skipNested(b []byte, i int) int {
	depth, last := 0, byte(',')
	for i < len(b) {
		c := b[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			i++
			continue
		case '"':
			if !opens(last) && last != '{' {
				return 0
			}
			if i = skipString(b, i); i == 0 {
				return 0
			}
			last = c
			continue
		case '{', '[':
			if !opens(last) {
				return 0
			}
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':':
		default:
			if last == '"' || last == '}' || last == ']' || last == '{' {
				return 0
			}
		}
		last = c
		i++
	}
	return 0
}

// opens says that a value may follow.
func opens(last byte) bool { return last == ',' || last == ':' || last == '[' }

// shortString is how long a string is that is faster read than searched.
const shortString = 16

// skipString is the index behind the string that begins at i.
func skipString(b []byte, i int) int {
	j := i + 1
	// Most are keys and words: they are looked at before a search would begin.
	for short := min(j+shortString, len(b)); j < short && b[j] != '\\'; j++ {
		if b[j] == '"' {
			return j + 1
		}
	}
	for {
		k := bytes.IndexByte(b[j:], '"')
		if k < 0 {
			return 0
		}
		j += k + 1
		n := j - 2
		for n > i && b[n] == '\\' {
			n--
		}
		if (j-2-n)%2 == 0 {
			return j
		}
	}
}

// object is what is known of a JSON object.
type object struct {
	m []member
	a *arena
}

// arena holds the members of the objects of one line.
type arena struct {
	m []member
}

// parse is the object that b begins with, as far as it goes, and where it ends:
// 0 when that is not within b.
func (a *arena) parse(b []byte) (object, int) {
	from, end := len(a.m), 0
	a.m, end = members(b, a.m)
	return object{a.m[from:len(a.m):len(a.m)], a}, end
}

func (o object) raw(key string) []byte {
	for i := range o.m {
		if string(o.m[i].key) == key {
			return o.m[i].value
		}
	}
	return nil
}

func (o object) has(key string) bool { return o.raw(key) != nil }

// at is the object in a member.
func (o object) at(key string) object {
	v := o.raw(key)
	if len(v) == 0 || v[0] != '{' {
		return object{a: o.a}
	}
	in, _ := o.a.parse(v)
	return in
}

// each calls use with the objects of a list; they are not valid after it.
func (o object) each(key string, use func(object)) {
	mark := len(o.a.m)
	b := o.raw(key)
	if len(b) == 0 || b[0] != '[' {
		return
	}
	for i := space(b, 1); i < len(b) && b[i] != ']'; {
		in, n := o.a.parse(b[i:])
		end := i + n
		if n == 0 { // no object, not well formed, or cut
			end = skip(b, i)
		}
		use(in)
		o.a.m = o.a.m[:mark]
		if end == 0 {
			return
		}
		if i = space(b, end); i >= len(b) || b[i] != ',' {
			return
		}
		i = space(b, i+1)
	}
}

// tag is a text without escapes, as it is written.
func (o object) tag(key string) []byte {
	v := o.raw(key)
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return nil
	}
	return v[1 : len(v)-1]
}

func (o object) text(key string) string    { return text(o.raw(key), maxText) }
func (o object) word(key string) string    { return word(text(o.raw(key), maxWord)) }
func (o object) is(key string) bool        { return string(o.raw(key)) == "true" }
func (o object) number(key string) float64 { return number(o.raw(key)) }
func (o object) count(key string) int64    { return int64(min(number(o.raw(key)), mostCount)) }

// keep sets a word to a member that is there and not empty.
func (o object) keep(key string, to *string) {
	if v := o.tag(key); len(v) > 0 && string(v) != *to {
		*to = o.word(key)
	}
}

// first is the first member of these that is a text.
func (o object) first(keys ...string) string {
	for _, k := range keys {
		if t := o.text(k); t != "" {
			return t
		}
	}
	return ""
}

// number is what is not below 0, and at most what is exact as a float; what is no
// number is 0.
func number(v []byte) float64 {
	if len(v) == 0 || v[0] == '-' || v[0] == '"' {
		return 0
	}
	f, err := strconv.ParseFloat(string(v[:min(len(v), maxNumber)]), 64)
	if math.IsNaN(f) || err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return min(f, 1<<53)
}

// maxNumber bounds the digits of a number that are read. Their first say how
// large it is: that the others are left out makes a longer one no smaller than
// any limit.
const maxNumber = 400

// Bounds of texts, in bytes.
const (
	maxText = 256 << 10
	maxWord = 200
)

// text decodes a string, of which at most limit bytes are wanted and more are
// dots. It takes what
// is not UTF-8, half of a surrogate pair and a cut escape without complaint.
func text(v []byte, limit int) string {
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	if end := skipString(v, 0); end > 0 {
		v = v[1 : end-1]
	} else {
		v = v[1:]
	}
	cut := len(v) > limit
	if cut {
		v = v[:limit]
	}
	more := ""
	if cut {
		more = "..."
	}
	i := bytes.IndexByte(v, '\\')
	if i < 0 {
		return valid(v, cut) + more
	}
	out := append(make([]byte, 0, len(v)), v[:i]...)
	for v = v[i:]; len(v) > 0; {
		if v[0] != '\\' {
			n := bytes.IndexByte(v, '\\')
			if n < 0 {
				n = len(v)
			}
			out, v = append(out, v[:n]...), v[n:]
			continue
		}
		var n int
		if out, n = unescape(out, v); n == 0 {
			break
		}
		v = v[n:]
	}
	return valid(out, cut) + more
}

// valid is b as UTF-8, without what a cut left of its last rune.
func valid(b []byte, cut bool) string {
	for i := 1; cut && i < utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// unescape decodes the escape that v begins with; n is its length, 0 if it is
// cut.
func unescape(out, v []byte) (_ []byte, n int) {
	if len(v) < 2 {
		return out, 0
	}
	if i := strings.IndexByte(`"\/bfnrt`, v[1]); i >= 0 {
		return append(out, "\"\\/\b\f\n\r\t"[i]), 2
	}
	if v[1] != 'u' {
		return append(out, v[1]), 2
	}
	r, ok := hex(v)
	if !ok {
		if len(v) < 6 {
			return out, 0
		}
		return utf8.AppendRune(out, utf8.RuneError), 2
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), 6
	}
	low, _ := hex(v[6:])
	if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
		return utf8.AppendRune(out, r), 12
	}
	return utf8.AppendRune(out, utf8.RuneError), 6
}

func hex(v []byte) (rune, bool) {
	if len(v) < 6 || v[0] != '\\' || v[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(v[2:6]), 16, 32)
	return rune(n), err == nil
}
