package rule

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// starter reads the arguments of a program that starts another one.
func (t *toucher) starter(name string, args []string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "su", "script":
		t.shell(args)
	case "busybox", "toybox":
		t.words(args)
	case "xargs": // what it adds is only known when it runs
		t.words(append(behind(args, "nPILdEsa"), ""))
	case "flock":
		if rest := behind(args, "wE"); slices.Contains(rest, "-c") {
			t.shell(rest)
		} else if len(rest) > 1 {
			t.words(rest[1:])
		}
	case "watch":
		t.joined(behind(args, "n"))
	case "find":
		t.finds(args)
	case "eval":
		t.joined(args)
	case "trap":
		if len(args) > 1 {
			t.text(args[0])
		}
	default:
		return false
	}
	return true
}

// words is a simple command by its words, if the first is known.
func (t *toucher) words(words []string) {
	if len(words) > 0 && words[0] != "" {
		t.call(words)
	}
}

// joined is a command whose words are put together as a text, if all are known.
func (t *toucher) joined(words []string) {
	if !slices.Contains(words, "") {
		t.text(strings.Join(words, " "))
	}
}

// behind are the arguments behind the options in front. Those of valued, one letter
// each, are followed by a word of their own.
func behind(args []string, valued string) []string {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		w := args[0]
		args = args[1:]
		if w == "--" {
			break
		}
		if len(w) == 2 && strings.Contains(valued, w[1:]) && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

// finds reads the commands that find runs. The names that it finds are only known
// then.
func (t *toucher) finds(args []string) {
	for i := 0; i < len(args); i++ {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, args[i]) {
			continue
		}
		var words []string
		for i++; i < len(args) && args[i] != ";" && args[i] != "+"; i++ {
			w := args[i]
			if strings.Contains(w, "{}") {
				w = ""
			}
			words = append(words, w)
		}
		t.words(words)
	}
}

// fed reads what a shell is given to read: a document, or what is printed into it.
func (t *toucher) fed(n syntax.Node) {
	var text string
	switch n := n.(type) {
	case *syntax.Stmt:
		if !readsIn(n) {
			return
		}
		for _, r := range n.Redirs {
			switch {
			case r.Hdoc != nil:
				text = staticWord(r.Hdoc.Parts)
			case r.Op == syntax.WordHdoc && r.Word != nil:
				text = staticWord(r.Word.Parts)
			}
		}
	case *syntax.BinaryCmd:
		if n.Op != syntax.Pipe && n.Op != syntax.PipeAll || !readsIn(n.Y) {
			return
		}
		text = printedBy(n.X)
	}
	if text != "" {
		defer func(dir string) { t.dir = dir }(t.dir)
		t.text(text)
	}
}

// readsIn says that a statement is a shell that reads its commands from its input.
func readsIn(s *syntax.Stmt) bool {
	words := wordsOf(s)
	if len(words) == 0 || !slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, path.Base(words[0])) {
		return false
	}
	for _, w := range words[1:] {
		if w == "-" || w == "-s" {
			return true
		}
		if !strings.HasPrefix(w, "-") || !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") {
			return false
		}
	}
	return true
}

// printedBy is what echo or printf prints, as far as it is known.
func printedBy(s *syntax.Stmt) string {
	words := wordsOf(s)
	if len(words) < 2 || slices.Contains(words, "") || words[0] != "echo" && words[0] != "printf" {
		return ""
	}
	return strings.ReplaceAll(strings.Join(behind(words[1:], ""), " "), `\n`, "\n")
}

func wordsOf(s *syntax.Stmt) []string {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		return staticWords(call.Args)
	}
	return nil
}
