package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// The bounds of the text of a question in an answer.
const (
	questionBytes = 4 << 10
	WholeBytes    = 1 << 30 // all of it
	questionFiles = 200
)

// RunQuestion shows a run with the question that the run waits with.
func (a *Questions) RunQuestion(ctx context.Context, _ auth.Request, body wire.QuestionRequest) (wire.RunView, error) {
	body.LiveOnly = body.Run == ""
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return wire.RunView{}, err
	}
	about := questioned(s, body.Gate, 0)
	if err := a.asksAt(about, body.Gate, 0); err != nil {
		return wire.RunView{}, err
	}
	v, most := a.View(s), questionBytes
	if body.Whole {
		most = WholeBytes
	}
	v.Question = a.QuestionView(about, most)
	return v, nil
}

// QuestionView shows the question that a run waits with; nil without one.
func (a *Views) QuestionView(s run.State, most int) *wire.QuestionView {
	q := s.Question
	if s.Status != run.Live || !answerableNow(s) {
		return nil
	}
	text, files := a.Text(q.Text), work.SetFiles(a.Text(q.Files))
	v := &wire.QuestionView{
		Number: q.Number, Gate: string(q.Gate), Phase: string(q.Phase), Kind: string(q.Kind), Text: begin(text, most),
		Set: q.Set, Files: files, Options: q.Options, Recommended: q.Recommended, Again: q.Again,
		Assurance: string(q.Assurance), Since: q.Since, Handoff: q.Handoff,
	}
	v.Link, v.Opaque = a.Text(q.Link), a.opaque(q.QuestionAsked)
	v.Cut = len(text) - len(v.Text)
	v.PIN = a.Consent.HasPIN()
	if n := len(files) - questionFiles; n > 0 {
		v.Files, v.More = files[:questionFiles], n
	}
	if q.ExpiresMS > 0 {
		v.Expires = at(time.UnixMilli(q.ExpiresMS))
	}
	return v
}

// answerableNow says that a person can answer the question of a run. A run under a stop
// request waits for nobody. A person can reject what it accepted by hand-off until the
// run has stopped.
func answerableNow(s run.State) bool {
	return s.Stage == run.Asking && s.Question != nil && (s.Stop == "" || s.Question.Handoff)
}

// Asks returns nil if the run waits with the question of that number; 0 stands for any.
func (a *Questions) Asks(s run.State, number int) error {
	q, h := s.Question, s.Facts.Handle
	was, handed := s.HandedOver("", number)
	switch {
	case q != nil && q.Expired && (number == 0 || number == q.Number):
		return a.answerFault(s, number, engine.ErrExpired)
	case handed && s.Status != run.Live:
		return a.handedBefore(s, was.Gate)
	case number > 0 && number <= s.Questions && (q == nil || q.Number != number):
		return a.answerFault(s, number, engine.ErrAnswered)
	case s.Status != run.Live:
		return wire.Errorf(wire.Conflict, "run %s is not live, so it has no open question", h).WithHint("apctl why %s   shows its state", h)
	case !answerableNow(s) || number > 0 && q.Number != number:
		return a.answerFault(s, number, engine.ErrNoQuestion)
	}
	return nil
}

// RunAnswer takes the answer of a person to the question that a run waits with. It first
// looks at the subject of the question again: an answer about an older state does not
// count.
//
// Source: atdd-kit, seeds 3.7: a person approves exactly what was shown. The first answer
// counts; silence and partial approval do not.
func (a *Questions) RunAnswer(ctx context.Context, q auth.Request, body wire.AnswerRequest) (wire.RunView, error) {
	proof, actor, err := a.Consent.Prove(q)
	if err != nil {
		return wire.RunView{}, err
	}
	body.LiveOnly = body.Run == ""
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return wire.RunView{}, err
	}
	if q.ID != "" && s.Asked == q.ID {
		return a.View(s), nil // the same request again
	}
	s = questioned(s, "", body.Number)
	if err := a.answerable(s, body); err != nil {
		return wire.RunView{}, err
	}
	assurance, err := a.Consent.ToAnswer(s, proof.Assurance, body)
	if err != nil {
		return wire.RunView{}, err
	}
	return a.takeAnswer(ctx, s, body, given{assurance, actor, q.ID})
}

// given names the author of an answer, its assurance, and the request.
type given struct {
	assurance    events.Assurance
	actor, cause string
}

