package work

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// Ask implements engine.Worker.
func (w *Worker) Ask(ctx context.Context, s run.State, act engine.Ask) (_ events.QuestionAsked, err error) {
	defer func() { err = noRoom(err) }()
	p, err := w.plan(ctx, s)
	if err != nil {
		return events.QuestionAsked{}, err
	}
	if act.Gate == "" {
		return w.question(s, p, act), nil
	}
	g := p.gate(string(act.Gate))
	d := events.QuestionAsked{
		Number: s.Questions + 1, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Gate: act.Gate, Kind: act.Kind, Set: act.Set,
		Assurance: cmp.Or(g.Assurance, s.Facts.Answers, events.AssuredTTY), Tree: s.Last.Tree,
		Handoff: act.Kind == events.AskApproval && s.HandsOver(act.Gate),
	}
	if g.Expires > 0 && !d.Handoff {
		d.ExpiresMS = w.cfg.Now().Add(g.Expires).UnixMilli()
	}
	if act.Kind == events.AskText {
		d.Text = s.Asks(act.Gate)
		return d, nil
	}
	set, err := w.set(ctx, p, s.Last.Tree, g.Of)
	if err != nil {
		return d, err
	}
	if d.Files, err = w.put(ctx, setText(set)); err != nil {
		return d, err
	}
	before, again := s.Shown(act.Gate)
	d.Again = again
	shown, err := w.drafted(ctx, s, p, g, set, d.Handoff)
	if err != nil {
		return d, err
	}
	if shown.Link != "" {
		if d.Link, err = w.putExact(ctx, shown.Link); err != nil {
			return d, err
		}
	}
	if d.Handoff {
		d.Text, err = w.accepted(ctx, s, p, g, set, before, shown.Problem)
		return d, err
	}
	return d, w.presented(ctx, s, p, g, set, before, shown.Problem, &d)
}

// question is the agent's question, as it was delivered.
func (w *Worker) question(s run.State, p *Plan, act engine.Ask) events.QuestionAsked {
	a := s.Last.Agent
	d := events.QuestionAsked{
		Number: s.Questions + 1, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Kind: act.Kind,
		Text: a.Question, Options: a.Asks.Options, Recommended: a.Asks.Recommended, Assurance: events.AssuredTTY, Tree: s.Last.Tree,
	}
	if e := p.Flow.Limits.Answer; e > 0 {
		d.ExpiresMS = w.cfg.Now().Add(e).UnixMilli()
	}
	return d
}

// mostAnswers bounds the answers in a prompt: it has the newest.
const mostAnswers = 20

// answered lists the agent's answered questions with the answers, verbatim. An agent of a
// later iteration knows nothing else of them.
func (w *Worker) answered(s run.State) ([]string, error) {
	var out []string
	for _, a := range s.Answers {
		if a.Gate != "" {
			continue
		}
		question, err := w.text(a.Of)
		if err != nil {
			return nil, err
		}
		said, err := w.text(a.Text)
		if err != nil {
			return nil, err
		}
		if a.Kind == events.AskChoice {
			said = chosen(question, a.Choice)
		}
		out = append(out, "The question was:\n\n"+strings.TrimSpace(question)+"\n\nThe answer:\n\n"+said)
	}
	return out[max(0, len(out)-mostAnswers):], nil
}

// chosen is the chosen option of a question, as it was offered.
func chosen(question string, c events.Choice) string {
	letter := strings.ToUpper(string(c)) + "."
	for _, line := range slices.Backward(strings.Split(question, "\n")) {
		if strings.HasPrefix(line, letter+" ") {
			return strings.TrimSuffix(line, wire.RecommendedMark)
		}
	}
	return letter
}

// misasked tells the latest agent about its question that no person was asked; empty
// without one.
func (w *Worker) misasked(s run.State) (string, error) {
	a := s.Last.Agent
	if s.AskedAgain() {
		return "A person has already answered this question; follow the answer in this text.", nil
	}
	why, err := w.text(a.Misasked)
	if err != nil || why == "" {
		return "", err
	}
	why, _ = explain.Misasked(why)
	return "The question at the end of the last iteration reached nobody: " + why + ".\n" +
		"Ask again if it still matters: a text, or two to four options with one recommended and the reason, in this form:\n" + wire.AskForm, nil
}
