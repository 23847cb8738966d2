package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/run"
)

func TestOneChatDrivesARunAtATime(t *testing.T) {
	t.Parallel()
	one, other := events.SessionJoined{PID: 1, Start: 10, Boot: "b"}, events.SessionJoined{PID: 2, Start: 20, Boot: "b"}
	again := one // the same pid, another process
	again.Start = 11
	driven := started()
	driven.Driver = events.DriverSession
	over := events.RunEnded{State: events.EndDone}
	for name, tt := range map[string]struct {
		events []events.Data
		cmd    engine.Command
		want   events.Data
		err    error
	}{
		"the first joins":                      {[]events.Data{driven}, engine.Join{SessionJoined: one}, one, nil},
		"again changes nothing":                {[]events.Data{driven, one}, engine.Join{SessionJoined: one}, nil, nil},
		"a second one is refused":              {[]events.Data{driven, one}, engine.Join{SessionJoined: other}, nil, engine.ErrDriven},
		"also with the pid of the first":       {[]events.Data{driven, one}, engine.Join{SessionJoined: again}, nil, engine.ErrDriven},
		"unless the first is gone":             {[]events.Data{driven, one}, engine.Join{SessionJoined: other, Gone: one}, other, nil},
		"or somebody else is":                  {[]events.Data{driven, one}, engine.Join{SessionJoined: other, Gone: again}, nil, engine.ErrDriven},
		"or it has left":                       {[]events.Data{driven, one, events.SessionLeft{}}, engine.Join{SessionJoined: other}, other, nil},
		"a run with an agent has no chat":      {[]events.Data{started()}, engine.Join{SessionJoined: one}, nil, engine.ErrNotDriven},
		"a run that is over takes none":        {[]events.Data{driven, over}, engine.Join{SessionJoined: one}, nil, engine.ErrOver},
		"a halted one does":                    {[]events.Data{driven, events.RunHalted{Reason: events.HaltStopped}}, engine.Join{SessionJoined: one}, one, nil},
		"who drives leaves":                    {[]events.Data{driven, one}, engine.Leave{SessionJoined: one}, events.SessionLeft{}, nil},
		"another one has nothing to leave":     {[]events.Data{driven, one}, engine.Leave{SessionJoined: other}, nil, engine.ErrDriven},
		"to leave twice changes nothing":       {[]events.Data{driven, one, events.SessionLeft{}}, engine.Leave{SessionJoined: one}, nil, nil},
		"a run with an agent has none to miss": {[]events.Data{started()}, engine.Leave{SessionJoined: one}, nil, engine.ErrNotDriven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := engine.Decide(history(tt.events...), tt.cmd, start)
			if got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%v, %v; want %v, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestWhoDrivesChangesNothingElse(t *testing.T) {
	t.Parallel()
	driven := started()
	driven.Driver = events.DriverSession
	before := history(driven)
	after := history(driven, events.SessionJoined{PID: 1})
	if after.Driver == nil || after.Driver.PID != 1 || after.Stage != before.Stage || after.Status != run.Live {
		t.Errorf("%+v", after)
	}
}

// Whatever a chat says, and however often, a run is done only by what the gates
// saw.
func TestNothingThatAChatSaysMakesARunDone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		driven := started()
		driven.Driver = events.DriverSession
		data, flow := []events.Data{driven}, workflow.Default()
		goal := func(v events.Verdict) []events.GateResult {
			return []events.GateResult{{Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: v, Reason: events.ReasonExit}}
		}
		for i := range 60 {
			s, now := history(data...), start.Add(time.Duration(i)*time.Hour)
			switch act := engine.Next(s, flow, now).(type) {
			case engine.RunGates:
				v := events.Fail
				if act.Iteration > 0 {
					v = rapid.SampledFrom([]events.Verdict{events.Pass, events.Fail, events.Unverifiable}).Draw(rt, "verdict")
				}
				data = append(data, events.GatesStarted{Phase: act.Phase, Iteration: act.Iteration},
					events.GatesJudged{Phase: act.Phase, Iteration: act.Iteration, Results: goal(v), Tree: s.Last.Tree, Work: s.Last.Work})
			case engine.RunAgent:
				if !act.Announced {
					data = append(data, events.IterationStarted{Phase: act.Phase, Iteration: act.Iteration, Attempt: act.Attempt, Effect: fmt.Sprint("e", i)})
					continue
				}
				if d, err := engine.Decide(s, chatter(rt, s), now); err == nil && d != nil {
					data = append(data, d)
				}
			case engine.Record:
				data = append(data, act.IterationRecorded)
			case engine.Finish:
				if act.State == events.EndDone && (len(s.Last.Results) == 0 || s.Last.Results[0].Verdict != events.Pass || s.Last.Record.Verdict != events.Pass) {
					rt.Fatalf("done with %+v", s.Last.Results)
				}
				return
			case engine.Halt:
				return
			}
		}
	})
}

// chatter is anything that a chat may say of the open iteration, or of another.
func chatter(rt *rapid.T, s run.State) engine.Command {
	one := events.SessionJoined{PID: rapid.IntRange(1, 2).Draw(rt, "pid")}
	switch rapid.IntRange(0, 4).Draw(rt, "command") {
	case 0:
		return engine.Join{SessionJoined: one, Gone: events.SessionJoined{PID: rapid.IntRange(0, 2).Draw(rt, "gone")}}
	case 1:
		return engine.Leave{SessionJoined: one}
	default:
		return engine.Report{Data: events.AgentEnded{
			Phase: s.Loop.Phase, Iteration: s.Loop.Iteration, Attempt: s.Loop.Attempt, Outcome: events.Exited, DurationMS: 60_000,
			Effect: rapid.SampledFrom([]string{s.Last.Start.Effect, "e0", "other"}).Draw(rt, "effect"),
			Claim:  rapid.SampledFrom([]events.Claim{events.ClaimDone, events.ClaimProgress, events.ClaimBlocked}).Draw(rt, "claim"),
			Tree:   rapid.SampledFrom([]events.Tree{"t1", "t2"}).Draw(rt, "tree"), Work: "t1",
		}}
	}
}
