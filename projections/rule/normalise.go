package rule

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// OutputSum is the SHA-256 of the normalised output in lower-case hex.
func OutputSum(output []byte) string { return sum(Normalise(output)) }

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Normalise removes from an output what differs between two runs of the same
// failure: escapes, durations, times and dates, addresses, ids, process
// numbers, ports, temporary paths, seeds, goroutine numbers, the mark of cached
// results, and the order of lines. Numbers that can be part of the failure
// ("got 3, want 4", line numbers) stay. What is removed leaves a mark, so that
// "took 3s" and "took" differ.
func Normalise(output []byte) []byte {
	text := StripEscapes(string(output))
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for line := range strings.Lines(text) {
		if line = normaliseLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	var b bytes.Buffer
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func normaliseLine(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:] // a progress bar: only what was left on the screen
	}
	line = rulers.ReplaceAllStringFunc(line, shortRuler)
	if volatileLine(line) {
		line = tempPath.ReplaceAllStringFunc(line, shortTemp)
		for _, v := range volatile {
			line = v.find.ReplaceAllString(line, v.mark)
		}
	}
	return strings.Join(strings.Fields(line), " ")
}

// volatileLine keeps the expressions away from lines that they cannot match.
func volatileLine(line string) bool {
	return strings.ContainsAny(line, "0123456789") || strings.Contains(line, "/tmp/") ||
		strings.Contains(line, "/var/") || strings.Contains(line, "(cached)")
}

// escapes are CSI and OSC sequences, and the shorter ones of a terminal.
var escapes = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_=>NOPc78()][0-9A-B]?`)

// StripEscapes removes terminal escape sequences.
func StripEscapes(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return escapes.ReplaceAllString(s, "")
}

type pattern struct {
	find *regexp.Regexp
	mark string
}

// volatile is applied in order: dates before times, ids before plain numbers.
var volatile = []pattern{
	{regexp.MustCompile(`\bTest\w*?\d{6,}/\d{3}\b`), "<tmp>"},
	{regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>"},
	{regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`), "<id>"},
	{regexp.MustCompile(`\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2})\b)?(?: m=[+-][\d.]+)?)?`), "<time>"},
	{regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2}[ /])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:[ /]+\d{1,4})?,?[ :]+\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: (?:[A-Z]{3,4}|[+-]\d{4}))?(?: \d{4}\b)?`), "<time>"},
	{regexp.MustCompile(`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M\b)?`), "<time>"},
	{regexp.MustCompile(`\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b`), "<time>"},
	{regexp.MustCompile(`\(cached\)`), "<duration>"},
	{regexp.MustCompile(`(?i)\b(?:\d+(?:\.\d+)?(?:h|ms|us|µs|μs|ns|m|s))+\b`), "<duration>"},
	{regexp.MustCompile(`(?i)\b\d+(?:[.,]\d+)? (?:milliseconds?|microseconds?|nanoseconds?|seconds?|secs?|minutes?|mins?|hours?|ms|ns|s|min)\b`), "<duration>"},
	{regexp.MustCompile(`\+?0x[0-9a-fA-F]{5,}\b\??|\b0x[0-9a-fA-F]+\.\.\.|\+0x[0-9a-fA-F]+\b`), "<address>"},
	{regexp.MustCompile(`\b(goroutine |gp=|mp=|m=|[Tt]hread[ #-]?|\[gw)\d+\b`), "$1<n>"},
	{regexp.MustCompile(`(?i)\b(pid|ppid|tid|process|process id)([ :=#]{1,2}|\s*\(|\[)\d+\b`), "$1$2<n>"},
	{regexp.MustCompile(`(?i)\b(port)([ :=#]{1,2})\d{2,5}\b`), "$1$2<port>"},
	{regexp.MustCompile(`((?:\blocalhost|\b\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.]*\])):\d{1,5}\b`), "$1:<port>"},
	{regexp.MustCompile(`(?i)(\bseed|shuffle)( number)?([ :=]{1,3})-?\d+\b`), "$1$2$3<seed>"},
}

// tempPath finds a path under a temporary directory.
var tempPath = regexp.MustCompile(`(?:/private)?(?:/var/folders/[\w+-]+/[\w+-]+/[TC]|/var/tmp|/tmp)((?:/[\w.@%+~=-]+)+)/?`)

// shortTemp keeps of a temporary path the names below its first folder that
// have no digit: they say which file the failure is about.
func shortTemp(found string) string {
	below := strings.Split(tempPath.FindStringSubmatch(found)[1], "/")[2:]
	short := "<tmp>"
	for _, name := range below {
		if name != "" && !strings.ContainsAny(name, "0123456789") {
			short += "/" + name
		}
	}
	return short
}

// rulers are lines that are padded to a width, so that their length depends on
// a duration within them.
var rulers = regexp.MustCompile(`={4,}|-{4,}|_{4,}|\*{4,}|#{4,}|~{4,}`)

func shortRuler(found string) string { return found[:4] }
