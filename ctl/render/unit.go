package render

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"autopilot/projections/phrase"
)

// Duration writes a length of time with its two largest units: 4m12s, 3h5m,
// 2d4h. Under ten seconds it has one decimal, under one the milliseconds.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(float64(d.Truncate(100*time.Millisecond))/float64(time.Second), 'f', -1, 64) + "s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return two(d/time.Minute, "m", d%time.Minute/time.Second, "s")
	case d < 24*time.Hour:
		return two(d/time.Hour, "h", d%time.Hour/time.Minute, "m")
	}
	return two(d/(24*time.Hour), "d", d%(24*time.Hour)/time.Hour, "h")
}

// Age is Duration in whole seconds, for values that are shown again and again.
func Age(d time.Duration) string {
	if d < time.Second {
		return "0s"
	}
	if d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return Duration(d)
}

func two(a time.Duration, unitA string, b time.Duration, unitB string) string {
	if b == 0 {
		return fmt.Sprintf("%d%s", a, unitA)
	}
	return fmt.Sprintf("%d%s%d%s", a, unitA, b, unitB)
}

// Size writes a number of bytes: 812 B, 14.2 KiB.
func Size(n int64) string { return phrase.Size(n) }

// Hash is the short form of a hash or object id.
func Hash(s string) string {
	s = Line(s)
	if len(s) > 10 {
		return s[:10]
	}
	return s
}

// count writes a number with its noun: 1 file, 3 files.
func count(n int, noun string) string { return phrase.Count(n, noun) }

// columns is the number of terminal cells that a clean text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// cut shortens a clean text to n cells, and says so with its last one.
func (s Style) cut(t string, n int) string {
	if n <= 0 || columns(t) <= n {
		return t
	}
	mark := s.pick("…", "~")
	var b strings.Builder
	used := 1
	for _, r := range t {
		if used+cells(r) > n {
			break
		}
		used += cells(r)
		b.WriteRune(r)
	}
	return b.String() + mark
}

// cutPath shortens a clean path to n cells. It keeps the end, which tells paths apart,
// from the beginning of a name where one fits.
func (s Style) cutPath(t string, n int) string {
	if n <= 0 || columns(t) <= n {
		return t
	}
	used := columns(t) + 1
	for i, r := range t {
		if used <= n {
			end := t[i:]
			if at := strings.IndexByte(end, '/'); at > 0 {
				end = end[at:]
			}
			return s.pick("…", "~") + end
		}
		used -= cells(r)
	}
	return s.pick("…", "~")
}

func pad(t string, n int) string {
	if w := columns(t); w < n {
		return t + strings.Repeat(" ", n-w)
	}
	return t
}
