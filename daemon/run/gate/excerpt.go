package gate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"autopilot/projections/rule"
)

// ExcerptBytes bounds what a failed gate says in the next prompt.
const ExcerptBytes = 8 << 10

// Excerpt is an output as a prompt can hold it: as it is, without terminal
// escapes and control characters other than tab and newline, invalid UTF-8
// replaced, and of one over the limit its head and tail, cut between lines
// where there are any. total is how many bytes were written in all, if output
// is only a part of them; whole is where all of it is. The result is never
// longer than limit, and ends with a newline unless it is empty.
func Excerpt(output []byte, limit int, total int64, whole string) string {
	// Escapes take room that is given back, so more than the limit is looked
	// at, but never all of a large output.
	missing := max(0, total-int64(len(output)))
	const slack = 4
	var head, tail string
	if window := slack * max(limit, 0); len(output) > 2*window {
		head, tail = printable(output[:window]), printable(output[len(output)-window:])
		missing += int64(len(output) - 2*window)
	} else {
		head = printable(output)
	}
	if missing == 0 && tail == "" && len(head) <= limit {
		return ended(head, limit)
	}
	return joined(head, tail, int64(len(head)+len(tail))+missing, limit, whole)
}

// joined is head and tail of a text of that size, with how much is between. An
// empty tail is that of head.
func joined(head, tail string, size int64, limit int, whole string) string {
	room := limit - len(leftOut(size, whole))
	if room <= 0 {
		return ""
	}
	first, used := cutHead(head, room/3)
	if tail == "" {
		tail = head[used:]
	}
	last := cutTail(tail, room-len(first))
	return first + leftOut(max(0, size-int64(len(first)+len(last))), whole) + last
}

func leftOut(n int64, whole string) string {
	s := "... " + strconv.FormatInt(n, 10) + " bytes left out"
	if whole != "" {
		s += fmt.Sprintf(", whole output: %s", oneLine(whole))
	}
	return s + "\n"
}

// cutHead keeps up to n bytes, whole lines if one fits, and says how many of s
// they are. What it keeps ends with a newline.
func cutHead(s string, n int) (kept string, used int) {
	if n <= 1 {
		return "", 0
	}
	if len(s) >= n {
		s = s[:n-1]
		if i := strings.LastIndexByte(s, '\n'); i >= 0 {
			return s[:i+1], i + 1
		}
		for len(s) > 0 && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return ended(s, n), len(s)
}

// cutTail keeps up to n bytes at the end, whole lines if one fits.
func cutTail(s string, n int) string {
	if n <= 1 {
		return ""
	}
	s = ended(s, len(s)+1)
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if i := strings.IndexByte(s, '\n'); i >= 0 && i+1 < len(s) {
		return s[i+1:]
	}
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// ended adds the newline that a text lacks, if there is room.
func ended(s string, limit int) string {
	if s == "" || strings.HasSuffix(s, "\n") || len(s) >= limit {
		return s
	}
	return s + "\n"
}

// printable removes what a terminal would act on. A carriage return within a
// line, as progress bars use it, begins a new one.
func printable(b []byte) string {
	s := strings.ToValidUTF8(string(b), string(utf8.RuneError))
	s = strings.ReplaceAll(rule.StripEscapes(s), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
}

// oneLine quotes a path that would break a list of one a line.
func oneLine(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

// Headed is an excerpt behind a text that must not be lost, as one excerpt.
func Headed(head, excerpt string) string {
	head = Excerpt([]byte(head), ExcerptBytes/2, 0, "")
	return head + Excerpt([]byte(excerpt), ExcerptBytes-len(head), 0, "")
}
