package redact

import (
	"bytes"
	"strings"
)

// match is something that has to be replaced.
type match struct {
	n     int    // bytes of it that were looked at
	keep  int    // the first of them stay
	eat   *class // all bytes of these that follow belong to it too
	armor bool   // and so does a line that ends it
	mark  string
	kind  string
}

const plainMark = "[redacted]"

// shape finds keys of one kind.
type shape struct {
	kind   string
	starts []string // at least three bytes each, one of which it begins with
	strict bool     // neither - nor _ may come before it
	find   func(b []byte) (match, verdict)
}

// token is a prefix, and bytes that were made at random.
type token struct {
	prefix string
	least  int // of the bytes after it
	of     *class
	any    bool // they need not be mixed
	keep   bool // the prefix stays
}

func (t token) find(b []byte) (match, verdict) {
	n := min(len(b), len(t.prefix))
	if string(b[:n]) != t.prefix[:n] {
		return match{}, no
	}
	end := len(t.prefix) + t.least
	for i := n; i < min(len(b), end); i++ {
		if !t.of[b[i]] {
			return match{}, no
		}
	}
	if len(b) < end {
		return match{}, more
	}
	if !t.any && !mixed(b[len(t.prefix):end]) {
		return match{}, no
	}
	m := match{n: end, eat: t.of}
	if t.keep {
		m.keep = len(t.prefix)
	}
	return m, yes
}

