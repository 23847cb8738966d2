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
func spent(s run.State, h events.RunHalted) string {
	unknown := h.Reason == events.HaltCost && s.Loop.Unpriced > 1 || h.Reason == events.HaltTokens && s.Loop.Unfed > 1
	if unknown && h.Used < h.Limit {
		return fmt.Sprintf("halted: two agents in a row did not tell what they used, so a limit of %s cannot be kept", phrase.Amount(h.Reason, h.Limit))
	}
	return fmt.Sprintf("halted: %s of the %s that the run may use are gone, and a gate still fails",
		phrase.Amount(h.Reason, h.Used), phrase.Amount(h.Reason, h.Limit))
}

func accountFailed(h events.RunHalted) string {
	what := "the provider does not accept the agent's login"
	if h.Reason == events.HaltBilling {
		what = "the provider wants to be paid before it goes on"
	}
	if h.Cause != "" {
		what += ", as another run of the account has found"
	}
	return "halted: " + what
}

// waitsFor is what a run was told not to wait for.
func waitsFor(h events.RunHalted) string {
	what := phrase.Limit(events.Limit(h.Value))
	if h.UntilMS > 0 && events.Limit(h.Value) != events.LimitSlots {
		what += " until " + clock(h.UntilMS)
	}
	return what
}

// clock is a time by the clock of this host.
func clock(ms int64) string { return time.UnixMilli(ms).Format("Mon 2 Jan 15:04:05") }

// waitingFor says what for, until when, and in which place of the line. A run
// whose own time is over before that does not go on.
func waitingFor(w events.LimitWaiting, endMS int64) string {
	var b strings.Builder
	b.WriteString(phrase.Limit(w.Cause))
	if w.Limit > 0 {
		fmt.Fprintf(&b, " (%s of %s)", DayAmount(w.Cause, w.Used), DayAmount(w.Cause, w.Limit))
	}
	switch {
	case endMS > 0 && endMS < w.UntilMS:
		fmt.Fprintf(&b, " until %s, and the run's own time ends before: at %s", clock(w.UntilMS), clock(endMS))
	case w.Cause != events.LimitSlots:
		fmt.Fprintf(&b, "; it goes on at %s", clock(w.UntilMS))
	}
	switch w.Source {
	case events.Reported:
		b.WriteString(", as the provider says")
	case events.Guessed:
		b.WriteString(", a guess: the provider has not said when")
	case events.Computed, events.SourceUnknown:
	}
	if w.Place > 1 {
		fmt.Fprintf(&b, "; %d before it", w.Place-1)
	}
	return b.String()
}

// DayAmount is an amount in the unit of a limit of the day.
func DayAmount(l events.Limit, n int64) string {
	switch l {
	case events.LimitDayCost:
		return phrase.Amount(events.HaltCost, n)
	case events.LimitDayTokens:
		return phrase.Amount(events.HaltTokens, n)
	case events.LimitDayTurns:
		return phrase.Amount(events.HaltTurns, n)
	case events.LimitDayHours:
		return short(n)
	case events.LimitRate, events.LimitOverload, events.LimitSlots:
	}
	return fmt.Sprint(n)
}

// result says what the end of an agent means, where that is more than how it
// ended.
func result(d events.AgentEnded) string {
	switch d.Cut {
	case events.CutLinger:
		return "it had its result and stayed, so it was ended"
	case events.CutCost:
		return "cut: it has cost as much as it may"
	case events.CutTokens:
		return "cut: it has used as many tokens as it may"
	case events.CutTurns:
		return "cut: it has taken as many turns as it may"
	case events.CutTrying:
		return "cut: it only tried again, as " + phrase.Result(d.Result)
	case events.CutRepetition:
		return fmt.Sprintf("cut: it used one tool with the same input %d times", d.Repeats)
	}
	switch d.Result {
	case "", events.ResultEnded, events.ResultIdleTimeout, events.ResultWallTimeout, events.ResultStopped,
		events.ResultInterrupted, events.ResultSpawnFailed, events.ResultKilledExternal:
		return ""
	case events.ResultOutOfMemory:
		return "the system was out of memory"
	default:
	}
	return phrase.Result(d.Result)
}
