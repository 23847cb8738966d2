package rule

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// atRoot begins a path that is from the top of the tree, wherever a script runs.
const atRoot = "\x00"

// shellCall is one simple command of a script as its text shows it. Words that are
// only known when it runs are empty.
type shellCall struct {
	words []string
	read  bool // what it prints is looked at: it is in a pipe, a substitution, or written to a file
	cond  bool // it is the condition of an if or a loop
}

// shellWalk reads a script in its order, with the variables that its text gives.
type shellWalk struct {
	vars  map[string][]string
	dirs  []string
	first []string // where it began
	root  string   // absolute path of the tree, if that is known
	call  func(w *shellWalk, c shellCall)

	read, cond, maybe int
}

// Bounds of what a script is read for.
const (
	shellValues = 8
	shellCombos = 32
)

func newShellWalk(script string, args, dirs []string, root string, call func(*shellWalk, shellCall)) *shellWalk {
	w := &shellWalk{vars: map[string][]string{}, dirs: slices.Clone(dirs), first: dirs, root: root, call: call}
	if script != "" {
		w.vars["0"] = []string{script}
		w.vars["BASH_SOURCE"] = []string{script}
	}
	for i, a := range args {
		if i < 9 {
			w.vars[string(rune('1'+i))] = []string{a}
		}
	}
	w.vars["@"] = args
	return w
}

func (w *shellWalk) text(src string) {
	if file := shellText(src); file != nil {
		w.stmts(file.Stmts)
	}
}

func (w *shellWalk) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *shellWalk) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	outer := w.read
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
			if r.N == nil || r.N.Value == "1" {
				if to := w.one(r.Word); !strings.HasPrefix(to, "/dev/") && to != "2" {
					w.read++
				}
			}
		default:
		}
	}
	w.command(s.Cmd)
	w.read = outer
}

// passers only hand on or shorten what they read, so what runs before them is
// still a check and not what is checked.
var passers = wordSet("tee cat tail head less more ts sed grep awk tr cut sort uniq")

func (w *shellWalk) command(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		w.simple(c)
	case *syntax.DeclClause:
		w.assigns(c.Args)
	case *syntax.BinaryCmd:
		if pipe := c.Op == syntax.Pipe || c.Op == syntax.PipeAll; pipe && !onlyPasses(c.Y) {
			w.read++
			w.stmt(c.X)
			w.read--
		} else {
			w.stmt(c.X)
		}
		if c.Op == syntax.OrStmt {
			w.maybe++
			defer func() { w.maybe-- }()
		}
		w.stmt(c.Y)
	case *syntax.IfClause:
		w.conditional(c.Cond)
		w.perhaps(c.Then)
		if c.Else != nil {
			w.command(c.Else)
		}
	case *syntax.WhileClause:
		w.conditional(c.Cond)
		w.perhaps(c.Do)
	case *syntax.ForClause:
		if it, ok := c.Loop.(*syntax.WordIter); ok && it.Name != nil {
			var values []string
			for _, item := range it.Items {
				values = append(values, w.word(item)...)
			}
			w.vars[it.Name.Value] = values[:min(len(values), shellCombos)]
		}
		w.perhaps(c.Do)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			w.perhaps(item.Stmts)
		}
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		dirs := slices.Clone(w.dirs)
		w.stmts(c.Stmts)
		w.dirs = dirs
	case *syntax.FuncDecl:
		w.perhaps([]*syntax.Stmt{c.Body})
	case *syntax.TimeClause:
		w.stmt(c.Stmt)
	case *syntax.CoprocClause:
		w.stmt(c.Stmt)
	}
}

func (w *shellWalk) perhaps(list []*syntax.Stmt) {
	w.maybe++
	w.stmts(list)
	w.maybe--
}

func (w *shellWalk) conditional(list []*syntax.Stmt) {
	w.cond++
	w.stmts(list)
	w.cond--
}

func onlyPasses(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	words := staticWords(c.Args)
	name := path.Base(words[0])
	return passers[name] && (name != "grep" || slices.ContainsFunc(words, func(o string) bool {
		return strings.HasPrefix(o, "-") && !strings.HasPrefix(o, "--") && strings.Contains(o, "v")
	}))
}

func (w *shellWalk) assigns(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil || a.Value == nil {
			continue
		}
		w.substitutions(a.Value)
		values := append(slices.Clone(w.vars[a.Name.Value]), w.word(a.Value)...)
		slices.Sort(values)
		values = slices.Compact(values)
		w.vars[a.Name.Value] = values[:min(len(values), shellValues)]
	}
}

// substitutions reads commands within a word: what they print is used.
func (w *shellWalk) substitutions(word *syntax.Word) {
	syntax.Walk(word, func(n syntax.Node) bool {
		var list []*syntax.Stmt
		switch n := n.(type) {
		case *syntax.CmdSubst:
			list = n.Stmts
		case *syntax.ProcSubst:
			list = n.Stmts
		default:
			return true
		}
		dirs := slices.Clone(w.dirs)
		w.read++
		w.stmts(list)
		w.read--
		w.dirs = dirs
		return false
	})
}

func (w *shellWalk) simple(c *syntax.CallExpr) {
	w.assigns(c.Assigns)
	if len(c.Args) == 0 {
		return
	}
	combos := [][]string{nil}
	for _, a := range c.Args {
		w.substitutions(a)
		values := w.word(a)
		if len(values) == 0 {
			values = []string{""}
		}
		if len(combos)*len(values) > shellCombos {
			values = values[:1]
		}
		var next [][]string
		for _, head := range combos {
			for _, v := range values {
				next = append(next, append(slices.Clone(head), v))
			}
		}
		combos = next
	}
	for _, words := range combos {
		if words[0] == "cd" || words[0] == "pushd" || words[0] == "popd" {
			w.change(words)
			continue
		}
		w.call(w, shellCall{words: words, read: w.read > 0, cond: w.cond > 0})
	}
}

// change goes to another folder. Where that may not happen, or where it leads
// back, both are looked at.
func (w *shellWalk) change(words []string) {
	ops, _ := operands(words[1:], "")
	if len(ops) == 0 || ops[0] == "-" || ops[0] == "" {
		w.dirs = union(w.dirs, w.first)
		return
	}
	to := within(w.dirs, ops[0], w.root)
	if len(to) == 0 && !strings.HasPrefix(ops[0], atRoot) {
		for _, d := range w.dirs {
			to = append(to, from(d, ops[0])) // out of the tree
		}
	}
	if w.maybe > 0 || len(to) == 0 {
		to = union(w.dirs, to)
	}
	w.dirs = to
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func (w *shellWalk) one(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	if v := w.word(word); len(v) > 0 {
		return v[0]
	}
	return ""
}
