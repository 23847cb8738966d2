package rule

import (
	"path"
	"slices"

	"autopilot/projections/regex"
)

// This file finds what a pinned script leans on without running it: the modules
// beside it, and the files that it compares with.

var (
	pathToken     = regex.New(`[\w./-]*\w\.\w+`)
	expectedWords = wordSet("expected expect expectation expectations want wanted golden snapshot snapshots reference oracle")
	toolFolder    = wordSet("tools tool scripts script ci checks check qa hack dev test tests testing")
)

// mostScript bounds how much of a script is searched, in bytes.
const mostScript = 256 << 10

// expected pins what a pinned script compares with, by the words in its name, and
// modules of its own: those beside it in a folder of tools, as any other can be the
// product.
func (f *follower) expected(w *shellWalk, name, text string) {
	if len(text) > mostScript {
		return
	}
	why := Why{Kind: WhyRead, By: name}
	for _, token := range pathToken.FindAllString(text, -1) {
		if !expects(token) {
			continue
		}
		for _, dir := range append(slices.Clone(w.dirs), path.Dir(name)) {
			if p := path.Join(dir, token); f.src.exists(p) {
				f.pin(p, why)
			}
		}
	}
	l, ok := languageOf(name)
	if !ok || !toolFolder[path.Base(path.Dir(name))] {
		return
	}
	for _, to := range l.imports(f.src, name, text) {
		if path.Dir(to) == path.Dir(name) && to != name && !slices.Contains(f.pins.Paths, to) {
			f.pin(to, why)
			f.expected(w, to, string(f.src.read(to)))
		}
	}
}

// named pins files that a gate gives to a program, where their names say that they
// are tests: of doctest, and of a runner that nobody knows.
func (f *follower) named(w *shellWalk, c shellCall) {
	if f.level > 0 && !f.sole {
		return
	}
	for _, word := range c.words[1:] {
		base := path.Base(word)
		if !expects(base) && !slices.ContainsFunc(pathWords(base), func(w string) bool { return w == "test" || w == "tests" || w == "doctest" }) {
			continue
		}
		for _, p := range within(w.dirs, word, f.src.Root) {
			if f.src.exists(p) {
				f.pin(p, f.by)
			}
		}
	}
}

// expects reports whether a name says that the file holds what has to come out.
func expects(name string) bool {
	return slices.ContainsFunc(pathWords(path.Base(name)), func(w string) bool { return expectedWords[w] })
}
