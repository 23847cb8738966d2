package account_test

import (
	"log/slog"
	"testing"
	"time"

	"autopilot/daemon/host/account"
	"autopilot/events"
	"autopilot/projections/run"
)

// told is a run on account A whose agent was told how full its limit is.
func told(id string, after time.Duration, g events.Gauge) run.State {
	s := run.State{}
	for i, d := range []events.Data{
		events.RunStarted{Phase: "work", Account: "A", Handle: id},
		events.IterationStarted{Phase: "work", Iteration: 1, Effect: "e" + id, Account: "A"},
		events.AgentEnded{Phase: "work", Iteration: 1, Effect: "e" + id, Outcome: events.Exited, DurationMS: 1000, Gauge: g},
	} {
		s = run.Evolve(s, events.Event{Aggregate: events.Run(id), Seq: uint64(i + 1), Time: now.Add(after), Data: d})
	}
	return s
}

func TestAnAccountHasOneGauge(t *testing.T) {
	t.Parallel()
	at := now
	c := account.New(account.Config{Runs: runs{}, Now: func() time.Time { return at }, Log: slog.New(slog.DiscardHandler)})
	reset := now.Add(time.Hour).UnixMilli()
	for range 500 {
		c.Note(told("r1", 0, events.Gauge{Window: "five_hour", Percent: 90, ResetMS: reset}))
	}
	c.Note(told("r2", time.Minute, events.Gauge{Window: "five_hour", Percent: 92, ResetMS: reset}))
	c.Note(told("r1", 0, events.Gauge{Window: "five_hour", Percent: 90, ResetMS: reset})) // noted late
	c.Note(told("r3", time.Hour, events.Gauge{}))                                         // was told nothing
	label := func(s run.State, id string) string { return s.Facts.Handle + " " + id }
	list := c.Views(label)
	if len(list) != 1 || list[0].Gauge == nil || list[0].Gauge.Percent != 92 || list[0].Label != "r2 A" || list[0].State != "ok" {
		t.Errorf("the accounts: %+v", list)
	}
	at = now.Add(2 * time.Hour)
	if list := c.Views(label); len(list) != 0 {
		t.Errorf("a limit that was reset: %+v", list)
	}
}
