package rule

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// OutputSum is the SHA-256 of the normalised output in lower-case hex.
func OutputSum(output []byte) string { return sum(Normalise(output)) }

// Sums are that sum and the shape of an output: the same without where in files it
// is. Two failures of one shape are the same failure, though a comment above has
// moved it. The shape is the SHA-256 of the line "autopilot shape 1" and the
// normalised lines, sorted anew, with <at> for these: line and column behind the
// name of a file, as in "a.go:12:5", "a.ts(12,5)", "a.py", line 12" and "a.sh: line
// 12", and the number before a quoted line, as in "12 | x".
func Sums(output []byte) (normalised, shape string) {
	text := Normalise(output)
	var lines []string
	for line := range strings.Lines(string(positions.ReplaceAll(text, []byte("$1$2<at>")))) {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return sum(text), sum([]byte("autopilot shape 1\n" + strings.Join(lines, "")))
}

// positions are places in files.
var positions = regex.New(`(\.\w{1,6}(?:["']?, line |: line |[:(]))\d+(?:[:,]\d+)?|(?m:^((?:> ?)?))\d+(?: \|)`)

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Normalise removes from an output what differs between two runs of the same
// failure: escapes, durations, times and dates, addresses, ids and hashes, process
// and thread numbers, sizes of what was done on the way, ports, temporary paths,
// seeds, goroutine numbers, the mark of cached results, and the order of lines.
// Numbers that can be part of the failure ("got 3, want 4", line numbers, a size
// that is over a limit) stay. What is removed leaves a mark, so that
// "took 3s" and "took" differ.
func Normalise(output []byte) []byte {
	text := StripEscapes(string(output))
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	known := map[string]string{}
	for line := range strings.Lines(text) {
		short, ok := known[line]
		if !ok {
			short = normaliseLine(line)
			known[line] = short
		}
		if short != "" {
			lines = append(lines, short)
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
	if ruled(line) {
		line = rulers.ReplaceAllStringFunc(line, shortRuler)
	}
	if strings.Contains(line, "/tmp/") || strings.Contains(line, "/var/") {
		line = tempPath.ReplaceAllStringFunc(line, shortTemp)
	}
	// The expressions are slow, and few lines need any of them.
	traits := traitsOf(line)
	for _, v := range volatile {
		if traits&v.needs == v.needs && (!v.aside || !compares.MatchString(line)) {
			line = v.find.ReplaceAllString(line, v.mark)
		}
	}
	return strings.Join(strings.Fields(line), " ")
}

// escapes are CSI and OSC sequences, and the shorter ones of a terminal.
var escapes = regex.New(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_=>NOPc78()][0-9A-B]?`)

// StripEscapes removes terminal escape sequences.
func StripEscapes(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return escapes.ReplaceAllString(s, "")
}

// tempPath finds a path under a temporary directory.
var tempPath = regex.New(`(?:/private)?(?:/var/folders/[\w+-]+/[\w+-]+/[TC]|/var/tmp|/tmp)((?:/[\w.@%+~=-]+)+)/?`)

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
var rulers = regex.New(`={4,}|-{4,}|_{4,}|\*{4,}|#{4,}|~{4,}`)

func ruled(line string) bool {
	for _, r := range []string{"====", "----", "____", "****", "####", "~~~~"} {
		if strings.Contains(line, r) {
			return true
		}
	}
	return false
}

func shortRuler(found string) string { return found[:4] }
