package outcome

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/agent/stream"
)

// words are what programs and providers call their failures, in fields of their own.
var words = map[string]Outcome{
	"authentication_failed": AuthFailed, "authentication_error": AuthFailed, "permission_error": AuthFailed,
	"billing_error": Billing, "rate_limit": RateLimited, "rate_limit_error": RateLimited,
	"overloaded": Overloaded, "overloaded_error": Overloaded, "server_error": Overloaded,
	"prompt_too_long": ContextOverflow, "blocking_limit": ContextOverflow, "error_max_turns": MaxTurns, "error_max_budget_usd": Budget,
	"ProviderAuthError": AuthFailed, "ContextOverflowError": ContextOverflow,
	"FatalAuthenticationError": AuthFailed, "FatalTurnLimitedError": MaxTurns, "FatalUntrustedWorkspaceError": NeedsPermission,

	// Of OpenAI and those that speak as it does.
	"insufficient_quota": Billing, "billing_not_active": Billing, "billing_hard_limit_reached": Billing, "insufficient_credits": Billing,
	"insufficient_balance": Billing, "payment_required": Billing, "credits_exhausted": Billing, "CreditsError": Billing,
	"invalid_api_key": AuthFailed, "invalid_authentication": AuthFailed, "account_deactivated": AuthFailed, "token_expired": AuthFailed,
	"token_invalidated": AuthFailed, "unauthorized": AuthFailed, "authentication": AuthFailed, "authorization": AuthFailed,
	"rate_limit_exceeded": RateLimited, "tokens_exceeded": RateLimited, "requests_exceeded": RateLimited, "usage_limit_reached": RateLimited,
	"usage_limit_exceeded": RateLimited, "usage_not_included": RateLimited, "too_many_requests": RateLimited,
	"context_length_exceeded": ContextOverflow, "context_window_exceeded": ContextOverflow, "string_above_max_length": ContextOverflow,
	"request_too_large": ContextOverflow, "server_is_overloaded": Overloaded, "slow_down": Overloaded, "engine_overloaded": Overloaded,
	// Of copilot.
	"quota": Billing, "context_limit": ContextOverflow,
	// Of Google, and of Amazon.
	"UNAUTHENTICATED": AuthFailed, "PERMISSION_DENIED": AuthFailed, "API_KEY_INVALID": AuthFailed, "RESOURCE_EXHAUSTED": RateLimited, "UNAVAILABLE": Overloaded,
	"AccessDeniedException": AuthFailed, "UnrecognizedClientException": AuthFailed, "ExpiredTokenException": AuthFailed,
	"ThrottlingException": RateLimited, "ServiceQuotaExceededException": RateLimited, "ServiceUnavailableException": Overloaded,
	// Of what is between: node, undici and openssl.
	"ECONNREFUSED": Unreachable, "ECONNRESET": Unreachable, "ECONNABORTED": Unreachable, "ETIMEDOUT": Unreachable, "EPIPE": Unreachable,
	"EHOSTUNREACH": Unreachable, "ENETUNREACH": Unreachable, "ENETDOWN": Unreachable, "ENOTFOUND": Unreachable, "EAI_AGAIN": Unreachable,
	"EPROTO": Unreachable, "ConnectionRefused": Unreachable, "ConnectionClosed": Unreachable, "FailedToOpenSocket": Unreachable,
	"UND_ERR_CONNECT_TIMEOUT": Unreachable, "UND_ERR_HEADERS_TIMEOUT": Unreachable, "UND_ERR_BODY_TIMEOUT": Unreachable, "UND_ERR_SOCKET": Unreachable,
	"CERT_HAS_EXPIRED": Unreachable, "DEPTH_ZERO_SELF_SIGNED_CERT": Unreachable, "SELF_SIGNED_CERT_IN_CHAIN": Unreachable,
	"UNABLE_TO_VERIFY_LEAF_SIGNATURE": Unreachable, "ERR_TLS_CERT_ALTNAME_INVALID": Unreachable, "connection_error": Unreachable,
}