// shapes are the kinds of keys that are known, the more particular first. The
// lengths are those of real keys or a little less.
func shapes() []shape {
	list := []shape{
		tokens("anthropic key", true, word, 20, "sk-ant-"),
		tokens("openai key", true, word, 20, "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"),
		tokens("openai key", true, alnum, 32, "sk-"),
		tokens("stripe key", false, alnum, 20, "sk_live_", "rk_live_", "sk_test_", "rk_test_"),
		tokens("github token", false, alnum, 36, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
		tokens("github token", false, alnum.and("_"), 36, "github_pat_"),
		{kind: "aws key id", starts: []string{"AKIA"}, find: token{prefix: "AKIA", least: 16, of: capital, any: true}.find},
		tokens("aws key id", false, capital, 16, "ASIA"),
		tokens("slack token", false, alnum.and("-"), 16, "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"),
		tokens("google key", true, word, 35, "AIza"),
		tokens("gitlab token", false, word, 20, "glpat-"),
		tokens("npm token", false, alnum, 36, "npm_"),
		tokens("hugging face token", false, alnum, 30, "hf_"),
		tokens("groq key", false, alnum, 40, "gsk_"),
		tokens("xai key", false, alnum, 40, "xai-"),
		tokens("pypi token", false, word, 40, "pypi-AgEI"),
		{kind: "signed token", starts: []string{"eyJ"}, strict: true, find: findJWT},
		{kind: "private key", starts: []string{armorBegin}, find: findArmor},
		{kind: "authorization", starts: []string{"aut", "Aut", "AUT"}, find: findAuthorization},
	}
	for _, prefix := range []string{"Bearer ", "bearer "} {
		list = append(list, shape{
			kind: "bearer token", starts: []string{prefix},
			find: token{prefix: prefix, least: 20, of: opaque, keep: true}.withDigit,
		})
	}
	return list
}

func tokens(kind string, strict bool, of *class, least int, prefixes ...string) shape {
	find := func(b []byte) (match, verdict) {
		open := no
		for _, p := range prefixes {
			switch m, v := (token{prefix: p, least: least, of: of}).find(b); v {
			case yes:
				return m, yes
			case more:
				open = more
			case no:
			}
		}
		return match{}, open
	}
	return shape{kind: kind, starts: prefixes, strict: strict, find: find}
}

// withDigit is for a prefix that is a word: what follows may be another.
func (t token) withDigit(b []byte) (match, verdict) {
	m, v := t.find(b)
	if v == yes && !bytes.ContainsAny(b[:m.n], "0123456789") {
		return match{}, no
	}
	return m, v
}

// Bounds of the parts of a signed token (JWT): header and payload are objects
// in JSON, so both begin alike.
const (
	jwtLeast = 10
	jwtMost  = 1024
)

func findJWT(b []byte) (match, verdict) {
	const start, second = "eyJ", ".eyJ"
	m, v := token{prefix: start, least: jwtLeast, of: word, any: true}.find(b)
	if v != yes {
		return m, v
	}
	i := m.n
	for i < len(b) && word[b[i]] {
		i++
	}
	switch rest := b[i:]; {
	case i > jwtMost:
		return match{}, no
	case len(rest) >= len(second) && string(rest[:len(second)]) == second:
		return match{n: i + len(second), eat: escaped}, yes
	case len(rest) < len(second) && string(rest) == second[:len(rest)]:
		return match{}, more
	}
	return match{}, no
}

const (
	armorBegin = "-----BEGIN "
	armorEnd   = "-----END "
	armorClose = "-----"
	labelMost  = 40
	armorLook  = 64 // bytes after the label in which the key must begin
	armorRun   = 16 // bytes of base64 in a row that make it a key
	armorMost  = 64 << 10
)

// armorLine finds a line such as -----BEGIN RSA PRIVATE KEY-----.
func armorLine(b []byte, start string) (n int, label string, v verdict) {
	head := min(len(b), len(start))
	if string(b[:head]) != start[:head] {
		return 0, "", no
	}
	i := head
	for i < len(b) && i-head <= labelMost && (capital[b[i]] || b[i] == ' ') {
		i++
	}
	rest := b[i:]
	rest = rest[:min(len(rest), len(armorClose))]
	switch {
	case i-head > labelMost || string(rest) != armorClose[:len(rest)]:
		return 0, "", no
	case len(rest) < len(armorClose):
		return 0, "", more
	}
	return i + len(armorClose), string(b[head:i]), yes
}

// findArmor finds a private key in armor. Text about the line alone is none: the
// key has to begin after it.
func findArmor(b []byte) (match, verdict) {
	n, label, v := armorLine(b, armorBegin)
	if v != yes {
		return match{}, v
	}
	if !strings.Contains(label, "PRIVATE KEY") {
		return match{}, no
	}
	run := 0
	for i := n; i < n+armorLook; i++ {
		if i == len(b) {
			return match{}, more
		}
		if b[i] == ':' && headerWord(b[n:i]) {
			return match{n: i, eat: headed, armor: true}, yes
		}
		if !body[b[i]] {
			return match{}, no
		}
		if run++; !alnum[b[i]] && b[i] != '+' && b[i] != '/' {
			run = 0
		}
		if run == armorRun {
			return match{n: i + 1, eat: body, armor: true}, yes
		}
	}
	return match{}, no
}

func headerWord(b []byte) bool {
	return bytes.HasSuffix(b, []byte("Proc-Type")) || bytes.HasSuffix(b, []byte("Version")) || bytes.HasSuffix(b, []byte("Comment"))
}

// Bounds of what is between the words of a header.
const (
	authGap   = 8
	authLeast = 12
)

// findAuthorization finds the credentials of an Authorization header, in the
// ways in which code, logs and JSON write one. The header's name stays.
func findAuthorization(b []byte) (match, verdict) {
	i, v := wordAt(b, "authorization")
	if v != yes {
		return match{}, v
	}
	gap := i
	for i < len(b) && i-gap < authGap && strings.IndexByte("\"' :=\\", b[i]) >= 0 {
		i++
	}
	open := no
	for _, scheme := range []string{"bearer ", "basic ", "token "} {
		switch n, v := wordAt(b[i:], scheme); v {
		case yes:
			m, v := token{least: authLeast, of: opaque}.find(b[i+n:])
			return match{n: i + n + m.n, keep: i + n, eat: opaque}, v
		case more:
			open = more
		case no:
		}
	}
	return match{}, open
}

// wordAt compares without regard to capitals.
func wordAt(b []byte, w string) (int, verdict) {
	n := min(len(b), len(w))
	for i := range n {
		c := b[i]
		if upper[c] {
			c += 'a' - 'A'
		}
		if c != w[i] {
			return 0, no
		}
	}
	if n < len(w) {
		return 0, more
	}
	return n, yes
}
