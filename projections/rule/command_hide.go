package rule

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Hidden is what keeps an exit code of a part of a command from being seen.
type Hidden struct {
	Where   string // what the command runs that has it, as "script test of package.json"; empty is the command itself
	What    string // "a pipe", "|| true", "; echo", "&", "a loop", "if", "!", "make -i", "-"
	Instead string // a command that does the same and hides nothing; empty where none is known
}

// Hides names what in a command keeps an exit code of its parts from being seen, with
// the command that hides nothing. It is zero where each counts, and for text that cannot
// be parsed. What only prepares, prints or searches (cd, echo, grep) does not count, nor
// does a code that the command looks at itself ($?, PIPESTATUS), and nothing is hidden
// under set -e and pipefail.
func Hides(c Command) Hidden {
	if len(c.Argv) > 0 {
		return hidesArgv(c.Argv)
	}
	first := hidesText(c.Text, nil, false)
	if first.found == "" {
		return Hidden{}
	}
	return Hidden{What: first.found, Instead: mended(c.Text, nil, true)}
}

func hidesArgv(argv []string) Hidden {
	for i := range argv {
		if options, text := shellGiven(argv[i:]); text != "" {
			h := hidesText(text, options, false)
			if h.found == "" {
				return Hidden{}
			}
			if text = mendedIn(argv[i], text, options); text == "" {
				return Hidden{What: h.found}
			}
			at := i + slices.Index(argv[i:], h.text)
			return Hidden{What: h.found, Instead: quoted(slices.Replace(slices.Clone(argv), at, at+1, text))}
		}
	}
	if what, rest := forgiving(argv); what != "" {
		return Hidden{What: what, Instead: quoted(rest)}
	}
	return Hidden{}
}

// hidesText looks at a text. With proofs only what tests by its words counts.
func hidesText(text string, options []string, proofs bool) *hiding {
	h := &hiding{proofs: proofs, text: text, file: parseShell(text), used: map[string]bool{}}
	if h.file == nil {
		return h
	}
	syntax.Walk(h.file, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
			h.used[p.Param.Value] = true
		}
		return true
	})
	h.options(options)
	h.list(h.file.Stmts)
	return h
}

// hiding looks for the first part of a text whose exit code is lost.
type hiding struct {
	proofs            bool
	text              string
	file              *syntax.File
	used              map[string]bool // variables that the text reads
	errexit, pipefail bool

	found  string
	mend   func() // changes file so that this is hidden no more
	strict bool   // set -e does
	pipe   bool   // pipefail does
}

func (h *hiding) find(what string, part syntax.Command, mend func()) bool {
	if h.found != "" || h.proofs && part != nil && !verifies(part) {
		return false
	}
	h.found, h.mend = what, mend
	return true
}

// unless finds what set -e would not hide.
func (h *hiding) unless(what string, part syntax.Command) {
	h.strict = h.find(what, part, func() {}) || h.strict
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
	noted := false // the exit code that counts is in a variable, and what follows cleans up
	for i, s := range stmts {
		noted = noted || h.notes(s)
		if s.Background && !prepares(s.Cmd) && h.waitedFor(stmts[i+1:], s) {
			h.find("&", s.Cmd, func() { s.Background = false })
		}
		h.stmt(s)
		if i+1 < len(stmts) && !h.errexit && !noted && !s.Background && h.counts(s) && !looksAt(stmts[i+1]) {
			h.unless(strings.TrimSpace("; "+firstOf(stmts[i+1].Cmd)), s.Cmd)
		}
	}
}

// waitedFor says that the end of a command in the background should have counted: it is
// the last one, all are waited for at once, or it tests. One that serves others does not.
func (h *hiding) waitedFor(rest []*syntax.Stmt, s *syntax.Stmt) bool {
	for _, r := range rest {
		if call, ok := r.Cmd.(*syntax.CallExpr); ok && firstOf(call) == "wait" {
			return len(call.Args) == 1
		}
	}
	return len(rest) == 0 || verifies(s.Cmd)
}

// counts reports whether the exit code of a statement says something that nobody looks
// at yet.
func (h *hiding) counts(s *syntax.Stmt) bool {
	return !prepares(s.Cmd) && !leaves(s.Cmd) && !h.kept(s.Cmd) && (!s.Negated || !searches(s.Cmd))
}

// notes reports whether a statement keeps the exit code of the one before it in a
// variable that is read.
func (h *hiding) notes(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) == 0 && looksAt(s) && slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool { return a.Name != nil && h.used[a.Name.Value] })
}

// kept reports whether a command notes a failure in a variable that is read.
func (h *hiding) kept(c syntax.Command) bool {
	b, ok := c.(*syntax.BinaryCmd)
	if !ok || b.Op != syntax.OrStmt {
		return false
	}
	noted := false
	syntax.Walk(b.Y, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
			noted = noted || h.used[a.Name.Value]
		}
		return true
	})
	return noted
}

func (h *hiding) stmt(s *syntax.Stmt) {
	if s.Negated && !prepares(s.Cmd) && !searches(s.Cmd) {
		h.find("!", s.Cmd, func() { s.Negated = false })
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		h.call(c)
	case *syntax.BinaryCmd:
		h.binary(s, c)
	case *syntax.Block:
		h.list(c.Stmts)
	case *syntax.Subshell:
		was := [2]bool{h.errexit, h.pipefail}
		h.list(c.Stmts)
		h.errexit, h.pipefail = was[0], was[1]
	case *syntax.FuncDecl:
		h.stmt(c.Body)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			h.stmt(c.Stmt)
		}
	case *syntax.IfClause:
		h.choice(c)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			h.list(item.Stmts)
		}
	case *syntax.ForClause:
		h.loop(c.Do)
	case *syntax.WhileClause:
		h.loop(c.Do)
	}
}

