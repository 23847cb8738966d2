package ctl

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type answerOptions struct {
	findings []string
	set      string
	gate     string
	seen     []string
	show     bool
	open     bool
}

// Words of answers: later leaves a question open, skip goes on without an
// interview.
const (
	later = "later"
	skip  = "skip"
)

func newAnswer(a *app) *cobra.Command {
	var o answerOptions
	cmd := &cobra.Command{
		Use:        "answer [RUN] [ok | no | A..D | TEXT | skip | later]",
		SuggestFor: []string{"approve", "reject"},
		Short:      "Answer what a run asks you",
		Long: `Answers the question that a run waits with: ok or no to what it shows for
approval, a letter to a choice, a text to a free question. Without an answer it
shows the question, with what has changed since it was shown last, and asks.

ok approves all that is shown, and exactly that: when it changes meanwhile, it is
shown again. What is long is shown in pages (PAGER, else less) and kept in a file of
yours, which --open opens in VISUAL or EDITOR. A file that no text can show, as an
image, is shown by size and SHA-256; ok needs the first 6 characters of that. no takes one finding for each section, and the next agent gets
them as they are; P1 before a section says that it does not block. skip goes on
without an interview, for a reason. later changes nothing. The first answer
counts.

What was accepted by hand-off (FA_HANDOFF=1 apctl run) waits for nobody. While the
run lives it is shown too, the latest of it or that of --gate, and no sends it back.

It needs a person at a terminal, who types what is shown there. Without one, and
when anything else is typed, nothing is answered and the exit code is 13. No RUN
means the only live run of this directory; a text of one word needs RUN.`,
		Example: `  apctl answer
  apctl answer k3xq ok
  apctl answer k3xq no -m 'docs/plan.md:12: the order is wrong' -m 'tests: none'
  apctl answer k3xq no -m 'P1 docs/plan.md:30: name the table'
  apctl answer k3xq no --gate design-approved -m 'docs/plan.md: too large'
  apctl answer k3xq 'use sqlite'
  apctl answer k3xq skip -m 'it is all in the issue'
  apctl answer k3xq --show > plan.txt
  apctl answer k3xq --json`,
		Args:              runAnd(1),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAnswer(cmd.Context(), a, o, args) },
	}
	cmd.Flags().StringArrayVarP(&o.findings, "message", "m", nil, "with no: what you found, `SECTION: TEXT` (repeatable); with skip: why")
	cmd.Flags().StringVar(&o.gate, "gate", "", "answer about the gate `NAME` that was accepted by hand-off")
	cmd.Flags().StringVar(&o.set, "set", "", "answer only about the set with this `HASH`")
	cmd.Flags().StringArrayVar(&o.seen, "seen", nil, "with ok: the start of the `SHA-256` of a file that no text can show (repeatable)")
	cmd.Flags().BoolVar(&o.show, "show", false, "show all of the question, and answer nothing")
	cmd.Flags().BoolVar(&o.open, "open", false, "show it in the editor of VISUAL or EDITOR")
	return a.jsonFlag(cmd)
}

func runAnswer(ctx context.Context, a *app, o answerOptions, args []string) error {
	ref, word := a.asked(args)
	req, err := o.request(ref, word)
	if err != nil {
		return err
	}
	if a.getenv(place.EnvEffect) != "" {
		// The daemon refuses it, and records that. Where none answers it is refused
		// all the same.
		err := ask(ctx, a, wire.RunAnswer, req, &wire.RunView{})
		if err == nil || unreachable(err) {
			err = render.DecidesNothing()
		}
		return err
	}
	var v wire.RunView
	if err := ask(ctx, a, wire.RunQuestion, wire.QuestionRequest{RunRef: ref, Whole: true, Gate: o.gate}, &v); err != nil {
		if e := new(wire.Error); len(args) == 1 && word == "" && errors.As(err, &e) && e.Code == wire.NotFound {
			return render.NeitherRunNorAnswer(args[0])
		}
		return err
	}
	switch {
	case word == later:
		return a.leaveOpen(v)
	case o.set != "" && !strings.HasPrefix(v.Question.Set, strings.ToLower(o.set)):
		return render.OtherSet(v, o.set)
	case o.show:
		return a.show(v, o.open)
	case word == "" && (a.json || !a.interactive() || a.Out.Columns == nil):
		return a.showQuestion(v)
	}
	e, err := a.exhibit(v, o.open)
	if err != nil {
		return err
	}
	req.Shown, req.Seen = shownHash(*v.Question), o.seen
	return a.decide(ctx, v, req, word, e)
}

