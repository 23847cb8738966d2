package session

import (
	"context"
	"fmt"
	"strings"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/person"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Answer takes what the person in front of a chat has answered in its own
// dialog, where the settings of the run let the chat that drives it say so. It is
// recorded as what it is: the word of a chat.
func (k *Drivers) Answer(ctx context.Context, q auth.Request, body wire.SessionAnswerRequest) (wire.SessionView, error) {
	s, err := k.Driven(ctx, body.RunRef)
	if err != nil {
		return wire.SessionView{}, err
	}
	who, err := k.drives(q, s)
	if err != nil {
		return wire.SessionView{}, err
	}
	if q.ID != "" && s.Asked == q.ID {
		return k.view(ctx, s, true), nil
	}
	answer := wire.AnswerRequest{
		RunRef: wire.RunRef{Run: s.ID}, Number: body.Number, Choice: strings.ToLower(body.Answer), Findings: body.Findings, Set: body.Set,
	}
	if s.Question != nil && s.Question.Kind == events.AskText {
		answer.Choice, answer.Text = string(events.ChoiceText), body.Answer
	}
	if err := k.chatAnswers(s, &answer); err != nil {
		return wire.SessionView{}, err
	}
	v, err := k.cfg.Verbs.Answer(ctx, s, answer, who.Actor, q.ID)
	if err != nil {
		return wire.SessionView{}, err
	}
	after, ok := k.cfg.Runs.State(v.ID)
	if !ok {
		return wire.SessionView{}, fmt.Errorf("read run %s", v.Handle)
	}
	return k.view(ctx, after, true), nil
}

// minSet is how much of the hash of a set names it.
const minSet = 6

// chatAnswers refuses what is not for a chat to answer, and names the set in whole.
func (k *Drivers) chatAnswers(s run.State, body *wire.AnswerRequest) error {
	h := s.Facts.Handle
	if body.Number < 1 {
		return wire.Errorf(wire.Usage, "the number of the question is missing").WithHint("apctl session next %s   names it", h)
	}
	if err := k.cfg.Verbs.Asks(s, body.Number); err != nil {
		return err
	}
	if err := k.mayAnswer(s); err != nil {
		return err
	}
	if q := s.Question; len(body.Set) >= minSet && strings.HasPrefix(q.Set, strings.ToLower(body.Set)) || q.Kind != events.AskApproval && body.Set == "" {
		body.Set = q.Set
	}
	return k.cfg.Verbs.Answerable(s, *body)
}

// mayAnswer is nil if the chat that drives the run may answer its question.
func (k *Drivers) mayAnswer(s run.State) error {
	h := s.Facts.Handle
	no := func(format string, args ...any) error {
		return wire.Errorf(wire.Denied, format, args...).WithHint("apctl answer %s   asks a person at a terminal", h)
	}
	switch {
	case s.Facts.Answers != events.AssuredSession:
		return no("run %s needs the answer of a person at a terminal, not of its chat", h)
	case !s.ChatAnswers():
		return no("gate %s of run %s needs assurance %s, which a chat cannot give", s.Question.Gate, h, s.Question.Assurance)
	case s.Driver == nil || !person.Asks(string(s.Driver.Program)):
		return no("the chat of run %s is not known to ask its person in a dialog", h)
	}
	return nil
}

// chatAnswer is the command with which a chat answers.
func chatAnswer(s run.State) wire.NextCommand {
	q := s.Question
	answer := map[events.QuestionKind]string{events.AskApproval: "ok", events.AskChoice: "A", events.AskText: "'TEXT'"}[q.Kind]
	command := fmt.Sprintf("apctl session answer %s --question %d", answer, q.Number)
	if q.Kind == events.AskApproval {
		command += " --set " + wire.Challenge(q.Set)
	}
	return wire.NextCommand{Command: command, Why: "sends the answer that the person gave in your dialog, to all that is shown here; never your own opinion"}
}
