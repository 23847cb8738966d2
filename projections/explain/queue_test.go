package explain

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/queue"
)

func TestAQueueSaysWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	created := events.QueueCreated{Name: "night", Land: events.LandBranch}
	done := []events.Data{
		created,
		events.ItemsAdded{Items: []events.QueueItem{{Name: "a"}}},
		events.ItemStarted{Item: "a", Run: "r"},
		events.ItemEnded{Item: "a", Run: "r", End: events.ItemDone},
	}
	for want, data := range map[string][]events.Data{
		"": done,
		"queue night: 1 item cannot land without a person": append(done[:4:4], events.LandingEnded{Items: []events.Name{"a"}, End: events.LandingRed}),
		"queue night: landing has stopped":                 append(done[:4:4], events.LandingEnded{Items: []events.Name{"a"}, End: events.LandingTarget}),
		"queue night: a person has to agree first":         {created, events.QueueClosed{Why: events.QueueTrust}},
	} {
		var s queue.State
		for i, d := range data {
			s = queue.Evolve(s, events.Event{Seq: uint64(i + 1), Data: d})
		}
		if got := Queue(events.English, s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
