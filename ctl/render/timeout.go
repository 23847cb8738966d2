package render

import (
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/when"
)

// BadTimeout refuses a value that is not a limit in time.
func BadTimeout(flag, value string) *wire.Error {
	return usage("write it like 20m, 90s, 2h or off", "%s %q is not a limit in time", flag, value)
}

// NoTimeoutOfChat refuses a limit of agents where a chat does the work.
func NoTimeoutOfChat(flag string) *wire.Error {
	return usage("leave it out; --for and --until end the run", "%s cannot be kept with --driver session: the work of a chat has no limit of its own", flag)
}

// timeouts says which limits of single processes are not the default; nothing if all are.
func (s Style) timeouts(t wire.Timeouts, driver bool) string {
	var p []string
	other := func(ms int64, usual time.Duration) bool { return ms != 0 && ms != usual.Milliseconds() }
	if !driver && other(t.IdleMS, when.DefaultIdle) {
		p = append(p, s.limited(t.IdleMS, s.say("silence of an agent up to %s", "エージェントの無応答は %s まで", when.LimitText(t.IdleMS)),
			s.say("silence of an agent without a limit", "エージェントの無応答は無制限")))
	}
	if !driver && other(t.AttemptMS, when.DefaultAttempt) {
		p = append(p, s.limited(t.AttemptMS, s.say("one agent up to %s", "エージェント 1 回は %s まで", when.LimitText(t.AttemptMS)),
			s.say("one agent without a limit", "エージェント 1 回は無制限")))
	}
	if other(t.GateMS, when.DefaultGate) {
		p = append(p, s.limited(t.GateMS, s.say("one command of a gate up to %s", "ゲートのコマンド 1 回は %s まで", when.LimitText(t.GateMS)),
			s.say("one command of a gate without a limit", "ゲートのコマンド 1 回は無制限")))
	}
	return strings.Join(p, s.say(", ", "、"))
}

func (Style) limited(ms int64, with, without string) string {
	if ms < 0 {
		return without
	}
	return with
}

// bounds are the lines of how a run ends, and of what bounds its processes.
func (s Style) bounds(v wire.RunView) string {
	out := "  " + s.ends(v.EndsBy, v.Iterations, v.Budgets) + "\n"
	if t := s.timeouts(v.Timeouts, v.Agent == string(events.DriverSession)); t != "" {
		out += "  " + s.say("limits: %s", "制限: %s", t) + "\n"
	}
	return out
}
