package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// openai is Responses, as codex uses it.
type openai struct{}

func (openai) asks(path string, body []byte) (ask, bool) {
	var q struct {
		Model string
		Tools []struct{ Type, Name string }
	}
	if !strings.HasSuffix(path, "/responses") || json.Unmarshal(body, &q) != nil {
		return ask{}, false
	}
	a := ask{model: q.Model}
	for _, t := range q.Tools {
		a.tools = append(a.tools, t.Name)
	}
	return a, true
}

func (openai) refuses(r refusal, reset time.Time) (int, map[string]string, any) {
	switch r {
	case wrongKey:
		return http.StatusUnauthorized, nil, m{"error": m{"message": "Incorrect API key provided.", "type": "invalid_request_error", "code": "invalid_api_key"}}
	case overloaded:
		return http.StatusServiceUnavailable, nil, m{"error": m{"message": "The server is overloaded.", "type": "server_error", "code": "server_is_overloaded"}}
	case tooLong:
		return http.StatusBadRequest, nil, m{"error": m{
			"message": "Your input exceeds the context window of this model. Please adjust your input and try again.",
			"type":    "invalid_request_error", "code": "context_length_exceeded", "param": "input",
		}}
	default:
		return http.StatusTooManyRequests, nil, m{"error": m{
			"message": "The usage limit has been reached", "type": "usage_limit_reached", "plan_type": "plus",
			"resets_at": reset.Unix(), "resets_in_seconds": int(time.Until(reset).Seconds()),
		}}
	}
}

func (openai) answers(w *sse, a ask, s step, file string) {
	id := newID("resp")
	w.send("response.created", m{"type": "response.created", "response": m{"id": id, "model": a.model}})
	item := m{"type": "message", "id": newID("msg"), "role": "assistant", "content": []m{{"type": "output_text", "text": s.text}}}
	switch {
	case s.edit:
		item = openaiRun(a, fmt.Sprintf("printf %%s '%s' > '%s'", content, file))
	case s.read:
		item = openaiRun(a, "cat '"+file+"'")
	case s.run != "":
		item = openaiRun(a, s.run)
	default:
		empty := m{"type": "message", "id": item["id"], "role": "assistant", "content": []m{}}
		w.send("response.output_item.added", m{"type": "response.output_item.added", "output_index": 0, "item": empty})
		half, _ := halves(s.text)
		w.send("response.output_text.delta", m{"type": "response.output_text.delta", "item_id": item["id"], "output_index": 0, "content_index": 0, "delta": half})
	}
	w.pause()
	w.send("response.output_item.done", m{"type": "response.output_item.done", "output_index": 0, "item": item})
	w.send("response.completed", m{"type": "response.completed", "response": m{"id": id, "usage": m{
		"input_tokens": tokensIn, "input_tokens_details": m{"cached_tokens": tokensCached},
		"output_tokens": tokensOut, "output_tokens_details": m{"reasoning_tokens": 0}, "total_tokens": tokensIn + tokensOut,
	}}})
}

// openaiRun uses the tool for commands, for edits too: that for patches is not of
// every model.
func openaiRun(a ask, command string) m {
	name, args := "exec_command", m{"cmd": command}
	switch {
	case a.has("shell"):
		name, args = "shell", m{"command": []string{"sh", "-c", command}}
	case a.has("shell_command"):
		name, args = "shell_command", m{"command": command}
	}
	return m{"type": "function_call", "id": newID("fc"), "call_id": newID("call"), "name": name, "arguments": encoded(args)}
}
