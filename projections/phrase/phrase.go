// Package phrase holds the words that the daemon and apctl both have for the
// same fact, so that it reads the same in a log, a status and an explanation,
// in each language.
//
// It is pure and links nothing but the vocabulary, as apctl pays for all that
// it links at every start.
package phrase

import (
	"autopilot/events"
	"autopilot/projections/when"
)

// timeout names the limit of time that ended a gate, and its flag.
func timeout(l events.Language, r events.GateResult) string {
	if r.Limit == 0 {
		return Say(l, "out of time", "時間切れ")
	}
	return Say(l, "ended at its time limit of %s (--gate-timeout)", "制限時間 %s で終了(--gate-timeout)", when.LimitText(r.Limit))
}

// Reason says why a gate gave its verdict; of a result only the kind, the reason, the
// verdict, the exit code and the numbers that were compared count.
func Reason(l events.Language, r events.GateResult) string {
	if text := rated(l, r); r.Rate.Runs > 0 && text != "" {
		return text
	}
	switch r.Reason {
	case events.ReasonExit:
		if r.Kind == events.GateHoldout && r.Of > 0 {
			return Say(l, "%d of %d fail", "%d / %d 件が失敗", r.Used, r.Of)
		}
		return exit(l, r.Exit)
	case events.ReasonSignal:
		return Say(l, "killed by a signal", "シグナルで終了")
	case events.ReasonTimeout:
		return timeout(l, r)
	case events.ReasonSilent:
		return Say(l, "no sign of life for too long", "長時間の無応答")
	case events.ReasonNotFound:
		return Say(l, "command not found", "コマンドが見つからない")
	case events.ReasonNoShell:
		return Say(l, "no shell", "シェルがない")
	case events.ReasonNoDirectory:
		return Say(l, "its directory is missing", "ディレクトリがない")
	case events.ReasonToolChanged:
		return Say(l, "a required tool was replaced or is gone", "必要なツールが差し替えられたか、なくなっている")
	case events.ReasonTreeChanged:
		return Say(l, "files changed while it ran", "実行中にファイルが変更された")
	case events.ReasonUnchanged, events.ReasonPinChanged:
		return pinned(l, r)
	case events.ReasonWritten:
		return Say(l, "every file is written", "ファイルはすべて作成済み")
	case events.ReasonMissing:
		return Say(l, "a file is missing", "ファイルがない")
	case events.ReasonBlank:
		return Say(l, "a file is blank", "ファイルが空")
	case events.ReasonStale:
		return Say(l, "a file is unchanged since before the work", "ファイルが作業前のまま")
	case events.ReasonNoFile:
		return Say(l, "a link, a repository or a very large file cannot be judged", "リンク、リポジトリ、巨大なファイルは判定の対象にならない")
	case events.ReasonSetup:
		return setup(l, r)
	case events.ReasonUnready:
		return Say(l, "it failed before it tested anything (exit %d)", "テストの実行前に失敗(終了コード %d)", r.Exit)
	default:
	}
	if text := unproven(l, r); text != "" {
		return text
	}
	return seen(l, r)
}

// rated says it of a command that ran several times; empty where that is not what
// decided.
func rated(l events.Language, r events.GateResult) string {
	switch r.Reason {
	case events.ReasonExit, events.ReasonUncertain:
		if r.Verdict == events.Fail {
			return Say(l, "failed in run %d, but must pass every time", "%d 回目で失敗(毎回成功が条件)", r.Rate.Runs)
		}
		return Say(l, "failed %d of %d", "失敗 %d / %d 回", r.Rate.Failed, r.Rate.Runs)
	case events.ReasonFlaky, events.ReasonSteady, events.ReasonConstant:
		return Say(l, "failed %d of %d", "失敗 %d / %d 回", r.Rate.Failed, r.Rate.Runs)
	case events.ReasonNotRed:
		return Say(l, "failed %d of %d without the work", "実装なしで失敗 %d / %d 回", r.Rate.Failed, r.Rate.Runs)
	case events.ReasonSeenRed, events.ReasonControl:
		if r.After.Runs > 0 {
			return Say(l, "failed %d of %d before, %d of %d after", "失敗 実装前 %d / %d 回、実装後 %d / %d 回", r.Rate.Failed, r.Rate.Runs, r.After.Failed, r.After.Runs)
		}
		if r.Reason == events.ReasonSeenRed {
			return Say(l, "failed %d of %d before the work", "実装前の失敗 %d / %d 回", r.Rate.Failed, r.Rate.Runs)
		}
	default:
	}
	return ""
}

