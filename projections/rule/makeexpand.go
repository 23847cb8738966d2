package rule

import (
	"path"
	"slices"
	"strings"
)

// unknown stands in an expanded text for what only running tells.
const unknown = "\x01"

// makeExpander gives variables of makefiles the values that their text shows. A
// file that a wildcard means stays a glob.
type makeExpander struct {
	vars map[string]string
	deep int
}

// makeDeep bounds variables in variables.
const makeDeep = 24

// makeLong bounds an expanded text.
const makeLong = 64 << 10

func (m makefile) expander() *makeExpander {
	ex := &makeExpander{vars: map[string]string{"MAKE": "make", "CURDIR": ".", "SHELL": "/bin/sh", "RM": "rm -f"}}
	for _, e := range m.entries {
		if e.kind != makeVar {
			continue
		}
		switch old, known := ex.vars[e.name]; {
		case e.op == "!=":
			ex.vars[e.name] = unknown
		case e.op == "+=" && known:
			ex.vars[e.name] = old + " " + e.value
		case e.op == "?=" && known && old != e.value:
			ex.vars[e.name] = old
		case known && e.context != "" && old != e.value && len(old) < makeLong:
			ex.vars[e.name] = old + " " + e.value // either, as a condition says
		default:
			ex.vars[e.name] = e.value
		}
	}
	return ex
}

// words are the words of a text; one that is not known is anyFile or a glob.
func (ex *makeExpander) words(text string) []string {
	var out []string
	for _, w := range strings.Fields(ex.expand(text)) {
		if w != unknown {
			w = strings.ReplaceAll(w, unknown, "*")
		}
		out = append(out, strings.TrimPrefix(w, "./"))
	}
	return out
}

// prereqs are the names that a list of prerequisites leads to; order-only ones
// too. Of a variable of the target alone there are none.
func (ex *makeExpander) prereqs(text string) []string {
	if makeAssign.MatchString(strings.TrimSpace(text)) {
		return nil
	}
	return slices.DeleteFunc(ex.words(strings.ReplaceAll(text, "|", " ")), func(w string) bool { return w == "|" })
}

// with binds automatic variables.
func (ex *makeExpander) with(vars map[string]string) *makeExpander {
	out := &makeExpander{vars: map[string]string{}}
	for k, v := range ex.vars {
		out.vars[k] = v
	}
	for k, v := range vars {
		out.vars[k] = v
	}
	return out
}

// expand replaces references by what they stand for.
func (ex *makeExpander) expand(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	if ex.deep >= makeDeep {
		return unknown
	}
	ex.deep++
	defer func() { ex.deep-- }()
	var b strings.Builder
	for i := 0; i < len(text) && b.Len() < makeLong; i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			inner, end := balanced(text, i)
			b.WriteString(ex.reference(inner))
			i = end
		default:
			b.WriteString(ex.variable(string(c)))
		}
	}
	return b.String()
}

// balanced is the text within the bracket at i, and where its end is.
func balanced(text string, i int) (inner string, end int) {
	open, depth := text[i], 0
	closing := byte(')')
	if open == '{' {
		closing = '}'
	}
	for j := i; j < len(text); j++ {
		switch text[j] {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return text[i+1 : j], j
			}
		}
	}
	return text[i+1:], len(text)
}

func (ex *makeExpander) variable(name string) string {
	v, ok := ex.vars[name]
	switch {
	case !ok && len(name) == 1 && strings.Contains("@<^?*+|%", name):
		return unknown
	case !ok:
		return ""
	}
	return ex.expand(v)
}

func (ex *makeExpander) reference(inner string) string {
	word, rest, isCall := strings.Cut(strings.TrimLeft(inner, " "), " ")
	if isCall && makeFunctions[word] {
		return ex.function(word, arguments(rest))
	}
	if name, sub, ok := cutOutside(inner, ':'); ok {
		if from, to, ok := strings.Cut(sub, "="); ok {
			if !strings.Contains(from, "%") {
				from, to = "%"+from, "%"+to
			}
			return substituted(ex.variable(ex.expand(name)), ex.expand(from), ex.expand(to))
		}
	}
	return ex.variable(ex.expand(inner))
}

var makeFunctions = wordSet(`wildcard patsubst subst sort strip filter filter-out addprefix addsuffix notdir dir basename suffix
	firstword lastword word wordlist words findstring if or and foreach shell call eval value origin flavor error warning info
	abspath realpath join file guile let intcmp`)

// arguments divides at commas outside of references.
func arguments(text string) []string {
	var out []string
	for {
		before, after, more := cutOutside(text, ',')
		out = append(out, before)
		if !more {
			return out
		}
		text = after
	}
}

func (ex *makeExpander) function(name string, args []string) string {
	arg := func(i int) string {
		if i >= len(args) {
			return ""
		}
		return ex.expand(args[i])
	}
	each := func(list string, f func(string) string) string {
		var out []string
		for _, w := range strings.Fields(list) {
			out = append(out, f(w))
		}
		return strings.Join(out, " ")
	}
	switch name {
	case "wildcard", "sort", "strip", "firstword", "lastword", "abspath", "realpath":
		return arg(0)
	case "filter", "filter-out", "findstring", "word":
		return arg(1)
	case "wordlist":
		return arg(2)
	case "patsubst":
		return substituted(arg(2), strings.TrimSpace(arg(0)), strings.TrimSpace(arg(1)))
	case "subst":
		if from := arg(0); from != "" {
			return strings.ReplaceAll(arg(2), from, arg(1))
		}
		return arg(2)
	case "addprefix":
		return each(arg(1), func(w string) string { return strings.TrimSpace(arg(0)) + w })
	case "addsuffix":
		return each(arg(1), func(w string) string { return w + strings.TrimSpace(arg(0)) })
	case "notdir":
		return each(arg(0), path.Base)
	case "dir":
		return each(arg(0), func(w string) string { return path.Dir(w) + "/" })
	case "basename":
		return each(arg(0), func(w string) string { return strings.TrimSuffix(w, path.Ext(w)) })
	case "if":
		return arg(1) + " " + arg(2)
	case "or", "and":
		return arg(0) + " " + arg(1) + " " + arg(2)
	case "foreach":
		if len(args) < 3 {
			return ""
		}
		return each(arg(1), func(w string) string {
			return ex.with(map[string]string{strings.TrimSpace(args[0]): w}).expand(args[2])
		})
	case "error", "warning", "info", "origin", "flavor", "words":
		return ""
	}
	return unknown
}

// substituted gives words that match a pattern another form.
func substituted(list, from, to string) string {
	var out []string
	before, after, pattern := strings.Cut(from, "%")
	for _, w := range strings.Fields(list) {
		rest, ok := strings.CutPrefix(w, before)
		switch {
		case !pattern && w == from:
			w = to
		case pattern && ok && strings.HasSuffix(rest, after):
			w = strings.Replace(to, "%", strings.TrimSuffix(rest, after), 1)
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}
