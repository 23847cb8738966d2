package rule

import (
	"testing"
	"time"

	"autopilot/events"
	"autopilot/projections/when"
)

func TestAgentsThatHangAreCountedInARow(t *testing.T) {
	t.Parallel()
	hung := events.AgentEnded{Outcome: events.IdleTimeout, Result: events.ResultIdleTimeout}
	worked := hung
	worked.Files = 3
	for name, c := range map[string]struct {
		ended []events.AgentEnded
		want  int
	}{
		"one":                          {[]events.AgentEnded{hung}, 1},
		"two":                          {[]events.AgentEnded{hung, hung}, 2},
		"one of an older version":      {[]events.AgentEnded{{Outcome: events.IdleTimeout}}, 1},
		"whatever it changed before":   {[]events.AgentEnded{hung, worked}, 2},
		"one that ended by itself":     {[]events.AgentEnded{hung, {Outcome: events.Exited, Result: events.ResultEnded}}, 0},
		"one that failed":              {[]events.AgentEnded{hung, {Outcome: events.Exited, Exit: 1, Result: events.ResultAgentError}}, 0},
		"one that ran out of time":     {[]events.AgentEnded{hung, {Outcome: events.WallTimeout, Result: events.ResultWallTimeout}}, 0},
		"one with a result that stays": {[]events.AgentEnded{hung, {Outcome: events.IdleTimeout, Result: events.ResultEnded}}, 0},
		"one that was cut at a limit":  {[]events.AgentEnded{hung, {Outcome: events.Stopped, Result: events.ResultStopped, Cut: events.CutRepetition}}, 0},
		"a lost one says nothing":      {[]events.AgentEnded{hung, {Outcome: events.Lost, Result: events.ResultInterrupted}}, 1},
		"nor one that was stopped":     {[]events.AgentEnded{hung, {Outcome: events.Stopped, Result: events.ResultStopped}}, 1},
		"nor one that has to wait":     {[]events.AgentEnded{hung, {Outcome: events.IdleTimeout, Result: events.ResultUnreachable}, hung}, 2},
	} {
		n := 0
		for _, d := range c.ended {
			n = HungInRow(n, d)
		}
		if n != c.want {
			t.Errorf("%s: %d in a row, want %d", name, n, c.want)
		}
	}
}

// TestAHungAgentCostsHalfAnHour: a supervisor ends what is silent an eighth of the
// limit after it at the latest, and gives it some seconds to end.
func TestAHungAgentCostsHalfAnHour(t *testing.T) {
	t.Parallel()
	const grace = 30 * time.Second
	if most := MostHung * (when.DefaultIdle*9/8 + grace); most > 30*time.Minute {
		t.Errorf("a hung agent costs up to %v", most)
	}
	if when.DefaultIdle <= 10*time.Minute {
		t.Error("a tool that takes its ten minutes ends its agent")
	}
}

func TestRolesThatHangAreCountedInARow(t *testing.T) {
	t.Parallel()
	look := func(gate, role events.Name, void events.Void, result events.Result) events.RoleEnded {
		return events.RoleEnded{Gate: gate, Role: role, Void: void, Agent: events.AgentEnded{Result: result}}
	}
	hung := look("review", "critic", events.VoidNotEnded, events.ResultIdleTimeout)
	other := look("review", "architect", "", events.ResultEnded)
	for name, c := range map[string]struct {
		looks []events.RoleEnded
		want  int
	}{
		"nobody looked":          {nil, 0},
		"one":                    {[]events.RoleEnded{hung}, 1},
		"two":                    {[]events.RoleEnded{hung, hung}, 2},
		"another role meanwhile": {[]events.RoleEnded{hung, other, hung}, 2},
		"at another gate":        {[]events.RoleEnded{look("qa", "critic", events.VoidNotEnded, events.ResultIdleTimeout), hung}, 1},
		"one with a result":      {[]events.RoleEnded{hung, look("review", "critic", "", events.ResultIdleTimeout)}, 0},
		"one that is no result":  {[]events.RoleEnded{hung, look("review", "critic", events.VoidBadResult, events.ResultEnded)}, 0},
		"a hang before a result": {[]events.RoleEnded{hung, look("review", "critic", "", events.ResultEnded), hung}, 1},
	} {
		if got := HungLooks(c.looks); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
