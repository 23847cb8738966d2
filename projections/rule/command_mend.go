package rule

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file writes the command that does the same and hides nothing.

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

func exitOne() *syntax.Stmt {
	return parseShell("exit 1").Stmts[0]
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
