package render

import (
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
)

// waitsForAnswer is a run that asks for approval, once more.
func waitsForAnswer() wire.RunView {
	v := live()
	v.State, v.Reason, v.Stage = "waiting", "answer", "asking"
	v.Question = &wire.QuestionView{
		Number: 2, Gate: "approved", Phase: "plan", Kind: "approval", Again: true, Assurance: "pin", Since: noon.Add(-time.Hour), Expires: at(2 * time.Hour),
		Set: strings.Repeat("3f2a9c1b", 8), Files: []string{"docs/plan.md"},
		Text: "Gate approved: approve docs/*.md?\n\n  docs/plan.md\n\nChanged since it was shown:\n\ndiff --git a/docs/plan.md b/docs/plan.md\n" +
			"--- a/docs/plan.md\n+++ b/docs/plan.md\n@@ -1,3 +1,3 @@\n one" + steering + "\n-two\n+zwei\u202e\n three\n",
	}
	return v
}

// What nobody was asked about is shown as that, with the one answer that it takes.
func TestWhatWasAcceptedByHandOffReadsAsThat(t *testing.T) {
	t.Parallel()
	v := live()
	v.Handoff = []string{"wanted", "approved" + steering}
	pushed, kept, stale := live(), live(), live()
	pushed.Published = &wire.PublishedView{Commit: "4b825dc642cb6eb9", Link: "https://github.com/owner/name/pull/7"}
	kept.Published = &wire.PublishedView{Problem: "git push exited with 1" + steering}
	stale.Published = &wire.PublishedView{Commit: "4b825dc642cb6eb9", Problem: "gh is not logged in: gh auth login"}
	refused := live()
	refused.Unhanded = "this needs a person at a terminal: it is not in the foreground"
	shown := waitsForAnswer()
	shown.Question.Handoff, shown.Question.Again, shown.Question.Assurance, shown.Question.Expires = true, false, "tty", nil
	part := wire.SummaryPart{Part: "design", Gates: []wire.SummaryGate{{Gate: "approved", Kind: "approval", Verdict: "pass", By: []wire.SummaryBy{{Who: "person:0@h/pts-3", Says: "ok", Assurance: "handoff", At: at(0)}}}}}
	for _, lang := range []string{"en", "ja"} {
		v, refused, shown.Language = in(v, lang), in(refused, lang), lang
		s := styles["plain"].Of(v)
		golden(t, "handoff."+lang, s.HandedOver(v)+s.HandedOver(refused)+s.HandedOver(live())+s.NoHandoff("yes"+steering)+s.HandoffPIN()+"\n"+
			s.Status(v)+s.Question(shown)+s.AnswerKeys(*shown.Question)+"\n"+s.StaysAccepted(shown)+s.summary([]wire.SummaryPart{part})+
			s.published(pushed.Published)+"\n"+s.published(kept.Published)+"\n"+s.published(stale.Published)+"\n"+s.End(wire.WhyView{Run: kept, Because: "done"}))
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	choice := wire.QuestionView{Kind: "choice", Options: 3, Recommended: 2}
	for style, s := range styles {
		v := waitsForAnswer()
		got := s.Question(v) + s.AnswerKeys(*v.Question) + s.FindingSection(1) + s.FindingText() + s.FindingSection(2) +
			s.AnswerAsk("ok", "3f2a9c") + s.AnswerAsk("no", "3f2a9c") + s.AnswerAsk("text", "k3xq") + s.AnswerKeys(choice) +
			s.AnswerKeys(wire.QuestionView{Kind: "text"}) + "\n" + s.Answered(v, *v.Question, "ok") + s.LeftOpen(v) + "\n" +
			s.Status(v) + s.Live(v) + "\n" + s.Home(wire.ReportView{Parts: []wire.ReportPart{{Name: wire.PartNeedsYou, Runs: []wire.ReportRun{
			{Run: v, Next: wire.NextCommand{Command: "apctl answer k3xq"}},
		}}}}) + s.Error(WrongWord(v, "3f2a9c", "yes")) + s.Error(OtherSet(v, "000000")) + s.Error(NoFinding()) + s.Error(FindingsFor("ok"))
		golden(t, "question."+style, got)
		if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\u202e") {
			t.Errorf("controls are let through: %q", got)
		}
		if style == "colour" && Clean(got) == got {
			t.Error("no colour")
		}
	}
}
