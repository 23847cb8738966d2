package route

import (
	"cmp"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// Skill is a way of working that a text names (oh-my-codex, section 4.7).
type Skill struct {
	Name     string
	Saw      string
	Explicit bool // a $token
}

// skill has the words of one. Those that are ordinary words need words of intent
// (O34).
type skill struct {
	name     string
	priority int
	words    words
}

// skills are those of section 4.7; ultragoal is younger than its priorities and
// stands with the others of its loop (oh-my-codex 0.21.6).
var skills = []skill{
	{"ralplan", 11, phrases(`ralplan`, `consensus plan`)},
	{"autopilot", 10, startWords},
	{"ultrawork", 10, phrases(`ultrawork`, `ulw`)},
	{"ralph", 9, phrases(`ralph`)},
	{"team", 8, phrases(`(?:use|run|start|launch|spawn|with) (?:a |the )?(?:team|swarm) of`, `team mode`, `coordinated (?:team|swarm)`, `(?:use|run|start|launch|spawn) (?:a |the )?swarm`, `team of \d+`, `swarm of \d+`)},
	{"ultraqa", 8, phrases(`ultraqa`)},
	{"ultragoal", 8, phrases(`ultragoal`)},
	{"deep-interview", 8, phrases(`deep[ -]interview`, `interview me`)},
	{"plan", 8, phrases(`plan (?:this|the|it)`, `make a plan`, `let'?s plan`)},
	{"analyze", 7, phrases(`deep[ -]?analy[sz]e`, `investigate`)},
	{"tdd", 6, phrases(`tdd`, `test[ -]first`, `test[ -]driven`)},
	{"build-fix", 6, phrases(`fix (?:the )?build`, `build[ -]fix`, `type errors?`)},
	{"code-review", 6, phrases(`code[ -]review`)},
	{"security-review", 6, phrases(`security[ -]review`)},
	{"cancel", 5, phrases(`cancel autopilot`, `stop autopilot`)},
}

// otherNames are what else a $token may call a skill.
var otherNames = map[string]string{"swarm": "team", "ulw": "ultrawork", "pipeline": "autopilot"}

var (
	token   = words{regex.New(`\$[a-z][a-z0-9_-]*`)}
	prompts = words{regex.New(`/prompts:[a-z0-9_-]+`)}
)

// Skills are those that a text names: explicit $tokens from left to right, then
// words by priority, the longer first, then by name. Each is there once. With
// /prompts:x and no token, words say nothing.
func Skills(text string) []Skill {
	t := inert(text)
	var out []Skill
	has := func(name string) bool {
		return slices.ContainsFunc(out, func(s Skill) bool { return s.Name == name })
	}
	for _, at := range token.all(t) {
		name := t[at[0]+1 : at[1]]
		name = cmp.Or(otherNames[name], name)
		known := slices.ContainsFunc(skills, func(s skill) bool { return s.name == name })
		if known && !has(name) {
			out = append(out, Skill{name, t[at[0]:at[1]], true})
		}
	}
	if len(out) == 0 && prompts.find(t) != "" {
		return nil
	}
	type hit struct {
		Skill
		priority int
	}
	var hits []hit
	for _, s := range skills {
		if saw := s.words.find(t); saw != "" && !has(s.name) {
			hits = append(hits, hit{Skill{s.name, saw, false}, s.priority})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(len(b.Saw), len(a.Saw)), cmp.Compare(a.Name, b.Name))
	})
	for _, h := range hits {
		out = append(out, h.Skill)
	}
	return out
}

var (
	// startWords begin autonomous work (section 4.1.4). The present release wants a
	// command before them ("run autopilot") and starts nothing for "build me": the
	// contract wins.
	startWords = phrases(`autopilot`, `auto pilot`, `autonomous(?:ly)?`, `build me`, `create me`, `make me`, `full auto`, `handle it all`, `i want an?`)
	// Words that steer are the whole of a text: "stop the leak" is a task.
	stopWords     = regex.New(`^(?:please )?(?:stop|cancel|abort|halt|quit)(?: (?:it|this|that|now|everything|autopilot|the (?:run|loop|workflow)))*[.!]*$`)
	continueWords = regex.New(`^(?:please )?(?:continue|resume|carry on|go on|keep going|proceed|pick up where (?:you|we) left off)(?: (?:it|this|that|now|please|autopilot|with it|the (?:run|loop|workflow)))*[.!]*$`)
)

