package explain

import (
	"strings"

	"autopilot/events"
)

// Misasked takes the text of a question that is none apart: why it is none, and what the
// agent wanted to ask, if that is known.
func Misasked(text string) (why, asked string) {
	why, asked, _ = strings.Cut(text, "\n\n")
	return why, asked
}

// MisaskedSays tells people of a question that reached nobody; empty without one.
func MisaskedSays(l events.Language, text string) string {
	why, asked := Misasked(text)
	switch {
	case why == "":
		return ""
	case asked == "":
		return say(l, "the agent's question reached nobody: %s", "エージェントの質問は届いていません: %s", why)
	}
	return say(l, "the agent's question reached nobody: %s; it wanted to ask: %s", "エージェントの質問は届いていません: %s。内容: %s", why, strings.Join(strings.Fields(asked), " "))
}
