package explain

import (
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
	"autopilot/projections/when"
)

// silence says how long an agent that hung showed nothing, and at which limit it was
// ended; empty where neither is known.
func silence(s run.State, d events.AgentEnded) string {
	l, limit := s.Facts.Language, s.Last.Session.IdleMS
	if limit == 0 || d.Effect != s.Last.Session.Effect {
		return ""
	}
	return say(l, ", silent for %s (limit --idle %s),", "(無応答 %s、上限 --idle %s)", short(max(d.SilentMS, limit)), when.LimitText(limit))
}

// atLimit names the limit at which an agent was ended, and the flag if it is the run's
// own: what is left of other limits is less.
func atLimit(s run.State) string {
	l, wall := s.Facts.Language, s.Last.Session.WallMS
	switch wall {
	case 0:
		return ""
	case s.Facts.Limits.AttemptMS:
		return say(l, " of %s (--iteration-timeout)", "(上限 %s、--iteration-timeout)", when.LimitText(wall))
	}
	return say(l, " of %s", "(上限 %s)", when.LimitText(wall))
}

// haltedHung words a halt after agents that hung.
func haltedHung(l events.Language, s run.State, h events.RunHalted) string {
	out, limit := say(l, "halted: the agent hung %d times in a row, without output, CPU time or a changed file", "停止: エージェントが %d 回続けてハングしました(出力、CPU 使用、ファイル変更なし)", h.Limit), s.Last.Start.IdleMS
	if h.Gate != "" {
		out, limit = say(l, "halted: the reviewer of gate %s hung %d times in a row, without output, CPU time or a changed file",
			"停止: ゲート %s を確認するエージェントが %d 回続けてハングしました(出力、CPU 使用、ファイル変更なし)", h.Gate, h.Limit), s.Last.Session.IdleMS
	}
	if limit > 0 {
		out += say(l, "; it was silent for %s, and the limit is %s (--idle)", "。無応答 %s、上限 %s(--idle)", short(max(h.Used, limit)), when.LimitText(limit))
	}
	return out
}

// hungRecorded says what follows where an agent hung and had changed nothing.
func hungRecorded(s run.State, d events.IterationRecorded) string {
	l := s.Facts.Language
	if s.Loop.Hung >= rule.MostHung {
		return say(l, "iteration %d: the agent hung again without a change; the attempt does not count", "イテレーション %d: エージェントが再びハングし、何も変更していないため数えない", d.Iteration)
	}
	return say(l, "iteration %d: the agent hung without a change (%d of %d); the attempt does not count, and the next one begins at once",
		"イテレーション %d: エージェントがハングし、何も変更していないため数えず、すぐに再試行する(%d/%d)", d.Iteration, s.Loop.Hung, rule.MostHung)
}
