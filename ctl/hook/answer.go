package hook

import (
	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
)

// Answer is what a host reads of a hook's answer; nothing, where there is nothing
// to say. All hosts want exit code 0 with it.
func (h Host) Answer(event, text string) []byte {
	e, known := h.event(event)
	if !known || text == "" {
		return nil
	}
	said := h.answer(e.Name, e.Is, text)
	if said == nil {
		return nil
	}
	b, err := json.Marshal(said)
	if err != nil {
		return nil
	}
	return append(b, '\n')
}

// decided is a decision about the event.
type decided struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// specific is what a host wants for one kind of event only.
type specific struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Context  string `json:"additionalContext,omitzero"`
		Decision string `json:"permissionDecision,omitzero"`
		Reason   string `json:"permissionDecisionReason,omitzero"`
	} `json:"hookSpecificOutput"`
}

// answerClaude is the form of Claude Code, and of Codex.
func answerClaude(name string, e wire.HookEvent, text string) any {
	var s specific
	s.Output.Event = name
	switch e {
	case wire.HookBegins:
		s.Output.Context = text
	case wire.HookCalls:
		s.Output.Decision, s.Output.Reason = "deny", text
	case wire.HookStops:
		return decided{"block", text}
	case wire.HookCalled, wire.HookEnds:
		return nil
	}
	return s
}

// answerGemini is the form of Gemini CLI.
func answerGemini(name string, e wire.HookEvent, text string) any {
	switch e {
	case wire.HookBegins:
		return answerClaude(name, e, text)
	case wire.HookCalls, wire.HookStops:
		return decided{"deny", text}
	case wire.HookCalled, wire.HookEnds:
	}
	return nil
}
