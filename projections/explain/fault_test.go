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

func TestAPromptThatWaitsNamesTheRuleThatAllowsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent events.Name
		end   events.AgentEnded
		want  string
	}{
		{"claude", events.AgentEnded{Cut: events.CutPrompt, Result: events.ResultNeedsPermission}, `allow it by permissions.allow of .claude/settings.json, as in ["Bash(npm test)"] (proceed?)`},
		{"copilot", events.AgentEnded{Result: events.ResultNeedsPermission}, `was refused what it wanted to do; allow it by args of the profile: [--allow-tool, "shell(npm test)"] (proceed?)`},
		{"", events.AgentEnded{Cut: events.CutPrompt, Result: events.ResultNeedsPermission}, "allow it by the option of its command that asks nobody, as --yes (proceed?)"},
	} {
		s := run.State{Status: run.Live}
		s.Facts.Agent, s.Last.End = c.agent, c.end
		if got := Fault(s, "proceed?"); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.agent, got, c.want)
		}
	}
}