// takeAnswer stores an answer if the subject of the question is unchanged.
func (a *Questions) takeAnswer(ctx context.Context, s run.State, body wire.AnswerRequest, by given) (wire.RunView, error) {
	ctx, done := a.Daemon.Lasting(ctx) // store what a person decided
	defer done()
	err := a.unchanged(ctx, s)
	if err != nil {
		return wire.RunView{}, err
	}
	cmd := engine.Answer{QuestionAnswered: events.QuestionAnswered{
		Number: s.Question.Number, Choice: events.Choice(body.Choice), Set: s.Question.Set, Count: len(body.Findings), Assurance: by.assurance,
		Shown: shown(s.Question.QuestionAsked, body),
	}}
	if cmd.Count > 0 {
		cmd.Findings, err = a.Worker.Findings(ctx, s, body.Findings)
	} else if cmd.Choice == events.ChoiceText || cmd.Choice == events.ChoiceSkip {
		cmd.Text, err = a.Worker.Note(ctx, s, body.Text)
	}
	if err != nil {
		return wire.RunView{}, fmt.Errorf("store the answer: %w", err)
	}
	if !s.Question.Handoff {
		cmd.Changed, cmd.Moved = a.changed(ctx, s) // else its own agent may be at work
	} else if cmd.Phase, err = a.Worker.RejectionPhase(ctx, s, s.Question.Gate); err != nil {
		return wire.RunView{}, err
	}
	after, err := a.Fleet.Do(ctx, s.ID, cmd, by.actor, by.cause)
	if err != nil {
		return wire.RunView{}, a.answerFault(after, cmd.Number, err)
	}
	return a.View(after), nil
}

// answerable refuses malformed answers before it looks at anything else.
func (a *Questions) answerable(s run.State, body wire.AnswerRequest) error {
	if err := a.Fleet.Changeable(s); err != nil {
		return err
	}
	if err := a.Asks(s, body.Number); err != nil {
		return err
	}
	q := s.Question
	if err := checkAnswer(q.QuestionAsked, s.Facts.Handle, body); err != nil {
		return err
	}
	if body.Set != q.Set {
		return a.answerFault(s, q.Number, engine.ErrOtherSet)
	}
	return a.checkShown(q.QuestionAsked, s.Facts.Handle, body)
}

// checkAnswer refuses an answer that does not fit the kind of the question.
func checkAnswer(q events.QuestionAsked, handle string, body wire.AnswerRequest) error {
	no := func(hint, format string, args ...any) error {
		return wire.Errorf(wire.Usage, format, args...).WithHint("%s", strings.ReplaceAll(hint, "RUN", handle))
	}
	c := events.Choice(body.Choice)
	switch q.Kind {
	case events.AskApproval:
		switch {
		case c == events.ChoiceOK && q.Handoff:
			return wire.Errorf(wire.Conflict, "gate %s is already accepted by hand-off; ok changes nothing", q.Gate).
				WithHint("apctl answer %s no --gate %s -m 'SECTION: TEXT'   sends it back", handle, q.Gate)
		case c == events.ChoiceOK && len(body.Findings) > 0:
			return no("apctl answer RUN no -m 'SECTION: TEXT'   rejects it with your finding",
				"ok approves the whole set; findings need no")
		case c == events.ChoiceNo && len(body.Findings) == 0:
			return no("apctl answer RUN no -m 'SECTION: TEXT'", "no needs a finding: it is all that the next agent learns")
		case c != events.ChoiceOK && c != events.ChoiceNo:
			return no("apctl answer RUN ok, or no -m 'SECTION: TEXT', or later", "%s asks for ok or no, not %q", asker(q), body.Choice)
		}
		return checkFindings(body.Findings)
	case events.AskText:
		switch {
		case c == events.ChoiceSkip && q.Gate != "" && strings.TrimSpace(body.Text) == "":
			return no("apctl answer RUN skip -m REASON", "skip needs a reason")
		case c == events.ChoiceSkip && q.Gate != "" && len(body.Text) <= wire.MaxAnswer:
			return work.CheckText("reason", body.Text)
		case c != events.ChoiceText && c != events.ChoiceSkip || strings.TrimSpace(body.Text) == "" || c == events.ChoiceSkip && q.Gate == "":
			return no("apctl answer RUN 'TEXT'", "%s asks for a text", asker(q))
		case len(body.Text) > wire.MaxAnswer:
			return no("shorten it", "the answer has %d bytes; the limit is %d", len(body.Text), wire.MaxAnswer)
		}
		return work.CheckText("answer", body.Text)
	case events.AskChoice:
		if last := byte('a' + q.Options - 1); len(c) != 1 || c[0] < 'a' || c[0] > last {
			return no("apctl answer RUN A", "the question has the options A to %c, not %q", last-'a'+'A', body.Choice)
		}
	}
	return nil
}

