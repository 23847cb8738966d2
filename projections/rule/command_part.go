package rule

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file says what a part of a command does with the exit code before it.

func endsWell(list []*syntax.Stmt) bool {
	return len(list) > 0 && succeeds(list[len(list)-1].Cmd)
}

// shows reports whether the end of a pipe only shows what it reads: without it nothing
// is lost, as the whole output of a gate is kept.
func shows(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch words := staticWords(call.Args); words[0] {
	case "tail", "head", "cat", "less", "more", "ts":
		for _, w := range words[1:] {
			if w == "" || !strings.HasPrefix(w, "-") && strings.Trim(w, "0123456789") != "" {
				return false
			}
		}
		return true
	}
	return false
}

// looksAt reports whether a statement reads the exit code of the one before it.
func looksAt(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
			found = found || p.Param.Value == "?" || strings.EqualFold(p.Param.Value, "PIPESTATUS")
		}
		return true
	})
	return found
}

// firstOf is the first word of a command, "" for one that has none.
func firstOf(c syntax.Command) string {
	switch c := c.(type) {
	case *syntax.CallExpr:
		if len(c.Args) > 0 {
			return staticWord(c.Args[0].Parts)
		}
	case *syntax.BinaryCmd:
		return firstOf(c.X.Cmd)
	case *syntax.Block:
		return firstOfList(c.Stmts)
	case *syntax.Subshell:
		return firstOfList(c.Stmts)
	}
	return ""
}

func firstOfList(stmts []*syntax.Stmt) string {
	if len(stmts) == 0 {
		return ""
	}
	return firstOf(stmts[0].Cmd)
}

// prepares reports whether a command proves nothing by its exit code.
func prepares(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return len(c.Args) == 0 || preparing[firstOf(c)]
	case *syntax.FuncDecl, *syntax.DeclClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		return true
	case *syntax.BinaryCmd:
		return prepares(c.X.Cmd) && prepares(c.Y.Cmd)
	}
	return false
}

// searches reports whether a command looks for something: that it finds nothing can be
// what is wanted.
func searches(c syntax.Command) bool {
	if b, ok := c.(*syntax.BinaryCmd); ok {
		return searches(b.Y.Cmd)
	}
	if s, ok := c.(*syntax.Subshell); ok && len(s.Stmts) > 0 {
		return searches(s.Stmts[len(s.Stmts)-1].Cmd)
	}
	return searching[path.Base(firstOf(c))]
}

// leaves reports whether a command looks at its exit code itself: a || exit 1, or an
// if that can leave.
func leaves(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		return c.Op == syntax.OrStmt && !succeeds(c.Y.Cmd)
	case *syntax.IfClause, *syntax.CaseClause:
		return true
	case *syntax.Subshell:
		return len(c.Stmts) > 0 && leaves(c.Stmts[len(c.Stmts)-1].Cmd)
	case *syntax.ForClause:
		return true // the loop was looked at
	case *syntax.WhileClause:
		return true
	}
	return false
}

// succeeds reports whether a command ends with 0 whatever happens.
func succeeds(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.CallExpr:
		words := staticWords(c.Args)
		if len(words) == 0 {
			return len(c.Assigns) > 0
		}
		switch words[0] {
		case "true", ":", "echo", "printf":
			return true
		case "exit", "return":
			return len(words) > 1 && words[1] == "0"
		}
	case *syntax.Block:
		return len(c.Stmts) > 0 && succeeds(c.Stmts[len(c.Stmts)-1].Cmd)
	case *syntax.Subshell:
		return len(c.Stmts) > 0 && succeeds(c.Stmts[len(c.Stmts)-1].Cmd)
	}
	return false
}

// shellGiven is what a shell is asked to run by words that begin with it.
func shellGiven(words []string) (options []string, text string) {
	switch path.Base(words[0]) {
	case "sh", "bash", "dash", "zsh", "ksh":
		return dashC(words)
	}
	return nil, ""
}

// forgiving finds such an option, and what the command is without it.
func forgiving(words []string) (what string, rest []string) {
	for i, w := range words {
		tool := path.Base(w)
		if tool == "make" || tool == "gmake" {
			for j, o := range words[i+1:] {
				if strings.HasPrefix(o, "-") && !strings.HasPrefix(o, "--") && strings.Contains(o, "i") && !strings.ContainsAny(o, "CfIoW") {
					at := i + 1 + j
					if rest := strings.Replace(o, "i", "", 1); rest != "-" {
						return tool + " -i", slices.Replace(slices.Clone(words), at, at+1, rest)
					}
					return tool + " -i", slices.Delete(slices.Clone(words), at, at+1)
				}
			}
		}
		for _, f := range forgivingWords {
			if !slices.Contains(strings.Fields(f.tools), tool) {
				continue
			}
			name, value, pair := strings.Cut(f.option, " ")
			for j := i + 1; j < len(words); j++ {
				switch {
				case pair && words[j] == name && j+1 < len(words) && words[j+1] == value:
					return tool + " " + f.option, slices.Delete(slices.Clone(words), j, j+2)
				case words[j] == strings.Replace(f.option, " ", "=", 1):
					return tool + " " + words[j], slices.Delete(slices.Clone(words), j, j+1)
				}
			}
		}
	}
	return "", nil
}
