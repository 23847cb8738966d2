package rule

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// parser finds the ids of failing tests in the output of one kind of runner.
// It returns none for output that it does not know.
type parser struct {
	name string
	find func(output []byte) []string
}

// parsers is every known kind. Each reads the whole output, as one gate may run
// several.
func parsers() []parser {
	return []parser{
		{"go-json", goJSONFailing},
		{"go", goFailing},
		{"pytest", pytestFailing},
		{"junit", JUnitFailing},
	}
}

// Failing are the ids of the tests that an output says are failing, sorted,
// each once, and the parsers that knew them, joined by "+". Both are empty for
// an output that no parser knows.
//
// The ids of go test are package.Test/sub, or "package [build failed]",
// "package [panic]" and the like for a package that fails as a whole; of a test
// and its subtests only the innermost count. Those of pytest are its node ids,
// those of JUnit classname.name.
func Failing(output []byte) (ids []string, parser string) {
	output = []byte(StripEscapes(string(output)))
	var names []string
	for _, p := range parsers() {
		if found := p.find(output); len(found) > 0 {
			ids = append(ids, found...)
			names = append(names, p.name)
		}
	}
	return tidyIDs(ids), strings.Join(names, "+")
}

// FailingSum is the SHA-256 of ids as FailingText writes them.
func FailingSum(ids []string) string { return sum([]byte(FailingText(ids))) }

// FailingText is one id a line, each line ended.
func FailingText(ids []string) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(id)
		b.WriteByte('\n')
	}
	return b.String()
}

// tidyIDs sorts, and keeps each id on a line of its own.
func tidyIDs(ids []string) []string {
	for i, id := range ids {
		ids[i] = strings.TrimSpace(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(id, "\uFFFD")))
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// eachLine yields lines without their end.
func eachLine(output []byte, line func(string)) {
	for l := range bytes.Lines(output) {
		line(strings.TrimRight(string(l), "\r\n"))
	}
}
