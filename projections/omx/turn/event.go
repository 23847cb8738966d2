package turn

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxInput bounds what is read of a hook's input, in bytes.
const MaxInput = 1 << 20

// MaxPrompt bounds what is routed of a prompt, in bytes: what it asks for stands at its
// beginning, and a host waits.
const MaxPrompt = 16 << 10

// The events that have an answer. All others are answered with nothing.
const (
	SessionStart = "SessionStart"
	Prompt       = "UserPromptSubmit"
	Stop         = "Stop"
	SessionEnd   = "SessionEnd"
)

// Event is what a host tells of a turn.
type Event struct {
	Name    string
	Session string
	Thread  string
	Dir     string
	Source  string
	Prompt  string
	Again   bool     // a stop that follows on one that was held
	Reasons []string // why it ends, in lower case
}

// Read reads the input of a hook: one object. What is none is not ok. A member of
// another kind than a text is as one that is missing.
func Read(text []byte) (e Event, ok bool) {
	var o map[string]jsontext.Value
	if len(text) > MaxInput || json.Unmarshal(text, &o, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil || o == nil {
		return e, false
	}
	first := func(names ...string) string {
		for _, n := range names {
			var s string
			if o[n].Kind() == '"' && json.Unmarshal(o[n], &s, jsontext.AllowInvalidUTF8(true)) == nil && s != "" {
				return s
			}
		}
		return ""
	}
	e = Event{
		Name: first("hook_event_name", "hookEventName"), Session: first("session_id", "sessionId"), Thread: first("thread_id", "threadId"),
		Dir: first("cwd"), Source: first("source"), Prompt: first("prompt"),
	}
	if len(e.Prompt) > MaxPrompt {
		e.Prompt = strings.ToValidUTF8(e.Prompt[:MaxPrompt], "")
	}
	e.Again = o["stop_hook_active"].Kind() == 't' || o["stopHookActive"].Kind() == 't'
	for _, n := range []string{"stop_reason", "stopReason", "reason", "exit_reason", "exitReason"} {
		if r := first(n); r != "" {
			e.Reasons = append(e.Reasons, strings.ToLower(r))
		}
	}
	return e, e.Name != ""
}

// Answer is what a host reads.
type Answer struct {
	Decision string    `json:"decision,omitzero"`
	Reason   string    `json:"reason,omitzero"`
	Stop     string    `json:"stopReason,omitzero"`
	System   string    `json:"systemMessage,omitzero"`
	Specific *Specific `json:"hookSpecificOutput,omitzero"`
}

// Specific is what is added to the context of the chat.
type Specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Nothing is the answer where there is nothing to say.
const Nothing = "{}\n"

// Line is an answer on one line.
func (a Answer) Line() string {
	b, err := json.Marshal(a, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return Nothing
	}
	return string(b) + "\n"
}

// adds is an answer that adds a text to the context; an empty one adds nothing.
func adds(event, text string) Answer {
	if text == "" {
		return Answer{}
	}
	return Answer{Specific: &Specific{event, text}}
}
