package run

import (
	"slices"

	"autopilot/events"
)

// This file folds gates that who started a run has handed over: they are accepted
// without a look, and a person can reject what was accepted as long as the run lives.
//
// Source: atdd-kit, seeds 3.1 and 3.6 AL-1.

// handed keeps the latest question of each gate that was accepted by hand-off, until
// a person answers one of that gate.
func handed(list []Question, q Question, a events.Assurance) []Question {
	if q.Gate == "" {
		return list
	}
	list = slices.DeleteFunc(slices.Clone(list), func(o Question) bool { return o.Gate == q.Gate })
	if a == events.AssuredHandoff {
		list = append(list, q)
	}
	return list
}

// HandedOver is what was accepted by hand-off and stands: of a gate, or the question of
// that number; the latest one where neither is given.
func (s State) HandedOver(gate events.Name, number int) (Question, bool) {
	for _, q := range slices.Backward(s.Handed) {
		if (gate == "" || q.Gate == gate) && (number == 0 || q.Number == number) {
			return q, true
		}
	}
	return Question{}, false
}

// HandsOver says that nobody is asked at a gate: who started the run has handed it
// over. Whoever has rejected what was shown there has taken it back.
func (s State) HandsOver(gate events.Name) bool {
	return s.Facts.Handoff != "" && s.Gate(gate).Handoff && !slices.ContainsFunc(s.Answers, func(a Answer) bool {
		return a.Gate == gate && a.Choice == events.ChoiceNo
	})
}

// rejected sends the run back with what a person finds in a set that was accepted by
// hand-off. As with findings at a resume, all budgets begin anew.
func rejected(s State, e events.Event, d events.QuestionAnswered, q Question) State {
	s.Answers = last(append(slices.Clip(s.Answers), Answer{
		QuestionAnswered: d, Kind: q.Kind, Of: q.Text, Iteration: q.Iteration, Tree: q.Tree, At: e.Time, By: e.Actor,
	}), keepAnswers)
	s.Handed = handed(s.Handed, q, d.Assurance)
	s.Findings, s.InPrompt, s.SendTo = d.Findings, false, d.Phase
	return settle(s.anew())
}
