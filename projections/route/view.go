package route

import "autopilot/events/wire"

// instead is where a text goes that is not for a run (section 4.1.4), or what steers
// one.
var instead = map[Do]string{
	DoContinue: "go on with what was begun: apctl resume",
	DoStop:     "end what runs: apctl stop",
	DoClarify:  "talk it through first: it explores, and there is nothing to check yet",
	DoPlan:     "plan it first: too little is said to be worked on",
	DoAnswer:   "answer it: words are wanted, no work",
	DoEdit:     "edit it without a run: it is one small change",
	DoReview:   "review what is there, and change nothing: apctl diff",
}

// Instead is what to do where it is no run, in one sentence; empty for a run.
func (d Do) Instead() string { return instead[d] }

// View is a suggestion as commands answer it.
func (s Suggestion) View() wire.SuggestionView {
	v := wire.SuggestionView{
		Do: string(s.Do), Instead: s.Do.Instead(), Workflow: s.Workflow, Route: string(s.Route), RouteBy: string(s.RouteBy), Size: string(s.Size),
		Words: s.Words, Ask: s.Ask, Express: s.Express, Because: []wire.SuggestReason{}, Else: s.Else,
	}
	for _, k := range s.Skills {
		v.Skills = append(v.Skills, wire.SuggestSkill{Name: k.Name, Explicit: k.Explicit})
	}
	for _, r := range s.Because {
		v.Because = append(v.Because, wire.SuggestReason{Rule: string(r.Rule), Saw: r.Saw})
	}
	return v
}
