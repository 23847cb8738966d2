package outcome

import (
	"cmp"
	"fmt"
	"strings"

	"autopilot/daemon/agent/stream"
)

// words are what programs call their failures.
var words = map[string]Outcome{
	"authentication_failed": AuthFailed, "authentication_error": AuthFailed, "permission_error": AuthFailed,
	"billing_error": Billing, "rate_limit": RateLimited, "rate_limit_error": RateLimited,
	"overloaded": Overloaded, "overloaded_error": Overloaded, "server_error": Overloaded,
	"prompt_too_long": ContextOverflow, "blocking_limit": ContextOverflow, "error_max_turns": MaxTurns, "error_max_budget_usd": Budget,
	"ProviderAuthError": AuthFailed, "ContextOverflowError": ContextOverflow,
	"FatalAuthenticationError": AuthFailed, "FatalTurnLimitedError": MaxTurns, "FatalUntrustedWorkspaceError": NeedsPermission,
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
	if o := ofStatus(s.Status); o != "" {
		if found && says(o, p.outcome) {
			return by(p.outcome, "%s: pattern %s", name, p.ID)
		}
		return by(o, "status %d", s.Status)
	}
	if found && (p.outcome == TruncatedStream || p.outcome == Unreachable || s.Error == "server_error") { // claude calls nearly all a fault of the server
		return by(p.outcome, "%s: pattern %s", name, p.ID)
	}
	for _, word := range []string{s.Error, s.Reason} {
		if o := words[word]; o != "" {
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
	failed := failure(stream.Summary{Format: s.Format, Error: t.Error, Message: t.Message, Status: t.Status})
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
func ofText(in Input) Signal {
	s := in.Stream
	failed := in.Exit > 0 || s.Failed
	lines := lastLines(s.Plain, maxLines)
	switch {
	case failed:
	case s.Worked():
		return Signal{}
	case s.Format == stream.Text && s.Lines <= fewLines:
		lines = lastLines(s.Plain, 1)
	case s.Format == stream.Text:
		return Signal{}
	}
	if !s.Format.Lined() && !s.Worked() {
		lines = append(lines, lastLines(s.Last, 1)...)
	}
	for i := len(lines) - 1; i >= 0; i-- {
		// What a script works on may be out of reach too: only its last word is of the provider.
		if p, ok := match(s.Format, lines[i], true); ok && (p.outcome != Unreachable || s.Format != stream.Text || i == len(lines)-1) {
			return Signal{FromText, p.outcome, "pattern " + p.ID}
		}
	}
	return Signal{}
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
