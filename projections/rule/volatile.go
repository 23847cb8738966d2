package rule

import (
	"strings"

	"autopilot/projections/regex"
)

// pattern is one thing that differs between two runs, and the mark that it
// leaves. It is only looked for in lines with the traits that it needs.
type pattern struct {
	needs trait
	find  *regex.Lazy
	mark  string
	aside bool // not in a line that compares: there it can be what the failure is about
}

// volatile is applied in order: dates before times, ids before plain numbers.
var volatile = []pattern{
	{hasDigit | hasSeed, regex.New(`(?i)(\bseed|shuffle)( number)?([ :=]{1,3})-?\d+\b`), "$1$2$3<seed>", false},
	{hasLongNumber | hasSlash, regex.New(`\bTest\w*?\d{6,}/\d{3}\b`), "<tmp>", false},
	{hasDashes, regex.New(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>", false},
	{hasLongWord, regex.New(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`), "<id>", false},
	{hasLongHex, regex.New(`\b(?:0x)?[0-9a-fA-F]*(?:\d[a-fA-F]|[a-fA-F]\d)[0-9a-fA-F]{14,}\b|\b(?:0x)?[0-9a-fA-F]{14,}(?:\d[a-fA-F]|[a-fA-F]\d)[0-9a-fA-F]*\b`), "<id>", true},
	{hasDate, regex.New(`\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?(?:Z|[+-]\d{2}:?\d{2})\b)?(?: [A-Z]{3,4}\b)?(?: m=[+-][\d.]+)?)?`), "<time>", false},
	{hasClock, regex.New(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2}[ /])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:[ /]+\d{1,4})?,?[ :]+\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: (?:[A-Z]{3,4}|[+-]\d{4}))?(?: \d{4}\b)?`), "<time>", false},
	{hasClock, regex.New(`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M\b)?`), "<time>", false},
	{hasLongNumber, regex.New(`\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b`), "<time>", false},
	{hasCached, regex.New(`\(cached\)`), "<duration>", false},
	{hasUnit, regex.New(`(?i)\b(?:\d+(?:\.\d+)?(?:h|ms|us|µs|μs|ns|m|s))+\b`), "<duration>", false},
	{hasUnitWord, regex.New(`(?i)\b\d+(?:[.,]\d+)? (?:milliseconds?|microseconds?|nanoseconds?|seconds?|secs?|minutes?|mins?|hours?|ms|ns|s|min)\b`), "<duration>", false},
	{hasHex, regex.New(`\+?0x[0-9a-fA-F]{5,}\b\??|\b0x[0-9a-fA-F]+\.\.\.|\+0x[0-9a-fA-F]+\b`), "<address>", false},
	{hasDigit | hasThread, regex.New(`\b(goroutine |gp=|mp=|m=|[Tt]hread[ #-]?|\[gw)\d+\b`), "$1<n>", false},
	{hasDigit | hasThread, regex.New(`(?i)\b(thread '[^']*' )\(\d+\)`), "$1(<n>)", false},
	{hasWorker, regex.New(`(?i)\b(container|image|sha256)([ :=]{1,2})[0-9a-f]{12,}\b`), "$1$2<id>", true},
	{hasDigit | hasWorker, regex.New(`(?i)\b(worker|child|fork|container)([ :=#\[(]{1,2})(?:\d{3,}\b|\d+( (?:exited|terminated|killed|died|crashed|started|stopped|was )))`), "$1$2<n>$3", true},
	{hasSize, regex.New(`\b\d+(?:[.,]\d+)? ?[kKMGT]i?B(?:/s|ps)?\b`), "<size>", true},
	{hasDigit | hasProcess, regex.New(`(?i)\b(pid|ppid|tid|process|process id)([ :=#]{1,2}|\s*\(|\[)\d+\b`), "$1$2<n>", false},
	{hasDigit | hasPort, regex.New(`(?i)\b(port)([ :=#]{1,2})\d{2,5}\b`), "$1$2<port>", false},
	{hasColon, regex.New(`((?:\blocalhost|\b\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]*\])):\d{1,5}\b`), "$1:<port>", false},
}

// compares is a line that sets a value against another, or against a bound.
var compares = regex.New(`(?i)\b(?:want(?:ed|s)?|got|expect(?:ed|s|ing)?|actual|received|assert\w*|equals?|differs?|mismatch\w*|exceed(?:ed|s)?|over|under|limit|max(?:imum)?|min(?:imum)?|at (?:most|least)|larg\w*|small\w*|bigger|too|budget)\b|[!=<>]=|[<>] ?\d`)

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
	hasLongHex    // 16 digits of hex or more
	hasSize       // 5MB, or 5 MB
	hasCached
	hasSeed
	hasThread
	hasProcess
	hasPort
	hasWorker
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
	{hasWorker, "worker"},
	{hasWorker, "child"},
	{hasWorker, "fork"},
	{hasWorker, "container"},
	{hasWorker, "image"},
	{hasWorker, "sha256"},
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
	digits, word, dashes, hex := 0, 0, 0, 0
	for i := 0; i < len(line); i++ {
		c := line[i]
		t |= afterDigits(line, i, digits)
		if hex++; !digit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			hex = 0
		}
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
		if hex >= 16 {
			t |= hasLongHex
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
	var t trait
	next := i
	if line[i] == ' ' {
		next++
	}
	if next+1 < len(line) && strings.IndexByte("kKMGT", line[next]) >= 0 && strings.IndexByte("Bi", line[next+1]) >= 0 {
		t = hasSize
	}
	switch c := line[i]; c {
	case ':':
		if i+2 < len(line) && digit(line[i+1]) && digit(line[i+2]) {
			return t | hasClock
		}
	case '-', '/':
		if digits >= 4 {
			return t | hasDate
		}
	case 'h', 'm', 's', 'u', 'n', 'H', 'M', 'S', 'U', 'N', 0xC2, 0xCE: // the last two begin µ and μ
		return t | hasUnit
	case ' ':
		if i+1 < len(line) && strings.IndexByte("smhnSMHN", line[i+1]) >= 0 {
			return t | hasUnitWord
		}
	}
	return t
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
