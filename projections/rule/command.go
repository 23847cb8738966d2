package rule

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Shell runs commands that are given as text.
const Shell = "/bin/sh"

// Command is what a gate runs: Text for the shell, or Argv as it is. Exactly
// one of them is set.
type Command struct {
	Text string   `json:"text,omitzero"`
	Argv []string `json:"argv,omitzero"`
}

// Process is the argv of the process that runs the command.
func (c Command) Process() []string {
	if len(c.Argv) > 0 {
		return c.Argv
	}
	return []string{Shell, "-c", c.Text}
}

// FirstWord is the word that must be found for the gate to be verifiable: the
// first command word of the text, or the first of Argv. It is empty for
// builtins, functions, words that are only known when they are run, text that
// sets PATH itself, and text that cannot be parsed: those are not checked.
func (c Command) FirstWord() string {
	if len(c.Argv) > 0 {
		return c.Argv[0]
	}
	calls := textCalls(c.Text, false)
	if len(calls) == 0 {
		return ""
	}
	return calls[0].tool
}

// Words are the command words of all simple commands, without builtins and
// functions, each once and in order of appearance. Words behind env, timeout,
// sh -c and their like count too. One below HOME begins with "~/".
func (c Command) Words() []string {
	var words []string
	seen := map[string]bool{}
	for _, call := range c.calls() {
		if call.tool != "" && !seen[call.tool] {
			seen[call.tool] = true
			words = append(words, call.tool)
		}
	}
	return words
}

// call is one simple command. Words that are only known when it is run are
// empty strings.
type call struct {
	words []string
	tool  string // words[0], unless that is a builtin, a function or unknown
}

func (c Command) calls() []call {
	if len(c.Argv) > 0 {
		return unwrap([]call{newCall(c.Argv, nil, true)})
	}
	return unwrap(textCalls(c.Text, true))
}

func newCall(words []string, functions map[string]bool, direct bool) call {
	tool := words[0]
	if !direct && (builtins[tool] || functions[tool]) {
		tool = ""
	}
	return call{words, tool}
}

// textCalls parses text; with unreadable words kept it still lists a call
// whose first word is only known when it runs.
func textCalls(text string, skipUnknown bool) []call {
	file := parseShell(text)
	if file == nil {
		return nil
	}
	functions := map[string]bool{}
	ownPath := false // the text sets PATH itself, so nobody knows where words lead
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				functions[n.Name.Value] = true
			}
		case *syntax.Assign:
			ownPath = ownPath || n.Name != nil && n.Name.Value == "PATH"
		case *syntax.Word: // of export or env
			if len(n.Parts) > 0 {
				lit, ok := n.Parts[0].(*syntax.Lit)
				ownPath = ownPath || ok && strings.HasPrefix(lit.Value, "PATH=")
			}
		}
		return true
	})
	var calls []call
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			words := staticWords(c.Args)
			if words[0] != "" || !skipUnknown {
				c := newCall(words, functions, false)
				if ownPath && !strings.Contains(c.tool, "/") {
					c.tool = ""
				}
				calls = append(calls, c)
			}
		}
		return true
	})
	return calls
}

// parseShell is nil for text that cannot be parsed.
func parseShell(text string) *syntax.File {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil {
		file, err = syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	}
	if err != nil {
		return nil
	}
	return file
}

func staticWords(args []*syntax.Word) []string {
	words := make([]string, len(args))
	for i, w := range args {
		words[i] = staticWord(w.Parts)
	}
	return words
}

// staticWord is the value of a word that is known without running it, else "".
func staticWord(parts []syntax.WordPart) string {
	var b strings.Builder
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") && !strings.HasPrefix(p.Value, "~/") {
				return "" // another user's home
			}
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				var err error
				if text, _, err = expand.Format(nil, text, nil); err != nil {
					return ""
				}
			}
			b.WriteString(text)
		case *syntax.DblQuoted:
			inner := staticWord(p.Parts)
			if inner == "" && len(p.Parts) > 0 {
				return ""
			}
			b.WriteString(inner)
		default:
			return ""
		}
	}
	return b.String()
}

func unescape(lit string) string {
	if !strings.Contains(lit, `\`) {
		return lit
	}
	var b strings.Builder
	for i := 0; i < len(lit); i++ {
		if lit[i] == '\\' && i+1 < len(lit) {
			i++
		}
		b.WriteByte(lit[i])
	}
	return b.String()
}

// unwrap adds the commands that other commands were asked to run.
func unwrap(calls []call) []call {
	var all []call
	for depth := 0; len(calls) > 0 && depth < 4; depth++ {
		all = append(all, calls...)
		var inner []call
		for _, c := range calls {
			inner = append(inner, wrapped(c.words)...)
		}
		calls = inner
	}
	return all
}

func wrapped(words []string) []call {
	name := path.Base(words[0])
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh":
		if _, text := dashC(words); text != "" {
			return textCalls(text, true)
		}
	case "env", "timeout", "nice", "nohup", "stdbuf", "command", "exec", "xvfb-run", "setsid", "ionice", "time":
		if rest := skipOptions(name, words[1:]); len(rest) > 0 && rest[0] != "" {
			return []call{newCall(rest, nil, name != "command")}
		}
	}
	return nil
}

// dashC is what a shell is asked to run by -c, and the options before it.
func dashC(words []string) (options []string, text string) {
	for i, w := range words[1:] {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && i+2 < len(words) {
			return words[1 : i+2], words[i+2]
		}
	}
	return nil, ""
}

// skipOptions leaves the command that a wrapper runs: options, assignments and
// the duration of timeout are not part of it.
func skipOptions(name string, words []string) []string {
	valued := map[string]bool{"-k": true, "-s": true, "-n": true, "-u": true, "-C": true, "-i": name != "env", "-o": true, "-e": true, "-c": true}
	for len(words) > 0 {
		w := words[0]
		switch {
		case strings.HasPrefix(w, "-") && valued[w] && len(words) > 1:
			words = words[2:]
		case strings.HasPrefix(w, "-"), name == "env" && strings.Contains(w, "="):
			words = words[1:]
		case name == "timeout":
			return words[1:]
		default:
			return words
		}
	}
	return nil
}

// builtins are the words that a shell runs itself. A word that only some
// shells have counts too: at worst it is not checked.
var builtins = wordSet(`
	. : [ [[ alias bg break builtin caller cd command compgen complete continue
	declare dirs disown echo enable eval exec exit export false fc fg getopts
	hash help history jobs kill let local logout mapfile newgrp popd printf
	pushd pwd read readarray readonly return set shift shopt source suspend
	test times trap true type typeset ulimit umask unalias unset wait`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
