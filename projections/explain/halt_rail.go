package explain

import (
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// railHalts are the halts of work that got nowhere, or of a proof that is not safe.
var railHalts = []halt{
	{
		reason: events.HaltSameness,
		says: func(l events.Language, s run.State, h events.RunHalted) string {
			if byVerdicts(s, h) {
				return say(l, "halted by sameness: %s ended with the same verdicts", "停止(sameness): %sは、同じ判定でした", iterations(l, h.Iterations))
			}
			return say(l, "halted by sameness: %s failed in the same way on the same tree", "停止(sameness): %sは、同じツリーで同じ失敗でした", iterations(l, h.Iterations))
		},
	},
	{
		reason: events.HaltStuck,
		says: func(l events.Language, s run.State, h events.RunHalted) string {
			if byVerdicts(s, h) {
				return say(l, "halted as stuck: %s ended with the same verdicts", "停止(stuck): %sは、同じ判定でした", iterations(l, h.Iterations))
			}
			return say(l, "halted as stuck: %s failed in the same way on the same tree", "停止(stuck): %sは、同じツリーで同じ失敗でした", iterations(l, h.Iterations))
		},
	},
	{
		reason: events.HaltSignature,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted by signature: %s failed with the same failure", "停止(signature): %sは、同じ内容の失敗でした", iterations(l, h.Iterations))
		},
	},
	{
		reason: events.HaltPlan,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: gate %s sent the same plan back %s", "停止: ゲート %s が同じ計画を %s差し戻しました", h.Gate, times(l, int(h.Limit)))
		},
	},
	{reason: events.HaltDrift, says: drifted, next: afterDrift, needs: person(NeedsRepair)},
	{
		reason: events.HaltLogIntegrity,
		says:   always("halted: the event log of this run is damaged", "停止: この実行のイベントログに欠損があります"),
		next:   afterDrift, needs: person(NeedsLog),
	},
	{reason: events.HaltUnverifiable, says: unverifiable, next: afterUnverifiable, needs: person(NeedsGate)},
	{reason: events.HaltForeign, says: foreign, next: afterForeign, needs: person(NeedsLook)},
	{
		reason: events.HaltClaimLost,
		says: always("halted: another session took the work tree while no daemon ran",
			"停止: デーモンが動いていない間に、別のセッションが作業ツリーを取得しました"),
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl peer claims", say(l, "the holder of the work tree", "作業ツリーの所有者"),
				"apctl resume "+handle, say(l, "go on after that session has ended", "終わったら続ける"))
		},
		needs: person(NeedsWorkspace),
	},
	{
		reason: events.HaltGit, says: gitHalted, needs: person(NeedsGit),
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl why "+handle, say(l, "names the pushed, moved and removed refs", "プッシュ・移動・削除されたものを表示"), "apctl diff "+handle, soFar(l),
				"apctl resume "+handle, say(l, "go on with the present repository; asks a person at a terminal", "そのときのリポジトリで続ける。端末で担当者に確認する"),
				"apctl cancel "+handle, say(l, "close it; the work stays", "取り消す。作業は残る"))
		},
	},
}

// drifted tells a changed anchor, which halts at once, from changed pins, of which
// the agent was warned.
func drifted(l events.Language, s run.State, h events.RunHalted) string {
	for _, r := range s.Last.Results {
		if r.Reason == events.ReasonHoldoutChanged {
			return say(l, "halted: the held-out files of gate %s were changed, as found after iteration %d; restore them, or start a new run with the present ones",
				"停止: ゲート %s の秘匿ファイルが開始時と異なります(イテレーション %d の後)。元に戻すか、現在のファイルで新しい実行を始めてください", r.Gate, h.Iteration)
		}
		if r.Kind == events.GateAnchor && r.Verdict == events.Fail && r.Reason == events.ReasonPinChanged {
			if len(s.Handed) > 0 { // no person approved those
				return say(l, "halted: files that were approved or accepted by hand-off were changed, as gate %s found after iteration %d",
					"停止: 承認または引き継ぎで受け入れたファイルが変更されました(ゲート %s、イテレーション %d)", r.Gate, h.Iteration)
			}
			return say(l, "halted: files that a person approved were changed, as gate %s found after iteration %d",
				"停止: 担当者が承認したファイルが変更されました(ゲート %s、イテレーション %d)", r.Gate, h.Iteration)
		}
	}
	switch driftOf(s) {
	case events.ReasonLeans:
		return say(l, "halted: the gates pass only with files that the agent added; found again after iteration %d",
			"停止: エージェントが追加したファイルがなければゲートは成功しません(イテレーション %d の後に再び確認)", h.Iteration)
	case events.ReasonOutsideChanged:
		return say(l, "halted: installed packages that gates load were changed; found again after iteration %d",
			"停止: ゲートが読み込むインストール済みパッケージが変更されました(イテレーション %d の後に再び確認)", h.Iteration)
	case events.ReasonToolChanged:
		return say(l, "halted: a program that gates run was changed; found again after iteration %d",
			"停止: ゲートが実行するプログラムが変更されました(イテレーション %d の後に再び確認)", h.Iteration)
	default:
	}
	return say(l, "halted: pinned files were changed; found again after iteration %d",
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
func gitHalted(l events.Language, s run.State, h events.RunHalted) string {
	for _, r := range s.Last.Results {
		if r.Kind == events.GateGit && r.Reason == events.ReasonHistory {
			return say(l, "halted: commits, branches, tags or stashes of the start are gone or moved after iteration %d, despite a warning (git.history: keep)",
				"停止: 警告の後もイテレーション %d で、開始時のコミット・ブランチ・タグ・スタッシュが失われています(git.history: keep)", h.Iteration)
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

// afterDrift are the commands for a run whose proof is not as it was.
func afterDrift(l events.Language, handle string, s run.State) []wire.NextCommand {
	helps := say(l, "shows the changes; then restore the pinned files", "変更内容。固定ファイルを元に戻す")
	switch driftOf(s) {
	case events.ReasonLeans:
		helps = say(l, "shows the added files; the gates must pass without the files above", "追加内容。上のファイルがなくてもゲートが成功する必要がある")
	case events.ReasonOutsideChanged:
		helps = say(l, "shows the changes in the work tree; then reinstall the packages above", "作業ツリーの変更内容。上のパッケージを再インストールする")
	case events.ReasonToolChanged:
		helps = say(l, "shows the changes in the work tree; then restore the program", "作業ツリーの変更内容。プログラムを元に戻す")
	default:
	}
	next := commands("apctl diff "+handle, helps)
	if s.Halt.Reason == events.HaltDrift {
		next = append(next, commands("apctl resume "+handle, say(l, "go on; asks a person at a terminal", "続ける。端末で担当者に確認する"))...)
	}
	return append(next, commands("apctl cancel "+handle, say(l, "close it; then start a new run", "取り消し、新しく実行する"))...)
}
