package work

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"autopilot/daemon/engine"
	"autopilot/daemon/tree"
	"autopilot/daemon/workflow"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
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
	}
	if g.Expires > 0 {
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
	d.Text, err = w.presented(ctx, s, p, g, set, before)
	return d, err
}

// presented is what a person is shown of a set: its files, with what is in them, or
// where it was shown before with what has changed since.
func (w *Worker) presented(ctx context.Context, s run.State, p *Plan, g workflow.Gate, files []tree.Entry, before events.Tree) (events.Ref, error) {
	var b bytes.Buffer
	l := s.Facts.Language // it is stored, and shown at other places than the user's screens
	b.WriteString(phrase.Say(l, "Gate %s: approve %s?", "ゲート %s: %s を承認しますか。", g.Name, strings.Join(g.Of, ", ")) + "\n\n")
	var paths []string
	for _, f := range files {
		fmt.Fprintf(&b, "  %s\n", f.Path)
		paths = append(paths, f.Path)
	}
	if before == "" {
		for _, f := range files {
			if err := w.leaf(ctx, l, p.Repo, s.Last.Tree, f, &b); err != nil {
				return "", err
			}
		}
		return w.put(ctx, b.String())
	}
	var diff bytes.Buffer
	if err := p.Repo.Diff(ctx, before, s.Last.Tree, paths, &diff); err != nil {
		return "", err
	}
	found, err := w.became(s, events.Name(g.Name), diff.String())
	if err != nil {
		return "", err
	}
	b.WriteString(found + "\n" + phrase.Say(l, "Changed since it was shown:", "前回の提示からの変更:") + "\n\n")
	b.Write(diff.Bytes())
	return w.put(ctx, b.String())
}

// Bounds of what is shown of files for approval: what is longer is read in an editor.
const (
	leafBytes = 64 << 10
	setBytes  = 256 << 10
)

// leaf shows a file with the numbers of its lines, by which a finding names them.
func (w *Worker) leaf(ctx context.Context, l events.Language, repo *tree.Repo, t events.Tree, f tree.Entry, b *bytes.Buffer) error {
	text, _, err := repo.File(ctx, t, f.Path)
	if err != nil && !errors.Is(err, tree.ErrNotRecorded) {
		return fmt.Errorf("show %q: %w", f.Path, err)
	}
	fmt.Fprintf(b, "\n%s\n\n", f.Path)
	if err != nil || len(text) > leafBytes || b.Len()+len(text) > setBytes || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		b.WriteString("  " + phrase.Say(l, "(too large to be shown, or no text)", "(大きすぎるか、テキストではないため表示しません)") + "\n")
		return nil
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		fmt.Fprintf(b, "%4d  %s\n", n, bytes.TrimRight(line, "\r\n"))
	}
	return nil
}

// question is what who works wants to know. It is asked as it was delivered.
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

// mostAnswers is how many answers a prompt holds: the newest.
const mostAnswers = 20

// answered are the questions of who works that a person has answered, with what
// was said, to the letter. An agent of a later iteration knows nothing else of
// them.
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
		out = append(out, "It was asked:\n\n"+strings.TrimSpace(question)+"\n\nThe answer:\n\n"+said)
	}
	return out[max(0, len(out)-mostAnswers):], nil
}

// chosen is the option of a question that was chosen, as it was offered.
func chosen(question string, c events.Choice) string {
	letter := strings.ToUpper(string(c)) + "."
	for _, line := range slices.Backward(strings.Split(question, "\n")) {
		if strings.HasPrefix(line, letter+" ") {
			return strings.TrimSuffix(line, wire.RecommendedMark)
		}
	}
	return letter
}

// misasked is what the latest agent is told of a question that was not put to a
// person; empty for none.
func (w *Worker) misasked(s run.State) (string, error) {
	a := s.Last.Agent
	if s.AskedAgain() {
		return "This was asked before, and a person has answered it: the answer is in this text. Work by it.", nil
	}
	why, err := w.text(a.Misasked)
	if err != nil || why == "" {
		return "", err
	}
	return "The question at the end of the last iteration was put to nobody: " + why + ".\n" +
		"Ask again if it still matters: a text, or two to four options with one recommended and the reason.", nil
}
