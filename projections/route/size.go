package route

import (
	"strings"

	"autopilot/projections/regex"
)

// Size is how large a task looks.
type Size string

// The sizes.
const (
	SizeSmall  Size = "small"
	SizeMedium Size = "medium"
	SizeLarge  Size = "large"
)

// Bounds of sizes, in words (oh-my-codex, section 4.7).
const (
	largeWords = 200
	smallWords = 50
)

var (
	sizeEscape  = regex.New(`^\s*(?:quick|simple|tiny|minor|small|just|only):`)
	largeSignal = anyOf(`architect(?:ure|ural)?`, `refactor(?:ing)?`, `redesign`, `from scratch`, `cross[ -]cutting`,
		`entire (?:codebase|project|application|app|system)`, `whole (?:codebase|project|application|app|system)`, `all (?:files|modules|components|packages)`,
		`multiple (?:files|modules|services)`, `across (?:the |all )?(?:codebase|project|files|modules|packages)`, `system[ -]wide`,
		`migrat(?:e|ion)`, `full[ -]stack`, `end[ -]to[ -]end`, `overhaul`, `comprehensive`, `rewrite`)
	smallSignal = anyOf(`typo`, `spelling`, `rename \S+ to`, `one[ -]liner?`, `one[ -]line fix`, `single file`, `in this file`, `this function`,
		`this line`, `(?:minor|small|quick) (?:fix|change|update|tweak)`, `add an? comment`, `whitespace`, `indentation`, `bump (?:the )?version`)
)

// TaskSize is the size of a task, and how many words it has: by an escape
// prefix, signals of a large one, many words, signals of a small one, few words
// (section 4.7).
func TaskSize(text string) (Size, int) {
	t := prosed(text)
	n := len(strings.Fields(text))
	switch {
	case sizeEscape.MatchString(t):
		return SizeSmall, n
	case largeSignal.MatchString(t), n > largeWords:
		return SizeLarge, n
	case smallSignal.MatchString(t), n <= smallWords:
		return SizeSmall, n
	}
	return SizeMedium, n
}

var (
	expressWords = anyOf(`typo`, `spelling`, `wording`, `readme`, `changelog`, `docs?`, `documentation`, `comments?`, `whitespace`, `bump (?:the )?version`)
	riskyWords   = anyOf(`security`, `auth\w*`, `password`, `token`, `secret`, `migrat\w+`, `database`, `schema`, `api`, `delete`, `payment`, `behaviou?r`, `implement`, `fix (?:the )?(?:bug|test)`, `tests?`)
)

// express is what makes a text fit for an express pass: small, about words or
// documentation, and nothing that could do harm. It is a question to a person,
// once, and no gate; without an explicit yes nothing is skipped (section 3.1).
func express(t string, size Size) string {
	if size != SizeSmall || riskyWords.MatchString(t) {
		return ""
	}
	return expressWords.FindString(t)
}

// anyOf matches any of the words, within their bounds.
func anyOf(words ...string) *regex.Lazy {
	return regex.New(`\b(?:` + strings.Join(words, "|") + `)\b`)
}
