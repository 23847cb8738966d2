package stream

import "strings"

// Cursor is `cursor-agent -p --output-format stream-json`.
const Cursor Format = "cursor-agent"

var cursorForm = form{
	format: Cursor, line: (*Reader).cursor, model: true, totals: true,
	types: "system user assistant tool_call result thinking", marks: "call_id tool_call request_id",
}

// cursor reads a line of cursor-agent -p --output-format stream-json. When it
// fails it only exits, with a message on stderr.
func (r *Reader) cursor(o object) {
	o.keep("session_id", &r.sum.Session)
	switch string(o.tag("type")) {
	case "system":
		if o.word("subtype") == "init" {
			o.keep("model", &r.sum.Model)
		} else {
			r.sum.Unknown++
		}
	case "assistant":
		r.sum.Turns++
		o.at("message").each("content", func(part object) {
			if string(part.tag("type")) == "text" {
				r.says(part.text("text"), false)
			}
		})
	case "tool_call":
		r.cursorTool(o)
	case "result":
		r.cursorEnd(o)
	case "user", "thinking":
	default:
		r.sum.Unknown++
	}
}

// cursorTool is told when it begins and when it has come back. Its name is that
// of the only member, as readToolCall.
func (r *Reader) cursorTool(o object) {
	id, in := o.word("call_id"), o.at("tool_call")
	if len(in.m) == 0 {
		return
	}
	key := in.m[0].key
	name, call := word(valid(key[:min(len(key), maxWord)], true)), in.at(string(key))
	name = strings.TrimSuffix(name, "ToolCall")
	input, prints := inputOf(call, "args"), call.raw("args")
	switch {
	case name == "function":
		name, input, prints = call.word("name"), inputOf(call, "arguments"), call.raw("arguments")
	case strings.HasPrefix(name, "edit"):
		prints = nil // not all that is written is told
	}
	if o.word("subtype") != "completed" {
		r.uses(id, name, input, false, prints)
		return
	}
	if !r.tools.has(id) {
		r.uses(id, name, input, false, prints)
	}
	result := call.at("result")
	good := result.at("success")
	failed := len(result.m) > 0 && good.m == nil || good.count("exitCode") != 0
	if result.has("rejected") {
		r.sum.Denied++
	}
	why := ""
	for _, m := range result.m {
		if in := result.at(string(m.key)); why == "" && in.m != nil {
			why = in.first("error", "message", "reason", "errorMessage", "stderr")
		}
	}
	r.returns(id, name, why, failed, false, call.raw("result"))
}

func (r *Reader) cursorEnd(o object) {
	if u := o.at("usage"); u.m != nil { // of newer builds
		r.used(Usage{u.count("inputTokens"), u.count("cacheReadTokens"), u.count("cacheWriteTokens"), u.count("outputTokens")})
	}
	subtype, message := o.word("subtype"), o.text("result")
	if o.is("is_error") || subtype != "success" && subtype != "" {
		r.ends("result", subtype, message, true)
		return
	}
	if message != "" {
		r.last.set(message)
	}
	r.ends("result", subtype, "", false)
}
