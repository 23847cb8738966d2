package explain

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Why names the rule that settled the present state and says in a sentence
// what it means.
func Why(s run.State) (rule, because string) {
	switch s.Status {
	case run.Halted:
		return string(s.Halt.Reason), halted(s, *s.Halt) + handedOver(s.Facts.Language, s)
	case run.Over:
		because := over(s.Facts.Language, *s.End)
		if s.End.State == events.EndDone && s.Last.Checkout == events.CheckoutClean {
			because += say(s.Facts.Language, ", and in a clean checkout of it", "(クリーンなチェックアウトでも成功)")
		}
		because += weakly(s.Facts.Language, s)
		if s.End.State == events.EndDone {
			because += flaky(s, s.Last.Record)
			because += rates(s.Facts.Language, s)
			because += beside(s.Facts.Language, s)
		}
		return string(s.End.State), because
	case run.Live:
		return live(s)
	case run.None:
	}
	return "", ""
}

// drifted tells a changed anchor, which halts at once, from changed pins, of which
// who works was warned.
func drifted(s run.State, h events.RunHalted) string {
	l := s.Facts.Language
	for _, r := range s.Last.Results {
		if r.Reason == events.ReasonHoldoutChanged {
			return say(l, "halted: the held-out files of gate %s are not those of the start, after iteration %d; put them back, or start a new run with them as they are",
				"停止: ゲート %s の秘匿ファイルが開始時と異なります(イテレーション %d の後)。元に戻すか、現在のファイルで新しい実行を始めてください", r.Gate, h.Iteration)
		}
		if r.Kind == events.GateAnchor && r.Verdict == events.Fail && r.Reason == events.ReasonPinChanged {
			return say(l, "halted: what a person approved was changed, as gate %s finds after iteration %d",
				"停止: 担当者が承認したファイルが変更されました(ゲート %s、イテレーション %d)", r.Gate, h.Iteration)
		}
	}
	switch driftOf(s) {
	case events.ReasonLeans:
		return say(l, "halted: the gates pass only with files that the agent added, as was found before and again after iteration %d",
			"停止: エージェントが追加したファイルがなければゲートは成功しません(イテレーション %d の後に再び確認)", h.Iteration)
	case events.ReasonOutsideChanged:
		return say(l, "halted: installed packages that gates load were changed, as was found before and again after iteration %d",
			"停止: ゲートが読み込むインストール済みパッケージが変更されました(イテレーション %d の後に再び確認)", h.Iteration)
	case events.ReasonToolChanged:
		return say(l, "halted: a program that gates run was changed, as was found before and again after iteration %d",
			"停止: ゲートが実行するプログラムが変更されました(イテレーション %d の後に再び確認)", h.Iteration)
	default:
	}
	return say(l, "halted: pinned files were changed, as was found before and again after iteration %d",
		"停止: 固定ファイルが変更されました(イテレーション %d の後に再び確認)", h.Iteration)
}

// driftOf is what is no longer as it was: pinned files, if they or nothing else is known.
func driftOf(s run.State) events.Reason {
	reason := events.ReasonPinChanged
	for _, r := range s.Last.Results {
		switch {
		case !rule.Broken(r):
		case r.Kind == events.GateProtected:
			return events.ReasonPinChanged
		default:
			reason = r.Reason
		}
	}
	return reason
}

// gitHalted tells a push, which cannot be undone, from history that was lost.
func gitHalted(s run.State, h events.RunHalted) string {
	l := s.Facts.Language
	for _, r := range s.Last.Results {
		if r.Kind == events.GateGit && r.Reason == events.ReasonHistory {
			return say(l, "halted: commits, branches, tags or stashes of the start are still gone or moved, or gone again, after iteration %d (git.history: keep)",
				"停止: イテレーション %d の後も、開始時のコミット・ブランチ・タグ・スタッシュが失われたままか、再び失われています(git.history: keep)", h.Iteration)
		}
	}
	return say(l, "halted: something was pushed in iteration %d, and the run allows no push (git.push: deny)",
		"停止: イテレーション %d でプッシュがありましたが、この実行では許可されていません(git.push: deny)", h.Iteration)
}

