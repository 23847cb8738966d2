package stream

import (
	"cmp"
	"math"
	"time"
)

// Claude is `claude -p --output-format stream-json`.
const Claude Format = "claude"

var claudeForm = form{
	format: Claude, line: (*Reader).claude, model: true, totals: true, atEnd: true,
	types: "system assistant user result rate_limit_event stream_event control_request tool_progress",
	marks: "modelUsage total_cost_usd permissionMode rate_limit_info api_error_status claude_code_version",
}

// claude reads a line of claude -p --output-format stream-json.
func (r *Reader) claude(o object) {
	o.keep("session_id", &r.sum.Session)
	switch string(o.tag("type")) {
	case "assistant":
		r.claudeSaid(o)
	case "user":
		r.claudeBack(o)
	case "result":
		r.claudeEnd(o)
	case "system":
		r.claudeSystem(o)
	case "rate_limit_event":
		r.limit(claudeLimits(o.at("rate_limit_info")))
	case "stream_event", "control_request", "control_response", "control_cancel_request", "keep_alive", "tool_progress", "auth_status":
	default:
		r.sum.Unknown++
	}
}

// below says that a line is of an agent that the agent started.
func below(o object) bool {
	v := o.raw("parent_tool_use_id")
	return len(v) > 2 && v[0] == '"'
}

func (r *Reader) claudeSaid(o object) {
	sub, m := below(o), o.at("message")
	failed, why := o.word("error"), ""
	m.each("content", func(part object) {
		switch string(part.tag("type")) {
		case "text":
			if failed != "" { // it is the program that says so
				why = part.text("text")
				return
			}
			r.says(part.text("text"), sub)
		case "tool_use", "server_tool_use":
			r.uses(part.word("id"), part.word("name"), inputOf(part, "input"), sub, part.raw("input"), o.raw("parent_tool_use_id"))
		}
	})
	if !sub && string(m.tag("model")) != "<synthetic>" {
		m.keep("model", &r.sum.Model)
	}
	if u := m.at("usage"); u.m != nil {
		if r.spent.add(m.tag("id"), claudeUsage(u)) && !sub {
			r.sum.Turns++
		}
		r.used(r.spent.total)
	}
	if failed != "" {
		r.fails(failed, why, int(o.count("api_error_status")), false)
	} else if !sub {
		r.recovers()
	}
}

func (r *Reader) claudeBack(o object) {
	sub := below(o)
	o.at("message").each("content", func(part object) {
		if string(part.tag("type")) != "tool_result" {
			return
		}
		failed, why := part.is("is_error"), ""
		if failed {
			why = contentText(part)
		}
		r.returns(part.word("tool_use_id"), "", why, failed, sub, part.raw("content"))
	})
}

// contentText is a content that is a text, or a list with texts in it.
func contentText(o object) string {
	out := text(o.raw("content"), maxTail)
	o.each("content", func(part object) {
		if out == "" {
			out = text(part.raw("text"), maxTail)
		}
	})
	return out
}

func (r *Reader) claudeSystem(o object) {
	switch string(o.tag("subtype")) {
	case "init":
		o.keep("model", &r.sum.Model)
	case "api_retry":
		status := int(o.count("error_status"))
		r.fails(o.word("error"), attempts(o.count("attempt"), o.count("max_retries")), status, true)
	case "task_started":
		r.sum.Pending++
	case "task_updated":
		switch string(o.at("patch").tag("status")) {
		case "completed", "failed", "stopped", "killed":
			r.sum.Pending = max(r.sum.Pending-1, 0)
		}
	case "task_notification":
		if !o.has("patch") && r.sum.Pending > 0 {
			r.sum.Pending--
		}
	}
}

func (r *Reader) claudeEnd(o object) {
	// A background task that has ended makes a result of its own.
	if kind := o.at("origin").word("kind"); kind != "" && kind != "human" && r.sum.Ended {
		return
	}
	subtype := o.word("subtype")
	failed := o.is("is_error") || subtype != "success" && subtype != ""
	r.sum.Status = int(o.count("api_error_status"))
	r.sum.Turns = max(r.sum.Turns, int(o.count("num_turns")))
	elements(o.raw("permission_denials"), func([]byte) { r.sum.Denied++ })
	if cost := o.raw("total_cost_usd"); cost != nil && string(cost) != "null" {
		r.cost(micro(number(cost)))
	}
	if u, ok := claudeTotal(o); ok {
		r.used(u)
	}
	message := o.text("result")
	if !failed {
		if message != "" {
			r.last.set(message)
		}
		r.recovers()
		message = ""
	} else {
		message = r.claudeFault(o, message)
	}
	reason := subtype
	if failed && subtype == "success" {
		if reason = o.word("terminal_reason"); reason == "" || reason == "completed" {
			reason = "is_error"
		}
	}
	r.ends("result", reason, message, failed)
	if r.sum.Reason == "success" && o.has("deferred_tool_use") {
		r.sum.Asks = string(o.raw("deferred_tool_use")) != "null"
	}
}

// claudeFault is the sentence of a result that failed: its own, that of its error or the
// first of its errors. The fields of the error count.
func (r *Reader) claudeFault(o object, message string) string {
	f := failure(o, "error")
	elements(o.raw("errors"), func(b []byte) { f.Message = cmp.Or(f.Message, text(b, maxTail)) })
	if len(f.Codes) > 0 {
		r.sum.Error, r.sum.Codes = f.Codes[0], f.codes()
	}
	r.sum.Status = cmp.Or(r.sum.Status, f.Status)
	return cmp.Or(message, f.Message)
}

// claudeTotal is the usage of all models where that is told, which has what
// sub-agents used too; else that of the result.
func claudeTotal(o object) (total Usage, ok bool) {
	for _, m := range o.at("modelUsage").m {
		u, _ := o.a.parse(m.value)
		ok = true
		total = total.plus(Usage{
			u.count("inputTokens"), u.count("cacheReadInputTokens"), u.count("cacheCreationInputTokens"), u.count("outputTokens"),
		})
	}
	if ok && total != (Usage{}) {
		return total, true
	}
	u := o.at("usage")
	return claudeUsage(u), u.m != nil
}

// claudeUsage reads a usage. Where a total tells that the input has what came from the
// cache, as with qwen, that is taken out of it.
func claudeUsage(u object) Usage {
	out := Usage{
		u.count("input_tokens"), u.count("cache_read_input_tokens"), u.count("cache_creation_input_tokens"), u.count("output_tokens"),
	}
	if total := u.count("total_tokens"); total > 0 && total == out.Input+out.Output {
		out.Input = max(out.Input-out.CacheRead-out.CacheWrite, 0)
	}
	return out
}

func claudeLimits(o object) Limits {
	l := Limits{Status: o.word("status"), Window: o.word("rateLimitType"), Used: o.number("utilization")}
	l.Reset = epoch(o.number("resetsAt"))
	if w := o.at("unifiedWindows").at(l.Window); w.m != nil && l.Reset.IsZero() {
		l.Reset = epoch(w.number("resetsAt"))
	}
	return l
}

// epoch is a time of seconds, or of milliseconds.
func epoch(n float64) time.Time {
	switch {
	case n < 1e9:
		return time.Time{}
	case n < 1e11:
		return time.Unix(int64(n), 0).UTC()
	case n < 1e14:
		return time.UnixMilli(int64(n)).UTC()
	}
	return time.Time{}
}

func micro(usd float64) int64 { return int64(math.Round(min(usd, mostUSD) * 1e6)) }
