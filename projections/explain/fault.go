package explain

import (
	"cmp"
	"strings"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// allowedBy is the rule by which an agent does unasked what it asked for.
func allowedBy(l events.Language, s run.State) string {
	if r := events.AllowRule(cmp.Or(s.Last.Session.Agent, s.Facts.Agent)); r != "" {
		return r
	}
	return say(l, "the option of its command that asks nobody, as --yes", "確認を省くコマンドのオプション(--yes など)")
}

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
		what = say(l, "the agent asked for leave at a terminal that nobody sits at; allow it by %s",
			"エージェントは誰もいない端末で許可を求めました。許可する規則: %s", allowedBy(l, s))
	case d.Result == events.ResultNeedsPermission:
		what = say(l, "the agent was refused what it wanted to do; allow it by %s", "エージェントの操作は拒否されました。許可する規則: %s", allowedBy(l, s))
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