// asked takes the arguments apart. One alone is a run, unless it can be none.
func (a *app) asked(args []string) (wire.RunRef, string) {
	if len(args) == 1 && isAnswer(args[0]) {
		return a.liveRef(nil), args[0]
	}
	word := ""
	if len(args) > 1 {
		word = args[1]
	}
	return a.liveRef(args), word
}

func isAnswer(word string) bool {
	w := strings.ToLower(word)
	return slices.Contains([]string{"ok", "no", later, skip}, w) || len(w) == 1 && w >= "a" && w <= "d" || strings.ContainsAny(word, " \n")
}

// request is the answer as far as it is given.
func (o answerOptions) request(ref wire.RunRef, word string) (wire.AnswerRequest, error) {
	req := wire.AnswerRequest{RunRef: ref, Choice: strings.ToLower(word)}
	if req.Choice == skip {
		req.Text = strings.Join(o.findings, "\n")
		return req, checkText("the reason", req.Text)
	}
	for _, m := range o.findings {
		section, text, ok := strings.Cut(m, ": ")
		if !ok || strings.TrimSpace(section) == "" || strings.TrimSpace(text) == "" {
			return req, render.BadFinding(m)
		}
		if err := checkText("a finding", m); err != nil {
			return req, err
		}
		req.Findings = append(req.Findings, newFinding(section, text))
	}
	if len(req.Findings) > 0 && req.Choice != "no" {
		return req, render.FindingsFor(req.Choice)
	}
	if n := len(o.set); o.set != "" && (n < 6 || n > 64) {
		return req, render.ShortSet(o.set)
	}
	return req, nil
}

// newFinding takes the priority off a section, if it begins with one: P1. Without
// one it blocks.
//
// Source: atdd-kit, seeds 3.2 and 3.7.
func newFinding(section, text string) wire.AnswerFinding {
	f := wire.AnswerFinding{Section: strings.TrimSpace(section), Text: text}
	if m := priority.FindStringSubmatch(f.Section); m != nil {
		f.Section = m[2]
		f.Priority, _ = strconv.Atoi(m[1])
	}
	return f
}

var priority = regexp.MustCompile(`^[Pp]([0-9]{1,6})\s+(\S.*)$`)

// showQuestion shows a question to who does not answer it.
func (a *app) showQuestion(v wire.RunView) error {
	err := a.answer(wire.SchemaRun, v, func(s render.Style) string { return s.Question(v) })
	if v.Question.Handoff {
		return err // nobody is waited for
	}
	if err == nil && !a.json {
		err = render.NotAnswered(v, errors.New("this shows the question only"))
	}
	if err == nil {
		err = exitStatus(wire.ExitPerson)
	}
	return err
}

// decide shows a person at the terminal what is asked, takes what is left of the
// answer, has the challenge typed, and sends it.
func (a *app) decide(ctx context.Context, v wire.RunView, req wire.AnswerRequest, word string, e exhibit) error {
	q := *v.Question
	unasked := func(err error) error {
		return unasked(err, func(why error) error { return render.NotAnswered(v, why) })
	}
	shown := e.once
	if word == "" {
		typed, err := a.typedUpTo(wire.MaxAnswer, func(s render.Style) string { return shown(s) + s.Of(v).AnswerKeys(q) })
		if err != nil {
			return unasked(err)
		}
		if word = typed; word == "" || strings.EqualFold(word, later) {
			return a.leaveOpen(v)
		}
	}
	if err := fill(&req, v, word); err != nil {
		return err
	}
	if req.Choice == skip && req.Text == "" {
		why, err := a.typedUpTo(wire.MaxAnswer, func(s render.Style) string { return shown(s) + s.Of(v).SkipReason() })
		if err != nil {
			return unasked(err)
		}
		if why == "" {
			return a.leaveOpen(v)
		}
		req.Text = why
	}
	if req.Choice == "no" && q.Kind == "approval" && len(req.Findings) == 0 {
		var err error
		if req.Findings, err = a.findings(v, shown); err != nil {
			return unasked(err)
		}
	}
	if req.Choice == "no" && len(req.Findings) == 0 {
		return render.NoFinding()
	}
	if req.Choice == "ok" {
		if err := a.seen(&req, v, shown); err != nil {
			return unasked(err)
		}
	}
	req.Run, req.Number, req.Set = v.ID, q.Number, q.Set
	var after wire.RunView
	if err := a.proven(ctx, req, v, shown, &after); err != nil {
		return unasked(err)
	}
	e.drop()
	return a.answer(wire.SchemaRun, after, func(s render.Style) string { return s.Answered(after, q, req.Choice) })
}

