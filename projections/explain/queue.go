package explain

import (
	"strings"

	"autopilot/events"
	"autopilot/projections/queue"
)

// Queue says in a sentence what of a queue needs a person, and since when it does in the
// item that came last; empty for nothing. Runs that halted say so themselves.
func Queue(l events.Language, s queue.State) string {
	var parts []string
	escalated := 0
	for _, st := range queue.Standings(s) {
		if st.Standing == queue.IsEscalated {
			escalated++
		}
	}
	if escalated > 0 {
		items := say(l, "%d items", "%d 件", escalated)
		if escalated == 1 {
			items = say(l, "1 item", "1 件")
		}
		parts = append(parts, say(l, "%s cannot land without a person", "%s は人の判断がないと着地できません", items))
	}
	if s.Lane.Stopped {
		parts = append(parts, say(l, "landing has stopped", "着地が止まっています"))
	}
	if s.Closed == events.QueueTrust {
		parts = append(parts, say(l, "a person has to agree first", "先に人の同意が必要です"))
	}
	if len(parts) == 0 {
		return ""
	}
	return say(l, "queue %s: %s", "キュー %s: %s", s.Name, strings.Join(parts, say(l, "; ", "、")))
}
