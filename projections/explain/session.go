package explain

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// weakly says which gates were accepted by hand-off, and how many answers are the
// word of a chat.
func weakly(l events.Language, s run.State) string {
	text, n := "", 0
	for _, a := range s.Answers {
		if a.Assurance == events.AssuredSession {
			n++
		}
	}
	if n > 0 {
		text = say(l, "; %s reported only by a chat (session: weak)", "。チャットの言葉だけによる回答 %s(session: 弱い)", phrase.Counted(l, n, "answer", "件"))
	}
	if s.Facts.InSight {
		text += say(l, "; nothing hid the held-out files from the agent (held-out: weak)", "。秘匿ファイルはエージェントから隠されていませんでした(秘匿: 弱い)")
	}
	return text + handedOver(l, s)
}

// handedOver says what nobody has looked at, as who started the run handed it over.
func handedOver(l events.Language, s run.State) string {
	var gates []string
	for _, q := range s.Handed {
		gates = append(gates, string(q.Gate))
	}
	if len(gates) == 0 {
		return ""
	}
	return say(l, "; accepted by hand-off, not by a person (handoff: weak): %s", "。引き継ぎによる承認で、人は確認していません(handoff: 弱い): %s", strings.Join(gates, ", "))
}

// Chat names the chat that drives a run.
func Chat(l events.Language, program events.Name) string {
	if program == "" {
		return say(l, "a chat", "チャット")
	}
	return say(l, "a chat of %s", "%s のチャット", program)
}

// driven says what a run waits for that a chat works on.
func driven(s run.State) string {
	l := s.Facts.Language
	of := say(l, "iteration %d of %d", "イテレーション %d/%d ", s.Loop.Iteration, s.LastIteration())
	if s.Driver == nil {
		return say(l, "waiting: no chat drives it; the next chat to join works on %s", "待機中: 担当がいません。参加したチャットが%sに取り組みます", of)
	}
	return say(l, "waiting: %s, process %d, works on %s", "待機中: %s(プロセス %d)が%sに取り組んでいます", Chat(l, s.Driver.Program), s.Driver.PID, of)
}

// joins are the commands for a run that a chat works on.
func joins(s run.State) []wire.NextCommand {
	h, l := s.Facts.Handle, s.Facts.Language
	return commands("apctl session join "+h, say(l, "drive it from a chat", "チャットから担当する"),
		"apctl watch "+h, say(l, "follow it", "経過を見る"), "apctl stop "+h, say(l, "stop it", "停止する"))
}
