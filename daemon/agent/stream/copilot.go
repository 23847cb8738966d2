package stream

import (
	"cmp"
	"strings"
)

// Copilot is `copilot --output-format json`.
const Copilot Format = "copilot"

var copilotForm = form{format: Copilot, line: (*Reader).copilot, model: true, marks: "data", types: "session. assistant. tool. model. user."}

// copilot reads a line of copilot --output-format json. Its result is not claude's: it
// has the exit code, and what failed came before.
func (r *Reader) copilot(o object) {
	data, typ := o.at("data"), string(o.tag("type"))
	data.keep("model", &r.sum.Model)
	switch typ {
	case "assistant.turn_start":
		r.goesOn()
		r.sum.Turns++
	case "assistant.message":
		r.says(data.text("content"), false)
	case "assistant.usage":
		read, write := data.count("cacheReadTokens"), data.count("cacheWriteTokens")
		r.spent.add(data.tag("apiCallId"), Usage{max(data.count("inputTokens")-read-write, 0), read, write, data.count("outputTokens")})
		r.used(r.spent.total)
	case "tool.execution_start":
		r.uses(data.word("toolCallId"), data.word("toolName"), inputOf(data, "arguments"), false, data.raw("arguments"))
	case "tool.execution_complete":
		r.copilotBack(data)
	case "model.call_failure":
		r.faults(data.word("errorType"), copilotFault(data), true)
	case "session.error":
		r.faults(data.word("errorType"), copilotFault(data), false)
	case "result":
		o.keep("sessionId", &r.sum.Session)
		if code := o.count("exitCode"); code != 0 || r.sum.Message != "" {
			r.ends(typ, cmp.Or(r.sum.Error, "failed"), r.sum.Message, true)
			return
		}
		r.ends(typ, "success", "", false)
	default:
		group, _, _ := strings.Cut(typ, ".")
		if !strings.Contains(" session assistant tool model user subagent skill hook permission abort ", " "+group+" ") {
			r.sum.Unknown++
		}
	}
}

func (r *Reader) copilotBack(data object) {
	failed := !data.is("success")
	if code := data.at("error").word("code"); failed && (code == "denied" || code == "rejected") {
		r.sum.Denied++
	}
	why := cmp.Or(data.at("error").text("message"), data.at("result").text("content"))
	r.returns(data.word("toolCallId"), data.word("toolName"), why, failed, false, data.raw("result"), data.raw("error"))
}

func copilotFault(data object) Fault {
	f := faultFrom(data, 0)
	f.Message = cmp.Or(data.text("message"), data.text("errorMessage"))
	if in, ok := FaultOf(f.Message); ok {
		f = Fault{Message: f.Message, Status: f.Status, Codes: f.Codes}.within(in)
		f.Message = cmp.Or(in.Message, f.Message)
	}
	return f
}