// asker names the source of a question: a gate or the agent.
func asker(q events.QuestionAsked) string {
	if q.Gate == "" {
		return "the agent"
	}
	return "gate " + string(q.Gate)
}

// checkFindings wants one finding for each section, and text in each.
func checkFindings(list []wire.AnswerFinding) error {
	if len(list) > wire.MostFindings {
		return wire.Errorf(wire.Usage, "there are %d findings; the limit is %d", len(list), wire.MostFindings)
	}
	var seen []string
	for i, f := range list {
		section := strings.TrimSpace(f.Section)
		switch {
		case section == "" || strings.TrimSpace(f.Text) == "":
			return wire.Errorf(wire.Usage, "finding %d needs a section and a text", i+1).WithHint("-m 'SECTION: TEXT'")
		case strings.ContainsAny(section, "\n\r"):
			return wire.Errorf(wire.Usage, "the section of finding %d has more than one line", i+1)
		case f.Priority < 0:
			return wire.Errorf(wire.Usage, "the priority of finding %d is %d", i+1, f.Priority).WithHint("0 blocks; higher numbers matter less")
		case len(f.Section)+len(f.Text) > wire.MaxAnswer:
			return wire.Errorf(wire.Usage, "finding %d has %d bytes; the limit is %d", i+1, len(f.Section)+len(f.Text), wire.MaxAnswer)
		case slices.Contains(seen, section):
			return wire.Errorf(wire.Usage, "two findings are about %q", section).WithHint("write one finding for each section")
		}
		seen = append(seen, section)
		if err := errors.Join(work.CheckText("section", f.Section), work.CheckText("finding", f.Text)); err != nil {
			return err
		}
	}
	return nil
}

// unchanged looks at the present state of what a question is about. If that has changed,
// it closes the question and presents the set anew.
func (a *Questions) unchanged(ctx context.Context, s run.State) error {
	if s.Question.Kind != events.AskApproval || s.Question.Handoff {
		return nil // a person rejects an accepted set as it was shown at the hand-off
	}
	now, err := a.Worker.SetNow(ctx, s)
	if err != nil || now == s.Question.Set {
		return err
	}
	cmd := engine.Outdated{Number: s.Question.Number}
	cmd.Others, cmd.Moved = a.changed(ctx, s)
	_, err = a.Fleet.Do(ctx, s.ID, cmd, events.ActorDaemon(a.HostID), "")
	if err != nil && !errors.Is(err, engine.ErrStale) { // stale: another answer was first
		return err
	}
	h := s.Facts.Handle
	return wire.Errorf(wire.Conflict, "the files of gate %s of run %s have changed since they were shown; the answer was not taken, and the run asks again", s.Question.Gate, h).
		WithHint("apctl answer %s   shows the present files", h)
}

// answerFault explains why the engine refused an answer.
func (a *Questions) answerFault(s run.State, number int, err error) error {
	h := s.Facts.Handle
	look := "apctl answer " + h + "   shows the open question"
	for _, a := range slices.Backward(s.Answers) {
		if !errors.Is(err, engine.ErrAnswered) || number > 0 && a.Number != number {
			continue
		}
		return wire.Errorf(wire.Conflict, "run %s: question %d already has an answer: %s, by %s on %s; the first answer counts",
			h, a.Number, a.Choice, a.By, a.At.UTC().Format(time.RFC3339)).WithHint("apctl why %s   shows its state", h)
	}
	for _, m := range []struct {
		err  error
		code wire.Code
		text string
		hint string
	}{
		{engine.ErrAnswered, wire.Conflict, "run %s: the question is closed", look},
		{engine.ErrExpired, wire.Conflict, "run %s: the question has expired", "apctl resume " + h + "   asks again"},
		{engine.ErrOtherSet, wire.Conflict, "run %s: the answer is not about the files of the open question, so nothing was answered", look},
		{engine.ErrNoQuestion, wire.Conflict, "run %s has no open question", "apctl status " + h + "   shows what it does"},
		{engine.ErrAssurance, wire.NeedsPerson, "run %s: the gate needs an answer with a PIN", "apctl pin set   sets a PIN"},
		{engine.ErrChoice, wire.Usage, "run %s: the answer does not fit the question", look},
	} {
		if errors.Is(err, m.err) {
			return wire.Errorf(m.code, m.text, h).WithHint("%s", m.hint)
		}
	}
	return aboutRun("answer", h, err)
}
