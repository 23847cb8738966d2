package rule

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Source is a tree to read from, and the place where it lies.
type Source struct {
	Files []string // sorted
	Read  func(name string) ([]byte, bool)
	// Prefetch reads many at once, where that is cheaper; it may be nil.
	Prefetch func(names []string)
	Root     string // absolute path of the tree, if that is known

	// Of what the tree lacks: nil where nobody can look.
	OnDisk   func(name string) bool
	ReadDisk func(name string) ([]byte, bool)
}

func (s Source) exists(name string) bool {
	_, ok := slices.BinarySearch(s.Files, name)
	return ok
}

func (s Source) read(name string) []byte {
	if s.Read == nil || !s.exists(name) {
		return nil
	}
	b, _ := s.Read(name)
	return b
}

// glob lists files that a glob matches.
func (s Source) glob(glob string) []string {
	var out []string
	for _, f := range s.Files {
		if ok, err := doublestar.Match(glob, f); err == nil && ok {
			out = append(out, f)
		}
	}
	return out
}

// WhyKind says why a file is pinned.
type WhyKind string

// The reasons of pins.
const (
	WhyGate    WhyKind = "gate"    // a gate command names it
	WhySourced WhyKind = "sourced" // By, a script, sources it
	WhyRun     WhyKind = "run"     // By, a script or a makefile, runs it
	WhyTarget  WhyKind = "target"  // of it, what the target By leads to
	WhyScript  WhyKind = "script"  // of it, what the script By leads to
	WhyInclude WhyKind = "include" // By includes it
	WhyRead    WhyKind = "read"    // By compares with it, or is made of it
	WhyConfig  WhyKind = "config"  // it configures what runs the tests
	WhyHelper  WhyKind = "helper"  // only tests reach it, from By
	WhyFailing WhyKind = "failing" // a test in it failed at the baseline
	WhyRole    WhyKind = "role"    // the agent of role By, which looks at the work, is run with it
	WhyName    WhyKind = "name"    // it is a test by its name, By is the glob
	WhyProtect WhyKind = "protect" // the user pins it by the glob By
)

// Why is a reason with what it comes from.
type Why struct {
	Kind WhyKind `json:"kind"`
	By   string  `json:"by,omitzero"`
}

// followDeep bounds scripts in scripts.
const followDeep = 12

// follower reads what gate commands reach.
type follower struct {
	src     Source
	pins    Pins
	outside []Script
	seen    map[string]bool
	level   int
	sole    bool // the command is all that a named target or script does
	by      Why
	hidden  func(Hidden) // is told what a reached text hides; nil where nobody asks
}

// Follow are the pins that gate commands add: the scripts that their words name
// and what those source and run, of makefiles and package.json the parts that
// are reached, and what configures the programs. What the tree lacks is not
// pinned, as an agent may have to build it. Scripts are those that the tree
// cannot hold: they are outside of it, or git ignores them.
func Follow(commands []Command, src Source) (Pins, []Script) {
	f := newFollower(src)
	for _, cmd := range commands {
		f.command(cmd)
	}
	for _, list := range []*[]string{&f.pins.Paths, &f.pins.Absent, &f.pins.Manifests} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	f.pins.Absent = slices.DeleteFunc(f.pins.Absent, src.exists)
	if len(f.pins.Parts) == 0 {
		f.pins.Parts = nil
	}
	if len(f.pins.Why) == 0 {
		f.pins.Why = nil
	}
	return f.pins, f.outside
}

func newFollower(src Source) *follower {
	f := &follower{src: src, seen: map[string]bool{}, by: Why{Kind: WhyGate}}
	f.pins.Parts, f.pins.Why = map[string]Part{}, map[string]Why{}
	return f
}

func (f *follower) command(c Command) {
	if len(c.Argv) > 0 {
		w := newShellWalk("", nil, []string{"."}, f.src.Root, f.run)
		f.run(w, shellCall{words: slices.Clone(c.Argv)})
		return
	}
	f.text(c.Text, "", nil, []string{"."})
}

func (f *follower) text(text, script string, args, dirs []string) {
	newShellWalk(script, args, dirs, f.src.Root, f.run).text(text)
}

// deeper follows what is reached from something that was followed.
func (f *follower) deeper(by Why, do func()) {
	if f.level >= followDeep {
		return
	}
	was, sole := f.by, f.sole
	f.level, f.by, f.sole = f.level+1, by, false
	do()
	f.level, f.by, f.sole = f.level-1, was, sole
}

