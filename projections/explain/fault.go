package explain

import (
	"strings"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// Fault says that the latest agent failed, at its provider where it did, and what was
// said of that; empty where it did not fail. It stands before what gates say: they
// judged what such an agent left.
func Fault(s run.State, message string) string {
	l, d := s.Facts.Language, s.Last.End
	var what string
	switch {
	case s.Status == run.Over && s.End.State == events.EndDone:
		return ""
	case d.Result.OfAccount(), d.Result == events.ResultContextOverflow:
		what = say(l, "the agent failed at its provider: %s", "エージェントはプロバイダーで失敗しました: %s", phrase.Result(l, d.Result))
	case d.Cut == events.CutPrompt:
		what = say(l, "the agent asked for leave at a terminal that nobody sits at, so its own rules have to allow that",
			"エージェントは誰もいない端末で許可を求めました。エージェント自身の規則で許可する必要があります")
	case message != "":
		what = say(l, "the agent failed: %s", "エージェントが失敗しました: %s", phrase.Result(l, d.Result))
	default:
		return ""
	}
	if message != "" {
		what += say(l, " (%s)", "(%s)", strings.Join(strings.Fields(message), " "))
	}
	return what
}
