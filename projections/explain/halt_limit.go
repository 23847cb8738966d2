package explain

import (
	"fmt"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// limitHalts are the halts by a limit, a kill switch, or on request, and those of a run
// that does not wait for a limit.
//
// Source of what follows after a kill switch: session-orchestrator, seeds 2.1.4.
var limitHalts = []halt{
	{
		reason: events.HaltIterations,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the budget of %s is used up, and a gate still fails", "停止: 予算の %sを使い切りましたが、まだ失敗するゲートがあります",
				phrase.Counted(l, int(h.Limit), "iteration", "イテレーション"))
		},
	},
	{
		reason: events.HaltCycles,
		says: func(l events.Language, s run.State, h events.RunHalted) string {
			return say(l, "halted: the work was sent back %s, and gate %s still fails", "停止: 作業を %s差し戻しましたが、ゲート %s がまだ通りません",
				times(l, int(h.Limit)), firstOpen(s))
		},
	},
	{
		reason: events.HaltHours,
		says:   always("halted: the time limit of the run is reached, and a gate still fails", "停止: 実行の制限時間に達しましたが、まだ失敗するゲートがあります"),
	},
	{reason: events.HaltCost, says: spent, next: afterSpent},
	{reason: events.HaltTokens, says: spent, next: afterSpent},
	{reason: events.HaltTurns, says: spent, next: afterSpent},
	{
		reason: events.HaltNoop, next: tryAgain,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the agent changed nothing, %d times in a row", "停止: エージェントは %d 回続けて何も変更しませんでした", h.Limit)
		},
	},
	{
		reason: events.HaltAgentLost, next: tryAgain,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the agent was lost %d times in a row", "停止: エージェントが %d 回続けて消失しました", h.Limit)
		},
	},
	{
		reason: events.HaltAgentHung, says: haltedHung,
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl logs "+handle, say(l, "what it did last", "最後に行ったこと"), "apctl diff "+handle, soFar(l),
				"apctl resume "+handle, say(l, "try again", "再試行"))
		},
	},
	{
		reason: events.HaltAgentFailed, needs: person(NeedsAgent),
		says: always("halted: the agent could not be started", "停止: エージェントを起動できませんでした"),
		next: resumeWhen("after you restore its program", "プログラムが使えるようになったら"),
	},
	{
		reason: events.HaltStall,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the session of iteration %[2]d made no progress for %[1]s before its end (limit %[3]s)",
				"停止: イテレーション %[2]d のセッションは終了前に %[1]s 動きがありませんでした(%[3]s で停滞とみなします)",
				short(h.Used*1000), h.Iteration, short(h.Limit*1000))
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl logs "+handle, say(l, "its last output before the stall", "停滞前の最後の出力"), "apctl resume "+handle, say(l, "go on", "続ける"))
		},
	},
	{
		reason: events.HaltSpiral,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the session of iteration %d reports %d in a spiral; one is enough",
				"停止: イテレーション %d のセッションから堂々巡りの報告が %d 件あります(1 件で停止)", h.Iteration, h.Used)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl diff "+handle, say(l, "review it yourself: it goes round in circles", "自分で確認する。堂々巡りしている"),
				resumeWith(handle, "WHAT TO REVERT, AND A SMALLER STEP"), say(l, "go on", "続ける"))
		},
	},
	{
		reason: events.HaltFailedWave,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			if h.Used == 0 {
				return say(l, "halted: the session of iteration %d failed, and reported nothing",
					"停止: イテレーション %d のセッションが失敗し、結果の報告もありません", h.Iteration)
			}
			return say(l, "halted: the session of iteration %d reports %d failed; one is enough",
				"停止: イテレーション %d のセッションから失敗の報告が %d 件あります(1 件で停止)", h.Iteration, h.Used)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl logs "+handle, say(l, "find the cause", "原因を探す"), "apctl diff "+handle, say(l, "its work", "行った作業"),
				resumeWith(handle, "THE CAUSE, AND WHAT TO DO"), say(l, "go on", "続ける"))
		},
	},
	{
		reason: events.HaltCarryover,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the session of iteration %[1]d left %[2]d of %[3]s, more than %[4]d %%",
				"停止: イテレーション %[1]d のセッションは、予定した課題 %[3]sのうち %[2]d 件を残しました(%[4]d %% 超)",
				h.Iteration, h.Used, phrase.Counted(l, int(h.Of), "planned issue", "件"), h.Limit)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl diff "+handle, say(l, "its work", "行った作業"),
				resumeWith(handle, "WHAT TO LEAVE OUT"), say(l, "go on with less to do", "範囲を減らして続ける"))
		},
	},
	{
		reason: events.HaltUserAbort,
		says: func(l events.Language, s run.State, _ events.RunHalted) string {
			return say(l, "halted: user-abort between sessions, after %s", "停止: セッションの間で中断を依頼(user-abort)。%s終了済み", sessionsDone(l, s))
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl resume "+handle, say(l, "run the next session", "次のセッションを始める"), "apctl diff "+handle, soFar(l))
		},
	},
	{
		reason: events.HaltMaxHours,
		says: func(l events.Language, s run.State, h events.RunHalted) string {
			return say(l, "halted: no session begins later than %s after the start; %s ended", "停止: 開始から %s を過ぎたため次のセッションを始めません。%s終了済み", short(h.Limit), sessionsDone(l, s))
		},
		next: moreBudget("--max-hours"),
	},
	{
		reason: events.HaltTokenBudget,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the sessions used %d tokens of %d", "停止: セッションのトークン使用量 %d が予算 %d に達しました", h.Used, h.Limit)
		},
		next: moreBudget("--max-tokens"),
	},
	{
		reason: events.HaltOverload,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the machine is critical, and %d other sessions are more than %d", "停止: マシンに余裕がなく、ほかのセッションが %d 件(上限 %d 件)あります", h.Used, h.Limit)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl peer ls", say(l, "the other sessions", "ほかのセッション"), "apctl probe", say(l, "free resources of the machine", "マシンの空き"),
				"apctl resume "+handle, say(l, "when other sessions have ended", "ほかのセッションが終わったら"))
		},
	},
	{
		reason: events.HaltLowConfidence, says: unsure,
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl mode", say(l, "the mode that is selected now, with its sources", "現在選ばれるモードとその根拠"),
				"apctl resume "+handle, say(l, "select anew", "選び直す"))
		},
	},
	{
		reason: events.HaltStopped,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "stopped on request after iteration %d; the work so far is kept", "依頼によりイテレーション %d の後に停止しました。ここまでの作業は残っています", h.Iteration)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl resume "+handle, say(l, "go on", "続ける"), "apctl diff "+handle, soFar(l))
		},
	},
	{
		reason: events.HaltLimit, next: afterLimit,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: %s, and the run must not wait", "停止: %s。待たない設定です", waitsFor(l, h))
		},
		needs: func(s run.State, now time.Time) string {
			if s.Waiting == nil || s.Waiting.UntilMS <= now.UnixMilli() {
				return LimitEnded
			}
			return ""
		},
	},
}

// afterSpent are the commands for a run that has used what it may.
func afterSpent(l events.Language, handle string, _ run.State) []wire.NextCommand {
	return commands("apctl diff "+handle, soFar(l), "apctl usage --by run", say(l, "what was used", "使用量"),
		differently(handle), say(l, "go on with a new budget", "新しい予算で続ける"))
}

// afterLimit are the commands for a run that was told not to wait.
func afterLimit(l events.Language, handle string, s run.State) []wire.NextCommand {
	if s.Halt.Value == string(events.LimitResources) {
		return commands("apctl probe", say(l, "free resources of the machine, and the runs that wait", "マシンの空きと待機中の実行"),
			"apctl resume "+handle, say(l, "when the machine has room", "空きができたら"))
	}
	return commands("apctl resume "+handle, say(l, "when the limit has ended", "上限が解除されたら"),
		"apctl usage", waiters(l), "apctl diff "+handle, soFar(l))
}

// resumeWith goes on with what a person writes there.
func resumeWith(handle, what string) string {
	return fmt.Sprintf("apctl resume %s -m '%s'", handle, what)
}
