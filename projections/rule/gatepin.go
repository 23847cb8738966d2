package rule

import (
	"path"
	"slices"
	"strings"
)

// GatePins are the pins that gate commands add: the scripts that their words
// name, the makefile of make, and of package.json the parts that steer tests.
// Paths, Absent and Manifests are set, sorted, each once. exists reports whether the
// tree at the start has a file at a path; names that it lacks are not pinned,
// as an agent may have to build them.
func GatePins(commands []Command, exists func(name string) bool) Pins {
	var pins Pins
	for _, cmd := range commands {
		dirs := []string{"."}
		for _, c := range cmd.calls() {
			if path.Base(c.words[0]) == "cd" && len(c.words) > 1 {
				// Later commands run there, or still here, if it was in a
				// subshell: both are looked at.
				dirs = append(dirs, join(dirs, c.words[1])...)
				continue
			}
			paths, manifests := callPins(c.words)
			pins.Paths = append(pins.Paths, existing(dirs, paths, exists)...)
			pins.Absent = append(pins.Absent, rivals(dirs, paths, exists)...)
			pins.Paths = append(pins.Paths, firstExisting(dirs, script(c.words), exists)...)
			pins.Manifests = append(pins.Manifests, existing(dirs, manifests, exists)...)
		}
	}
	slices.Sort(pins.Paths)
	slices.Sort(pins.Absent)
	slices.Sort(pins.Manifests)
	pins.Paths = slices.Compact(pins.Paths)
	pins.Absent = slices.Compact(pins.Absent)
	pins.Manifests = slices.Compact(pins.Manifests)
	for i, m := range pins.Manifests {
		pins.Manifests[i] = "/" + escapeGlob(m)
	}
	return pins
}

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
	}
}

// callPins are the files that a program looks for by itself, and the manifests
// that it reads, both relative to its directory.
func callPins(words []string) (paths, manifests []string) {
	name := path.Base(words[0])
	switch name {
	case "make", "gmake":
		return inDirs(words, []string{"-C", "--directory"}, makefiles(words)), nil
	case "just":
		return []string{"justfile", "Justfile", ".justfile"}, nil
	case "task":
		return []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"}, nil
	case "rake":
		return []string{"Rakefile", "rakefile", "Rakefile.rb"}, nil
	case "npm", "pnpm", "yarn", "bun", "npx", "bunx", "pnpx", "jest", "vitest", "mocha", "ava", "c8", "nyc", "node", "tap":
		manifests = inDirs(words, []string{"-C", "--prefix", "--dir", "--cwd"}, []string{"package.json"})
	}
	return nil, manifests
}

// makefiles are the files that make reads: -f names one, else the usual three.
func makefiles(words []string) []string {
	if named := optionValues(words, []string{"-f", "--file", "--makefile"}); len(named) > 0 {
		return named
	}
	return []string{"GNUmakefile", "makefile", "Makefile"}
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
	osascript bats uv poetry pipenv hatch expect tclsh`)

func inDirs(words, options, names []string) []string {
	out := slices.Clone(names)
	for _, dir := range optionValues(words, options) {
		for _, n := range names {
			out = append(out, path.Join(dir, n))
		}
	}
	return out
}

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

// rivals are the names that a program would read instead of a file that exists:
// one of the usual names in its directory. Where there is none yet, an agent may
// have to make any of them.
func rivals(dirs, names []string, exists func(string) bool) []string {
	var out []string
	for _, p := range missing(dirs, names, exists) {
		if len(existing([]string{path.Dir(p)}, baseNames(names), exists)) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func missing(dirs, names []string, exists func(string) bool) []string {
	return existing(dirs, names, func(name string) bool { return usual[path.Base(name)] && !exists(name) })
}

func baseNames(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, path.Base(n))
	}
	return out
}

// usual are the names of which a program reads the first that exists.
var usual = wordSet(`GNUmakefile makefile Makefile justfile Justfile .justfile
	Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Rakefile rakefile Rakefile.rb`)

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
