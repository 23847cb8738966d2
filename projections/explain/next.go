package explain

import (
	"fmt"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file says what a person can do next.

// Next lists the commands that make sense now, the best first.
func Next(s run.State) []wire.NextCommand {
	h, l := s.Facts.Handle, s.Facts.Language
	switch s.Status {
	case run.Live:
		return whileLive(s)
	case run.Halted:
		if r := s.Halt.Reason; r == events.HaltForeign || r == events.HaltClaimLost {
			return afterOthers(l, h, *s.Halt)
		}
		if s.Halt.Reason == events.HaltLimit && s.Halt.Value == string(events.LimitResources) {
			return commands("apctl probe", say(l, "what the machine has left, and who waits for it", "マシンの空きと待機中の実行"),
				"apctl resume "+h, say(l, "when it has room", "空きができたら"))
		}
		if s.Halt.Reason == events.HaltWorkspaceGone && s.Halt.Value == events.GoneRepository {
			return commands("apctl restore "+h+" git", say(l, "brings the repository back as it was seen last; no file is changed", "リポジトリを最後に記録した状態へ戻す。ファイルは変更しない"),
				"apctl resume "+h, say(l, "when the repository is back", "リポジトリが戻ったら"))
		}
		if _, few := neverFailed(s, *s.Halt); few {
			return commands("apctl cancel "+h, say(l, "close it; then start a new run, with more runs of the tests", "取り消し、テストの回数を増やして新しく実行する"), "apctl diff "+h, soFar(l))
		}
		return afterHalt(s, h)
	case run.Over:
		if s.End.State == events.EndRefused {
			return afterRefusal(l, h, s.End.Reason)
		}
		if s.End.State == events.EndAlreadyGreen {
			return nil
		}
		diff := commands("apctl diff "+h, changed(s))
		if k := s.Last.Agent.Iteration; s.End.State == events.EndCancelled && k > 0 {
			return append(diff, commands(fmt.Sprintf("apctl restore %s %d", h, k), say(l, "the files as the run left them, should they have changed since", "その後に変わっていれば、終了時のファイルに戻す"))...)
		}
		if s.End.State == events.EndFailed {
			return append(commands("apctl logs "+h, printed(l)), diff...)
		}
		return diff
	case run.None:
	}
	return nil
}

// changed says where the work of a run is, and whether some of it is committed.
func changed(s run.State) string {
	if s.Ahead {
		return say(s.Facts.Language, "what it changed: it is in your work tree, with commits of the agent", "変更内容。作業ツリーにあり、作業者のコミットを含む")
	}
	return say(s.Facts.Language, "what it changed: it is in your work tree, not committed", "変更内容。作業ツリーにあり、未コミット")
}

func whileLive(s run.State) []wire.NextCommand {
	h, l := s.Facts.Handle, s.Facts.Language
	halt := commands("apctl stop "+h, say(l, "do not go on", "続けない"))
	switch {
	case Asks(s):
		return append(commands("apctl answer "+h, say(l, "shows what it asks, and takes your answer", "質問を表示し、回答を受け付ける")), halt...)
	case s.WaitsForLimit() && s.Waiting.Cause == events.LimitResources:
		return append(commands("apctl probe", say(l, "what the machine has left, and who waits for it", "マシンの空きと、待っている実行")), halt...)
	case s.WaitsForLimit() && s.Waiting.Limit > 0:
		return append(commands("apctl usage", say(l, "your limits, and what is used of them", "上限と使用量"),
			"apctl config show", say(l, "where they are set", "設定箇所")), halt...)
	case s.WaitsForLimit():
		return append(commands("apctl usage", waiters(l), "apctl resume "+h, say(l, "try now", "今すぐ試す")), halt...)
	case s.Driven() && s.Stage == run.Agent && s.Driver == nil:
		return joins(s)
	}
	list := commands(
		"apctl watch "+h, say(l, "follow it", "経過を見る"),
		"apctl stop "+h, say(l, "stop after this iteration", "このイテレーションの後に停止"),
	)
	if len(s.Handed) > 0 {
		list = append(list, commands("apctl answer "+h, say(l, "shows what was accepted by hand-off, and sends it back if you say so", "引き継ぎで承認されたものを表示し、差し戻せる"))...)
	}
	return list
}

// What several commands are for.

func printed(l events.Language) string { return say(l, "what it printed last", "最後の出力") }

func soFar(l events.Language) string {
	return say(l, "what it changed so far", "ここまでの変更内容")
}

func waiters(l events.Language) string {
	return say(l, "limits, and who waits for them", "上限と、待っている実行")
}

func afterHalt(s run.State, h string) []wire.NextCommand {
	l, reason := s.Facts.Language, s.Halt.Reason
	diff, logs, resume := "apctl diff "+h, "apctl logs "+h, "apctl resume "+h
	switch reason {
	case events.HaltDrift, events.HaltLogIntegrity:
		return afterChange(s, h)
	case events.HaltGit:
		return commands("apctl why "+h, say(l, "names what was pushed, moved or removed", "プッシュ・移動・削除されたものを表示"), diff, soFar(l),
			resume, say(l, "go on with the repository as it is then; it asks a person at a terminal", "そのときのリポジトリで続ける。端末で担当者に確認する"),
			"apctl cancel "+h, say(l, "close it; the work stays", "取り消す。作業は残る"))
	case events.HaltUnproven:
		return commands(diff, say(l, "what the agent changed in the tree", "ツリー内の変更内容"),
			resume, say(l, "accept it as done; it asks a person at a terminal", "完了として受け入れる。端末で担当者に確認する"),
			differently(h), say(l, "send the agent back to work", "エージェントに作業を続けさせる"))
	case events.HaltStopped:
		return commands(resume, say(l, "go on", "続ける"), diff, soFar(l))
	case events.HaltAgentFailed:
		return commands(resume, say(l, "when its program is back", "プログラムが使えるようになったら"))
	case events.HaltAuthFailed:
		return commands("apctl agent check", say(l, "which login the agent has", "エージェントのログイン状態"), resume, say(l, "when it has logged in again", "再ログインしたら"))
	case events.HaltBilling:
		return commands(resume, say(l, "when the account has been paid for", "支払いが済んだら"), "apctl usage", say(l, "what was used", "使用量"))
	case events.HaltLimit:
		return commands(resume, say(l, "when the limit has ended", "上限が解除されたら"), "apctl usage", waiters(l), diff, soFar(l))
	case events.HaltCost, events.HaltTokens, events.HaltTurns:
		return commands(diff, soFar(l), "apctl usage --by run", say(l, "what was used", "使用量"),
			differently(h), say(l, "go on; what it may use begins again", "続ける。使用量は最初から数える"))
	case events.HaltAgentLost, events.HaltNoop, events.HaltInternal:
		return commands(logs, say(l, "what the agent printed", "エージェントの出力"), resume, say(l, "try again", "再試行"))
	case events.HaltAgentHung:
		return commands(logs, say(l, "what it did last", "最後に行ったこと"), diff, soFar(l), resume, say(l, "try again", "再試行"))
	case events.HaltRebooted, events.HaltWorkspaceGone, events.HaltEntry, events.HaltExpired, events.HaltNeedsPerson:
		return afterPerson(l, h, reason)
	case events.HaltSameness, events.HaltStuck, events.HaltSignature, events.HaltIterations, events.HaltHours,
		events.HaltUnverifiable, events.HaltCycles, events.HaltPlan, events.HaltForeign, events.HaltClaimLost:
	case events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover:
		return afterKill(l, h, reason)
	}
	return commands(diff, soFar(l), logs, printed(l), differently(h), say(l, "go on with new findings", "新しい指摘を添えて続ける"))
}

// afterChange are the commands for a run of which what proves its work is not as
// it was.
func afterChange(s run.State, h string) []wire.NextCommand {
	l, helps := s.Facts.Language, say(s.Facts.Language, "shows what was changed; then put the pinned files back", "変更内容。固定ファイルを元に戻す")
	switch driftOf(s) {
	case events.ReasonLeans:
		helps = say(l, "shows what was added; the gates have to pass without the files above", "追加内容。上のファイルがなくてもゲートが成功する必要がある")
	case events.ReasonOutsideChanged:
		helps = say(l, "shows what was changed in the work tree; then install the packages above again", "作業ツリーの変更内容。上のパッケージを再インストールする")
	case events.ReasonToolChanged:
		helps = say(l, "shows what was changed in the work tree; then put the program back", "作業ツリーの変更内容。プログラムを元に戻す")
	default:
	}
	next := commands("apctl diff "+h, helps)
	if s.Halt.Reason == events.HaltDrift {
		next = append(next, commands("apctl resume "+h, say(l, "go on; it asks a person at a terminal", "続ける。端末で担当者に確認する"))...)
	}
	return append(next, commands("apctl cancel "+h, say(l, "close it; then start a new run", "取り消し、新しく実行する"))...)
}

// differently is how a run goes on with what a person has found.
func differently(h string) string {
	return fmt.Sprintf("apctl resume %s -m 'WHAT TO DO DIFFERENTLY'", h)
}

// afterPerson are the commands for a run that a person has to do something for.
func afterPerson(l events.Language, h string, reason events.Halt) []wire.NextCommand {
	diff, resume := "apctl diff "+h, "apctl resume "+h
	switch reason {
	case events.HaltRebooted:
		return commands(resume, say(l, "go on where it was", "中断した所から続ける"), diff, soFar(l))
	case events.HaltWorkspaceGone:
		return commands(resume, say(l, "when the workspace is back", "ワークスペースが戻ったら"))
	case events.HaltEntry:
		return commands(resume, say(l, "when what it needs is there", "必要なものがそろったら"))
	case events.HaltExpired:
		return commands(resume, say(l, "ask again", "もう一度質問する"))
	default:
	}
	return commands(resume+" -m 'ANSWER'", say(l, "answer it and go on", "回答して続ける"), diff, soFar(l))
}

func afterRefusal(l events.Language, h string, reason events.Refusal) []wire.NextCommand {
	if reason == events.RefusedGoalGreen {
		return commands(
			"apctl run ... --gate NAME=CMD", say(l, "add a gate that fails now", "今は失敗するゲートを加える"),
			"apctl run ... --start-green", say(l, "work all the same; done then needs a change", "このまま作業する。完了には変更が必要"),
			"apctl run ... --until-green", say(l, "end with 0 when the gates pass already", "ゲートが成功済みなら 0 で終了"),
		)
	}
	if reason == events.RefusedUnready {
		return commands(
			"apctl why "+h, say(l, "what is missing, and what mends it", "不足しているものと直し方"),
			"apctl run ... --start-broken", say(l, "work all the same, where the task is to make what is missing", "不足しているものを作るタスクなら、このまま作業する"),
		)
	}
	return commands("apctl logs "+h, say(l, "what the gate printed", "ゲートの出力"))
}

func commands(pairs ...string) []wire.NextCommand {
	var out []wire.NextCommand
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, wire.NextCommand{Command: pairs[i], Why: pairs[i+1]})
	}
	return out
}
