package rule

import (
	"regexp"
	"strings"
)

// pattern is one thing that differs between two runs, and the mark that it
// leaves. It is only looked for in lines with the traits that it needs.
type pattern struct {
	needs trait
	find  *regexp.Regexp
	mark  string
}

// volatile is applied in order: dates before times, ids before plain numbers.
var volatile = []pattern{
	{hasDigit | hasSeed, regexp.MustCompile(`(?i)(\bseed|shuffle)( number)?([ :=]{1,3})-?\d+\b`), "$1$2$3<seed>"},
	{hasLongNumber | hasSlash, regexp.MustCompile(`\bTest\w*?\d{6,}/\d{3}\b`), "<tmp>"},
	{hasDashes, regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>"},
	{hasLongWord, regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`), "<id>"},
	{hasDate, regexp.MustCompile(`\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?(?:Z|[+-]\d{2}:?\d{2})\b)?(?: [A-Z]{3,4}\b)?(?: m=[+-][\d.]+)?)?`), "<time>"},
	{hasClock, regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2}[ /])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:[ /]+\d{1,4})?,?[ :]+\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: (?:[A-Z]{3,4}|[+-]\d{4}))?(?: \d{4}\b)?`), "<time>"},
	{hasClock, regexp.MustCompile(`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M\b)?`), "<time>"},
	{hasLongNumber, regexp.MustCompile(`\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b`), "<time>"},
	{hasCached, regexp.MustCompile(`\(cached\)`), "<duration>"},
	{hasUnit, regexp.MustCompile(`(?i)\b(?:\d+(?:\.\d+)?(?:h|ms|us|µs|μs|ns|m|s))+\b`), "<duration>"},
	{hasUnitWord, regexp.MustCompile(`(?i)\b\d+(?:[.,]\d+)? (?:milliseconds?|microseconds?|nanoseconds?|seconds?|secs?|minutes?|mins?|hours?|ms|ns|s|min)\b`), "<duration>"},
	{hasHex, regexp.MustCompile(`\+?0x[0-9a-fA-F]{5,}\b\??|\b0x[0-9a-fA-F]+\.\.\.|\+0x[0-9a-fA-F]+\b`), "<address>"},
	{hasDigit | hasThread, regexp.MustCompile(`\b(goroutine |gp=|mp=|m=|[Tt]hread[ #-]?|\[gw)\d+\b`), "$1<n>"},
	{hasDigit | hasProcess, regexp.MustCompile(`(?i)\b(pid|ppid|tid|process|process id)([ :=#]{1,2}|\s*\(|\[)\d+\b`), "$1$2<n>"},
	{hasDigit | hasPort, regexp.MustCompile(`(?i)\b(port)([ :=#]{1,2})\d{2,5}\b`), "$1$2<port>"},
	{hasColon, regexp.MustCompile(`((?:\blocalhost|\b\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]*\])):\d{1,5}\b`), "$1:<port>"},
}

// trait is what can be seen of a line in one pass.
type trait uint

const (
	hasDigit trait = 1 << iota
	hasSlash
	hasColon      // between what can end an address and a digit
	hasClock      // 12:34
	hasDate       // 2026- or 2026/
	hasDashes     // four or more
	hasLongNumber // six digits or more
	hasLongWord   // 26 capitals and digits
	hasUnit       // 5s
	hasUnitWord   // 5 s
	hasHex        // 0x
	hasCached
	hasSeed
	hasThread
	hasProcess
	hasPort
)

// traitWords give a trait to lines that contain them in any case.
var traitWords = []struct {
	trait trait
	word  string
}{
	{hasCached, "(cached)"},
	{hasSeed, "seed"},
	{hasSeed, "shuffle"},
	{hasThread, "goroutine "},
	{hasThread, "thread"},
	{hasThread, "gp="},
	{hasThread, "m="},
	{hasThread, "mp="},
	{hasThread, "[gw"},
	{hasProcess, "pid"},
	{hasProcess, "tid"},
	{hasProcess, "process"},
	{hasPort, "port"},
	{hasHex, "0x"},
}

func traitsOf(line string) trait {
	t := shapeOf(line)
	lower := strings.ToLower(line)
	for _, w := range traitWords {
		if strings.Contains(lower, w.word) {
			t |= w.trait
		}
	}
	return t
}

// shapeOf looks at each byte with how many digits and word characters came
// right before it.
func shapeOf(line string) trait {
	var t trait
	digits, word, dashes := 0, 0, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		t |= afterDigits(line, i, digits)
		switch {
		case digit(c):
			digits, word = digits+1, word+1
			t |= hasDigit
			if i > 1 && line[i-1] == ':' && strings.IndexByte("t]0123456789", line[i-2]) >= 0 {
				t |= hasColon
			}
		case c >= 'A' && c <= 'Z':
			digits, word = 0, word+1
		default:
			digits, word = 0, 0
		}
		switch c {
		case '/':
			t |= hasSlash
		case '-':
			dashes++
		}
		if digits >= 6 {
			t |= hasLongNumber
		}
		if word >= 26 {
			t |= hasLongWord
		}
		if dashes >= 4 {
			t |= hasDashes
		}
	}
	return t
}

// afterDigits is what the byte at i says of the digits right before it.
func afterDigits(line string, i, digits int) trait {
	if digits == 0 {
		return 0
	}
	switch c := line[i]; c {
	case ':':
		if i+2 < len(line) && digit(line[i+1]) && digit(line[i+2]) {
			return hasClock
		}
	case '-', '/':
		if digits >= 4 {
			return hasDate
		}
	case 'h', 'm', 's', 'u', 'n', 'H', 'M', 'S', 'U', 'N', 0xC2, 0xCE: // the last two begin µ and μ
		return hasUnit
	case ' ':
		if i+1 < len(line) && strings.IndexByte("smhnSMHN", line[i+1]) >= 0 {
			return hasUnitWord
		}
	}
	return 0
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