// byVerdicts says that a repeat was found by which gates pass, and what is not
// covered, alone.
func byVerdicts(s run.State, h events.RunHalted) bool {
	return h.Value == rule.Fingerprint(s.Last.Results, rule.Parts{Verdicts: true})
}

func halted(s run.State, h events.RunHalted) string {
	l := s.Facts.Language
	switch h.Reason {
	case events.HaltDrift:
		return drifted(s, h)
	case events.HaltLogIntegrity:
		return say(l, "halted: the event log of this run is not whole", "停止: この実行のイベントログに欠損があります")
	case events.HaltSameness:
		if byVerdicts(s, h) {
			return say(l, "halted by sameness: %s ended with the same verdicts", "停止(sameness): %sは、同じ判定でした", iterations(l, h.Iterations))
		}
		return say(l, "halted by sameness: %s failed in the same way on the same tree", "停止(sameness): %sは、同じツリーで同じ失敗でした", iterations(l, h.Iterations))
	case events.HaltStuck:
		if byVerdicts(s, h) {
			return say(l, "halted as stuck: %s ended with the same verdicts", "停止(stuck): %sは、同じ判定でした", iterations(l, h.Iterations))
		}
		return say(l, "halted as stuck: %s failed in the same way on the same tree", "停止(stuck): %sは、同じツリーで同じ失敗でした", iterations(l, h.Iterations))
	case events.HaltSignature:
		return say(l, "halted by signature: %s failed with the same failure", "停止(signature): %sは、同じ内容の失敗でした", iterations(l, h.Iterations))
	case events.HaltUnverifiable:
		return unverifiable(s, h)
	case events.HaltIterations:
		return say(l, "halted: the budget of %s is used up, and a gate still fails", "停止: 予算の %sを使い切りましたが、まだ失敗するゲートがあります",
			phrase.Counted(l, int(h.Limit), "iteration", "イテレーション"))
	case events.HaltHours:
		return say(l, "halted: the time that the run was given is used up, and a gate still fails", "停止: 与えられた時間を使い切りましたが、まだ失敗するゲートがあります")
	case events.HaltCost, events.HaltTokens, events.HaltTurns:
		return spent(s, h)
	case events.HaltAgentHung:
		return haltedHung(s, h)
	case events.HaltNoop, events.HaltAgentLost, events.HaltAgentFailed, events.HaltLimit, events.HaltAuthFailed, events.HaltBilling:
		return haltedByAgent(l, h)
	case events.HaltStopped:
		return say(l, "stopped on request after iteration %d; the work so far is kept", "依頼によりイテレーション %d の後に停止しました。ここまでの作業は残っています", h.Iteration)
	case events.HaltInternal:
		return say(l, "halted: the daemon could not do its own part", "停止: デーモンが自身の処理に失敗しました")
	case events.HaltNeedsPerson:
		return haltedForPerson(s, h)
	case events.HaltRebooted:
		return say(l, "halted: the host has booted anew, and after_reboot is ask", "停止: ホストが再起動しました(after_reboot は ask)")
	case events.HaltWorkspaceGone:
		if h.Value == events.GoneRepository {
			return say(l, "halted: the repository of the workspace was removed or damaged; the files are there",
				"停止: ワークスペースのリポジトリが削除されたか壊れています。ファイルは残っています")
		}
		return say(l, "halted: the workspace is gone", "停止: ワークスペースがありません")
	case events.HaltCycles, events.HaltPlan, events.HaltEntry, events.HaltExpired:
		return haltedBetween(s, h)
	case events.HaltForeign, events.HaltClaimLost:
		return haltedByOthers(l, h)
	case events.HaltGit:
		return gitHalted(s, h)
	case events.HaltUnproven:
		return say(l, "halted as unproven: all gates pass, but they pass on the files of the start too; something that is not recorded turned them green, as an ignored file, an installed package, a service or the clock",
			"停止(unproven): すべてのゲートは成功しましたが、開始時のファイルでも成功します。記録対象外の何かが変わっています")
	case events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover:
		return killed(l, h)
	}
	return say(l, "halted: %s", "停止: %s", h.Reason)
}

