package route

import "slices"

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
	Workflow string   // of those that are there: for a run, or to plan first
	Else     []string // of those too, best first
	Skills   []Skill  // that the text names
	Route    Route
	RouteBy  By
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
	"ralplan": {"omx"}, "autopilot": {"omx"}, "deep-interview": {"omx"}, "plan": {"omx"}, "team": {"omx"}, "ultrawork": {"omx"}, "ultragoal": {"omx"},
	"ralph": {"omx-ralph"}, "tdd": {"atdd"}, "ultraqa": {}, "build-fix": {},
}

// looks are the explicit tokens that want no work.
var looks = map[string]Do{"code-review": DoReview, "security-review": DoReview, "analyze": DoAnswer}

// Shipped are the workflows that the router can name, and that ship.
func Shipped() []string {
	return []string{"atdd", "atdd-bugfix", "atdd-flaky", "converge", "omx", "omx-ralph", "sessions"}
}

// ofRoute are the workflows of a route.
var ofRoute = map[Route][]string{RouteBugfix: {"atdd-bugfix"}, RouteFlaky: {"atdd-flaky"}, RouteFull: nil}

// Routed says that a workflow is one way of the routes, so that the route tells why.
func Routed(workflow string) bool {
	for _, list := range ofRoute {
		if slices.Contains(list, workflow) {
			return true
		}
	}
	return workflow == "atdd"
}

// planner is the workflow that asks and plans before it works: the contract puts
// ralplan in the place of too vague a word (section 4.7).
const planner = "omx"

// fallback is the workflow that does for everything.
const fallback = "converge"

// Suggest says what a text, with the labels of its issue, would best be done
// with, of the workflows that are known. It is advice: routes are recommended,
// never switched (sections 3.1, 3.8, 4.1.4 and 4.7).
func Suggest(text string, labels, known []string) Suggestion {
	t, said := prosed(text), inert(text)
	s := Suggestion{Do: DoRun, Skills: Skills(text)}
	s.Size, s.Words = TaskSize(text)
	s.Route, s.RouteBy, s.Ask = Of(text, labels)
	switch {
	case s.control(said):
	case s.excluded(said):
	case s.vague(t, known):
	default:
		s.run(known)
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

// explicit are the names that the text gives as $tokens.
func (s *Suggestion) explicit() (names []string) {
	for _, k := range s.Skills {
		if k.Explicit {
			names = append(names, k.Name)
		}
	}
	return names
}

// control finds the words that steer a run.
func (s *Suggestion) control(said string) bool {
	if names := s.explicit(); len(names) > 0 && names[0] == "cancel" {
		s.Do = DoStop
		s.because(RuleToken, "$cancel")
		return true
	}
	if saw := stopWords.FindString(said); saw != "" {
		s.Do = DoStop
		s.because(RuleStop, saw)
		return true
	}
	if saw := continueWords.FindString(said); saw != "" {
		s.Do = DoContinue
		s.because(RuleContinue, saw)
		return true
	}
	return false
}

// excluded finds what is not for a run, with where it goes instead. An explicit
// token that asks for work wins, and so does a start word over what may be a part
// of its task.
func (s *Suggestion) excluded(said string) bool {
	if names := s.explicit(); len(names) > 0 {
		do, ok := looks[names[0]]
		if ok = ok && len(names) == 1; ok {
			s.Do = do
			s.because(RuleToken, "$"+names[0])
		}
		return ok
	}
	begins := len(said)
	if at := startWords.at(said); at != nil {
		begins = at[0]
	}
	for _, e := range exclusions {
		at := e.words.at(said)
		if at == nil || e.do == DoEdit && s.Size != SizeSmall || e.weak && begins < at[0] {
			continue
		}
		s.Do = e.do
		s.because(RuleExclude, said[at[0]:at[1]])
		return true
	}
	return false
}

// vague finds an execution word with too little behind it: a plan comes first.
func (s *Suggestion) vague(t string, known []string) bool {
	word := executes(s.Skills)
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
	if slices.Contains(known, planner) {
		s.Workflow = planner
	}
	return true
}

// run picks the workflow, and names others that are known too.
func (s *Suggestion) run(known []string) {
	want := s.wanted()
	s.because(RuleRoute, string(s.Route))
	if route := ofRoute[s.Route]; len(route) > 0 {
		want = append(slices.Clone(route), want...)
	} else if s.Size == SizeLarge {
		want = append(want, "omx", "atdd")
	}
	if want = append(want, fallback); s.Route == RouteFull {
		want = append(want, "atdd")
	}
	want = slices.DeleteFunc(unique(want), func(w string) bool { return !slices.Contains(known, w) })
	if len(want) > 0 {
		s.Workflow, s.Else = want[0], want[1:]
	}
}

// wanted are the workflows that the words of the text ask for. A small task takes a
// heavy one only where a token says so.
func (s *Suggestion) wanted() (want []string) {
	for _, k := range s.Skills {
		flows, works := heavy[k.Name]
		if !works {
			continue
		}
		rule := RuleKeyword
		switch {
		case k.Explicit:
			rule = RuleToken
		case k.Name == "autopilot":
			rule = RuleStart
		}
		if s.Size == SizeSmall && !k.Explicit && len(flows) > 0 {
			s.because(RuleSize, k.Saw)
			if rule == RuleStart {
				s.because(rule, k.Saw)
			}
			continue
		}
		s.because(rule, k.Saw)
		want = append(want, flows...)
	}
	return want
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
