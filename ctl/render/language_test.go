package render

import (
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// in is a run as it is shown in a language.
func in(v wire.RunView, language string) wire.RunView {
	v.Language = language
	v.Gates = slices.Clone(v.Gates)
	for i, g := range v.Gates {
		if g.Verdict != "" {
			v.Gates[i].Says = said(language, g.Reason, g.Exit)
		}
	}
	return v
}

// said is how the daemon words the reason of a gate.
func said(language, reason string, exit int) string {
	return phrase.Reason(events.Language(language), events.GateResult{Reason: events.Reason(reason), Exit: exit})
}

// screens are what a person reads of runs, in a language.
func screens(s Style, language string) map[string]string {
	asked := in(waitsForAnswer(), language)
	if language == "ja" {
		asked.Question.Text = strings.NewReplacer("Gate approved: approve docs/*.md?", "ゲート approved: docs/*.md を承認しますか。", "Changed since it was shown:", "前回の提示からの変更:").Replace(asked.Question.Text)
	}
	why := func(w wire.WhyView) wire.WhyView { w.Run.Language = language; return w }
	went := why(done())
	went.Summary = []wire.SummaryPart{
		{Part: "clarification", Gates: []wire.SummaryGate{{Gate: "clear", Kind: "interview", Verdict: "pass", Reason: "looked", Says: said(language, "looked", 0)}}},
		{Part: "plan", Gates: []wire.SummaryGate{{Gate: "agreed", Kind: "approval", Verdict: "pass", By: []wire.SummaryBy{{Who: "person:1000@host/pts/1", Says: "ok", Assurance: "tty"}}}}},
		{Part: "implementation", Work: []wire.SummaryWork{{Phase: "build", Iterations: 3, Files: 2, Tree: "0123456789abcdef"}}},
		{Part: "verification", Gates: []wire.SummaryGate{{Gate: "calm", Kind: "repeat", Verdict: "fail", Reason: "not-stable", Says: said(language, "not-stable", 0)}}},
		{Part: "review", Gates: []wire.SummaryGate{{Gate: "reviewed", Kind: "review"}}},
		{Part: "qa", Gates: []wire.SummaryGate{{Gate: "used", Kind: "qa", Verdict: "skipped", Reason: "docs-only", Says: said(language, "docs-only", 0)}}},
	}
	waits := in(live(), language)
	waits.State, waits.Reason, waits.NextWake = "waiting", "rate-limited", at(90*time.Minute)
	waits.Waiting = &wire.WaitView{Cause: "rate-limited", Until: *waits.NextWake, Place: 3}
	box := inbox()
	box.Language = language
	for i := range box.Items {
		box.Items[i].Language = language
	}
	goes := waits
	goes.Changed, goes.HeadMoved = []string{"main.go"}, &wire.HeadMoved{From: "main at 0123456", To: "feat/\x1b[31mother at abcdef0"}
	s = s.In(language)
	choice, text := wire.QuestionView{Kind: "choice", Options: 3, Recommended: 2}, wire.QuestionView{Kind: "text"}
	return map[string]string{
		"question": s.Question(asked) + s.AnswerKeys(*asked.Question) + s.FindingSection(1) + s.FindingText() + s.FindingSection(2) + "\n" +
			s.AnswerAsk("ok", "3f2a9c") + "\n" + s.AnswerAsk("no", "3f2a9c") + "\n" + s.AnswerPIN("ok") + "\n" + s.AnswerKeys(choice) + s.AnswerKeys(text) + "\n" +
			s.Answered(asked, *asked.Question, "ok") + s.LeftOpen(asked) + s.DriftAsk(in(same().Run, language), false) + "\n",
		"list": s.List(wire.ListReply{Language: language, Runs: []wire.RunView{in(live(), language), waits, in(same().Run, language), in(live(), "")}, More: 2}) +
			s.Live(waits) + "\n" + s.Inbox(box) + s.Inbox(wire.InboxView{Language: language}),
		"status": s.Status(waits) + s.Began(waits) + s.Interrupted(waits) + s.StopsAfter(waits) + s.StopsNow(waits) + s.Resumed(goes) + s.Waits(waits) + s.GoesOn(waits),
		"why":    s.Why(why(same())) + s.Why(why(tried())),
		"end":    s.End(went) + s.End(why(asking())),
		"screen": strings.Join(s.Panel(why(same()), 80), "\n") + "\n" + strings.Join(s.Runs([]wire.RunView{waits, in(live(), language)}, 80), "\n") + "\n",
	}
}

func TestWhatIsReadOfRunsInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "ja"} {
		for name, got := range screens(Style{Now: noon, Width: 80}, language) {
			golden(t, "language-"+name+"."+language, got)
			for l := range strings.Lines(got) {
				long := strings.Contains(l, "apctl ") || strings.Contains(l, "Enter") // commands are never broken
				if l = strings.TrimRight(l, "\n"); columns(l) > 80 && !long {
					t.Errorf("%s in %s has a line of %d cells: %s", name, language, columns(l), l)
				}
			}
		}
	}
}

// Each row is in the language of its run, under heads in that of the user.
func TestAListOfRunsHasEachInItsOwnLanguage(t *testing.T) {
	t.Parallel()
	a, b := in(same().Run, "ja"), in(same().Run, "en")
	got := Style{Now: noon}.List(wire.ListReply{Runs: []wire.RunView{a, b}})
	for _, want := range []string{"STATE", "停止: ", "halted: "} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

func TestLinesBreakBetweenWideCharactersAndNotBeforeTheirMarks(t *testing.T) {
	t.Parallel()
	const text = "停止: イテレーション 3 の後も、固定ファイルまたはツールが変更されたままか、再び変更されています(drift)。"
	for width := 22; width <= 60; width++ {
		got := Style{Width: width}.wrap(text, "  ")
		for l := range strings.Lines(got) {
			l = strings.TrimPrefix(strings.TrimRight(l, "\n"), "  ")
			if columns(l)+2 > width || strings.ContainsRune(noStart, []rune(l)[0]) {
				t.Errorf("%d cells: %q", width, l)
			}
		}
		joined := strings.ReplaceAll(strings.ReplaceAll(got, "\n", ""), " ", "")
		if joined != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%d cells: something is lost in %q", width, got)
		}
	}
	if got := (Style{Width: 30}).wrap("plain words are broken at blanks only", ""); got != "plain words are broken at\nblanks only\n" {
		t.Errorf("%q", got)
	}
}
