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
			return say(l, "halted: the work was sent back %s, and gate %s still does not pass", "停止: 作業を %s差し戻しましたが、ゲート %s がまだ通りません",
				times(l, int(h.Limit)), firstOpen(s))
		},
	},
	{
		reason: events.HaltHours,
		says:   always("halted: the time that the run was given is used up, and a gate still fails", "停止: 与えられた時間を使い切りましたが、まだ失敗するゲートがあります"),
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
		next: resumeWhen("when its program is back", "プログラムが使えるようになったら"),
	},
	{
		reason: events.HaltStall,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: nothing moved for %[1]s before the session of iteration %[2]d ended, and %[3]s is a stall",
				"停止: イテレーション %[2]d のセッションは終了前に %[1]s 動きがありませんでした(%[3]s で停滞とみなします)",
				short(h.Used*1000), h.Iteration, short(h.Limit*1000))
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl logs "+handle, say(l, "what it printed last, before nothing moved", "停滞前の最後の出力"), "apctl resume "+handle, say(l, "go on", "続ける"))
		},
	},
	{
		reason: events.HaltSpiral,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: the session of iteration %d tells of %d in a spiral, and one is enough",
				"停止: イテレーション %d のセッションから堂々巡りの報告が %d 件あります(1 件で停止)", h.Iteration, h.Used)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl diff "+handle, say(l, "look at it yourself: it goes round in circles", "自分で確認する。堂々巡りしている"),
				resumeWith(handle, "WHAT TO REVERT, AND A SMALLER STEP"), say(l, "go on", "続ける"))
		},
	},
	{
		reason: events.HaltFailedWave,
		says: func(l events.Language, _ run.State, h events.RunHalted) string {
			if h.Used == 0 {
				return say(l, "halted: the session of iteration %d failed, and did not tell how it went",
					"停止: イテレーション %d のセッションが失敗し、結果の報告もありません", h.Iteration)
			}
			return say(l, "halted: the session of iteration %d tells of %d failed, and one is enough",
				"停止: イテレーション %d のセッションから失敗の報告が %d 件あります(1 件で停止)", h.Iteration, h.Used)
		},
		next: func(l events.Language, handle string, _ run.State) []wire.NextCommand {
			return commands("apctl logs "+handle, say(l, "find the cause", "原因を探す"), "apctl diff "+handle, say(l, "what it has done", "行った作業"),
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
			return commands("apctl diff "+handle, say(l, "what it has done", "行った作業"),
				resumeWith(handle, "WHAT TO LEAVE OUT"), say(l, "go on with less to do", "範囲を減らして続ける"))
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
			return say(l, "halted: %s, and the run was told not to wait", "停止: %s。待たない設定です", waitsFor(l, h))
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
		differently(handle), say(l, "go on; what it may use begins again", "続ける。使用量は最初から数える"))
}

// afterLimit are the commands for a run that was told not to wait.
func afterLimit(l events.Language, handle string, s run.State) []wire.NextCommand {
	if s.Halt.Value == string(events.LimitResources) {
		return commands("apctl probe", say(l, "what the machine has left, and who waits for it", "マシンの空きと待機中の実行"),
			"apctl resume "+handle, say(l, "when it has room", "空きができたら"))
	}
	return commands("apctl resume "+handle, say(l, "when the limit has ended", "上限が解除されたら"),
		"apctl usage", waiters(l), "apctl diff "+handle, soFar(l))
}

// resumeWith goes on with what a person writes there.
func resumeWith(handle, what string) string {
	return fmt.Sprintf("apctl resume %s -m '%s'", handle, what)
}
