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
		return afterHalt(s)
	case run.Over:
		if s.Facts.Land.Commit != "" {
			return afterLanding(s)
		}
		if s.End.State == events.EndRefused {
			return afterRefusal(l, h, s.End.Reason)
		}
		if s.End.State == events.EndAlreadyGreen {
			return nil
		}
		diff := commands("apctl diff "+h, changed(s))
		if k := s.Last.Agent.Iteration; s.End.State == events.EndCancelled && k > 0 {
			return append(diff, commands(fmt.Sprintf("apctl restore %s %d", h, k), say(l, "restores the files of the run, if they have changed since", "その後に変わっていれば、終了時のファイルに戻す"))...)
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
		return say(s.Facts.Language, "its changes, in your work tree, with commits of the agent", "変更内容。作業ツリーにあり、作業者のコミットを含む")
	}
	return say(s.Facts.Language, "its changes, in your work tree, not committed", "変更内容。作業ツリーにあり、未コミット")
}

func whileLive(s run.State) []wire.NextCommand {
	h, l := s.Facts.Handle, s.Facts.Language
	halt := commands("apctl stop "+h, say(l, "do not go on", "続けない"))
	switch {
	case Asks(s):
		return append(commands("apctl answer "+h, say(l, "shows the question, and takes your answer", "質問を表示し、回答を受け付ける")), halt...)
	case s.WaitsForLimit() && s.Waiting.Cause == events.LimitResources:
		return append(commands("apctl probe", say(l, "free resources of the machine, and the runs that wait", "マシンの空きと、待っている実行")), halt...)
	case s.WaitsForLimit() && s.Waiting.Limit > 0:
		return append(commands("apctl usage", say(l, "your limits and their use", "上限と使用量"),
			"apctl config show", say(l, "the settings", "設定箇所")), halt...)
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
		list = append(list, commands("apctl answer "+h, say(l, "shows the files that were accepted by hand-off, and can send them back", "引き継ぎで承認されたものを表示し、差し戻せる"))...)
	}
	return list
}

// What several commands are for.

func printed(l events.Language) string { return say(l, "its last output", "最後の出力") }

func soFar(l events.Language) string {
	return say(l, "its changes so far", "ここまでの変更内容")
}

func waiters(l events.Language) string {
	return say(l, "the limits and the waiting runs", "上限と、待っている実行")
}

func afterRefusal(l events.Language, h string, reason events.Refusal) []wire.NextCommand {
	if reason == events.RefusedGoalGreen {
		return commands(
			"apctl run ... --gate NAME=CMD", say(l, "add a gate that fails now", "今は失敗するゲートを加える"),
			"apctl run ... --start-green", say(l, "start all the same; done then needs a change", "このまま作業する。完了には変更が必要"),
			"apctl run ... --until-green", say(l, "exit with 0 if the gates pass already", "ゲートが成功済みなら 0 で終了"),
		)
	}
	if reason == events.RefusedUnready {
		return commands(
			"apctl why "+h, say(l, "the missing programs, and how to install them", "不足しているものと直し方"),
			"apctl run ... --start-broken", say(l, "start all the same, if the task is to create the missing program", "不足しているものを作るタスクなら、このまま作業する"),
		)
	}
	return commands("apctl logs "+h, say(l, "the output of the gate", "ゲートの出力"))
}

func commands(pairs ...string) []wire.NextCommand {
	var out []wire.NextCommand
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, wire.NextCommand{Command: pairs[i], Why: pairs[i+1]})
	}
	return out
}
