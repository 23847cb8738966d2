package account_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"autopilot/daemon/host/account"
	"autopilot/daemon/run/engine"
	"autopilot/events"
	folded "autopilot/projections/account"
	"autopilot/projections/run"
)

var now = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

// record is the log of an account in memory.
type record struct{ s folded.State }

func (r *record) State() folded.State { return r.s }

func (r *record) Append(_ context.Context, d events.Data) error {
	r.s = folded.Evolve(r.s, events.Event{Seq: r.s.Log.Seq + 1, Time: now, Data: d})
	return nil
}

// runs are all that there are.
type runs []run.State

func (r runs) NotOver() (out []*run.State) {
	for i := range r {
		out = append(out, &r[i])
	}
	return out
}

func (r runs) State(id string) (run.State, bool) {
	for _, s := range r {
		if s.ID == id {
			return s, true
		}
	}
	return run.State{}, false
}

func (r runs) Do(context.Context, string, engine.Command, string, string) (run.State, error) {
	return run.State{}, nil
}

// crewed is a run whose own account is A and whose role works on B, after the
// events.
func crewed(id string, data ...events.Data) run.State {
	var s run.State
	for i, d := range append([]events.Data{events.RunStarted{
		Phase: "plan", Account: "A",
		Crews: []events.Crew{{Role: "coder", Phases: []events.Name{"build"}, Hands: []events.Hand{{Agent: "x", Account: "B"}}}},
	}, events.GatesJudged{}}, data...) {
		s = run.Evolve(s, events.Event{Aggregate: events.Run(id), Seq: uint64(i + 1), Time: now.Add(time.Duration(i-60) * time.Second), Data: d})
	}
	return s
}

func met(r events.Result, l events.IterationStarted) []events.Data {
	l.Effect = "e"
	return []events.Data{
		l,
		events.AgentEnded{Effect: "e", Outcome: events.Exited, Exit: 1, Result: r, ResetMS: now.Add(time.Hour).UnixMilli(), DurationMS: 1000},
		events.IterationRecorded{Verdict: events.Skipped},
	}
}

// A limit of one account holds back no phase that works with another.
func TestWhatAnAgentMeetsIsOfTheAccountThatItWorkedOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		result events.Result
		on     events.IterationStarted // who met it
		other  string                  // account that is not concerned
		its    string
	}{
		"the run's own":              {events.ResultRateLimited, events.IterationStarted{}, "B", "A"},
		"a role's":                   {events.ResultRateLimited, events.IterationStarted{Agent: "x", Level: 1, Account: "B"}, "A", "B"},
		"a login of the run's own":   {events.ResultAuthFailed, events.IterationStarted{}, "B", "A"},
		"a bill of a role's account": {events.ResultBilling, events.IterationStarted{Agent: "x", Level: 1, Account: "B"}, "A", "B"},
	} {
		first, second := crewed("01A", met(tt.result, tt.on)...), crewed("01B")
		books := map[string]*record{"A": {}, "B": {}}
		c := account.New(account.Config{
			Open: func(_ context.Context, id string) (account.Record, error) { return books[id], nil },
			Runs: runs{first, second}, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		})
		// The one that met it begins on the other account, and what it met is known.
		if d, err := c.Admit(t.Context(), first, tt.other); d != nil || err != nil {
			t.Errorf("%s: on the other account %+v, %v", name, d, err)
		}
		if books[tt.its].s.Log.Seq != 1 || books[tt.other].s.Log.Seq != 0 {
			t.Errorf("%s: learned %+v and %+v", name, books[tt.its].s, books[tt.other].s)
		}
		if d, err := c.Admit(t.Context(), second, tt.other); d != nil || err != nil {
			t.Errorf("%s: another run on the other account %+v, %v", name, d, err)
		}
		d, err := c.Admit(t.Context(), second, tt.its)
		switch d := d.(type) {
		case events.LimitWaiting:
			if d.Account != tt.its || tt.result != events.ResultRateLimited {
				t.Errorf("%s: %+v", name, d)
			}
		case events.RunHalted:
			if d.Account != tt.its || tt.result == events.ResultRateLimited {
				t.Errorf("%s: %+v", name, d)
			}
		default:
			t.Errorf("%s: it begins: %+v, %v", name, d, err)
		}
	}
}

func TestAnAgentTakesASlotOfItsOwnAccountAlone(t *testing.T) {
	t.Parallel()
	l := events.IterationStarted{Effect: "e", Agent: "x", Level: 1, Account: "B"}
	busy := crewed("01A", l)
	books := map[string]*record{"A": {}, "B": {}}
	for _, b := range books {
		b.s.Slots = 1
	}
	c := account.New(account.Config{
		Open: func(_ context.Context, id string) (account.Record, error) { return books[id], nil },
		Runs: runs{busy, crewed("01B")}, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	})
	for account, waits := range map[string]bool{"A": false, "B": true} {
		d, err := c.Admit(t.Context(), run.State{ID: "01B", Status: run.Live, Stage: run.Ready}, account)
		if _, ok := d.(events.LimitWaiting); ok != waits || err != nil {
			t.Errorf("account %s: %+v, %v", account, d, err)
		}
	}
}
