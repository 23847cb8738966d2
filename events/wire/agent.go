package wire

import (
	"time"

	"autopilot/events"
)

// SchemaOutcome is the answer of agent classify.
const SchemaOutcome = "autopilot.outcome"

// Shown is what people read of a piece of output.
func (f LogFrame) Shown() []byte {
	if f.Format != "" {
		return []byte(f.Text)
	}
	return f.Data
}

// ClassifyRequest asks how an agent ended that printed this and exited so.
type ClassifyRequest struct {
	Agent     string     `json:"agent,omitzero"`      // name of a shipped profile, or text; empty finds it out
	Exit      *int       `json:"exit,omitzero"`       // absent is unknown
	Sample    []byte     `json:"sample,omitzero"`     // base64 in JSON; at most MaxChunk bytes
	SampleRef events.Ref `json:"sample_ref,omitzero"` // instead of Sample when it is large
}

// OutcomeView is how an agent ended, and what that was taken from.
type OutcomeView struct {
	Agent     string       `json:"agent"`                   // whose stream it was read as: the name of an agent program, or text
	Outcome   string       `json:"outcome"`                 // ended, rate-limited, auth-failed ...
	Reason    string       `json:"reason"`                  // what the deciding signal is taken from
	Signal    string       `json:"signal"`                  // where it comes from: supervisor, stream, exit or text
	Conflicts []SignalView `json:"conflicts"`               // signals that say otherwise
	Reset     *time.Time   `json:"reset,omitzero"`          // of a limit, from the provider's own words; absent is unknown
	Session   string       `json:"session,omitzero"`        // of the program
	Model     string       `json:"model,omitzero"`          // the last one
	Turns     int          `json:"turns"`                   // as far as they are told
	Tools     int          `json:"tools"`                   // uses of tools
	Usage     *UsageView   `json:"usage,omitzero"`          // absent is unknown
	MicroUSD  *int64       `json:"cost_micro_usd,omitzero"` // as reported; absent is unknown
	Final     string       `json:"final,omitzero"`          // type of the last event, if there was one
	Last      string       `json:"last,omitzero"`           // the end of what the agent said
	Lines     int          `json:"lines"`
	Junk      int          `json:"junk,omitzero"`    // pieces that are not of the stream
	Unknown   int          `json:"unknown,omitzero"` // lines of types that are not known
	Patterns  string       `json:"patterns"`         // version of the wordings
}

// SignalView is what one source says of an end.
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
