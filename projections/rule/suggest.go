package rule

import (
	"slices"
	"strings"
)

// Do is what a text asks for.
type Do string

// What can be done.
const (
	DoRun      Do = "run"      // a run of a workflow
	DoContinue Do = "continue" // what was begun goes on
	DoStop     Do = "stop"
	DoClarify  Do = "clarify" // it explores: talk it through, or a workflow that begins with an interview
	DoPlan     Do = "plan"    // too little is said to be worked on
	DoAnswer   Do = "answer"  // words alone are wanted, no work
	DoEdit     Do = "edit"    // one small edit, without a run
	DoReview   Do = "review"  // look at what is there, change nothing
)

// SuggestRule names a rule that spoke.
type SuggestRule string

// The rules, in the order in which they are asked.
const (
	RuleToken    SuggestRule = "token"    // an explicit $word
	RuleStop     SuggestRule = "stop"     // a word for it begins the text
	RuleContinue SuggestRule = "continue" // the same
	RuleExclude  SuggestRule = "exclude"  // not for a run
	RuleSize     SuggestRule = "size"     // small suppresses heavy workflows
	RuleStart    SuggestRule = "start"    // a start word
	RuleKeyword  SuggestRule = "keyword"  // a word of a workflow
	RuleConcrete SuggestRule = "concrete" // enough is said
	RuleBypass   SuggestRule = "bypass"   // force: or !
	RuleVague    SuggestRule = "vague"    // too little is said
	RuleRoute    SuggestRule = "route"
	RuleExpress  SuggestRule = "express"
)

// SuggestReason is a rule that spoke, and the words that it saw.
type SuggestReason struct {
	Rule SuggestRule
	Saw  string
}

// Suggestion recommends. It switches nothing (atdd-kit, section 3.1 and A63).
type Suggestion struct {
	Do       Do
	Workflow string // of those that are there; empty unless a run is recommended
	Else     []string
	Route    Route
	RouteBy  RouteBy
	Size     Size
	Words    int
	Ask      bool // the rules do not agree, so a person is asked
	Express  bool
	Because  []SuggestReason
}

func (s *Suggestion) because(r SuggestRule, saw string) {
	s.Because = append(s.Because, SuggestReason{r, saw})
}

// heavy are the workflows of several phases by what asks for them, best first
// (oh-my-codex, section 4.7; atdd-kit, section 3.8). converge does for all.
var heavy = map[string][]string{
	"ralplan": {"omx"}, "autopilot": {"omx"}, "deep-interview": {"omx"}, "plan": {"omx"}, "team": {"omx"}, "ultrawork": {"omx"},
	"ralph": {"omx-ralph"}, "tdd": {"atdd"}, "ultraqa": {}, "build-fix": {},
}

// ofRoute are the workflows of a route.
var ofRoute = map[Route][]string{RouteBugfix: {"atdd-bugfix"}, RouteFlaky: {"atdd-flaky"}, RouteFull: nil}

// fallback is the workflow that does for everything.
const fallback = "converge"

// Suggest says what a text, with the labels of its issue, would best be done
// with, of the workflows that are known. It is advice: routes are recommended,
// never switched (sections 3.1, 3.8, 4.1.4 and 4.7).
func Suggest(text string, labels, known []string) Suggestion {
	t := prosed(text)
	s := Suggestion{Do: DoRun}
	s.Size, s.Words = TaskSize(text)
	s.Route, s.RouteBy, s.Ask = RouteOf(text, labels)
	skills := Skills(t)
	switch {
	case s.control(t, skills):
	case s.excluded(t, skills):
	case s.vague(t, skills):
	default:
		s.run(t, skills, known)
	}
	if s.Do != DoRun {
		s.Ask = false
	}
	if s.Do == DoRun || s.Do == DoEdit {
		if saw := express(t, s.Size); saw != "" {
			s.Express = true
			s.because(RuleExpress, saw)
		}
	}
	return s
}

// control finds the words that steer a run.
func (s *Suggestion) control(t string, skills []Skill) bool {
	if len(skills) > 0 && skills[0].Explicit && skills[0].Name == "cancel" {
		s.Do = DoStop
		s.because(RuleToken, "$cancel")
		return true
	}
	if saw := stopWords.FindString(t); saw != "" {
		s.Do = DoStop
		s.because(RuleStop, saw)
		return true
	}
	if saw := continueWords.FindString(t); saw != "" {
		s.Do = DoContinue
		s.because(RuleContinue, saw)
		return true
	}
	return false
}

// excluded finds what is not for a run, with where it goes instead. An explicit
// token wins.
func (s *Suggestion) excluded(t string, skills []Skill) bool {
	if len(skills) > 0 && skills[0].Explicit {
		return false
	}
	for _, e := range exclusions {
		if saw := e.words.FindString(t); saw != "" && (e.do != DoEdit || s.Size == SizeSmall) {
			s.Do = e.do
			s.because(RuleExclude, saw)
			return true
		}
	}
	return false
}

// vague finds an execution word with too little behind it: a plan comes first.
func (s *Suggestion) vague(t string, skills []Skill) bool {
	word := executes(t, skills)
	if word == "" {
		return false
	}
	if bypass := bypassMark.FindString(t); bypass != "" {
		s.because(RuleBypass, bypass)
		return false
	}
	if saw := concrete(t); saw != "" {
		s.because(RuleConcrete, saw)
		return false
	}
	if n := effective(t); n > vagueWords {
		return false
	}
	s.Do = DoPlan
	s.because(RuleVague, word)
	return true
}

// run picks the workflow.
func (s *Suggestion) run(t string, skills []Skill, known []string) {
	var want []string
	for _, k := range skills {
		rule := RuleKeyword
		if k.Explicit {
			rule = RuleToken
		}
		if _, ok := heavy[k.Name]; !ok {
			continue
		}
		if s.Size == SizeSmall && !k.Explicit && len(heavy[k.Name]) > 0 {
			s.because(RuleSize, k.Saw)
			continue
		}
		s.because(rule, k.Saw)
		want = append(want, heavy[k.Name]...)
	}
	if saw := startWords.FindString(t); saw != "" {
		s.because(RuleStart, saw)
	}
	s.because(RuleRoute, string(s.Route))
	if route := ofRoute[s.Route]; len(route) > 0 {
		want = append(slices.Clone(route), want...)
	} else if s.Size == SizeLarge {
		want = append(want, "omx", "atdd", "greenfield", "existing-code")
	}
	if want = append(want, fallback); s.Route == RouteFull {
		want = append(want, "atdd")
	}
	want = unique(want)
	i := slices.IndexFunc(want, func(w string) bool { return slices.Contains(known, w) })
	if i >= 0 {
		s.Workflow = want[i]
		want = slices.Delete(want, i, i+1)
	}
	s.Else = want
}

func unique(list []string) []string {
	var out []string
	for _, w := range list {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// prosed is the text without what it only quotes: words in code say nothing of
// what is wanted.
func prosed(text string) string {
	return strings.TrimSpace(strings.ToLower(quotedCode.ReplaceAllString(text, " `code` ")))
}
