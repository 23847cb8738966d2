package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// finder finds the ids of failing tests in the output of one kind of runner. It
// is given every line, and returns none for an output that it does not know: a
// wrong id is worse than none, as without ids the whole output is compared.
type finder interface {
	// line takes the next line, without its end and without escapes.
	line(string)
	// failing is asked once, after the last line.
	failing() []string
}

// parser is one known kind of runner.
type parser struct {
	name string
	make func() finder
}

// parsers is every known kind that prints lines. Each reads the whole output, as
// one gate may run several.
func parsers() []parser {
	return []parser{
		{"go-json", func() finder { return &goJSON{packages: map[string]*goPackageTests{}} }},
		{"go", func() finder { return &goPlain{} }},
		{"pytest", func() finder { return &pytest{} }},
		{"unittest", func() finder { return &unittest{} }},
		{"jest", func() finder { return &jest{} }},
		{"vitest", func() finder { return &vitest{} }},
		{"cargo", func() finder { return &cargo{} }},
		{"tap", func() finder { return &tap{} }},
		{"node", func() finder { return &nodeSpec{} }},
		{"surefire", func() finder { return &surefire{} }},
		{"gradle", func() finder { return &gradle{} }},
	}
}

// Failing are the ids of the tests that an output says are failing, sorted,
// each once, and the parsers that knew them, joined by "+". Both are empty for
// an output that no parser knows, which says nothing of what fails in it.
//
// Ids are the same for each run of one failure, so they hold no times, numbers
// of a test within its run, or temporary directories:
//
//	go        package.Test/sub; of a test and its subtests only the innermost
//	pytest    its node ids
//	unittest  module.Class.test, of Python, and what tells subtests apart
//	junit     classname.name
//	jest      file › suite › test
//	vitest    file > suite > test
//	cargo     package::target module::test, package module::test of a library
//	tap       suite > test; of a test and its subtests only the innermost, and
//	          the second test of a name beside the first is "test (2)"
//	node      the same, of the spec reporter of node --test
//	surefire  package.Class.test, of Maven's console
//	gradle    Class > test, of Gradle's console
//
// What fails as a whole has a mark instead of a test: "package [build failed]",
// "package [panic]", "[bail out]" and the like.
func Failing(output []byte) (ids []string, parser string) {
	text := StripEscapes(string(output))
	all := parsers()
	finders := make([]finder, len(all))
	for i, p := range all {
		finders[i] = p.make()
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, f := range finders {
			f.line(line)
		}
	}
	var names []string
	take := func(name string, found []string) {
		if len(found) > 0 {
			ids, names = append(ids, found...), append(names, name)
		}
	}
	for i, f := range finders {
		take(all[i].name, f.failing())
	}
	take("junit", JUnitFailing([]byte(text)))
	return boundIDs(tidyIDs(ids)), strings.Join(names, "+")
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

// Bounds of what an output can make of itself. What is over them is still told
// apart, by its sum.
const (
	maxIDs     = 5000
	maxIDBytes = 400
)

// tidyIDs sorts, and keeps each id on a line of its own.
func tidyIDs(ids []string) []string {
	for i, id := range ids {
		ids[i] = tidyID(id)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	slices.Sort(ids)
	return slices.Compact(ids)
}

func tidyID(id string) string {
	if strings.Contains(id, "/tmp/") || strings.Contains(id, "/var/") {
		id = tempPath.ReplaceAllStringFunc(id, shortTemp)
	}
	id = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(id, "\uFFFD")))
	if len(id) <= maxIDBytes {
		return id
	}
	return strings.ToValidUTF8(id[:maxIDBytes], "") + "… " + sum([]byte(id))[:16]
}

// boundIDs replaces those over the bound by one.
func boundIDs(ids []string) []string {
	if len(ids) <= maxIDs {
		return ids
	}
	rest := ids[maxIDs-1:]
	return append(ids[:maxIDs-1:maxIDs-1], fmt.Sprintf("… and %d more: %s", len(rest), FailingSum(rest)[:16]))
}
