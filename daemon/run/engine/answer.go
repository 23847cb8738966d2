package engine

import (
	"autopilot/events"
	"autopilot/projections/run"
)

// decideAnswer takes the first answer to the question that is open, if it is
// about the set that is asked about and sure enough who gives it.
//
// Source: atdd-kit, seeds 3.7: only explicit approval; a rejection has a finding
// for each section.
func decideAnswer(s run.State, c Answer) (events.Data, error) {
	if h, ok := s.HandedOver("", c.Number); ok {
		return decideRejection(s, h, c)
	}
	q := s.Question
	switch {
	case s.Status == run.None || s.Status == run.Over:
		return nil, ErrOver
	case q != nil && q.Number == c.Number && q.Expired:
		return nil, ErrExpired
	case c.Number > 0 && (q == nil || q.Number != c.Number) && c.Number <= s.Questions:
		return nil, ErrAnswered
	case s.Status != run.Live || s.Stage != run.Asking || q == nil || q.Number != c.Number:
		return nil, ErrNoQuestion
	case c.Set != q.Set:
		return nil, ErrOtherSet
	case c.Assurance.Level() < q.Assurance.Level(), c.Assurance == events.AssuredSession && !s.ChatAnswers():
		return nil, ErrAssurance
	case !answers(q.QuestionAsked, c.QuestionAnswered):
		return nil, ErrChoice
	}
	c.Gate = q.Gate
	return c.QuestionAnswered, nil
}

// answers says that a choice is one that the question offers.
func answers(q events.QuestionAsked, a events.QuestionAnswered) bool {
	switch q.Kind {
	case events.AskApproval:
		return a.Choice == events.ChoiceOK && a.Count == 0 || a.Choice == events.ChoiceNo && a.Count > 0 && a.Findings != ""
	case events.AskText:
		return a.Text != "" && (a.Choice == events.ChoiceText || a.Choice == events.ChoiceSkip && q.Gate != "")
	case events.AskChoice:
		return len(a.Choice) == 1 && a.Choice[0] >= 'a' && int(a.Choice[0]-'a') < q.Options
	}
	return false
}

// decideRejection takes what a person finds in a set that was accepted by hand-off.
// A halted run is resumed with findings, so that its rails hear of them.
func decideRejection(s run.State, q run.Question, c Answer) (events.Data, error) {
	switch {
	case s.Status == run.None || s.Status == run.Over:
		return nil, ErrOver
	case s.Status != run.Live:
		return nil, ErrNoQuestion
	case c.Set != q.Set:
		return nil, ErrOtherSet
	case c.Assurance.Level() < q.Assurance.Level() || c.Assurance.Weak():
		return nil, ErrAssurance
	case c.Choice != events.ChoiceNo || c.Phase == "" || !answers(q.QuestionAsked, c.QuestionAnswered):
		return nil, ErrChoice
	}
	c.Gate = q.Gate
	return c.QuestionAnswered, nil
}
