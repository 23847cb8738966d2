package rule

import "autopilot/events"

// interviewed goes on, round by round, until what is wanted is clear enough. A
// round that counts asks a person, unless nothing is open; its answer comes
// before the next one. The most rounds are a cap: what is not clear then fails.
//
// Source: oh-my-codex, seeds 4.2 deep-interview. The daemon keeps rounds, scores
// and threshold, not the session.
func interviewed(g events.Gate, looks []events.RoleEnded) Look {
	if len(g.Roles) == 0 {
		return Look{Verdict: events.Unverifiable, Reason: events.ReasonVoid}
	}
	at, void := newest(looks, g.Roles[0])
	rounds := 0
	for _, l := range looks {
		if l.Void == "" {
			rounds++
		}
	}
	switch {
	case void >= MostVoid:
		return Look{Verdict: events.Unverifiable, Reason: events.ReasonVoid, Last: last(looks)}
	case at < 0:
		return Look{Verdict: events.Open, Reason: events.ReasonNobody, Next: g.Roles[0], Round: 1}
	case looks[at].Opinion.Ambiguity <= g.Clear:
		return Look{Verdict: events.Pass, Reason: events.ReasonLooked, Last: looks[at]}
	case rounds >= g.Most || looks[at].Opinion.Question == "":
		return Look{Verdict: events.Fail, Reason: events.ReasonLooked, Last: looks[at], Round: rounds}
	}
	return Look{Verdict: events.Open, Reason: events.ReasonNobody, Next: g.Roles[0], Round: rounds + 1, Ask: &looks[at].Opinion}
}

// Ambiguity is how unclear a matter is, in percent: 100 less the weighted
// clarity of its dimensions, each from 0 to 100, rounded up so that a threshold
// is never met by rounding. A dimension without a score has none: 0.
//
// Source: oh-my-codex, seeds 4.2: ambiguity = 1 - weighted clarity.
func Ambiguity(weights, clarity map[string]int) int {
	sum := 0
	for dim, w := range weights {
		sum += w * min(max(clarity[dim], 0), 100)
	}
	return (100*100 - sum + 99) / 100
}
