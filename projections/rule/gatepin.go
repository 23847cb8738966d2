package rule

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// With joins the pins of p and q.
func (p Pins) With(q Pins) Pins {
	return Pins{
		Globs:         slices.Concat(p.Globs, q.Globs),
		Paths:         slices.Concat(p.Paths, q.Paths),
		Absent:        slices.Concat(p.Absent, q.Absent),
		Manifests:     slices.Concat(p.Manifests, q.Manifests),
		Protect:       slices.Concat(p.Protect, q.Protect),
		Allow:         slices.Concat(p.Allow, q.Allow),
		DenyAdditions: p.DenyAdditions || q.DenyAdditions,
		Parts:         joined(p.Parts, q.Parts, Part.with),
		Why:           joined(p.Why, q.Why, func(a, _ Why) Why { return a }),
	}
}

func joined[V any](a, b map[string]V, both func(V, V) V) map[string]V {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := maps.Clone(b)
	if out == nil {
		out = map[string]V{}
	}
	for k, v := range a {
		if w, twice := out[k]; twice {
			v = both(v, w)
		}
		out[k] = v
	}
	return out
}

// script is the file of the workspace that a simple command executes: the
// command itself if it has a slash, else the first argument of an interpreter
// that exists as a file. Arguments behind it, and those of programs that only
// read files, are the product and not the proof.
func script(words []string) []string {
	if strings.Contains(words[0], "/") && !interpreters[interpreter(words[0])] {
		return words[:1]
	}
	if words[0] == "go" && len(words) > 1 && words[1] == "run" {
		return slices.DeleteFunc(slices.Clone(words[2:]), func(w string) bool { return !strings.HasSuffix(w, ".go") })
	}
	if !interpreters[interpreter(words[0])] || slices.Contains(words, "-m") {
		return nil
	}
	return words[1:]
}

// interpreter is the name of a program without its version: python3.11 is
// python.
func interpreter(word string) string {
	if name := strings.TrimRight(path.Base(word), "0123456789."); name != "" {
		return name
	}
	return word
}

var interpreters = wordSet(`. source sh bash dash zsh ksh fish python pypy node
	deno bun tsx ts-node ruby perl php lua Rscript julia pwsh elixir groovy
	osascript bats coverage uv poetry pipenv hatch expect tclsh`)

// optionValues are the values of "-C x", "-Cx", "--dir x" and "--dir=x".
func optionValues(words, options []string) []string {
	var out []string
	for i, w := range words {
		for _, o := range options {
			rest, ok := strings.CutPrefix(w, o)
			switch {
			case !ok:
			case rest == "" && i+1 < len(words):
				out = append(out, words[i+1])
			case strings.HasPrefix(rest, "="):
				out = append(out, rest[1:])
			case rest != "" && !strings.HasPrefix(o, "--"):
				out = append(out, rest)
			}
		}
	}
	return out
}

func join(dirs []string, name string) []string {
	var out []string
	for _, d := range dirs {
		if p := path.Join(d, name); name != "" && !path.IsAbs(name) && p != ".." && !strings.HasPrefix(p, "../") {
			out = append(out, p)
		}
	}
	return out
}

func existing(dirs, names []string, exists func(string) bool) []string {
	var out []string
	for _, n := range names {
		for _, p := range join(dirs, n) {
			if exists(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func missing(dirs, names []string, exists func(string) bool) []string {
	return existing(dirs, names, func(name string) bool { return usual[path.Base(name)] && !exists(name) })
}

// usual are the names of which a program reads the first that exists.
var usual = wordSet(`GNUmakefile makefile Makefile justfile Justfile .justfile
	Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Rakefile rakefile Rakefile.rb rakefile.rb Taskfile.dist.yml Taskfile.dist.yaml deno.json deno.jsonc`)

func firstExisting(dirs, names []string, exists func(string) bool) []string {
	for _, n := range names {
		if found := existing(dirs, []string{n}, exists); len(found) > 0 {
			return found
		}
	}
	return nil
}

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

func escapeGlob(s string) string { return globEscaper.Replace(s) }

// ExactGlob is the glob that matches one path, and what is below it.
func ExactGlob(path string) string { return "/" + escapeGlob(path) }