// pinned says it of files that are to stay as they are: those that prove the work,
// and those that a person approved.
func pinned(l events.Language, r events.GateResult) string {
	switch anchor, kept := r.Kind == events.GateAnchor, r.Reason == events.ReasonUnchanged; {
	case anchor && kept:
		return Say(l, "as it was approved", "承認時のまま")
	case anchor:
		return Say(l, "not as it was approved", "承認時から変更された")
	case kept:
		return Say(l, "pinned files unchanged", "固定ファイルに変更なし")
	default:
		return Say(l, "pinned files changed", "固定ファイルが変更された")
	}
}

// setup says what became of the set-up of a clean checkout.
func setup(l events.Language, r events.GateResult) string {
	switch {
	case r.Verdict == events.Skipped:
		return Say(l, "not run, because the set-up failed", "セットアップに失敗したため未実行")
	case r.Exit < 0:
		return Say(l, "set-up of a clean checkout did not finish", "クリーンなチェックアウトのセットアップが終わらなかった")
	}
	return Say(l, "set-up of a clean checkout: %s", "クリーンなチェックアウトのセットアップ: %s", exit(l, r.Exit))
}

// unproven says why an exit code of 0 is no pass; empty where that is not the reason.
func unproven(l events.Language, r events.GateResult) string {
	switch r.Reason {
	case events.ReasonNamesFailing:
		return Say(l, "exit 0, but the output names failing tests", "exit 0 だが、出力に失敗したテストがある")
	case events.ReasonNoTests:
		return Say(l, "exit 0, but no test ran", "exit 0 だが、テストが 1 件も実行されていない")
	case events.ReasonMissingTests:
		return Say(l, "exit 0, but tests that ran before did not run", "exit 0 だが、以前のテストの一部が実行されていない")
	case events.ReasonNotSeen:
		return Say(l, "exit 0, but the output does not show that the tests of the start pass", "exit 0 だが、開始時に失敗したテストの成功を確認できない")
	default:
	}
	return ""
}

// seen says it of gates at which somebody looks, or history does.
func seen(l events.Language, r events.GateResult) string {
	switch r.Reason {
	case events.ReasonNobody:
		return Say(l, "no review or answer yet", "まだ誰も確認・回答していない")
	case events.ReasonLooked:
		return Say(l, "by the result of a reviewer", "別の役割のセッションの判断")
	case events.ReasonVoid:
		return Say(l, "no session gave a valid result", "有効な結果を出したセッションがない")
	case events.ReasonAnswered:
		return Say(l, "by the answer of a person", "担当者の回答")
	case events.ReasonHandoff:
		return Say(l, "accepted by hand-off without a review", "引き継ぎによる承認、誰も確認していない")
	case events.ReasonByPerson:
		return Say(l, "a person skipped it", "人の判断で省略")
	case events.ReasonDocsOnly:
		return Say(l, "only documentation was changed", "変更はドキュメントのみ")
	case events.ReasonVoidInput:
		return Say(l, "declared not applicable by its input", "入力で対象外と指定")
	case events.ReasonInside:
		return Say(l, "only declared files were changed", "変更は宣言されたファイルのみ")
	case events.ReasonOutside:
		return Say(l, "other files were changed", "対象外のファイルが変更された")
	case events.ReasonNoCommit:
		return Say(l, "there is no commit of the test alone", "テストだけのコミットがない")
	case events.ReasonAncestry:
		return Say(l, "the commit of the test is not before that of the work", "テストのコミットが実装より前にない")
	case events.ReasonNotRed:
		return Say(l, "the test passes without the work", "実装がなくてもテストが通る")
	case events.ReasonSeenRed:
		return Say(l, "the test failed before the work", "実装前のテスト失敗を確認済み")
	case events.ReasonFlaky:
		return Say(l, "it failed at times", "失敗することがある")
	case events.ReasonConstant:
		return Say(l, "it failed every time", "毎回失敗")
	case events.ReasonSteady:
		return Say(l, "it passed every time", "毎回成功")
	case events.ReasonUncertain:
		return Say(l, "it passed, and it failed", "成功と失敗が混在")
	case events.ReasonControl:
		return Say(l, "the test fails as often with the work", "実装があってもテストの失敗は変わらない")
	case events.ReasonRow:
		return Say(l, "the named commit differs from the one found", "申告されたコミットと見つかったコミットが異なる")
	case events.ReasonNotYet:
		return Say(l, "not run, because another gate fails", "ほかのゲートが失敗しているため未実行")
	case events.ReasonGitKept:
		return Say(l, "nothing forbidden was done in git", "git で禁止された操作なし")
	case events.ReasonPushed:
		return Say(l, "something was pushed", "プッシュがあった")
	case events.ReasonHistory:
		return Say(l, "history of the start is gone or moved", "開始時の履歴が失われたか移動した")
	case events.ReasonUnread:
		return Say(l, "the state of git could not be read", "git の状態を読み取れない")
	case events.ReasonHoldoutChanged:
		return Say(l, "the held-out files were changed", "秘匿ファイルが開始時と異なる")
	default:
	}
	return told(l, r)
}