// haltedByAgent words the halts that the agent or its provider has led to.
func haltedByAgent(l events.Language, h events.RunHalted) string {
	switch h.Reason {
	case events.HaltNoop:
		return say(l, "halted: the agent changed nothing, %d times in a row", "停止: エージェントは %d 回続けて何も変更しませんでした", h.Limit)
	case events.HaltAgentLost:
		return say(l, "halted: the agent was lost %d times in a row", "停止: エージェントが %d 回続けて消失しました", h.Limit)
	case events.HaltAgentFailed:
		return say(l, "halted: the agent could not be started", "停止: エージェントを起動できませんでした")
	case events.HaltLimit:
		return say(l, "halted: %s, and the run was told not to wait", "停止: %s。待たない設定です", waitsFor(l, h))
	default:
	}
	return accountFailed(l, h)
}

// haltedForPerson words what the agent needs of a person.
func haltedForPerson(s run.State, h events.RunHalted) string {
	l := s.Facts.Language
	switch a := s.Last.Agent; {
	case a.Question != "" && a.Claim != events.ClaimBlocked:
		return say(l, "halted: the agent has a question after iteration %d", "停止: イテレーション %d の後、エージェントから質問があります", h.Iteration)
	case a.Result == events.ResultNeedsPermission:
		return say(l, "halted: the agent may not use the tools that it needs", "停止: エージェントに必要なツールの使用が許可されていません")
	case a.Result == events.ResultNeedsHuman:
		return say(l, "halted: the agent waits for a person in iteration %d", "停止: イテレーション %d で、エージェントが人の対応を待っています", h.Iteration)
	}
	return say(l, "halted: the agent says that it is blocked after iteration %d", "停止: イテレーション %d の後、エージェントは進めないと申告しています", h.Iteration)
}

