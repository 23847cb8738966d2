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

// quoted is words as one command line.
func quoted(words []string) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			return ""
		}
		out = append(out, q)
	}
	return strings.Join(out, " ")
}

// mendMost bounds how many parts of a command are mended.
const mendMost = 8

// mended is the text with all that it hides mended; empty where that is not known. As
// the text of a gate it may be given to bash, for what /bin/sh has no option for.
func mended(text string, options []string, whole bool) string {
	bash := false
	for range mendMost {
		if bash {
			options = append(slices.Clip(options), "-o", "pipefail")
		}
		h := hidesText(text, options, false)
		switch {
		case h.found == "" && bash:
			return "bash -o pipefail -c " + quoted([]string{text})
		case h.found == "":
			return text
		case h.pipe && (bash || !whole):
			return ""
		case h.pipe:
			bash = true
			continue
		case h.mend == nil:
			return ""
		}
		h.mend()
		if text = printed(h.file, !strings.Contains(text, "\n")); h.strict {
			text = "set -e; " + text
		}
		if parseShell(text) == nil {
			return ""
		}
	}
	return ""
}

// mendedIn is the text that a shell is given, mended.
func mendedIn(shell, text string, options []string) string {
	if mend := mended(text, options, false); mend != "" {
		return mend
	}
	if name := path.Base(shell); name == "sh" || name == "dash" {
		return ""
	}
	return mended("set -o pipefail; "+text, options, false)
}

func printed(file *syntax.File, line bool) string {
	var b strings.Builder
	if syntax.NewPrinter(syntax.SingleLine(line), syntax.Indent(2)).Print(&b, file) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
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

// withWords are the arguments whose words are in rest, in order.
func withWords(args []*syntax.Word, words, rest []string) []*syntax.Word {
	var out []*syntax.Word
	for i, w := range words {
		switch {
		case len(rest) > 0 && rest[0] == w:
			out, rest = append(out, args[i]), rest[1:]
		case len(rest) > 0 && w != "" && strings.HasPrefix(w, "-") && strings.HasPrefix(rest[0], "-") && len(rest[0]) == len(w)-1:
			out, rest = append(out, literalWord(rest[0])), rest[1:]
		}
	}
	return out
}

func literalWord(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: quoted([]string{text})}}}
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

func endsWell(list []*syntax.Stmt) bool {
	return len(list) > 0 && succeeds(list[len(list)-1].Cmd)
}

func exitOne() *syntax.Stmt {
	return parseShell("exit 1").Stmts[0]
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

// fails lets what follows || fail.
func fails(s *syntax.Stmt, c *syntax.BinaryCmd) {
	switch y := c.Y.Cmd.(type) {
	case *syntax.Block:
		y.Stmts = append(y.Stmts, exitOne())
	case *syntax.Subshell:
		y.Stmts = append(y.Stmts, exitOne())
	default:
		if name := firstOf(y); name == "echo" || name == "printf" {
			c.Y = &syntax.Stmt{Cmd: &syntax.Block{Stmts: []*syntax.Stmt{c.Y, exitOne()}}}
		} else {
			*s = *c.X
		}
	}
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

// preparing are commands that prepare or print. feeds are those that a pipe reads
// from without harm. searching are those whose failure is an answer.
var (
	preparing = wordSet(`. : [ [[ alias cat cd chmod command cp date declare echo exit export hash local ls mkdir
	mv popd printf pushd pwd readonly return rm set shift shopt sleep source test touch trap true type typeset ulimit umask unset wait`)
	feeds     = wordSet(`awk cat cut echo env find git grep head jq ls printf sed seq sort tail tr uniq yes`)
	searching = wordSet(`[ [[ cmp command diff fgrep egrep find git grep pgrep rg ag ack test type which kill curl`)
)
