package outcome

import "autopilot/events"

// beforeCut is what the supervisor would have said had the agent not been ended
// by us.
func beforeCut(said events.Outcome, cut events.Cut) events.Outcome {
	switch cut {
	case events.CutLinger:
		return "" // that we ended it says nothing against its result
	case events.CutTrying:
		return events.IdleTimeout // which is what it comes to
	case events.CutCost, events.CutTokens, events.CutTurns, events.CutRepetition, events.CutPrompt, "":
	}
	return said
}

// ofCut is a decision about an agent that was ended by us: for a limit on what it
// uses, the limit is all there is to say.
func ofCut(d Decision, cut events.Cut) Decision {
	limit := func(o Outcome, detail string) Decision {
		d.Outcome, d.By, d.Conflicts = o, Signal{FromSupervisor, o, detail}, nil
		return d
	}
	switch cut {
	case events.CutCost:
		return limit(Budget, "it was ended for what it costs")
	case events.CutTokens:
		return limit(Budget, "it was ended for the tokens it uses")
	case events.CutTurns:
		return limit(MaxTurns, "it was ended for the turns it takes")
	case events.CutPrompt:
		return limit(NeedsPermission, "it waits for an answer that nobody gives")
	case events.CutTrying:
		d.Conflicts = nil // they are of our own making
	case events.CutLinger, events.CutRepetition, "":
	}
	return d
}
