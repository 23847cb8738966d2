package realtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// anthropic is Messages, as claude and opencode use it.
type anthropic struct{}

func (anthropic) asks(path string, body []byte) (ask, bool) {
	var q struct {
		Model string
		Tools []struct{ Name string }
	}
	if !strings.HasSuffix(path, "/messages") || json.Unmarshal(body, &q) != nil {
		return ask{}, false
	}
	a := ask{model: q.Model}
	for _, t := range q.Tools {
		a.tools = append(a.tools, t.Name)
	}
	return a, true
}

func (anthropic) refuses(r refusal, reset time.Time) (int, map[string]string, any) {
	status, typ, message := http.StatusTooManyRequests, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later."
	var header map[string]string
	switch r {
	case wrongKey:
		status, typ, message = http.StatusUnauthorized, "authentication_error", "invalid x-api-key"
	case overloaded:
		status, typ, message = 529, "overloaded_error", "Overloaded"
	case tooLong:
		status, typ, message = http.StatusBadRequest, "invalid_request_error", "prompt is too long: 212000 tokens > 200000 maximum"
	case limited:
		at := strconv.FormatInt(reset.Unix(), 10)
		header = map[string]string{
			"retry-after":                                      strconv.Itoa(int(time.Until(reset).Seconds())),
			"anthropic-ratelimit-unified-status":               "rejected",
			"anthropic-ratelimit-unified-reset":                at,
			"anthropic-ratelimit-unified-representative-claim": "five_hour",
			"anthropic-ratelimit-unified-5h-status":            "rejected",
			"anthropic-ratelimit-unified-5h-reset":             at,
			"anthropic-ratelimit-unified-5h-utilization":       "1.0",
			"anthropic-ratelimit-unified-7d-status":            "allowed",
			"anthropic-ratelimit-unified-7d-reset":             strconv.FormatInt(reset.Add(72*time.Hour).Unix(), 10),
			"anthropic-ratelimit-unified-7d-utilization":       "0.4",
			"anthropic-ratelimit-unified-fallback-percentage":  "0.5",
			"anthropic-ratelimit-unified-overage-status":       "rejected",
		}
	}
	return status, header, m{"type": "error", "error": m{"type": typ, "message": message}, "request_id": "req_1"}
}

func (anthropic) answers(w *sse, a ask, s step, file string) {
	usage := m{"input_tokens": tokensIn - tokensCached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": tokensCached, "output_tokens": 1}
	w.send("message_start", m{"type": "message_start", "message": m{
		"id": newID("msg"), "type": "message", "role": "assistant", "model": a.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}})
	first, second := halves(s.text)
	block, delta, reason := m{"type": "text", "text": ""}, func(t string) m { return m{"type": "text_delta", "text": t} }, "end_turn"
	if s.calls() {
		name, input := "Write", m{"file_path": file, "content": cmp.Or(s.writes, content)}
		if a.has("write") {
			name, input = "write", m{"filePath": file, "content": content}
		}
		if a.has("find") { // pi
			input = m{"path": file, "content": content}
		}
		if a.has("write_file") { // qwen
			name = "write_file"
		}
		switch {
		case s.read:
			name, input = "Read", m{"file_path": file}
		case s.run != "":
			name, input = "Bash", m{"command": s.run, "description": "as asked"}
		}
		block, reason = m{"type": "tool_use", "id": newID("toolu"), "name": name, "input": m{}}, "tool_use"
		delta = func(t string) m { return m{"type": "input_json_delta", "partial_json": t} }
		first, second = halves(encoded(input))
	}
	w.send("content_block_start", m{"type": "content_block_start", "index": 0, "content_block": block})
	w.send("content_block_delta", m{"type": "content_block_delta", "index": 0, "delta": delta(first)})
	w.pause()
	w.send("content_block_delta", m{"type": "content_block_delta", "index": 0, "delta": delta(second)})
	w.send("content_block_stop", m{"type": "content_block_stop", "index": 0})
	w.send("message_delta", m{
		"type": "message_delta", "delta": m{"stop_reason": reason, "stop_sequence": nil}, "usage": m{"output_tokens": tokensOut},
	})
	w.send("message_stop", m{"type": "message_stop"})
}