// told says it of a session that tells how it went.
func told(l events.Language, r events.GateResult) string {
	switch r.Reason {
	case events.ReasonReported:
		return Say(l, "the session reported its outcome", "セッションが結果を報告")
	case events.ReasonNoReport:
		return Say(l, "the session reported no outcome", "セッションの結果報告がない")
	case events.ReasonBadReport:
		return Say(l, "the report of the session cannot be read", "セッションの報告を読み取れない")
	case events.ReasonStall:
		return Say(l, "no progress for %d s; the limit is %d s", "%d 秒間動きがない(%d 秒で停滞とみなす)", r.Used, r.Limit)
	case events.ReasonSpiral:
		return Say(l, "%d in a spiral", "堂々巡り %d 件", r.Used)
	case events.ReasonFailedWave:
		if r.Used == 0 {
			return Say(l, "the session failed", "セッションが失敗")
		}
		return Say(l, "%d failed", "失敗 %d 件", r.Used)
	case events.ReasonCarryover:
		return Say(l, "%d of %d planned issues are left, more than %d %%", "予定した課題の残り %d / %d 件(%d %% 超)", r.Used, r.Of, r.Limit)
	default:
	}
	return control(l, r)
}

// exit says what the shell means by the codes that are its own.
func exit(l events.Language, code int) string {
	switch code {
	case 126:
		return Say(l, "exit 126: the gate runs a file that cannot be executed", "exit 126: 実行できないものが含まれている")
	case 127:
		return Say(l, "exit 127: the gate runs something that was not found", "exit 127: 見つからないものが含まれている")
	}
	return Say(l, "exit %d", "exit %d", code)
}

// Verdict is the word for the answer of a gate.
func Verdict(l events.Language, v events.Verdict) string {
	switch v {
	case events.Pass:
		return Say(l, "pass", "成功")
	case events.Fail:
		return Say(l, "fail", "失敗")
	case events.Skipped:
		return Say(l, "skipped", "省略")
	case events.Unverifiable:
		return Say(l, "unverifiable", "検証不能")
	case events.Open:
		return Say(l, "open", "未決")
	}
	return string(v)
}

// Part is the word for a part of what a run went through.
func Part(l events.Language, part string) string {
	switch part {
	case "clarification":
		return Say(l, "clarification", "要件の確認")
	case "plan":
		return Say(l, "plan", "計画")
	case "implementation":
		return Say(l, "implementation", "実装")
	case "verification":
		return Say(l, "verification", "検証")
	case "review":
		return Say(l, "review", "レビュー")
	case "qa":
		return Say(l, "qa", "QA")
	}
	return part
}
