package route

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"autopilot/projections/regex"
)

var (
	quotedCode = regex.New("(?s)```.*?(?:```|\\z)|~~~.*?(?:~~~|\\z)|`[^`\n]*`")
	quoted     = regex.New(`(?s:<!--.*?(?:-->|\z))|(?m:^[ \t]*>.*$)|"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』`)
	apostrophe = regex.New(`(^|[\s(])'[^'\n]+'($|[\s).,;:!?])`)
)

// prosed is the text without its code, in lower case: words in code say nothing of
// what is wanted, but that there is code makes a text concrete.
func prosed(text string) string {
	text = strings.ReplaceAll(quotedCode.ReplaceAllString(text, " `code` "), "’", "'")
	return strings.TrimSpace(strings.ToLower(text))
}

// inert is prosed without what the text only quotes: the words of others start and
// stop nothing (oh-my-codex 0.21.6, words).
func inert(text string) string {
	t := quoted.ReplaceAllString(prosed(text), ` "" `)
	return strings.TrimSpace(apostrophe.ReplaceAllString(t, `$1""$2`))
}

// words are phrases that count where they stand alone and nothing negates them.
type words struct{ re *regex.Lazy }

func phrases(any ...string) words { return words{anyOf(any...)} }

// find is the first place where they count, empty without one.
func (w words) find(t string) string {
	if at := w.at(t); at != nil {
		return t[at[0]:at[1]]
	}
	return ""
}

func (w words) at(t string) []int {
	if all := w.all(t); len(all) > 0 {
		return all[0]
	}
	return nil
}

func (w words) all(t string) (out [][]int) {
	for _, at := range w.re.FindAllStringIndex(t, -1) {
		if alone(t, at[0], at[1]) && !negated(t[:at[0]]) {
			out = append(out, at)
		}
	}
	return out
}

// alone says that a match is no part of a path, a file, an option, a symbol or a
// longer name: in autopilot/daemon.go, --mode=autopilot and non-autopilot nobody
// asks for anything.
func alone(t string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(t[:from])
	if from > 0 && (wordRune(before) || strings.ContainsRune("-/.@#$=:\\", before)) {
		return false
	}
	if to == len(t) {
		return true
	}
	after, n := utf8.DecodeRuneInString(t[to:])
	next, _ := utf8.DecodeRuneInString(t[to+n:])
	switch {
	case wordRune(after), strings.ContainsRune("/=(@\\", after):
		return false
	case strings.ContainsRune("-.'", after):
		return !wordRune(next)
	}
	return true
}

// wordRune says that a rune is of a word in a script that has bounds between words.
func wordRune(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.Is(unicode.Latin, r)
}

// negation ends in what it denies, some words before that.
var negation = regex.New(`(?:^|[^\w'])(?:(?:do not|don'?t|does ?n[o']t|never|without|avoid|instead of|rather than|should ?n[o']?t|must ?n[o']t|cannot|can'?t|won'?t|will not|no need (?:for|to))(?: [\w'$-]+){0,3}|not(?: [\w'$-]+){0,2}|no) $`)

// denies bounds how far before a word its denial is looked for, in bytes.
const denies = 100

// negated says that the clause before a word denies it.
func negated(before string) bool {
	if n := len(before) - denies; n > 0 {
		_, before, _ = strings.Cut(before[n:], " ")
	}
	clause := before[strings.LastIndexAny(before, ".,;:!?\n()")+1:]
	return negation.MatchString(strings.Join(strings.Fields(clause), " ") + " ")
}