func (h *hiding) call(c *syntax.CallExpr) {
	words := staticWords(c.Args)
	if len(words) == 0 {
		return
	}
	if words[0] == "set" {
		h.options(words[1:])
	}
	if what, rest := forgiving(words); what != "" {
		h.find(what, c, func() { c.Args = withWords(c.Args, words, rest) })
	}
	if words[0] == "trap" && len(words) > 2 {
		if file := parseShell(words[1]); file != nil && len(file.Stmts) > 0 && firstOf(file.Stmts[len(file.Stmts)-1].Cmd) == "exit" && succeeds(file.Stmts[len(file.Stmts)-1].Cmd) {
			h.find("trap", nil, nil)
		}
	}
	if preparing[words[0]] {
		return
	}
	for i := range words {
		options, text := shellGiven(words[i:])
		if text == "" {
			continue
		}
		inner := hidesText(text, options, h.proofs)
		if inner.found == "" {
			return
		}
		mend := mendedIn(words[i], text, options)
		at := i + slices.Index(words[i:], text)
		if mend == "" {
			h.find(inner.found, nil, nil)
		} else {
			h.find(inner.found, nil, func() { c.Args[at] = literalWord(mend) })
		}
		return
	}
}

// choice looks at an if: what fails in its condition must fail in its branch.
func (h *hiding) choice(c *syntax.IfClause) {
	for part := c; part != nil; part = part.Else {
		h.list(part.Then)
	}
	if len(c.Cond) == 0 {
		return
	}
	cond := c.Cond[len(c.Cond)-1]
	switch {
	case !h.counts(&syntax.Stmt{Cmd: cond.Cmd}) || searches(cond.Cmd) || !verifies(cond.Cmd):
	case cond.Negated && endsWell(c.Then):
		h.find("if", cond.Cmd, func() { c.Then = append(c.Then, exitOne()) })
	case !cond.Negated && c.Else == nil:
		h.find("if", cond.Cmd, func() { c.Else = &syntax.IfClause{Then: []*syntax.Stmt{exitOne()}} })
	case !cond.Negated && len(c.Else.Cond) == 0 && endsWell(c.Else.Then):
		h.find("if", cond.Cmd, func() { c.Else.Then = append(c.Else.Then, exitOne()) })
	}
}

func (h *hiding) loop(stmts []*syntax.Stmt) {
	h.list(stmts)
	if last := len(stmts) - 1; last >= 0 && !h.errexit && h.counts(stmts[last]) {
		h.unless("a loop", stmts[last].Cmd)
	}
}

func (h *hiding) binary(s *syntax.Stmt, c *syntax.BinaryCmd) {
	h.stmt(c.X)
	h.stmt(c.Y)
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		if h.pipefail || h.used["PIPESTATUS"] || h.used["pipestatus"] || prepares(c.X.Cmd) || feeds[firstOf(c.X.Cmd)] {
			return
		}
		if shows(c.Y.Cmd) {
			h.find("a pipe", c.X.Cmd, func() { *s = *c.X })
			return
		}
		h.pipe = h.find("a pipe", c.X.Cmd, nil) || h.pipe
	case syntax.OrStmt:
		if prepares(c.X.Cmd) || !succeeds(c.Y.Cmd) || h.kept(c) {
			return
		}
		h.find(strings.TrimSpace("|| "+firstOf(c.Y.Cmd)), c.X.Cmd, func() { fails(s, c) })
	case syntax.AndStmt: // both have to succeed
	}
}

// provingWords are parts of the words of commands that test.
var provingWords = []string{"test", "check", "lint", "vet", "spec", "verify", "jest", "mocha", "tsc", "mypy", "tox", "suite", "unit", "ruff", "flake8", "clippy", "cypress", "playwright"}

func verifies(c syntax.Command) bool {
	found := false
	syntax.Walk(c, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			words := staticWords(call.Args)
			if len(words) == 0 || preparing[words[0]] {
				return true
			}
			for _, w := range words {
				found = found || slices.ContainsFunc(provingWords, func(t string) bool { return strings.Contains(path.Base(w), t) })
			}
		}
		return true
	})
	return found
}

// forgivingWords are options by which a tool exits 0 although it found something.
// One with a blank is two words, or one with =.
var forgivingWords = []struct{ tools, option string }{
	{"make gmake", "--ignore-errors"},
	{"flake8 ruff pylint bandit", "--exit-zero"},
	{"mvn mvnw", "-fn"},
	{"mvn mvnw", "--fail-never"},
	{"mvn mvnw", "-Dmaven.test.failure.ignore"},
	{"mvn mvnw", "-Dmaven.test.failure.ignore=true"},
	{"golangci-lint", "--issues-exit-code 0"},
	{"rspec", "--failure-exit-code 0"},
}

// preparing are commands that prepare or print. feeds are those that a pipe reads
// from without harm. searching are those whose failure is an answer.
var (
	preparing = wordSet(`. : [ [[ alias cat cd chmod command cp date declare echo exit export hash local ls mkdir
	mv popd printf pushd pwd readonly return rm set shift shopt sleep source test touch trap true type typeset ulimit umask unset wait`)
	feeds     = wordSet(`awk cat cut echo env find git grep head jq ls printf sed seq sort tail tr uniq yes`)
	searching = wordSet(`[ [[ cmp command diff fgrep egrep find git grep pgrep rg ag ack test type which kill curl`)
)