// loose are words that programs use for more than they say: a sentence says more.
var loose = []string{"server_error", "rate_limit", "authorization", "UNAVAILABLE", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"}

// ofCodes is what the provider says in words of its own.
func ofCodes(codes string) (o Outcome, word string) {
	for code := range strings.FieldsSeq(codes) {
		if o := words[code]; o != "" && !slices.Contains(loose, code) {
			return o, code
		}
	}
	return "", ""
}

// statuses are what providers answer with.
func ofStatus(code int) Outcome {
	switch code {
	case 401, 403:
		return AuthFailed
	case 402:
		return Billing
	case 413:
		return ContextOverflow
	case 429:
		return RateLimited
	case 500, 503, 529:
		return Overloaded
	case 407, 502, 504, 511, 520, 521, 522, 523, 524, 525, 526, 527, 530:
		return Unreachable // a gateway, a proxy or a login of the network answers
	}
	return ""
}

// ofStream is what the stream says: its last event, or that there is none.
func ofStream(in Input) Signal {
	s := in.Stream
	switch {
	case s.Format.Lined():
		if s.Asks { // by a line of the protocol
			return Signal{FromStream, NeedsHuman, "it asks a person"}
		}
		return Signal{}
	case s.Failed || !s.Ended && s.Message+s.Error != "":
		return failure(s)
	case s.Asks:
		return Signal{FromStream, NeedsHuman, "it waits for a person"}
	case s.Ended:
		return end(s)
	case s.Limited.Rejects():
		return Signal{FromStream, RateLimited, "limit " + s.Limited.Status}
	case s.Lines == 0, in.Exit > 0:
		return Signal{} // the exit code says more
	}
	return Signal{FromStream, TruncatedStream, "no last event"}
}

// end is a last event that tells of no failure.
func end(s stream.Summary) Signal {
	switch {
	case s.Denied > 0 && s.Tools <= s.Denied:
		return Signal{FromStream, NeedsPermission, "every tool that it used was refused"}
	case !s.Worked() && s.Last == "":
		return Signal{FromStream, EmptyResult, s.Final + " " + s.Reason + ", and nothing was said or done"}
	}
	return Signal{FromStream, Ended, s.Final + " " + s.Reason}
}

// failure is what a stream that tells of a failure tells of it: the provider's
// status, its word, a limit, and only then the text of the message.
func failure(s stream.Summary) Signal {
	name := cmp.Or(s.Error, s.Reason, "error")
	by := func(o Outcome, format string, args ...any) Signal {
		return Signal{FromStream, o, fmt.Sprintf(format, args...)}
	}
	p, found := match(s.Format, s.Message, false)
	if o, word := ofCodes(s.Codes); o != "" && (!found || !says(o, p.outcome)) {
		return by(o, "%s", word)
	}
	if o := ofStatus(s.Status); o != "" {
		if found && says(o, p.outcome) {
			return by(p.outcome, "%s: pattern %s", name, p.ID)
		}
		return by(o, "status %d", s.Status)
	}
	if found && (p.outcome == TruncatedStream || p.outcome == Unreachable || s.Error == "server_error") { // claude calls nearly all a fault of the server
		return by(p.outcome, "%s: pattern %s", name, p.ID)
	}
	for word := range strings.FieldsSeq(strings.Join([]string{s.Error, s.Reason, s.Codes}, " ")) {
		if o := words[word]; o != "" && (!found || !says(o, p.outcome)) {
			return by(o, "%s", word)
		}
	}
	switch {
	case found:
		return by(p.outcome, "%s: pattern %s", name, p.ID)
	case s.Limited.Rejects():
		return by(RateLimited, "%s, limit %s", name, s.Limited.Status)
	}
	return by(AgentError, "%s", name)
}

// says that the words of a failure say more than its status: a quota that has to be
// paid for comes as 429, one that is used up as 402 or 403, and what stands before a
// provider may answer for it.
func says(status, words Outcome) bool {
	switch words {
	case Billing:
		return status == RateLimited
	case RateLimited:
		return status == Billing || status == AuthFailed
	case Unreachable:
		return status == Overloaded
	default:
		return false
	}
}

// trying is the failure that a program tried to get past when its time was over.
// Some do that for ever.
func trying(s stream.Summary) Signal {
	t := s.Trying
	if t == (stream.Trying{}) {
		return Signal{}
	}
	failed := failure(stream.Summary{Format: s.Format, Error: t.Error, Message: t.Message, Codes: t.Codes, Status: t.Status})
	if s.Format == stream.Claude && t.Status == 0 && (t.Error == "unknown" || t.Error == "server_error") {
		failed = Signal{FromStream, Unreachable, t.Error + " without a status: nothing has answered"}
	}
	if failed.Outcome == AgentError {
		return Signal{}
	}
	failed.Detail = "it tried again after " + failed.Detail
	return failed
}

const (
	maxLines = 20 // of the last ones that a wording is looked for in
	fewLines = 5  // are printed by a program that did nothing
)

// ofText looks for wordings of failures: in what is not of the stream when the
// agent failed or did nothing, and in what it said when it did nothing. Where a
// program has no stream and did not fail, it counts only as the last of few
// lines. Aider says in a line of its own when a model has answered.
func ofText(in Input) (_ Signal, line string) {
	s := in.Stream
	failed := in.Exit > 0 || s.Failed
	lines := lastLines(s.Plain, maxLines)
	switch {
	case failed:
	case s.Worked():
		return Signal{}, ""
	case s.Format == stream.Text && s.Lines <= fewLines:
		lines = lastLines(s.Plain, 1)
	case s.Format == stream.Text:
		return Signal{}, ""
	}
	if !s.Format.Lined() && !s.Worked() {
		lines = append(lines, lastLines(s.Last, 1)...)
	}
	for i := len(lines) - 1; i >= 0; i-- {
		// What a script works on may be out of reach too: only its last word is of the provider.
		sure := s.Format != stream.Text || i == len(lines)-1
		if p, ok := match(s.Format, lines[i], true); ok && (p.outcome != Unreachable || sure) {
			return Signal{FromText, p.outcome, "pattern " + p.ID}, lines[i]
		}
		if f, ok := stream.FaultOf(lines[i]); ok && failed && sure {
			if o, word := ofCodes(strings.Join(f.Codes, " ")); o != "" {
				return Signal{FromText, o, word}, lines[i]
			}
		}
	}
	return Signal{}, ""
}

func lastLines(t string, n int) []string {
	var out []string
	for l := range strings.Lines(t) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out[max(len(out)-n, 0):]
}