// goal follows a command of a target or script that a gate names. If it is all that
// this does, it is as if the gate named it.
func (f *follower) goal(text, dir string, sole bool) {
	was := f.sole
	f.sole = sole && f.level == 1 && !strings.ContainsAny(text, ";|&`\n") && !strings.Contains(text, "$(")
	f.text(text, "", nil, []string{dir})
	f.sole = was
}

// pin pins a whole file.
func (f *follower) pin(name string, why Why) {
	if !slices.Contains(f.pins.Paths, name) {
		f.pins.Paths = append(f.pins.Paths, name)
		if _, known := f.pins.Why[name]; !known {
			f.pins.Why[name] = why
		}
	}
}

// part pins what is reached of a file.
func (f *follower) part(name string, p Part, why Why) {
	f.pins.Parts[name] = f.pins.Parts[name].with(p)
	if old, known := f.pins.Why[name]; !known || old.Kind == WhyConfig {
		f.pins.Why[name] = why
	}
}

// run follows one simple command.
func (f *follower) run(w *shellWalk, c shellCall) {
	for range 6 {
		if c.words[0] == "" {
			return
		}
		f.simple(w, c)
		inner, text := innerCommand(c.words)
		if text != "" {
			sub := *w
			sub.dirs = slices.Clone(w.dirs)
			sub.text(text)
		}
		if len(inner) == 0 {
			return
		}
		c.words = inner
	}
}

// innerCommand is what a command was asked to run: words, or a text for a shell.
func innerCommand(words []string) (inner []string, text string) {
	name := path.Base(words[0])
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh":
		for i, w := range words[1:] {
			if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && i+2 < len(words) {
				return nil, words[i+2]
			}
		}
	case "eval":
		return nil, strings.Join(words[1:], " ")
	case "trap":
		if len(words) > 2 {
			return nil, words[1]
		}
	case "env", "timeout", "nice", "nohup", "stdbuf", "command", "exec", "builtin", "xvfb-run", "setsid", "ionice", "time", "sudo", "xargs", "gtimeout", "chronic", "unbuffer", "faketime":
		return skipOptions(strings.TrimPrefix(name, "g"), words[1:]), ""
	case "uv", "poetry", "pipenv", "pdm", "rye", "hatch", "bundle", "mise", "rtx", "asdf", "direnv", "coverage", "python", "python3", "watchexec":
		return runnerRest(words), ""
	case "find":
		for i, w := range words {
			if (w == "-exec" || w == "-execdir") && i+1 < len(words) {
				return words[i+1:], ""
			}
		}
	}
	return nil, ""
}

// runnerRest is the command behind "uv run", "bundle exec" and their like.
func runnerRest(words []string) []string {
	name := interpreter(words[0])
	for i, w := range words[1:] {
		switch {
		case w == "run" && name != "bundle" && name != "python", w == "exec":
			rest := words[i+2:]
			for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || name == "direnv" && rest[0] == ".") {
				rest = rest[1:]
			}
			return rest
		case w == "-m" && (name == "python" || name == "coverage") && i+2 < len(words):
			return slices.Concat([]string{words[i+2]}, words[i+3:]) // python -m pytest is pytest
		}
	}
	return nil
}

// simple follows a command that is no wrapper of another.
func (f *follower) simple(w *shellWalk, c shellCall) {
	if n, ok := nodeCall(c.words); ok {
		f.node(w, c, n)
	}
	switch path.Base(c.words[0]) {
	case "make", "gmake":
		f.make(w, c.words)
	case "just":
		f.tasks(w, PartJust, c.words, []string{"-f", "--justfile"}, []string{"-d", "--working-directory"}, "justfile", "Justfile", ".justfile")
	case "task", "go-task":
		f.tasks(w, PartTask, c.words, []string{"-t", "--taskfile"}, []string{"-d", "--dir"}, "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml")
	case "rake":
		f.tasks(w, PartRake, c.words, []string{"-f", "--rakefile"}, nil, "Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb")
	case "deno":
		if i := slices.Index(c.words, "task"); i >= 0 {
			f.tasks(w, PartDeno, c.words[i:], []string{"-c", "--config"}, []string{"--cwd"}, "deno.json", "deno.jsonc")
		}
	}
	f.tool(w, c)
	f.named(w, c)
	f.files(w, c)
}

