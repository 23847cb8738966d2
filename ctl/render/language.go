package render

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// In is the style for texts in a language; one that is not known is English.
func (s Style) In(language string) Style {
	s.lang = events.Language(language)
	return s
}

// Of is the style for texts about a run: in the language that the daemon names.
func (s Style) Of(v wire.RunView) Style { return s.In(v.Language) }

// say makes a text in the language of the style.
func (s Style) say(en, ja string, args ...any) string { return phrase.Say(s.lang, en, ja, args...) }

// count writes a number with its noun, or its counter: 1 file, 3 files, 3 ファイル.
func (s Style) count(n int, noun, ja string) string {
	return phrase.Counted(s.lang, n, noun, ja)
}

// listed puts parts behind one another.
func (s Style) listed(parts ...string) string {
	return strings.Join(nonempty(parts...), s.say(", ", "、"))
}

// ago is how long something is past.
func (s Style) ago(t string) string { return s.say("%s ago", "%s 前", t) }

// margin is what a fact has to its left: the longest name, and the gaps.
func (s Style) margin() int {
	if s.lang == events.Japanese {
		return 18
	}
	return 13
}

// state is the word for the state of a run.
func (s Style) state(state string) string {
	switch state {
	case "running":
		return s.say("running", "実行中")
	case "waiting":
		return s.say("waiting", "待機中")
	case "halted":
		return s.say("halted", "停止")
	case string(events.EndDone):
		return s.say("done", "完了")
	case string(events.EndGraceful):
		return s.say("ended", "終了")
	case string(events.EndAlreadyGreen):
		return s.say("already-green", "達成済み")
	case string(events.EndCancelled):
		return s.say("cancelled", "取り消し")
	case string(events.EndFailed):
		return s.say("failed", "失敗")
	case string(events.EndRefused):
		return s.say("refused", "開始拒否")
	}
	return Line(state)
}

// stage is the word for what a live run does.
func (s Style) stage(stage string) string {
	switch stage {
	case "baseline":
		return s.say("baseline", "ベースライン")
	case "agent":
		return s.say("agent", "作業中")
	case "gates":
		return s.say("gates", "判定中")
	case "looking":
		return s.say("looking", "確認中")
	case "asking":
		return s.say("asking", "回答待ち")
	case "deciding":
		return s.say("deciding", "判断中")
	}
	return Line(stage)
}

// verdictWord is the word for the answer of a gate.
func (s Style) verdictWord(v string) string { return Line(phrase.Verdict(s.lang, events.Verdict(v))) }

// waitsWord is the word for what of a person something waits for.
func (s Style) waitsWord(kind string) string {
	switch kind {
	case "question":
		return s.say("question", "質問")
	case "blocked":
		return s.say("blocked", "進行不能")
	case "permission":
		return s.say("permission", "権限")
	case "login":
		return s.say("login", "ログイン")
	case "billing":
		return s.say("billing", "支払い")
	case "drift":
		return s.say("drift", "固定ファイルの変更")
	case "log":
		return s.say("log", "ログの欠損")
	case "reboot":
		return s.say("reboot", "再起動")
	case "workspace":
		return s.say("workspace", "ワークスペース")
	case "agent":
		return s.say("agent", "エージェント")
	case "gate":
		return s.say("gate", "ゲート")
	case "foreign":
		return s.say("foreign", "外部の変更")
	case "limit-ended":
		return s.say("limit-ended", "上限の解除")
	case "trust":
		return s.say("trust", "信頼")
	case "queue":
		return s.say("queue", "キュー")
	case "halted":
		return s.say("halted", "停止")
	}
	return Line(kind)
}
