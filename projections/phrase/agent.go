package phrase

import "autopilot/events"

// Result says what the end of an agent means.
func Result(r events.Result) string {
	switch r {
	case events.ResultEnded:
		return "ended by itself"
	case events.ResultEmpty:
		return "it did and said nothing"
	case events.ResultTruncated:
		return "its output broke off"
	case events.ResultIdleTimeout:
		return "no sign of life for too long"
	case events.ResultWallTimeout:
		return "out of time"
	case events.ResultRateLimited:
		return "the provider's limit is reached"
	case events.ResultOverloaded:
		return "the provider has too much to do"
	case events.ResultAuthFailed:
		return "its login is not accepted"
	case events.ResultBilling:
		return "the account has to be paid for"
	case events.ResultContextOverflow:
		return "its context is full"
	case events.ResultMaxTurns:
		return "it took as many turns as it may"
	case events.ResultBudget:
		return "it used what it may"
	case events.ResultNeedsPermission:
		return "it may not use the tools that it needs"
	case events.ResultNeedsHuman:
		return "it waits for a person"
	case events.ResultAgentError:
		return "it failed"
	case events.ResultSpawnFailed:
		return "it could not be started"
	case events.ResultOutOfMemory:
		return "out of memory"
	case events.ResultKilledExternal:
		return "killed from outside"
	case events.ResultStopped:
		return "stopped"
	case events.ResultInterrupted:
		return "lost"
	}
	return string(r)
}

// Limit says why a run waits.
func Limit(l events.Limit) string {
	switch l {
	case events.LimitRate, "":
		return "the provider's limit is reached"
	case events.LimitOverload:
		return "the provider has too much to do"
	case events.LimitSlots:
		return "the account takes fewer agents at once for now"
	case events.LimitDayCost, events.LimitDayTokens, events.LimitDayTurns, events.LimitDayHours:
		return "what may be used in a day is used up"
	}
	return string(l)
}

// ShortLimit is the same in a few words.
func ShortLimit(l events.Limit) string {
	switch l {
	case events.LimitRate:
		return "provider's limit"
	case events.LimitOverload:
		return "provider overloaded"
	case events.LimitSlots:
		return "slot of the account"
	case events.LimitDayCost, events.LimitDayTokens, events.LimitDayTurns, events.LimitDayHours:
		return "limit of the day"
	}
	return string(l)
}
