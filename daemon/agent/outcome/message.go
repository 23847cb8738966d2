package outcome

import (
	"cmp"
	"strings"

	"autopilot/daemon/agent/stream"
	"autopilot/events"
)

// maxMessage bounds the words of a provider, in bytes.
const maxMessage = 2 << 10

// message is what was said of the failure that was decided: by the stream, else in the
// line that names it.
func message(in Input, d Decision) string {
	if in.Cut == events.CutPrompt {
		return in.Stream.Prompt
	}
	if !d.Outcome.OfAccount() && d.Outcome != ContextOverflow && !vague(d.Outcome) {
		return ""
	}
	t := cmp.Or(in.Stream.Message, in.Stream.Trying.Message)
	if d.By.Source == FromText || t == "" {
		_, line := ofText(in)
		t = cmp.Or(line, t)
	}
	if f, ok := stream.FaultOf(t); ok && f.Message != "" && !strings.Contains(t[:strings.IndexByte(t, '{')], f.Message) {
		t = strings.TrimSpace(t[:strings.IndexByte(t, '{')] + f.Message)
	}
	if len(t) > maxMessage {
		t = strings.ToValidUTF8(t[:maxMessage], "") + "..."
	}
	return strings.TrimSpace(t)
}
