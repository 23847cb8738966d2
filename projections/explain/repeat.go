package explain

import (
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// warned says of what a prompt warns; empty for nothing.
func warned(l events.Language, w events.Warning) string {
	switch {
	case w.Rail == "":
		return ""
	case w.Rail != events.HaltSignature:
		return say(l, "; the files equal those of iteration %d, with new notes: the agent was warned, and one more halts by %s",
			"。イテレーション %d の状態に戻っている(メモは新しい)ことを通知済み。もう一度戻れば停止(%s)", w.First, w.Rail)
	case w.Halts > 0:
		return say(l, "; the same failure %d times since iteration %d: the agent was asked for another approach, and %d in a row halt by signature",
			"。同じ失敗が %d 回(イテレーション %d から)。別の方法を求める警告済み。%d 回続けば停止(signature)", w.Times, w.First, w.Halts)
	}
	return say(l, "; the same failure %d times since iteration %d: the agent was asked for another approach",
		"。同じ失敗が %d 回(イテレーション %d から)。別の方法を求める警告済み", w.Times, w.First)
}

// flaky names the gates that failed and then passed on the same tree, as nothing was
// changed between; empty where none did.
func flaky(s run.State, d events.IterationRecorded) string {
	if !d.Again || d.Verdict != events.Pass {
		return ""
	}
	l := s.Facts.Language
	var names []string
	for _, r := range s.Last.Results {
		for _, before := range s.Last.Before {
			if before.Gate == r.Gate && !rule.Passes(before) && rule.Passes(r) {
				names = append(names, string(r.Gate))
			}
		}
	}
	if len(names) == 0 {
		return say(l, "; flaky: the gates failed once, and passed on a second run of the same tree", "。不安定: ゲートは一度失敗し、同じツリーの 2 回目の実行で成功")
	}
	return say(l, "; flaky: %s failed once, and passed on a second run of the same tree", "。不安定: %s は一度失敗し、同じツリーの 2 回目の実行で成功",
		strings.Join(names, ", "))
}
