package explain

import (
	"fmt"
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
		text = say(l, "; %s by the word of a chat alone (session: weak)", "。チャットの言葉だけによる回答 %s(session: 弱い)", phrase.Counted(l, n, "answer", "件"))
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
		return say(l, "waiting: nobody drives it; a chat that joins works on %s", "待機中: 担当がいません。参加したチャットが%sに取り組みます", of)
	}
	return say(l, "waiting: %s, process %d, works on %s", "待機中: %s(プロセス %d)が%sに取り組んでいます", Chat(l, s.Driver.Program), s.Driver.PID, of)
}

// joins are the commands for a run that a chat works on.
func joins(s run.State) []wire.NextCommand {
	h, l := s.Facts.Handle, s.Facts.Language
	return commands("apctl session join "+h, say(l, "drive it from a chat", "チャットから担当する"),
		"apctl watch "+h, say(l, "follow it", "経過を見る"), "apctl stop "+h, say(l, "stop it", "停止する"))
}

// killed words the halt of a kill switch that looks at a session, with the
// numbers that were compared.
func killed(l events.Language, h events.RunHalted) string {
	switch h.Reason {
	case events.HaltStall:
		return say(l, "halted: nothing moved for %[1]s before the session of iteration %[2]d ended, and %[3]s is a stall",
			"停止: イテレーション %[2]d のセッションは終了前に %[1]s 動きがありませんでした(%[3]s で停滞とみなします)",
			short(h.Used*1000), h.Iteration, short(h.Limit*1000))
	case events.HaltSpiral:
		return say(l, "halted: the session of iteration %d tells of %d in a spiral, and one is enough",
			"停止: イテレーション %d のセッションから堂々巡りの報告が %d 件あります(1 件で停止)", h.Iteration, h.Used)
	case events.HaltCarryover:
		return say(l, "halted: the session of iteration %[1]d left %[2]d of %[3]s, more than %[4]d %%",
			"停止: イテレーション %[1]d のセッションは、予定した課題 %[3]sのうち %[2]d 件を残しました(%[4]d %% 超)",
			h.Iteration, h.Used, phrase.Counted(l, int(h.Of), "planned issue", "件"), h.Limit)
	default:
		if h.Used == 0 {
			return say(l, "halted: the session of iteration %d failed, and did not tell how it went",
				"停止: イテレーション %d のセッションが失敗し、結果の報告もありません", h.Iteration)
		}
		return say(l, "halted: the session of iteration %d tells of %d failed, and one is enough",
			"停止: イテレーション %d のセッションから失敗の報告が %d 件あります(1 件で停止)", h.Iteration, h.Used)
	}
}

// afterKill is the recovery that belongs to a kill switch.
//
// Source: session-orchestrator, seeds 2.1.4.
func afterKill(l events.Language, h string, reason events.Halt) []wire.NextCommand {
	diff, logs := "apctl diff "+h, "apctl logs "+h
	goOn, done := say(l, "go on", "続ける"), say(l, "what it has done", "行った作業")
	resume := func(what string) string { return fmt.Sprintf("apctl resume %s -m '%s'", h, what) }
	switch reason {
	case events.HaltStall:
		return commands(logs, say(l, "what it printed last, before nothing moved", "停滞前の最後の出力"), "apctl resume "+h, goOn)
	case events.HaltSpiral:
		return commands(diff, say(l, "look at it yourself: it goes round in circles", "自分で確認する。堂々巡りしている"), resume("WHAT TO REVERT, AND A SMALLER STEP"), goOn)
	case events.HaltCarryover:
		return commands(diff, done, resume("WHAT TO LEAVE OUT"), say(l, "go on with less to do", "範囲を減らして続ける"))
	default:
		return commands(logs, say(l, "find the cause", "原因を探す"), diff, done, resume("THE CAUSE, AND WHAT TO DO"), goOn)
	}
}
