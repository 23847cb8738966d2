package rule

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// globSet matches many paths against globs, by the rules of Pins. It remembers
// what it has seen of folders, so each is matched once.
type globSet struct {
	exact    map[string]bool // names
	suffixes []string        // *x
	names    []string        // other globs for a name
	paths    []string        // globs for a whole path
	known    map[string]bool // folders
}

func newGlobSet(globs []string) *globSet {
	s := &globSet{exact: map[string]bool{}, known: map[string]bool{}}
	for _, glob := range globs {
		glob = clean(glob)
		if strings.Contains(glob, "/") {
			s.paths = append(s.paths, strings.TrimPrefix(glob, "/"))
			continue
		}
		for _, g := range unbraced(glob) {
			rest, star := strings.CutPrefix(g, "*")
			switch {
			case strings.ContainsAny(rest, `*?[]{}\`):
				s.names = append(s.names, g)
			case star:
				s.suffixes = append(s.suffixes, rest)
			default:
				s.exact[g] = true
			}
		}
	}
	return s
}

// unbraced are the globs without braces that one with them means; one that has
// braces in braces, or escapes, stays as it is.
func unbraced(glob string) []string {
	before, rest, found := strings.Cut(glob, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !found || !closed || strings.ContainsAny(inner, `{\[`) || strings.ContainsAny(before, `\[`) {
		return []string{glob}
	}
	var out []string
	for choice := range strings.SplitSeq(inner, ",") {
		out = append(out, unbraced(before+choice+after)...)
	}
	return out
}

// match is matchAny of the globs.
func (s *globSet) match(name string) bool {
	if s.self(name) {
		return true
	}
	dir := path.Dir(name)
	if dir == "." || dir == "/" || dir == name {
		return false
	}
	hit, known := s.known[dir]
	if !known {
		hit = s.match(dir)
		s.known[dir] = hit
	}
	return hit
}

func (s *globSet) self(name string) bool {
	base := path.Base(name)
	if s.exact[base] {
		return true
	}
	for _, suffix := range s.suffixes {
		if strings.HasSuffix(base, suffix) {
			return true
		}
	}
	for _, g := range s.names {
		if ok, err := doublestar.Match(g, base); err == nil && ok {
			return true
		}
	}
	for _, g := range s.paths {
		if ok, err := doublestar.Match(g, name); err == nil && ok {
			return true
		}
	}
	return false
}

// Among are those of the files of the start that are pinned, in their order:
// those that gates and the user name first.
func (p Pins) Among(files []string) []string {
	globs, derives, allow := newGlobSet(p.Globs), newGlobSet(derived), newGlobSet(p.Allow)
	protect, parts, paths := newGlobSet(p.Protect), newGlobSet(p.Manifests), setOf(p.Paths)
	var first, rest []string
	for _, f := range files {
		_, reached := p.Parts[f]
		project := strings.HasPrefix(f, projectDir)
		switch {
		case allow.match(f):
		case paths[f], reached, !project && (protect.match(f) || parts.match(f)):
			first = append(first, f)
		case !project && globs.match(f) && !derives.match(f):
			rest = append(rest, f)
		}
	}
	return append(first, rest...)
}
