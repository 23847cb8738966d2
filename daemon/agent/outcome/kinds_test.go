package outcome_test

import (
	"fmt"
	"testing"

	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
)

// kinds are sentences and bodies of failures, by what they are.
var kinds = map[outcome.Outcome][]string{
	outcome.Unreachable: {
		"Unable to connect to API (ConnectionRefused)", "connect ECONNREFUSED 127.0.0.1:443", "read ECONNRESET", "getaddrinfo EAI_AGAIN api.example.com",
		"getaddrinfo ENOTFOUND api.example.com", "API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway intercepting the request",
		"stream disconnected before completion: stream closed before response.completed", "502 Bad Gateway", "504 Gateway Time-out", "HTTP 503: no healthy upstream",
		`<html><head><title>Log in to the network</title></head></html>`, `Unexpected token '<', "<!DOCTYPE "... is not valid JSON`, "unexpected end of JSON input",
		"error decoding response body", "certificate has expired", "self-signed certificate in certificate chain", "Hostname/IP does not match certificate's altnames",
		"fetch failed", "socket hang up", "Connection error.", "Premature close", "Request timed out.", "Remote end closed connection without response",
		"temporary failure in name resolution", "Network is unreachable", `{"code":"ECONNREFUSED","message":"no"}`, `{"error":{"code":"UND_ERR_SOCKET"}}`,
	},
	outcome.Billing: {
		"You exceeded your current quota, please check your plan and billing details.", `{"error":{"message":"no","type":"insufficient_quota","code":"insufficient_quota"}}`,
		"Your credit balance is too low to access the API.", "402 Payment Required", "Insufficient credits", "insufficient balance", "Billing hard limit has been reached",
	},
	outcome.AuthFailed: {
		"Incorrect API key provided: sk-1", `401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, "401 Unauthorized",
		"Not logged in", "You are not authenticated. Please log in.", "Please log in to continue", "No API key found", "Login required", "Session expired. Please sign in again.",
		`{"error":{"code":401,"status":"UNAUTHENTICATED","message":"no"}}`, "API key not valid. Please pass a valid API key.",
	},
	outcome.RateLimited: {
		"429 Too Many Requests", `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, "Rate limit exceeded", "You've hit your usage limit.",
	},
	outcome.Overloaded: {
		"529 Overloaded", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "503 Service Unavailable", "The server is overloaded", "Internal server error",
	},
	outcome.ContextOverflow: {
		"prompt is too long: 212000 tokens > 200000 maximum", `{"error":{"code":"context_length_exceeded","message":"long"}}`, "This model's maximum context length is 8192 tokens.",
	},
}

// A failure is the same whatever program says it, in its stream or in words.
func TestAFailureIsOfItsKindWhoeverSaysIt(t *testing.T) {
	t.Parallel()
	says := map[stream.Format]func(text string) []string{
		stream.Claude: func(text string) []string {
			return []string{fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"api_error_status":null,"result":%q}`, "API Error: "+text)}
		},
		stream.Codex: func(text string) []string {
			return []string{turnLine, fmt.Sprintf(`{"type":"turn.failed","error":{"message":%q}}`, text)}
		},
		stream.Gemini: func(text string) []string {
			return []string{fmt.Sprintf(`{"type":"result","status":"error","error":{"type":"Error","message":%q}}`, text)}
		},
		stream.Opencode: func(text string) []string {
			return []string{fmt.Sprintf(`{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"it failed","responseBody":%q}}}`, text)}
		},
		stream.Goose: func(text string) []string { return []string{fmt.Sprintf(`{"type":"error","error":%q}`, text)} },
		stream.Text:  func(text string) []string { return []string{"starting", "Error: " + text} },
	}
	for want, texts := range kinds {
		for _, text := range texts {
			for f, say := range says {
				d := outcome.Decide(outcome.Input{Exit: 1, Stream: summary(f, say(text)...), Now: now})
				if d.Outcome != want {
					t.Errorf("%s, %q: %s by %+v, want %s", f, text, d.Outcome, d.By, want)
				}
				if d.Message == "" {
					t.Errorf("%s, %q: nothing is kept of it", f, text)
				}
			}
		}
	}
}
