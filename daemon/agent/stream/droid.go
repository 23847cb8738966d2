package stream

import "cmp"

// Droid is `droid exec --output-format stream-json`.
const Droid Format = "droid"

var droidForm = form{format: Droid, line: (*Reader).droid, model: true, marks: "finalText messageId toolId", types: "system message tool_call tool_result completion result"}

// droid reads a line of droid exec --output-format stream-json.
func (r *Reader) droid(o object) {
	o.keep("session_id", &r.sum.Session)
	switch typ := string(o.tag("type")); typ {
	case "system":
		o.keep("model", &r.sum.Model)
	case "message":
		if string(o.tag("role")) == "assistant" {
			r.sum.Turns++
			r.says(o.text("text"), false)
		}
	case "tool_call":
		r.uses(cmp.Or(o.word("id"), o.word("toolCallId")), cmp.Or(o.word("toolName"), o.word("toolId")), inputOf(o, "parameters"), false, o.raw("parameters"))
	case "tool_result":
		why := cmp.Or(o.text("value"), o.at("error").text("message"))
		r.returns(cmp.Or(o.word("id"), o.word("toolCallId")), o.word("toolName"), why, o.is("isError"), false, o.raw("value"), o.raw("error"))
	case "completion":
		if t := o.text("finalText"); t != "" {
			r.last.set(t)
		}
		r.ends(typ, "success", "", false)
	case "result":
		r.claudeEnd(o)
	case "error":
		f := failure(o, "error")
		f.Message = cmp.Or(f.Message, o.text("message"))
		r.faults(o.word("source"), f, false)
		r.ends(typ, "error", f.Message, true)
	default:
		r.sum.Unknown++
	}
}
