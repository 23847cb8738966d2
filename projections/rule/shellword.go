package rule

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file gives the words of scripts the values that their text shows.

// word are the values that a word can have; none if nobody knows one.
func (w *shellWalk) word(word *syntax.Word) []string { return w.parts(word.Parts) }

func (w *shellWalk) parts(parts []syntax.WordPart) []string {
	values := []string{""}
	for i, p := range parts {
		var more []string
		switch p := p.(type) {
		case *syntax.DblQuoted:
			more = w.parts(p.Parts)
		case *syntax.ParamExp:
			more = w.param(p)
		case *syntax.CmdSubst:
			more = w.printed(p.Stmts)
		case *syntax.ArithmExp, *syntax.ProcSubst:
			return nil
		default:
			s := staticWord(parts[i : i+1])
			if lit, ok := p.(*syntax.Lit); s == "" && (!ok || lit.Value != "") && !emptyQuote(p) {
				return nil
			}
			more = []string{s}
		}
		if len(more) == 0 || len(values)*len(more) > shellCombos {
			return nil
		}
		var next []string
		for _, v := range values {
			for _, m := range more {
				next = append(next, v+m)
			}
		}
		values = next
	}
	return values
}

func emptyQuote(p syntax.WordPart) bool {
	q, ok := p.(*syntax.SglQuoted)
	return ok && q.Value == ""
}

func (w *shellWalk) param(p *syntax.ParamExp) []string {
	if p.Param == nil || p.Excl || p.Length || p.Slice != nil || p.Repl != nil {
		return nil
	}
	values := w.vars[p.Param.Value]
	if p.Param.Value == "PWD" {
		values = w.here()
	}
	if p.Exp == nil {
		return values
	}
	arg := ""
	if p.Exp.Word != nil {
		arg = w.one(p.Exp.Word)
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return append(slices.Clone(values), arg)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return mapped(values, func(v string) string {
			if arg == "/*" {
				return path.Dir(v)
			}
			return strings.TrimSuffix(v, strings.TrimPrefix(arg, "*"))
		})
	case syntax.RemLargePrefix:
		return mapped(values, path.Base)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return values
	default:
		return nil
	}
}

func (w *shellWalk) here() []string {
	return mapped(w.dirs, func(d string) string { return path.Join(atRoot, d) })
}

func mapped(list []string, f func(string) string) []string {
	var out []string
	for _, v := range list {
		if s := f(v); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// printed is what the usual ways to find a folder print.
func (w *shellWalk) printed(stmts []*syntax.Stmt) []string {
	dirs := w.dirs
	var out []string
	for len(stmts) > 0 {
		s := stmts[0]
		stmts = stmts[1:]
		switch c := s.Cmd.(type) {
		case *syntax.BinaryCmd:
			stmts = append([]*syntax.Stmt{c.X, c.Y}, stmts...)
		case *syntax.CallExpr:
			var words []string
			for _, a := range c.Args {
				words = append(words, w.one(a))
			}
			if len(words) == 0 {
				continue
			}
			ops, _ := operands(words[1:], "")
			switch last := len(ops) - 1; {
			case (words[0] == "cd" || words[0] == "pushd") && last >= 0:
				dirs = within(dirs, ops[last], w.root)
			case words[0] == "pwd":
				out = mapped(dirs, func(d string) string { return path.Join(atRoot, d) })
			case words[0] == "dirname" && last >= 0 && ops[0] != "":
				out = []string{path.Dir(ops[0])}
			case words[0] == "basename" && last >= 0 && ops[0] != "":
				out = []string{path.Base(ops[0])}
			case (words[0] == "realpath" || words[0] == "readlink" || words[0] == "echo" || words[0] == "printf") && last >= 0:
				out = mapped(within(dirs, ops[last], w.root), func(d string) string { return path.Join(atRoot, d) })
			case words[0] == "git" && slices.Contains(words, "--show-toplevel"):
				out = []string{atRoot}
			default:
				return nil
			}
		default:
			return nil
		}
	}
	return out
}

// within is where a path leads from each of the folders, from the top of the
// tree; what leads out of it is left out.
func within(dirs []string, name, root string) []string {
	if root != "" && (name == root || strings.HasPrefix(name, root+"/")) {
		name = atRoot + strings.TrimPrefix(name, root)
	}
	if rest, ok := strings.CutPrefix(name, atRoot); ok {
		if strings.Contains(rest, atRoot) {
			rest = rest[strings.LastIndex(rest, atRoot)+1:]
		}
		p := path.Join(".", rest)
		if p == ".." || strings.HasPrefix(p, "../") {
			return nil
		}
		return []string{p}
	}
	return join(dirs, name)
}