func iterations(l events.Language, ns []int) string {
	var out []string
	for _, n := range ns {
		out = append(out, fmt.Sprint(n))
	}
	if l == events.Japanese {
		return "イテレーション " + strings.Join(out, "、") + " "
	}
	if len(out) < 2 {
		return "iterations " + strings.Join(out, "")
	}
	return "iterations " + strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

func over(l events.Language, d events.RunEnded) string {
	switch d.State {
	case events.EndDone:
		return say(l, "done after %s: every gate passed on tree %s", "%sで完了: ツリー %s ですべてのゲートが成功しました",
			phrase.Counted(l, d.Iteration, "iteration", "回のイテレーション"), Short(string(d.Tree)))
	case events.EndAlreadyGreen:
		return say(l, "already green: every goal passed before any work", "達成済み: 作業前からすべてのゴールが成功していました")
	case events.EndCancelled:
		return say(l, "cancelled on request %s; the work so far is kept", "依頼により、%sに取り消しました。ここまでの作業は残っています", afterIterations(l, d))
	case events.EndGraceful:
		return say(l, "ended as planned %s", "予定どおり、%sに終了しました", afterIterations(l, d))
	case events.EndFailed:
		return say(l, "failed %s: it cannot go on", "%sに失敗しました: 続けられません", afterIterations(l, d))
	case events.EndRefused:
		return refused(l, d)
	}
	return string(d.State)
}

func afterIterations(l events.Language, d events.RunEnded) string {
	if d.Iteration == 0 {
		return say(l, "before the first iteration", "最初のイテレーションの前")
	}
	return say(l, "after %s", "%sの後", phrase.Counted(l, d.Iteration, "iteration", "回のイテレーション"))
}

func refused(l events.Language, d events.RunEnded) string {
	switch d.Reason {
	case events.RefusedGoalGreen:
		return say(l, "refused: the gate passes already, so it cannot prove the task", "開始できません: ゲートがすでに成功しているため、タスクの証明になりません")
	case events.RefusedInvariantRed:
		return say(l, "refused: invariant %s fails before any work", "開始できません: 維持すべきゲート %s が作業前から失敗しています", d.Gate)
	case events.RefusedUnverifiable:
		return say(l, "refused: gate %s cannot be run", "開始できません: ゲート %s を実行できません", d.Gate)
	case events.RefusedUnstable:
		return say(l, "refused: gates change files that they judge", "開始できません: ゲートが判定対象のファイルを変更します")
	case events.RefusedSetup:
		return say(l, "refused: the set-up command fails in a clean checkout, before any work", "開始できません: 作業前に、クリーンなチェックアウトでセットアップコマンドが失敗します")
	case events.RefusedUnready:
		return say(l, "refused: goal %s fails before it tests anything, so its failure proves nothing", "開始できません: ゴール %s はテストの実行前に失敗するため、失敗しても何の証明にもなりません", d.Gate)
	}
	return say(l, "refused", "開始できません")
}

// live names what a run is at, or waits for, and says it in a sentence.
func live(s run.State) (rule, because string) {
	l := s.Facts.Language
	if s.Log.Broken != 0 {
		return string(events.HaltLogIntegrity), say(l, "about to be halted: event %d of its log does not follow the one before",
			"まもなく停止: ログのイベント %d が直前のイベントにつながりません", s.Log.Broken)
	}
	switch s.Stage {
	case run.Agent:
		if s.Driven() {
			return "session", driven(s)
		}
	case run.Asking:
		return "answer", asking(l, *s.Question)
	case run.Started, run.Gates, run.Looking, run.Ended, run.Judged, run.Ready:
	}
	switch {
	case atWork(s) != "":
		return running, atWork(s)
	case s.WaitsForLimit():
		return string(s.Waiting.Cause), say(l, "waiting: %s", "待機中: %s", waitingFor(l, s.Waiting.LimitWaiting, s.Facts.Limits.UntilMS))
	case s.Loop.Noops > 0 && s.Loop.Hung == 0:
		return string(events.HaltNoop), say(l, "waiting: the agent changed nothing, %d in a row; it is tried again later",
			"待機中: エージェントは %d 回続けて何も変更していません。後で再試行します", s.Loop.Noops)
	}
	return running, say(l, "running: deciding what comes after iteration %d", "実行中: イテレーション %d の次を判断しています", s.Loop.Iteration)
}

// atWork says what is going on; empty between two things.
func atWork(s run.State) string {
	l := s.Facts.Language
	switch s.Stage {
	case run.Started, run.Gates:
		if s.Loop.Iteration == 0 {
			return say(l, "running: judging the gates before any work", "実行中: 作業前のゲートを判定しています")
		}
		return say(l, "running: judging the gates of iteration %d", "実行中: イテレーション %d のゲートを判定しています", s.Loop.Iteration)
	case run.Agent:
		return say(l, "running: %s works on iteration %d of %d", "実行中: %sがイテレーション %d/%d を進めています", theAgent(l, s.Last.Start), s.Loop.Iteration, s.LastIteration()) +
			warned(l, s.Last.Start.Warned)
	case run.Looking:
		look := s.Last.Role
		return say(l, "running: %s looks at gate %s, in iteration %d", "実行中: %s がゲート %s を確認しています(イテレーション %d)", look.Role, look.Gate, s.Loop.Iteration) +
			round(l, look.Round) + named(l, look.Agent)
	case run.Asking, run.Ended, run.Judged, run.Ready:
	}
	return ""
}

const running = "running"

// FullDisk is why a live run waits that cannot store what it does.
func FullDisk(l events.Language) (rule, because string) {
	return "disk", say(l, "waiting: there is too little room on the disk; it goes on by itself when there is more",
		"待機中: ディスクの空きが足りません。空きができれば自動で再開します")
}

// IndexLocked says what of the repository makes git fail in the work tree, so that
// nobody takes it for a fault of the agent. pid zero is nobody that was seen.
func IndexLocked(l events.Language, path, since string, pid int) string {
	if pid > 0 {
		return say(l, "git's index is locked since %s by process %d (%s): git add and commit fail until that is done",
			"git のインデックスは %s からプロセス %d がロックしています (%s)。終わるまで git add と commit は失敗します", since, pid, path)
	}
	return say(l, "git's index is locked since %s, and no git is seen that has the lock: git add and commit fail until %s is removed",
		"git のインデックスは %s からロックされていますが、保持している git は見当たりません。%s を削除するまで git add と commit は失敗します", since, path)
}
