package explain_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/run"
)

// The branches are texts that are not looked up for a line: commits are named.
func TestALineOfAResumeNamesTheCommitsThatHeadWasMovedBetween(t *testing.T) {
	t.Parallel()
	from := events.Head{Commit: "0123456789", Branch: "a"}
	for _, tt := range []struct {
		data events.Data
		want string
	}{
		{events.RunResumed{}, "resumed"},
		{
			events.RunResumed{Moved: events.HeadMove{From: from, To: events.Head{Commit: "abcdef0123", Branch: "a"}}},
			"resumed; HEAD was moved from 0123456 to abcdef0, and the run goes on from there",
		},
		{
			events.RunResumed{Changed: "f", Moved: events.HeadMove{From: from, To: events.Head{Branch: "b"}}},
			"resumed; the run keeps the changes that were made meanwhile; HEAD was moved from 0123456 to no commit, and the run goes on from there",
		},
		{
			events.QuestionAnswered{Gate: "ok", Choice: events.ChoiceOK, Assurance: events.AssuredTTY, Moved: events.HeadMove{From: from, To: events.Head{Commit: from.Commit}}},
			"gate ok: a person answered ok; HEAD is on another branch or on none, and the run goes on from there",
		},
	} {
		if got := explain.Line(state(func(*run.State) {}), events.Event{Data: tt.data}); got != tt.want {
			t.Errorf("\n got %s\nwant %s", got, tt.want)
		}
	}
}
