package rule

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Hides names what in a command keeps an exit code of its parts from being seen:
// "a pipe", "|| true", "; echo", "&", "a loop", "make -i". It is empty where each
// counts, and for text that cannot be parsed. What only prepares or prints (cd,
// echo, export) does not count, and nothing is hidden under set -e and pipefail.
func Hides(c Command) string {
	if len(c.Argv) == 0 {
		if found := hidesText(c.Text, nil); found != "" {
			return found
		}
	}
	for _, call := range c.calls() {
		switch name := path.Base(call.words[0]); name {
		case "sh", "bash", "dash", "zsh", "ksh":
			if options, text := dashC(call.words); text != "" {
				if found := hidesText(text, options); found != "" {
					return found
				}
			}
		case "make", "gmake":
			for _, w := range call.words[1:] {
				if w == "--ignore-errors" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "i") && !strings.ContainsAny(w, "CfIoW") {
					return "make -i"
				}
			}
		}
	}
	return ""
}

func hidesText(text string, options []string) string {
	file := parseShell(text)
	if file == nil {
		return ""
	}
	var h hiding
	h.options(options)
	h.list(file.Stmts)
	return h.found
}

// hiding looks for the first part of a text whose exit code is lost.
type hiding struct {
	errexit, pipefail bool
	found             string
}

func (h *hiding) find(what string) {
	if h.found == "" {
		h.found = what
	}
}

// options takes those of set and of a shell: -e, -euo pipefail.
func (h *hiding) options(words []string) {
	for i, w := range words {
		switch {
		case w == "pipefail" && i > 0:
			h.pipefail = strings.HasPrefix(words[i-1], "-")
		case w == "errexit" && i > 0:
			h.errexit = strings.HasPrefix(words[i-1], "-")
		case strings.HasPrefix(w, "--"):
		case strings.HasPrefix(w, "-") && strings.Contains(w, "e"):
			h.errexit = true
		case strings.HasPrefix(w, "+") && strings.Contains(w, "e"):
			h.errexit = false
		}
	}
}

// list looks at statements that run one after the other: the last one decides.
func (h *hiding) list(stmts []*syntax.Stmt) {
	for i, s := range stmts {
		if s.Background && !prepares(s.Cmd) {
			h.find("&")
		}
		h.command(s.Cmd)
		if i+1 < len(stmts) && !h.errexit && !prepares(s.Cmd) && !leaves(s.Cmd) {
			h.find(strings.TrimSpace("; " + firstOf(stmts[i+1].Cmd)))
		}
	}
}

func (h *hiding) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		if words := staticWords(c.Args); len(words) > 0 && words[0] == "set" {
			h.options(words[1:])
		}
	case *syntax.BinaryCmd:
		h.binary(c)
	case *syntax.Block:
		h.list(c.Stmts)
	case *syntax.Subshell:
		inner := *h
		inner.list(c.Stmts)
		h.found = inner.found
	case *syntax.FuncDecl:
		h.command(c.Body.Cmd)
	case *syntax.IfClause:
		for part := c; part != nil; part = part.Else {
			h.list(part.Then)
		}
	case *syntax.ForClause:
		h.loop(c.Do)
	case *syntax.WhileClause:
		h.loop(c.Do)
	}
}

func (h *hiding) loop(stmts []*syntax.Stmt) {
	h.list(stmts)
	if last := len(stmts) - 1; last >= 0 && !h.errexit && !prepares(stmts[last].Cmd) && !leaves(stmts[last].Cmd) {
		h.find("a loop")
	}
}

func (h *hiding) binary(c *syntax.BinaryCmd) {
	h.command(c.X.Cmd)
	h.command(c.Y.Cmd)
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		if !h.pipefail && !prepares(c.X.Cmd) && !feeds[firstOf(c.X.Cmd)] {
			h.find("a pipe")
		}
	case syntax.OrStmt:
		if !prepares(c.X.Cmd) && succeeds(c.Y.Cmd) {
			h.find("|| " + firstOf(c.Y.Cmd))
		}
	case syntax.AndStmt: // both have to succeed
	}
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

// preparing are commands that prepare or print. feeds are those that a pipe reads
// from without harm.
var (
	preparing = wordSet(`. : [ [[ alias cat cd chmod command cp date declare echo exit export hash local ls mkdir
	mv popd printf pushd pwd readonly return rm set shift shopt sleep source test touch trap true type typeset ulimit umask unset wait`)
	feeds = wordSet(`awk cat cut echo env find git grep head jq ls printf sed seq sort tail tr uniq yes`)
)
