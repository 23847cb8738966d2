package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// A verdict says whether something is at the beginning of a text.
type verdict int

const (
	no   verdict = iota
	more         // what follows decides
	yes
)

// form is one way in which a value gets printed.
type form struct {
	text string
	mark string // what takes its place
	name string // of the variable
	fold bool   // it may be broken into lines
}

// at says whether b begins with the form, and with how many bytes.
func (f *form) at(b []byte) (int, verdict) {
	if f.fold {
		return f.folded(b)
	}
	if len(b) < len(f.text) {
		if string(b) == f.text[:len(b)] {
			return 0, more
		}
		return 0, no
	}
	if string(b[:len(f.text)]) == f.text {
		return len(f.text), yes
	}
	return 0, no
}

// folded takes single line breaks between the bytes, also those that are
// escaped for JSON.
func (f *form) folded(b []byte) (int, verdict) {
	j := 0
	for i := 0; i < len(f.text); {
		if j == len(b) {
			return 0, more
		}
		if b[j] == f.text[i] {
			i, j = i+1, j+1
			continue
		}
		if i == 0 {
			return 0, no
		}
		n, v := lineBreak(b[j:])
		if v != yes {
			return 0, v
		}
		if j += n; j == len(b) {
			return 0, more
		}
		if b[j] != f.text[i] {
			return 0, no
		}
	}
	return j, yes
}

var lineBreaks = []string{"\n", "\r\n", `\n`, `\r\n`, `\\n`, `\\r\\n`}

func lineBreak(b []byte) (int, verdict) {
	v := no
	for _, s := range lineBreaks {
		if len(b) >= len(s) && string(b[:len(s)]) == s {
			return len(s), yes
		}
		if len(b) < len(s) && string(b) == s[:len(b)] {
			v = more
		}
	}
	return 0, v
}

// forms are the ways in which a value gets printed, each once.
func forms(value string) []form {
	var out []form
	seen := map[string]bool{}
	add := func(text string, fold bool) {
		if len(text) >= leastNamed && !seen[text] {
			seen[text] = true
			out = append(out, form{text: text, fold: fold})
		}
	}
	for _, text := range append(jsonForms(value), urlForms(value)...) {
		add(text, false)
	}
	if len(value) < leastImplied {
		return out // a coded form would be too short to be told from other text
	}
	for _, digits := range []string{"0123456789abcdef", "0123456789ABCDEF"} {
		add(hexForm(value, digits), true)
	}
	for _, code := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			add(base64Form(value, offset, code), true)
		}
	}
	return out
}

func hexForm(value, digits string) string {
	var b strings.Builder
	for i := range len(value) {
		b.WriteByte(digits[value[i]>>4])
		b.WriteByte(digits[value[i]&15])
	}
	return b.String()
}

// base64Form is what a value looks like offset bytes after a whole group: the
// digits that depend on nothing beside it.
func base64Form(value string, offset int, code *base64.Encoding) string {
	text := code.EncodeToString(append(make([]byte, offset), value...))
	return text[(offset*8+5)/6 : (offset+len(value))*8/6]
}

// jsonForms are the value as it is and as encoders write it into JSON: some
// escape what means something in HTML or all that is not ASCII. What is printed
// into JSON again is escaped twice.
func jsonForms(value string) []string {
	plain := jsonEscape(value, "", false)
	out := []string{
		value, plain, jsonEscape(plain, "", false),
		jsonEscape(value, "<>&", false), jsonEscape(value, "", true), strings.ReplaceAll(plain, "/", `\/`),
	}
	return append(out, jsonEscape(out[3], "", false), jsonEscape(out[4], "", false))
}

func jsonEscape(s, also string, ascii bool) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || strings.ContainsRune(also, r) || ascii && r > '~':
			b.WriteString(unicodeEscape(r))
		case r == utf8.RuneError: // most likely a byte that is no text: it stays
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unicodeEscape(r rune) string {
	if r > 0xFFFF {
		r -= 0x10000
		return unicodeEscape(0xD800+r>>10) + unicodeEscape(0xDC00+r&0x3FF)
	}
	const digits = "0123456789abcdef"
	return `\u` + string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

// urlForms are a value as a part of a URL.
func urlForms(value string) []string {
	return []string{
		percent(value, "-._~", "0123456789ABCDEF"),
		percent(value, "-._~", "0123456789abcdef"),
		percent(value, "-._~!*'()", "0123456789ABCDEF"),
		percent(value, "-._~$&+=:@", "0123456789ABCDEF"), // in a path
		strings.ReplaceAll(percent(value, "-._~ ", "0123456789ABCDEF"), " ", "+"),
	}
}

func percent(s, keep, digits string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if alnum[c] || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}
