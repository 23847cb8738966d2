package explain

import (
	"strconv"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// modeSelected says which mode the next session has.
func modeSelected(l events.Language, d events.ModeSelected) string {
	switch {
	case d.Failed:
		return say(l, "session %d: the selector failed", "セッション %d: モードを選べませんでした", d.Session)
	case d.Mode == "":
		return say(l, "session %d: no mode is selected", "セッション %d: モードなし", d.Session)
	}
	return say(l, "session %d: mode %s, confidence %s", "セッション %d: モード %s、確信度 %s", d.Session, d.Mode, decimal(d.Confidence.Float()))
}

// unsure says why a mode does not run without a person.
func unsure(l events.Language, s run.State, _ events.RunHalted) string {
	m := s.Series.Selected
	switch {
	case m == nil || m.Mode == "" && !m.Failed:
		return say(l, "halted: no mode is selected for the next session", "停止: 次のセッションのモードが選ばれていません")
	case m.Failed:
		return say(l, "halted: the selector of modes failed", "停止: モードの選択に失敗しました")
	}
	return say(l, "halted: mode %s has confidence %s, and %s is needed to run without a person",
		"停止: モード %s の確信度は %s です(担当者なしの実行には %s が必要)", m.Mode, decimal(m.Confidence.Float()), decimal(s.Facts.Series.Confidence.Float()))
}

// sessionsDone counts the sessions that have ended.
func sessionsDone(l events.Language, s run.State) string {
	return phrase.Counted(l, s.Series.Done, "session", "件")
}

// moreBudget are the commands for a run whose sessions have used a budget up: another run
// has a budget of its own.
func moreBudget(flag string) func(events.Language, string, run.State) []wire.NextCommand {
	return func(l events.Language, handle string, s run.State) []wire.NextCommand {
		return commands("apctl run --workflow "+string(s.Facts.Workflow)+" "+flag+" N", say(l, "a new run with a larger budget", "予算を増やして新しく実行"),
			"apctl diff "+handle, soFar(l))
	}
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