// files pins the script that a command executes.
func (f *follower) files(w *shellWalk, c shellCall) {
	names := script(c.words)
	for i, n := range names {
		if i > 0 && slices.Contains(configOptions[interpreter(c.words[0])], names[i-1]) {
			continue // an option is given it
		}
		var found []string
		for _, p := range within(w.dirs, n, f.src.Root) {
			switch {
			case n == "":
			case f.src.exists(p):
				found = append(found, p)
			case strings.ContainsAny(p, "*?["):
				found = append(found, f.src.glob(p)...)
			}
		}
		if len(found) == 0 {
			continue
		}
		for _, p := range found {
			f.script(w, c, p, names[i+1:])
		}
		return
	}
	f.elsewhere(w, c, names)
}

// isSourced says that a command reads the script into its own shell.
func (c shellCall) isSourced() bool { return c.words[0] == "." || c.words[0] == "source" }

// script pins a script and follows it. What a gate command names is pinned
// whatever it is, and what a target that it names does and nothing else. What scripts name can be the product: it is pinned if it is
// sourced, or run for nothing but its exit code.
func (f *follower) script(w *shellWalk, c shellCall, name string, args []string) {
	text := f.src.read(name)
	shell := shells[interpreter(c.words[0])] || isShell(name, text)
	why := f.by
	if f.level > 0 && !f.sole {
		why.Kind = WhyRun
		if c.isSourced() {
			why.Kind = WhySourced
		}
		if !f.proves(c, name, shell) {
			return
		}
	}
	f.pin(name, why)
	f.expected(w, name, string(text))
	key := name + "\x00" + strings.Join(args, "\x00") + "\x00" + strings.Join(w.dirs, ":")
	if !shell || f.seen[key] {
		return
	}
	f.seen[key] = true
	f.hides(name, string(text))
	f.deeper(Why{Kind: WhyRun, By: name}, func() { f.text(string(text), atRoot+"/"+name, args, w.dirs) })
}

// proves reports whether a file that a script or a recipe reaches is part of the
// proof.
func (f *follower) proves(c shellCall, name string, shell bool) bool {
	switch {
	case testWord(name):
		return true
	case f.by.Kind == WhyRun && matchAny(DefaultPins(), f.by.By):
		return false // a test sources and runs what it tests
	case c.isSourced():
		return true
	}
	return shell && !c.read && !c.cond
}

var shellName = wordSet(".sh .bash .zsh .ksh .dash")

func isShell(name string, text []byte) bool {
	if shellName[path.Ext(name)] {
		return true
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("#!")) {
		return false
	}
	for _, w := range strings.Fields(string(line[2:])) {
		if shells[path.Base(w)] {
			return true
		}
	}
	return false
}

// elsewhere notes scripts that the tree does not have.
func (f *follower) elsewhere(w *shellWalk, c shellCall, names []string) {
	if f.src.OnDisk == nil || f.level > 0 && !c.isSourced() && (!shells[interpreter(c.words[0])] || c.read || c.cond) {
		return
	}
	shell := shells[interpreter(c.words[0])]
	for i, n := range names {
		var found []Script
		for _, d := range w.dirs {
			if p := f.place(d, n); n != "" && f.src.OnDisk(p) && !f.src.exists(p) {
				found = append(found, Script{p, shell})
			}
		}
		for _, s := range found {
			f.foreign(w, s, names[i+1:])
		}
		if len(found) > 0 {
			return
		}
	}
}

func (f *follower) place(dir, name string) string {
	if rest, ok := strings.CutPrefix(name, atRoot); ok {
		if strings.HasPrefix(rest, "/"+atRoot) {
			return path.Clean(strings.TrimPrefix(rest, "/"+atRoot))
		}
		return path.Join(".", rest)
	}
	return from(dir, name)
}

// foreign notes one such script, and follows it if it is for a shell.
func (f *follower) foreign(w *shellWalk, s Script, args []string) {
	if slices.Contains(f.outside, s) {
		return
	}
	f.outside = append(f.outside, s)
	if f.src.ReadDisk == nil {
		return
	}
	text, ok := f.src.ReadDisk(s.Path)
	if !ok || !s.Shell && !isShell(s.Path, text) {
		return
	}
	self := atRoot + "/" + s.Path
	if filepath.IsAbs(s.Path) || strings.HasPrefix(s.Path, "~/") {
		self = s.Path
	}
	f.deeper(Why{Kind: WhyRun, By: s.Path}, func() { f.text(string(text), self, args, w.dirs) })
}
