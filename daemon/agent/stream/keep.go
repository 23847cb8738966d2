package stream

import (
	"slices"
	"unicode/utf8"
)

// This file holds what a reader keeps of what went by, in bounded memory.

// tail is the end of a text, on a rune's boundary.
func tail(s string) string {
	if len(s) <= maxTail {
		return s
	}
	s = s[len(s)-maxTail:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// roll is the end of a text that grows.
type roll struct{ b []byte }

func (r *roll) set(t string) {
	r.b = r.b[:0]
	r.add(t)
}

func (r *roll) add(t string) {
	if len(t) > maxTail {
		t = tail(t)
	}
	if len(r.b)+len(t) > 4*maxTail {
		r.b = append(r.b[:0], r.b[len(r.b)-maxTail:]...)
	}
	r.b = append(r.b, t...)
}

func (r *roll) text() string { return tail(string(r.b)) }

// ring remembers the last few words by key, each with the use that it names.
type ring struct {
	keys, words [maxOpen]string
	uses        [maxOpen]uint64
	next        int
}

func (r *ring) put(key, value string, use uint64) {
	r.keys[r.next], r.words[r.next], r.uses[r.next] = key, value, use
	r.next = (r.next + 1) % maxOpen
}

func (r *ring) has(key string) bool { return key != "" && slices.Contains(r.keys[:], key) }

func (r *ring) take(key string) (value string, use uint64, ok bool) {
	for i := range r.keys {
		if key != "" && r.keys[i] == key {
			r.keys[i] = ""
			return r.words[i], r.uses[i], true
		}
	}
	return "", 0, false
}

// spent adds up usage that is reported several times under one id, as for each
// part of a message. What was told of an id does not shrink.
type spent struct {
	ids   [maxOpen]string
	each  [maxOpen]Usage
	next  int
	total Usage
}

func (s *spent) add(id []byte, u Usage) (fresh bool) {
	id = id[:min(len(id), maxWord)]
	for i := range s.ids {
		if len(id) > 0 && s.ids[i] == string(id) {
			u = u.atLeast(s.each[i])
			s.total = s.total.minus(s.each[i]).plus(u)
			s.each[i] = u
			return false
		}
	}
	s.total = s.total.plus(u)
	s.ids[s.next], s.each[s.next] = string(id), u
	s.next = (s.next + 1) % maxOpen
	return true
}
