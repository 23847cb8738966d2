package stream

// Pi is `pi --mode json`.
const Pi Format = "pi"

var piForm = form{format: Pi, line: (*Reader).pi, steps: true, model: true, marks: "messages toolCallId", types: "session agent_start agent_end turn_start turn_end message_start message_update message_end tool_execution_start tool_execution_end"}

// pi reads a line of pi --mode json. It ends with exit 0 whatever happened: what failed
// is said by the message that has no text.
func (r *Reader) pi(o object) {
	switch typ := string(o.tag("type")); typ {
	case "session":
		o.keep("id", &r.sum.Session)
	case "turn_start":
		r.goesOn()
		r.sum.Turns++
	case "message_end":
		r.piSaid(o.at("message"))
	case "tool_execution_start":
		r.uses(o.word("toolCallId"), o.word("toolName"), inputOf(o, "args"), false, o.raw("args"))
	case "tool_execution_end":
		r.returns(o.word("toolCallId"), o.word("toolName"), contentText(o.at("result")), o.is("isError"), false, o.raw("result"))
	case "auto_retry_start":
		r.fails("", o.text("errorMessage"), 0, true)
	case "agent_end":
		if r.sum.Message != "" {
			r.ends(typ, "error", r.sum.Message, true)
			return
		}
		r.ends(typ, "success", "", false)
	case "agent_start", "turn_end", "message_start", "message_update", "tool_execution_update", "queue_update", "compaction_start", "compaction_end",
		"auto_retry_end", "extension_error":
	default:
		r.sum.Unknown++
	}
}

func (r *Reader) piSaid(m object) {
	if string(m.tag("role")) != "assistant" {
		return
	}
	m.keep("model", &r.sum.Model)
	m.each("content", func(part object) {
		if string(part.tag("type")) == "text" {
			r.says(part.text("text"), false)
		}
	})
	u := m.at("usage")
	fresh := r.spent.add(m.tag("responseId"), Usage{u.count("input"), u.count("cacheRead"), u.count("cacheWrite"), u.count("output")})
	if fresh && u.has("cost") {
		r.cost(min(r.sum.MicroUSD+micro(u.at("cost").number("total")), micro(mostUSD)))
	}
	r.used(r.spent.total)
	if reason := m.word("stopReason"); reason == "error" || reason == "aborted" {
		r.fails(reason, m.text("errorMessage"), 0, false)
	}
}
