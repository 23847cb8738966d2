package engine_test

import (
	"errors"
	"testing"

	"autopilot/daemon/engine"
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
