package explain_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/explain"
)

func TestAQuestionThatReachedNobodyIsShownToPeople(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                     "",
		"none of the 2 options is recommended": "the agent's question reached nobody: none of the 2 options is recommended",
		"options is {}, and has to be a list of texts\n\nWhich?\noptions: [{\"label\":\"a\"}]": `the agent's question reached nobody: options is {}, and has to be a list of texts; it wanted to ask: Which? options: [{"label":"a"}]`,
	} {
		if got := explain.MisaskedSays(events.English, text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
