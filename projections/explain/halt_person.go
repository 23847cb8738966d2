package explain

import (
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// personHalts are the halts that only a person can end.
var personHalts = []halt{
	{
		reason: events.HaltNeedsPerson, says: blocked, needs: needsOf,
		next: func(l events.Language, handle string, s run.State) []wire.NextCommand {
			if needsOf(s, s.Clock.Latest) == NeedsPermission {
				return commands("apctl resume "+handle, say(l, "when its rules allow it", "規則で許可したら続ける"), "apctl diff "+handle, soFar(l))
			}
			return commands(resumeWith(handle, "ANSWER"), say(l, "answer it and go on", "回答して続ける"), "apctl diff "+handle, soFar(l))
		},
	},
	{
		reason: events.HaltUnproven, needs: person(NeedsProof),
		says: always("halted as unproven: all gates pass, but they also pass on the files of the start; something outside the recorded files turned them green, such as an ignored file, an installed package, a service or the clock",
			"停止(unproven): すべてのゲートは成功しましたが、開始時のファイルでも成功します。記録対象外の何かが変わっています"),
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl diff "+handle, say(l, "what the agent changed in the tree", "ツリー内の変更内容"),
				"apctl resume "+handle, say(l, "accept it as done; asks a person at a terminal", "完了として受け入れる。端末で担当者に確認する"),
				differently(handle), say(l, "send the agent back to work", "エージェントに作業を続けさせる"))
		},
	},
	{
		reason: events.HaltManual, says: unsure, needs: person(NeedsAnswer),
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl mode", say(l, "the mode that is selected now, with its sources", "現在選ばれるモードとその根拠"),
				"apctl resume "+handle, say(l, "run one session in that mode all the same", "そのモードでセッションを 1 回実行する"))
		},
	},
	{
		reason: events.HaltEntry, needs: person(NeedsAnswer),
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: phase %s cannot begin, because gate %s fails", "停止: フェーズ %s を開始できません。ゲート %s が通りません", h.Phase, h.Gate)
		},
		next: resumeWhen("when its conditions hold", "条件が満たされたら"),
	},
	{
		reason: events.HaltUnclear, needs: person(NeedsAnswer),
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: after %d of %d rounds gate %s finds %d %% unclear, and allows %d %%",
				"停止: %d/%d 回の質問の後もゲート %s の不明確さは %d %% です(許容 %d %%)", h.Of, h.Of, h.Gate, h.Used, h.Limit)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands(resumeWith(handle, "WHAT IS WANTED"), say(l, "the rounds begin anew with it", "それを踏まえて質問を最初から始める"))
		},
	},
	{
		reason: events.HaltExpired, needs: person(NeedsAnswer),
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			if h.Gate == "" {
				return say(l, "halted: nobody answered the question of the agent in time", "停止: エージェントの質問に期限までの回答がありませんでした")
			}
			return say(l, "halted: nobody answered at gate %s in time", "停止: ゲート %s に期限までの回答がありませんでした", h.Gate)
		},
		next: resumeWhen("ask again", "もう一度質問する"),
	},
	{
		reason: events.HaltAuthFailed, says: accountFailed, needs: person(NeedsLogin),
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl agent check", say(l, "the agent's login", "エージェントのログイン状態"),
				"apctl resume "+handle, say(l, "after a new login", "再ログインしたら"))
		},
	},
	{
		reason: events.HaltBilling, says: accountFailed, needs: person(NeedsPayment),
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl resume "+handle, say(l, "after the payment", "支払いが済んだら"),
				"apctl usage", say(l, "what was used", "使用量"))
		},
	},
	{
		reason: events.HaltWorkspaceGone, needs: person(NeedsWorkspace),
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			if h.Value == events.GoneRepository {
				return say(l, "halted: the repository of the workspace was removed or damaged; the files are intact",
					"停止: ワークスペースのリポジトリが削除されたか壊れています。ファイルは残っています")
			}
			return say(l, "halted: the workspace is gone", "停止: ワークスペースがありません")
		},
		next: func(l events.Language, handle string, s run.State) []wire.NextCommand {
			if s.Halt.Value == events.GoneRepository {
				return commands("apctl restore "+handle+" git", say(l, "restores the repository as last recorded; no file is changed", "リポジトリを最後に記録した状態へ戻す。ファイルは変更しない"),
					"apctl resume "+handle, say(l, "when the repository is back", "リポジトリが戻ったら"))
			}
			return commands("apctl resume "+handle, say(l, "when the workspace is back", "ワークスペースが戻ったら"))
		},
	},
	{
		reason: events.HaltRebooted, needs: person(NeedsReboot),
		says: always("halted: the host was rebooted, and after_reboot is ask", "停止: ホストが再起動しました(after_reboot は ask)"),
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl resume "+handle, say(l, "go on", "続ける"), "apctl diff "+handle, soFar(l))
		},
	},
}

// blocked says what the agent needs a person for.
func blocked(l events.Language, s run.State, h events.RunHalted) string {
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
