// Package regex has regular expressions that are compiled when they are first used.
// The rules have hundreds of them and a process needs a few: compiled before main begins,
// they were a third of what the daemon needs to start.
//
// A Lazy may be used by many goroutines at once. One that does not compile panics at its
// first use; a test compiles every one that this repository has.
package regex

import (
	"regexp"
	"sync"
)

// Lazy is a regular expression. Its methods are those of regexp.Regexp with their names.
type Lazy struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// New is the regular expression of a text that compiles.
func New(text string) *Lazy { return &Lazy{text: text} }

func (l *Lazy) compiled() *regexp.Regexp {
	l.once.Do(func() { l.re = regexp.MustCompile(l.text) })
	return l.re
}

// String is the text that it was made from.
func (l *Lazy) String() string { return l.text }

// Match is that of regexp.Regexp.
func (l *Lazy) Match(b []byte) bool { return l.compiled().Match(b) }

// MatchString is that of regexp.Regexp.
func (l *Lazy) MatchString(s string) bool { return l.compiled().MatchString(s) }

// FindIndex is that of regexp.Regexp.
func (l *Lazy) FindIndex(b []byte) []int { return l.compiled().FindIndex(b) }

// FindAll is that of regexp.Regexp.
func (l *Lazy) FindAll(b []byte, n int) [][]byte { return l.compiled().FindAll(b, n) }

// FindAllIndex is that of regexp.Regexp.
func (l *Lazy) FindAllIndex(b []byte, n int) [][]int { return l.compiled().FindAllIndex(b, n) }

// FindString is that of regexp.Regexp.
func (l *Lazy) FindString(s string) string { return l.compiled().FindString(s) }

// FindStringIndex is that of regexp.Regexp.
func (l *Lazy) FindStringIndex(s string) []int { return l.compiled().FindStringIndex(s) }

// FindStringSubmatch is that of regexp.Regexp.
func (l *Lazy) FindStringSubmatch(s string) []string { return l.compiled().FindStringSubmatch(s) }

// FindAllString is that of regexp.Regexp.
func (l *Lazy) FindAllString(s string, n int) []string { return l.compiled().FindAllString(s, n) }

// FindAllStringIndex is that of regexp.Regexp.
func (l *Lazy) FindAllStringIndex(s string, n int) [][]int {
	return l.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is that of regexp.Regexp.
func (l *Lazy) FindAllStringSubmatch(s string, n int) [][]string {
	return l.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (l *Lazy) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return l.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAll is that of regexp.Regexp.
func (l *Lazy) ReplaceAll(b, with []byte) []byte { return l.compiled().ReplaceAll(b, with) }

// ReplaceAllString is that of regexp.Regexp.
func (l *Lazy) ReplaceAllString(s, with string) string {
	return l.compiled().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is that of regexp.Regexp.
func (l *Lazy) ReplaceAllStringFunc(s string, with func(string) string) string {
	return l.compiled().ReplaceAllStringFunc(s, with)
}

// Split is that of regexp.Regexp.
func (l *Lazy) Split(s string, n int) []string { return l.compiled().Split(s, n) }

// FindStringSubmatchIndex is that of regexp.Regexp.
func (l *Lazy) FindStringSubmatchIndex(s string) []int {
	return l.compiled().FindStringSubmatchIndex(s)
}

// FindAllSubmatch is that of regexp.Regexp.
func (l *Lazy) FindAllSubmatch(b []byte, n int) [][][]byte {
	return l.compiled().FindAllSubmatch(b, n)
}

// SubexpIndex is that of regexp.Regexp.
func (l *Lazy) SubexpIndex(name string) int { return l.compiled().SubexpIndex(name) }
