package wire

import (
	"time"

	"autopilot/events"
)

// SchemaOutcome is the answer of agent classify.
const SchemaOutcome = "autopilot.outcome"

// Shown is the text of a piece of output for people.
func (f LogFrame) Shown() []byte {
	if f.Format != "" {
		return []byte(f.Text)
	}
	return f.Data
}

// ClassifyRequest asks how an agent ended, from its output and exit code.
type ClassifyRequest struct {
	Agent     string     `json:"agent,omitzero"`      // name of a shipped profile, or text; empty: find out
	Exit      *int       `json:"exit,omitzero"`       // absent is unknown
	Sample    []byte     `json:"sample,omitzero"`     // base64 in JSON; at most MaxChunk bytes
	SampleRef events.Ref `json:"sample_ref,omitzero"` // instead of Sample when it is large
}

// OutcomeView is how an agent ended, and the signals for that.
type OutcomeView struct {
	Agent      string       `json:"agent"`                   // whose stream it was read as: the name of an agent program, or text
	Candidates []string     `json:"candidates,omitzero"`     // formats that the sample may be of, most likely first; absent is sure
	Outcome    string       `json:"outcome"`                 // ended, rate-limited, auth-failed ...
	Reason     string       `json:"reason"`                  // what the deciding signal says
	Message    string       `json:"message,omitzero"`        // what the provider or the program said of a failure
	Signal     string       `json:"signal"`                  // its source: supervisor, stream, exit or text
	Conflicts  []SignalView `json:"conflicts"`               // signals that say otherwise
	Reset      *time.Time   `json:"reset,omitzero"`          // end of a limit, in the provider's words; absent is unknown
	Session    string       `json:"session,omitzero"`        // of the program
	Model      string       `json:"model,omitzero"`          // the last one
	Turns      int          `json:"turns"`                   // as far as the program reports them
	Tools      int          `json:"tools"`                   // uses of tools
	Usage      *UsageView   `json:"usage,omitzero"`          // absent is unknown
	MicroUSD   *int64       `json:"cost_micro_usd,omitzero"` // as reported; absent is unknown
	Final      string       `json:"final,omitzero"`          // type of the last event, if there was one
	Last       string       `json:"last,omitzero"`           // the end of what the agent said
	Lines      int          `json:"lines"`
	Junk       int          `json:"junk,omitzero"`    // pieces outside of the stream's format
	Unknown    int          `json:"unknown,omitzero"` // lines of unknown types
	Patterns   string       `json:"patterns"`         // version of the failure patterns
}

// SignalView is what one source says about an end.
type SignalView struct {
	Signal  string `json:"signal"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
}

// UsageView counts tokens by kind. The kinds do not overlap.
type UsageView struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
}
