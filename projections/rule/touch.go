package rule

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Touch is a path that a command writes to, or takes away. It is as seen from
// where the command runs, absolute, or below HOME with "~/" before it; it may be
// a glob.
type Touch struct {
	Path string
	Gone bool // removed, moved away, put back to another version, or of another mode: with all below it
}

// Touches are the paths that a command for a shell writes to or takes away, as
// far as its text shows: redirections and the programs that people use for it,
// through lists, subshells, substitutions and shells in shells. Words that are
// only known when they run, and programs that are not known, show nothing.
//
// Source: session-orchestrator, seeds 3.10 (the guard of a tool), whose look at
// the start of a command alone let compound ones through.
func Touches(text string) []Touch {
	t := toucher{dir: "."}
	t.text(text)
	return t.out
}

// Rewrites are the directories in whose work tree a command for a shell has git change
// files that it does not name: a switch, a stash, a pull.
func Rewrites(text string) []string {
	t := toucher{dir: "."}
	t.text(text)
	return t.trees
}

// shellsDeep bounds shells in shells.
const shellsDeep = 6

// toucher reads a command in the order in which it runs.
type toucher struct {
	dir   string // as cd has changed it; empty where nobody knows
	deep  int
	out   []Touch
	trees []string // in which git changes files that are not named
	sent  []Send
}

// text reads statement after statement, as a shell does: what cannot be parsed
// does not undo what has run before it.
func (t *toucher) text(src string) {
	if t.deep == shellsDeep {
		return
	}
	t.deep++
	defer func() { t.deep-- }()
	for s, err := range syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(8)).StmtsSeq(strings.NewReader(src)) {
		if err == nil { // to its end: the parser goes on after a break
			t.read(s)
		}
	}
}

func (t *toucher) read(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		t.fed(n)
		switch n := n.(type) {
		case *syntax.Subshell:
			t.within(n.Stmts)
			return false
		case *syntax.CmdSubst:
			t.within(n.Stmts)
			return false
		case *syntax.ProcSubst:
			t.within(n.Stmts)
			return false
		case *syntax.Redirect:
			t.redirect(n)
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				t.call(staticWords(n.Args))
			}
		}
		return true
	})
}

// within reads what runs in a shell of its own: its directory ends with it.
func (t *toucher) within(stmts []*syntax.Stmt) {
	defer func(dir string) { t.dir = dir }(t.dir)
	for _, s := range stmts {
		t.read(s)
	}
}

func (t *toucher) redirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		if r.Word != nil {
			t.wrote(staticWord(r.Word.Parts))
		}
	default: // it reads, or names a descriptor
	}
}

// at is a path as the command has it, from where the command began.
func (t *toucher) at(name string) (string, bool) {
	switch {
	case name == "":
		return "", false
	case filepath.IsAbs(name) || strings.HasPrefix(name, "~/"):
		return path.Clean(name), true
	case t.dir == "":
		return "", false
	}
	return from(t.dir, name), true
}

func (t *toucher) touch(gone bool, names []string) {
	for _, name := range names {
		if p, ok := t.at(name); ok {
			t.out = append(t.out, Touch{p, gone})
		}
	}
}

func (t *toucher) wrote(names ...string) { t.touch(false, names) }
func (t *toucher) gone(names ...string)  { t.touch(true, names) }

// into is what lands at a place, or, if that is a folder, in it.
func (t *toucher) into(place string, names []string) {
	if place == "" {
		return
	}
	t.wrote(place)
	for _, name := range names {
		if name != "" {
			t.wrote(path.Join(place, path.Base(name)))
		}
	}
}

// call reads one simple command, behind what only starts it.
func (t *toucher) call(words []string) {
	for range shellsDeep {
		name := path.Base(words[0])
		inner, ok := started(name, words)
		if !ok {
			t.command(name, words[1:])
			return
		}
		if words = inner; len(words) == 0 || words[0] == "" {
			return
		}
	}
}

// started is the command that a wrapper starts.
func started(name string, words []string) ([]string, bool) {
	if i := slices.IndexFunc(words, func(w string) bool { return w == "-S" || w == "--split-string" }); name == "env" && i > 0 && i+1 < len(words) {
		return append(strings.Fields(words[i+1]), words[i+2:]...), true
	}
	switch name {
	case "env", "timeout", "nice", "nohup", "stdbuf", "command", "exec", "builtin", "setsid", "ionice", "time", "sudo", "doas":
		return skipOptions(name, words[1:]), true
	}
	return nil, false
}

func (t *toucher) command(name string, args []string) {
	if t.starter(name, args) {
		return
	}
	switch name {
	case "cd", "pushd":
		t.change(args)
	case "popd":
		t.dir = ""
	case "git":
		t.git(args)
	default:
		t.program(name, args)
	}
}

// shell reads the command that a shell is given. It has a directory of its own.
func (t *toucher) shell(args []string) {
	defer func(dir string) { t.dir = dir }(t.dir)
	for i, w := range args {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && i+1 < len(args) {
			t.text(args[i+1])
			return
		}
	}
}

func (t *toucher) change(args []string) {
	ops, _ := operands(args, "")
	if len(ops) == 0 || ops[0] == "-" {
		t.dir = ""
		return
	}
	t.dir, _ = t.at(ops[0])
}

// operands divides arguments: what is no option, and the options. Those of
// valued, one letter each, are followed by a word of their own.
func operands(args []string, valued string) (ops, options []string) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w == "--":
			return append(ops, args[i+1:]...), options
		case len(w) < 2 || w[0] != '-':
			ops = append(ops, w)
		default:
			options = append(options, w)
			if len(w) == 2 && strings.Contains(valued, w[1:]) && i+1 < len(args) {
				i++
				options = append(options, args[i])
			}
		}
	}
	return ops, options
}
