package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/engine"
	"autopilot/events"
)

func TestDecideAnswersACommandWithAtMostOneEvent(t *testing.T) {
	t.Parallel()
	live := join(baseline(), one(agent(1, 1)))
	halt := func(r events.Halt) []events.Data { return join(baseline(), one(events.RunHalted{Reason: r})) }
	over := join(baseline(), one(events.RunEnded{State: events.EndDone}))
	until := func(d *events.RunStarted) { d.Limits.UntilMS = start.Add(time.Second).UnixMilli() }
	// off is when the host booted, so long after the latest event of a live run.
	off := func(d time.Duration) time.Time { return history(live...).Clock.Latest.Add(d) }
	account := func(d *events.RunStarted) { d.Account = "acc" }
	tests := []struct {
		name  string
		given []events.Data
		when  engine.Command
		want  events.Data
		err   error
	}{
		{"a run starts once", nil, engine.Start{RunStarted: started()}, started(), nil},
		{"and not twice", live, engine.Start{RunStarted: started()}, nil, engine.ErrStarted},
		{"a live run can be stopped", live, engine.Stop{Mode: events.StopAfterIteration}, events.StopRequested{Mode: events.StopAfterIteration}, nil},
		{"the same stop twice is one event", join(live, one(events.StopRequested{Mode: events.StopNow})), engine.Stop{Mode: events.StopNow}, nil, nil},
		{"a stronger stop replaces a weaker one", join(live, one(events.StopRequested{Mode: events.StopAfterIteration})), engine.Stop{Mode: events.StopNow}, events.StopRequested{Mode: events.StopNow}, nil},
		{"a weaker stop changes nothing", join(live, one(events.StopRequested{Mode: events.StopCancel})), engine.Stop{Mode: events.StopNow}, nil, nil},
		{"a halted run is stopped already", halt(events.HaltStuck), engine.Stop{Mode: events.StopNow}, nil, nil},
		{"a halted run can be cancelled", halt(events.HaltStuck), engine.Stop{Mode: events.StopCancel}, events.RunEnded{State: events.EndCancelled, Tree: "t0"}, nil},
		{"a run that is over cannot be stopped", over, engine.Stop{Mode: events.StopNow}, nil, engine.ErrOver},
		{"a run that is over cannot be resumed", over, engine.Resume{Note: "n"}, nil, engine.ErrOver},
		{"a live run cannot be resumed", live, engine.Resume{}, nil, engine.ErrNotHalted},
		{"a stopped run is resumed without a note", halt(events.HaltStopped), engine.Resume{}, events.RunResumed{}, nil},
		{"a rail needs new findings", halt(events.HaltSameness), engine.Resume{}, nil, engine.ErrNeedsNote},
		{"and goes on with them", halt(events.HaltSameness), engine.Resume{Note: "n"}, events.RunResumed{Note: "n"}, nil},
		{"a question needs an answer", halt(events.HaltNeedsPerson), engine.Resume{}, nil, engine.ErrNeedsNote},
		{"drift is not resumed by just anybody, whatever is said", halt(events.HaltDrift), engine.Resume{Note: "n"}, nil, engine.ErrDrift},
		{"nor by a chat", halt(events.HaltDrift), engine.Resume{Assurance: events.AssuredSession}, nil, engine.ErrDrift},
		{"a person resumes it", halt(events.HaltDrift), engine.Resume{Assurance: events.AssuredTTY}, events.RunResumed{Assurance: events.AssuredTTY}, nil},
		{"a damaged log is not resumed", halt(events.HaltLogIntegrity), engine.Resume{Note: "n"}, nil, engine.ErrBrokenLog},
		{"time that has passed cannot be resumed", join(baseline(until), one(events.RunHalted{Reason: events.HaltHours})), engine.Resume{Note: "n"}, nil, engine.ErrPastUntil},
		{"a wait can be ended by a person", join(baseline(), one(waits(time.Hour))), engine.Lift{}, events.LimitLifted{}, nil},
		{"once", join(baseline(), one(waits(time.Hour), events.LimitLifted{})), engine.Lift{}, nil, nil},
		{"but not where there is none", live, engine.Lift{}, nil, engine.ErrNotWaiting},
		{
			"FR-69: a run whose account fails elsewhere is halted", join(baseline(account), one(waits(time.Hour))),
			engine.AccountFailed{Cause: events.ResultAuthFailed, Account: "acc", Run: "01S"},
			events.RunHalted{Reason: events.HaltAuthFailed, Phase: "work", Account: "acc", Cause: "01S", Tree: "t0"},
			nil,
		},
		{"an agent at work ends its turn", join(baseline(account), one(agent(1, 1))), engine.AccountFailed{Cause: events.ResultBilling, Account: "acc"}, nil, nil},
		{"the account of others is none of a run's", baseline(account), engine.AccountFailed{Cause: events.ResultBilling, Account: "other"}, nil, nil},
		{"a run whose account failed goes on without a note", halt(events.HaltAuthFailed), engine.Resume{}, events.RunResumed{}, nil},
		{"more money needs new findings", halt(events.HaltCost), engine.Resume{}, nil, engine.ErrNeedsNote},
		{"a wait is taken between agents", baseline(), engine.Report{Data: waits(time.Hour)}, waits(time.Hour), nil},
		{"and not while one works", live, engine.Report{Data: waits(time.Hour)}, nil, engine.ErrStale},
		{"a suspension is recorded", live, engine.Suspend{For: 90 * time.Second}, events.RunSuspended{MS: 90_000}, nil},
		{"but not of a run that is over", over, engine.Suspend{For: time.Minute}, nil, nil},
		{"the time that the host was off is recorded first", live, engine.Reboot{Booted: off(90 * time.Second), Anew: "b2"}, events.RunSuspended{MS: 90_000}, nil},
		{"then the run is halted, if a person is to be asked", join(live, one(events.RunSuspended{MS: 90_000})), engine.Reboot{Booted: off(-time.Second), Anew: "b2"}, events.RunHalted{Reason: events.HaltRebooted, Phase: "work", Iteration: 1, Value: "b2", Tree: "t0"}, nil},
		{"and goes on if not", live, engine.Reboot{Booted: off(time.Second)}, nil, nil},
		{"a boot after now is no time that the host was off", live, engine.Reboot{Booted: off(time.Hour), Anew: "b2"}, events.RunSuspended{MS: 120_000}, nil},
		{"an unknown boot time is none", live, engine.Reboot{Anew: "b2"}, events.RunHalted{Reason: events.HaltRebooted, Phase: "work", Iteration: 1, Value: "b2", Tree: "t0"}, nil},
		{"a run that is to be cancelled is not asked about", join(live, one(events.StopRequested{Mode: events.StopCancel})), engine.Reboot{Anew: "b2"}, nil, nil},
		{"a halted run stays as it is", halt(events.HaltStuck), engine.Reboot{Booted: off(time.Hour), Anew: "b2"}, nil, nil},
		{"a run that was halted for a reboot goes on without a note", halt(events.HaltRebooted), engine.Resume{}, events.RunResumed{}, nil},
		{"an outcome of the effect under way is taken", live, engine.Report{Data: ended(1, "t1")}, ended(1, "t1"), nil},
		{"an outcome of another effect is stale", live, engine.Report{Data: ended(1, "t1", func(d *events.AgentEnded) { d.Effect = "F" })}, nil, engine.ErrStale},
		{"gates of a run that is not at its gates are stale", live, engine.Report{Data: judged(1, "t1", nil)}, nil, engine.ErrStale},
		{"nothing is reported to a halted run", halt(events.HaltStopped), engine.Report{Data: ended(1, "t1")}, nil, engine.ErrStale},
		{"a run that cannot be served halts", live, engine.GiveUp{Reason: events.HaltInternal, Error: "e"}, events.RunHalted{Reason: events.HaltInternal, Phase: "work", Iteration: 1, Error: "e", Tree: "t0"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := history(tt.given...)
			got, err := engine.Decide(s, tt.when, s.Clock.Latest.Add(2*time.Minute))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}
