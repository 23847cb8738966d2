package explain

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// spent says which of the run's own limits was reached.
func spent(l events.Language, s run.State, h events.RunHalted) string {
	unknown := h.Reason == events.HaltCost && s.Loop.Unpriced > 1 || h.Reason == events.HaltTokens && s.Loop.Unfed > 1
	if unknown && h.Used < h.Limit {
		return say(l, "halted: two agents in a row did not report their usage, so the limit of %s cannot be enforced",
			"停止: 2 回続けてエージェントの使用量が不明のため、上限 %s を守れません", phrase.Amount(l, h.Reason, h.Limit))
	}
	return say(l, "halted: the run has used %s of %s, and a gate still fails", "停止: %s を使用し(上限 %s)、まだ失敗するゲートがあります",
		phrase.Amount(l, h.Reason, h.Used), phrase.Amount(l, h.Reason, h.Limit))
}

func accountFailed(l events.Language, _ run.State, h events.RunHalted) string {
	what := say(l, "halted: the provider does not accept the agent's login", "停止: プロバイダーがエージェントのログインを受け付けません")
	if h.Reason == events.HaltBilling {
		what = say(l, "halted: the provider requires a payment", "停止: 続けるにはプロバイダーへの支払いが必要です")
	}
	if h.Cause != "" {
		what += say(l, ", as another run of the account found", "(同じアカウントの別の実行で判明)")
	}
	return what
}

// waitsFor is what a run was told not to wait for.
func waitsFor(l events.Language, h events.RunHalted) string {
	limit := events.Limit(h.Value)
	if limit == events.LimitResources {
		return heldBack(l, phrase.Held{By: h.Bound, Used: h.Used, Slots: h.Limit, Signal: h.Signal})
	}
	what := phrase.Limit(l, limit)
	if h.UntilMS > 0 && limit != events.LimitSlots {
		what += say(l, " until %s", "(%s まで)", clock(l, h.UntilMS))
	}
	return what
}

// heldBack says that the machine, or the run's project, takes no more agents, and
// why.
func heldBack(l events.Language, h phrase.Held) string {
	what := phrase.Limit(l, events.LimitResources)
	if h.By == "project" {
		what = say(l, "the project's limit of agents is reached", "プロジェクトのエージェント数の上限に到達")
	}
	return what + say(l, " (%s)", " (%s)", h.Says(l))
}

// clock is a time by the clock of this host.
func clock(l events.Language, ms int64) string {
	t := time.UnixMilli(ms)
	if l == events.Japanese {
		day := [...]string{"日", "月", "火", "水", "木", "金", "土"}[t.Weekday()]
		return t.Format("1月2日(" + day + ") 15:04:05")
	}
	return t.Format("Mon 2 Jan 15:04:05")
}

// waitingFor says what for, until when, and in which place of the line. A run
// whose own time is over before that does not go on.
func waitingFor(l events.Language, w events.LimitWaiting, endMS int64) string {
	var b strings.Builder
	switch {
	case w.Cause == events.LimitResources:
		b.WriteString(heldBack(l, phrase.HeldBy(w)))
	case w.Limit > 0:
		b.WriteString(phrase.Limit(l, w.Cause) + say(l, " (%s of %s)", "(%s / %s)", DayAmount(l, w.Cause, w.Used), DayAmount(l, w.Cause, w.Limit)))
	default:
		b.WriteString(phrase.Limit(l, w.Cause))
	}
	line := w.Cause == events.LimitSlots || w.Cause == events.LimitResources
	switch {
	case endMS > 0 && endMS < w.UntilMS && line:
		b.WriteString(say(l, "; the run's time limit is %s", "。この実行の時間は %s に終了", clock(l, endMS)))
	case endMS > 0 && endMS < w.UntilMS:
		b.WriteString(say(l, " until %s, after the run's time limit: %s", "。解除は %s、この実行の時間はその前の %s に終了", clock(l, w.UntilMS), clock(l, endMS)))
	case !line:
		b.WriteString(say(l, "; it goes on at %s", "。%s に再開", clock(l, w.UntilMS)))
	}
	switch w.Source {
	case events.Reported:
		b.WriteString(say(l, ", as the provider says", "(プロバイダーの通知による)"))
	case events.Guessed:
		b.WriteString(say(l, ", an estimate: the provider gave no time", "(推定: プロバイダーは時刻を示していない)"))
	case events.Computed, events.SourceUnknown:
	}
	if w.Place > 1 {
		b.WriteString(say(l, "; %d before it", "。前に %d 件", w.Place-1))
	}
	return b.String()
}

// judgedMachine is what the machine can bear from now on.
func judgedMachine(l events.Language, d events.ResourcesJudged) string {
	slots := say(l, "any number of agents may work", "エージェント数の制限なし")
	if d.Slots >= 0 {
		slots = say(l, "%s may be at work", "エージェントは %s まで", phrase.Counted(l, d.Slots, "agent", "件"))
	}
	line := say(l, "the machine is judged %s: %s", "マシンの判定 %s: %s", d.Verdict, slots)
	if why := phrase.Signal(l, d.Signal); why != "" {
		line += say(l, " (%s)", " (%s)", why)
	}
	return line
}

// DayAmount is an amount in the unit of a limit of the day.
func DayAmount(l events.Language, of events.Limit, n int64) string {
	switch of {
	case events.LimitDayCost:
		return phrase.Amount(l, events.HaltCost, n)
	case events.LimitDayTokens:
		return phrase.Amount(l, events.HaltTokens, n)
	case events.LimitDayTurns:
		return phrase.Amount(l, events.HaltTurns, n)
	case events.LimitDayHours:
		return short(n)
	case events.LimitRate, events.LimitOverload, events.LimitNetwork, events.LimitSlots, events.LimitResources:
	}
	return fmt.Sprint(n)
}

// result says what the end of an agent means, where that is more than how it
// ended.
func result(l events.Language, d events.AgentEnded) string {
	switch d.Cut {
	case events.CutLinger:
		return say(l, "it stayed after its result, so it was ended", "結果を出した後も残ったため終了させた")
	case events.CutCost:
		return say(l, "cut: its cost limit is reached", "打ち切り: 費用の上限に到達")
	case events.CutTokens:
		return say(l, "cut: its token limit is reached", "打ち切り: トークンの上限に到達")
	case events.CutTurns:
		return say(l, "cut: its turn limit is reached", "打ち切り: ターン数の上限に到達")
	case events.CutTrying:
		return say(l, "cut: it only retried: %s", "打ち切り: 再試行を繰り返すのみ(%s)", phrase.Result(l, d.Result))
	case events.CutPrompt:
		return say(l, "cut: it waited for an answer that nobody gives", "打ち切り: 誰も答えない確認を待ち続けた")
	case events.CutRepetition:
		return say(l, "cut: it used one tool with the same input %d times", "打ち切り: 同じ入力で同じツールを %d 回使用", d.Repeats)
	}
	switch d.Result {
	case "", events.ResultEnded, events.ResultIdleTimeout, events.ResultWallTimeout, events.ResultStopped,
		events.ResultInterrupted, events.ResultSpawnFailed, events.ResultKilledExternal:
		return ""
	case events.ResultOutOfMemory:
		return say(l, "the system was out of memory", "システムのメモリ不足")
	default:
	}
	return phrase.Result(l, d.Result)
}
