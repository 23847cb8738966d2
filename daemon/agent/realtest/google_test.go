package realtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// google is generateContent, as gemini uses it.
type google struct{}

func (google) asks(path string, body []byte) (ask, bool) {
	_, method, ok := strings.Cut(path, ":")
	if !ok || method != "generateContent" && method != "streamGenerateContent" {
		return ask{}, false
	}
	var q struct {
		Tools []struct {
			FunctionDeclarations []struct{ Name string }
		}
	}
	if json.Unmarshal(body, &q) != nil {
		return ask{}, false
	}
	var a ask
	_, a.model, _ = strings.Cut(strings.TrimSuffix(path, ":"+method), "/models/")
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			a.tools = append(a.tools, f.Name)
		}
	}
	return a, true
}

func (google) refuses(r refusal, reset time.Time) (int, map[string]string, any) {
	status, word, message, details := http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "", []m{}
	switch r {
	case wrongKey:
		status, word, message = http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials."
	case overloaded:
		status, word, message = http.StatusServiceUnavailable, "UNAVAILABLE", "The model is overloaded. Please try again later."
	case tooLong:
		status, word, message = http.StatusBadRequest, "INVALID_ARGUMENT", "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576)."
	case limited:
		delay := fmt.Sprintf("%.0fs", time.Until(reset).Seconds())
		message = "You exceeded your current quota, please check your plan and billing details.\nPlease retry in " + delay + "."
		details = []m{
			{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []m{{
				"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
				"quotaId":     "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "50",
			}}},
			{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
		}
	}
	return status, nil, m{"error": m{"code": status, "message": message, "status": word, "details": details}}
}

func (google) answers(w *sse, a ask, s step, file string) {
	usage := m{
		"promptTokenCount": tokensIn, "cachedContentTokenCount": tokensCached, "candidatesTokenCount": tokensOut,
		"totalTokenCount": tokensIn + tokensOut,
	}
	chunk := func(finish string, parts ...m) m {
		c := m{"content": m{"role": "model", "parts": parts}, "index": 0}
		if finish != "" {
			c["finishReason"] = finish
		}
		return m{"candidates": []m{c}, "usageMetadata": usage, "modelVersion": a.model}
	}
	if w.whole {
		w.send("", chunk("STOP", m{"text": s.text}))
		return
	}
	first, second := halves(s.text)
	if s.calls() {
		first, second = "I write it.", ""
	}
	w.send("", chunk("", m{"text": first}))
	w.pause()
	call := m{"name": "write_file", "args": m{"file_path": file, "content": content}}
	switch {
	case s.read:
		call = m{"name": "read_file", "args": m{"file_path": file}}
	case s.run != "":
		call = m{"name": "run_shell_command", "args": m{"command": s.run, "description": "as asked"}}
	}
	if s.calls() {
		w.send("", chunk("STOP", m{"functionCall": call}))
		return
	}
	w.send("", chunk("STOP", m{"text": second}))
}