// exclusions are what is not for a run, with its destination (section 4.1.4). A weak
// one may as well be a part of what is to be made, behind a start word.
var exclusions = []struct {
	do    Do
	weak  bool
	words words
}{
	{DoReview, false, words{regex.New(`^(?:please |can you |could you )?(?:just |only )?(?:review|critique|audit)\b|\b(?:just|only) (?:a )?review\b|\breview only\b`)}},
	{DoAnswer, false, phrases(`just explain`, `draft only`, `only (?:a )?draft`, `what would you suggest`, `(?:write|change) no code`, `no code (?:changes?|please)`)},
	{DoAnswer, true, phrases(`explain (?:how|why|what|the|this)`, `suggest (?:how|what|a|an|some)`)},
	{DoAnswer, false, words{regex.New(`^(?:what|why|how|who|when|where|which) (?:is|are|does|do|did|was|were|would|can|could|should)\b`)}},
	{DoClarify, true, phrases(`explore`, `brainstorm`, `what are (?:the|my|our) options`, `compare (?:options|approaches)`, `not sure (?:what|how|whether|if)`, `ideas for`)},
	{DoEdit, false, phrases(`typo`, `rename \S+ to`, `one[ -]liner?`, `this (?:line|function)`, `bump (?:the )?version`, `single[ -]line`, `add an? comment`)},
}

// vagueWords is how few words a plan has to come before (section 4.7).
const vagueWords = 15

var (
	bypassMark = regex.New(`^(?:force:|!)`)
	signals    = []*regex.Lazy{
		regex.New("`code`"),                                                    // quoted
		regex.New(`\b[\w./-]+\.[a-z]{1,5}\b`),                                  // a file
		regex.New(`(?:^|\s)(?:\./|[\w-]+/)[\w./-]+`),                           // a path
		regex.New(`(?:^|\s)(?:#\d+|(?:issue|pr|ticket) #?\d+)\b`),              // an issue
		regex.New(`\b(?:function|class|method|type|struct|module) [\w.]+`),     // a symbol
		regex.New(`\b[a-z0-9]+_[a-z0-9_]+\b|\b[a-z]\w*\(\)`),                   // a symbol
		regex.New(`(?m)^\s*(?:\d+[.)]|[-*]) \S`),                               // steps
		regex.New(`\b(?:acceptance criteria|given .* when .* then|so that)\b`), // criteria
		regex.New(`\b(?:\w*error|\w*exception|panic|stack trace|traceback|exit (?:code|status) \d+)\b`),
		regex.New(`\b(?:go test|npm (?:run )?test|pytest|cargo test|make test|jest|vitest|mvn test|gradle test)\b`),
	}
)

// concrete is what a text says that can be worked on.
func concrete(t string) string {
	for _, s := range signals {
		if saw := s.FindString(t); saw != "" {
			return strings.TrimSpace(saw)
		}
	}
	return ""
}

// executes is the word of a text that asks for work at once. With cancel or
// ralplan there is none: that is planned, or over.
func executes(all []Skill) string {
	word := ""
	for _, s := range all {
		switch s.Name {
		case "cancel", "ralplan":
			return ""
		case "ralph", "autopilot", "team", "ultrawork":
			word = cmp.Or(word, s.Saw)
		}
	}
	return word
}

// effective counts the words beside those that name a way of working.
func effective(t string) int {
	for _, s := range skills {
		t = s.words.re.ReplaceAllString(t, " ")
	}
	return len(strings.Fields(token.re.ReplaceAllString(bypassMark.ReplaceAllString(t, " "), " ")))
}
