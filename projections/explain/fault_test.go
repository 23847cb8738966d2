package explain

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/projections/run"
)

func TestAFaultAtTheProviderIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		result  events.Result
		message string
		want    string
	}{
		{events.ResultUnreachable, "API Error: Unable to connect", "failed at its provider: the provider cannot be reached (API Error: Unable to connect)"},
		{events.ResultBilling, "", "failed at its provider: the account needs a payment"},
		{events.ResultAgentError, "it\nbroke", "the agent failed: it failed (it broke)"},
		{events.ResultAgentError, "", ""},
		{events.ResultEnded, "", ""},
	} {
		s := run.State{Status: run.Live}
		s.Last.End = events.AgentEnded{Result: c.result}
		if got := Fault(s, c.message); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s, %q: %q, want %q", c.result, c.message, got, c.want)
		}
	}
}
