package explain

import (
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// landing says what became of a landing run that is over.
func landing(s run.State) string {
	l := s.Facts.Language
	switch {
	case s.Published != nil && s.Published.Landing != "":
		return moved(l, *s.Published)
	case s.End.State == events.EndFailed:
		return say(l, "not landed: a gate fails on the merged tree %s", "反映せず: マージ後のツリー %s で失敗するゲートがあります", Short(string(s.End.Tree)))
	case s.End.Reason == events.RefusedInvariantRed:
		return say(l, "not landed: gate %s fails on the target branch already, without the work", "反映せず: 成果を加える前の対象ブランチで、ゲート %s がすでに失敗しています", s.End.Gate)
	}
	return over(l, *s.End)
}

// moved says what became of the target of a landing whose gates have passed.
func moved(l events.Language, d events.WorkPublished) string {
	id := Short(d.Commit)
	switch d.Landing {
	case events.LandKept:
		return say(l, "every gate passed on the merged tree %s; its branch is checked out, so it waits for git merge --ff-only", "マージ後のツリー %s ですべてのゲートが成功。対象ブランチはチェックアウト中のため、git merge --ff-only を待っています", id)
	case events.LandMoved:
		return say(l, "not landed: every gate passed on %s, but others moved the branch meanwhile", "反映せず: %s ですべてのゲートが成功しましたが、その間に対象ブランチが動きました", id)
	case events.LandFailed:
		return say(l, "not landed: every gate passed on %s, but git did not move the branch", "反映せず: %s ですべてのゲートが成功しましたが、git が対象ブランチを動かせませんでした", id)
	case events.LandDone:
	}
	return say(l, "landed: every gate passed on the merged tree, and the branch is at %s", "反映済み: マージ後のツリーですべてのゲートが成功し、対象ブランチは %s にあります", id)
}

// afterLanding names what a person can do after a landing.
func afterLanding(s run.State) []wire.NextCommand {
	h, l := s.Facts.Handle, s.Facts.Language
	diff := commands("apctl diff "+h, say(l, "what it brings onto the branch", "対象ブランチに加わる変更"))
	switch {
	case s.Published != nil && s.Published.Landing == events.LandKept:
		return append(commands("git merge --ff-only refs/autopilot/land/"+h, say(l, "brings the work tree of the branch to it", "対象ブランチの作業ツリーに取り込む")), diff...)
	case s.End.State == events.EndFailed && s.Published == nil:
		return append(commands("apctl logs "+h, printed(l)), diff...)
	}
	return diff
}
