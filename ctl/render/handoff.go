package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// HandedOver says at the start of a run which gates nobody is asked at, or why one is
// asked all the same; empty where neither was wanted.
func (s Style) HandedOver(v wire.RunView) string {
	s = s.Of(v)
	switch h := Line(v.Handle); {
	case v.Unhanded != "":
		return "  " + s.say("FA_HANDOFF=1 hands nothing over here, and its gates will ask: %s", "FA_HANDOFF=1 は無効で、ゲートは回答を求めます: %s", Line(v.Unhanded)) + "\n"
	case len(v.Handoff) > 0:
		return "  " + s.say("accepted by hand-off, without asking (FA_HANDOFF=1): %s", "引き継ぎにより尋ねずに承認 (FA_HANDOFF=1): %s", s.handoff(v)) + "\n  " +
			s.say("apctl answer %s   shows what was accepted, and sends it back if you say so", "apctl answer %s   承認されたものを表示し、差し戻せる", h) + "\n"
	}
	return ""
}

// handoff are the gates that were handed over.
func (s Style) handoff(v wire.RunView) string { return strings.Join(each(v.Handoff), ", ") }

// NoHandoff says that a value of FA_HANDOFF is none.
func (s Style) NoHandoff(value string) string {
	return "FA_HANDOFF is " + fmt.Sprintf("%.40q", value) + ", and only 1 hands approvals over: they will be asked for\n"
}

// HandoffPIN asks for the PIN, where one is set.
func (s Style) HandoffPIN() string {
	return "FA_HANDOFF=1 hands the approvals of this run over, and a PIN is set.\nPIN, or Enter to be asked at its gates: "
}

// acceptedTitle heads what was accepted by hand-off.
func (s Style) acceptedTitle(q wire.QuestionView) string {
	return s.say("%s of phase %s was accepted by hand-off: nobody has looked at it", "%s(フェーズ %s)は引き継ぎで承認済みです。まだ誰も確認していません", s.asker(q), Line(q.Phase))
}

// rejectKeys asks whether what was accepted by hand-off is sent back.
func (s Style) rejectKeys() string {
	return s.say("\n%s takes what you found and sends it back, %s leaves it accepted (Enter): ", "\n%s で指摘を入力して差し戻し、%s で承認のまま (Enter): ", s.paint(bold, "no"), s.paint(bold, "later"))
}

// StaysAccepted says that what was accepted by hand-off was not rejected.
func (s Style) StaysAccepted(v wire.RunView) string {
	return s.Of(v).say("nothing was answered; run %s goes on with what was accepted", "回答していません。実行 %s は承認されたもので続行します", Line(v.Handle)) + "\n"
}

// published is what became of showing work that has passed.
func (s Style) published(p *wire.PublishedView) string {
	switch {
	case p == nil:
		return ""
	case p.Problem != "" && p.Commit != "":
		return s.say("%s, but its draft is not up to date: %s", "%s。ただしドラフト PR は更新できませんでした: %s", Hash(p.Commit), Line(p.Problem))
	case p.Problem != "":
		return s.say("not pushed, the work stays on its branch here: %s", "プッシュできませんでした。成果はこの環境のブランチに残っています: %s", Line(p.Problem))
	}
	return s.listed(nonempty(Hash(p.Commit), Line(p.Link), mark(p.Ready, s.say("merge-ready by hand-off", "引き継ぎによりマージ可能 (merge-ready)")))...)
}

// Express asks whether a small task needs its workflow.
func (s Style) Express(flow, saw string) string {
	return "The task looks small and harmless (" + Line(saw) + "): it may not need workflow " + Line(flow) + ".\nyes starts nothing, so that you do it directly; anything else goes on: "
}

// HalfwayAsk asks whether a run may begin in the middle of what git has not ended.
func (s Style) HalfwayAsk(e wire.Error) string {
	return Line(e.Message) + ".\nThe agent would work on half of it. yes begins all the same; anything else starts nothing: "
}

// WentExpress says that nothing was started, as a person wanted.
func WentExpress(flow string) *wire.Error {
	return &wire.Error{
		Code: wire.Conflict, Message: "nothing was started: the task does not need workflow " + Line(flow) + ", as you said",
		Hint: "edit it without a run, or:\napctl run \"TASK\" --gate NAME=CMD   repeats one phase until the gate passes",
	}
}
