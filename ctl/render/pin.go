package render

import (
	"autopilot/events"
	"autopilot/events/wire"
)

// PIN says whether a PIN is set.
func (s Style) PIN(v wire.PINView) string {
	if !v.Set {
		return "no PIN is set\n"
	}
	text := "a PIN is set"
	if v.At != nil {
		text += ", since " + s.Clock(*v.At)
	}
	if v.Wrong > 0 {
		text += "; " + count(v.Wrong, "wrong try")
	}
	if v.Until != nil {
		text += ", and none is looked at before " + s.Clock(*v.Until)
	}
	return text + "\n"
}

// What is asked for without being shown.

// OldPIN asks for the PIN that is set.
func (Style) OldPIN() string { return "PIN that is set now, it is not shown: " }

// NewPIN asks for another one.
func (Style) NewPIN() string { return "new PIN, at least 4 characters: " }

// PINAgain asks for it once more.
func (Style) PINAgain() string { return "once more: " }

// AnswerPIN asks for the PIN instead of a challenge.
func (s Style) AnswerPIN(choice string) string {
	return s.say("PIN to answer %s, or Enter to leave it: ", "%s と回答するには PIN を入力してください。Enter で保留: ", s.paint(bold, Line(choice)))
}

// challenge asks for the PIN, where one is set, or for a word, before something
// is done.
func (s Style) challenge(does, word string, pin bool) string {
	if pin {
		return s.say("PIN to %s, it is not shown, or Enter to leave it: ", "%sには PIN を入力してください(表示されません)。Enter で保留: ", does)
	}
	return s.say("Type %[1]s to %[2]s, or press Enter to leave it: ", "%[2]sには %[1]s と入力してください。Enter で保留: ", s.paint(bold, Line(word)), does)
}

// DriftAsk says what it means to let a run go on that was halted by drift.
func (s Style) DriftAsk(v wire.RunView, pin bool) string {
	s = s.Of(v)
	if v.Reason == string(events.HaltUnproven) {
		means := s.say(`All gates pass, but today they pass with the files of the start too, so nothing
proves that the work turned them green (apctl why names what changed outside).
If you go on, the run is done, and its evidence says that you accepted it.
`, `すべてのゲートは成功しましたが、開始時のファイルでも成功するため、作業の効果は証明
されていません (apctl why で外部の変更を表示)。続けると実行は完了となり、受け入れた
ことが記録されます。
`)
		return s.head(v) + "\n\n" + means + "\n" + s.challenge(s.say("accept it", "受け入れる"), v.Handle, pin)
	}
	if v.Reason == string(events.HaltGit) {
		means := s.say(`It has pushed, or removed commits, branches, tags or stashes that were there at
the start, which the settings of this run do not allow (apctl why names them). If
you go on, the repository counts as it is now, and the next such change halts it.
`, `この実行の設定で禁止されているプッシュ、または開始時にあったコミット・ブランチ・
タグ・スタッシュの削除がありました (apctl why で表示)。続けると現在のリポジトリを
基準とし、次の違反で再び停止します。
`)
		return s.head(v) + "\n\n" + means + "\n" + s.challenge(s.say("resume it", "再開する"), v.Handle, pin)
	}
	means := s.say(`It has changed pinned files or tools: what proves its work. Put them back first
(apctl diff shows them). They stay pinned; if the next iteration leaves them
changed it is warned once more, and then halted again.
`, `固定ファイルまたはツール、つまり作業の証明となるものが変更されています。先に元に
戻してください (apctl diff で表示)。固定は続きます。次のイテレーションでも変更された
ままなら、もう一度警告し、その後で再び停止します。
`)
	return s.head(v) + "\n\n" + means + "\n" + s.challenge(s.say("resume it", "再開する"), v.Handle, pin)
}

// NotResumed says that a run stays halted, and why.
func NotResumed(v wire.RunView, why string) *wire.Error {
	h := Line(v.Handle)
	return &wire.Error{
		Code: wire.NeedsPerson, Message: why + ", so run " + h + " stays halted",
		Hint: "apctl diff " + h + "   shows what was changed\napctl resume " + h + "   asks again, at a terminal",
	}
}

// NoPIN says that nobody can be asked for it.
func NoPIN(why error) *wire.Error {
	return &wire.Error{Code: wire.NeedsPerson, Message: "the PIN is typed at a terminal: " + why.Error()}
}

// NothingTyped says that a PIN was not given.
func NothingTyped() *wire.Error {
	return &wire.Error{Code: wire.NeedsPerson, Message: "nothing was typed, so nothing has changed"}
}

// PINsDiffer says that a new PIN was not typed twice.
func PINsDiffer() *wire.Error {
	return usage("apctl pin set", "these were two different PINs, so nothing has changed")
}