// leaveOpen says that nothing was answered.
func (a *app) leaveOpen(v wire.RunView) error {
	if v.Question.Handoff {
		a.note(a.style(a.Err).StaysAccepted(v))
		return nil
	}
	a.note(a.style(a.Err).LeftOpen(v))
	return nil
}

// mostTypings is how often a person may type a confirmation or a PIN of an answer with
// texts, so that one slip does not lose them.
const mostTypings = 3

// proven has an answer confirmed and sends it. A slip of an answer with texts is asked
// again; what ends the command without an answer names the whole of it.
func (a *app) proven(ctx context.Context, req wire.AnswerRequest, v wire.RunView, shown func(render.Style) string, after *wire.RunView) error {
	for n := 1; ; n++ {
		err := a.prove(&req, v, shown)
		var slip *wire.Error
		if err == nil {
			if err = ask(ctx, a, wire.RunAnswer, req, after); err == nil {
				return nil
			}
			if !v.Question.PIN || !errors.As(err, &slip) || !strings.HasPrefix(slip.Message, wire.WrongPIN) {
				return render.KeepAnswer(v, req, err)
			}
		} else if !errors.As(err, &slip) {
			return err
		}
		texts := req.Text != "" || len(req.Findings) > 0
		if !texts || n == mostTypings || !v.Question.PIN && req.Typed == "" || v.Question.PIN && req.PIN == "" {
			return render.KeepAnswer(v, req, err)
		}
		shown = func(s render.Style) string { return s.Of(v).TypeAgain(slip.Message) }
	}
}

// prove has a person type the PIN, or what is shown where none is set.
func (a *app) prove(req *wire.AnswerRequest, v wire.RunView, shown func(render.Style) string) (err error) {
	q, want := v.Question, v.Handle
	if q.Kind == "approval" {
		want = wire.Challenge(q.Set)
	}
	req.Typed, req.PIN, err = a.proof(q.PIN, func(s render.Style) string {
		ask := s.Of(v).AnswerAsk(req.Choice, want)
		if q.PIN {
			ask = s.Of(v).AnswerPIN(req.Choice)
		}
		return shown(s) + "\n" + ask
	})
	switch {
	case err != nil:
		return err
	case q.PIN && req.PIN == "":
		return render.WrongWord(v, "the PIN", "")
	case !q.PIN && !strings.EqualFold(req.Typed, want):
		return render.WrongWord(v, want, req.Typed)
	}
	return nil
}

// fill makes an answer of a word, for a question of its kind.
func fill(req *wire.AnswerRequest, v wire.RunView, word string) error {
	choice := strings.ToLower(word)
	req.Choice = choice
	ok := false
	switch q := v.Question; q.Kind {
	case "approval":
		ok = choice == "ok" || choice == "no"
	case "choice":
		ok = len(choice) == 1 && choice[0] >= 'a' && int(choice[0]-'a') < q.Options
	default:
		if choice == skip && q.Gate != "" {
			return nil
		}
		ok, req.Choice, req.Text = strings.TrimSpace(word) != "", "text", word
	}
	if !ok {
		return render.BadChoice(v, word)
	}
	return nil
}

// findings asks for them one by one, until a section is left empty.
func (a *app) findings(v wire.RunView, shown func(render.Style) string) ([]wire.AnswerFinding, error) {
	var out []wire.AnswerFinding
	for len(out) < wire.MostFindings {
		section, err := a.typedUpTo(wire.MaxAnswer, func(s render.Style) string { return shown(s) + s.Of(v).FindingSection(len(out)+1) })
		if err != nil || section == "" {
			return out, err
		}
		shown = func(render.Style) string { return "" }
		if f := newFinding(section, ""); slices.ContainsFunc(out, func(o wire.AnswerFinding) bool { return o.Section == f.Section }) {
			shown = func(s render.Style) string { return s.Of(v).SectionTwice(f.Section) }
			continue
		}
		text, err := a.typedUpTo(wire.MaxAnswer, func(s render.Style) string { return s.Of(v).FindingText() })
		if err != nil {
			return out, err
		}
		if text != "" {
			out = append(out, newFinding(section, text))
		}
	}
	return out, nil
}
