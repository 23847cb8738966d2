package stream

import (
	"cmp"
	"strconv"
	"strings"

	"autopilot/projections/regex"
)

// Opencode is `opencode run --format json`.
const Opencode Format = "opencode"

var opencodeForm = form{
	format: Opencode, line: (*Reader).opencode, steps: true,
	types: "step_start step_finish tool_use text error done reasoning", marks: "sessionID part",
}

// opencode reads a line of opencode run --format json.
func (r *Reader) opencode(o object) {
	o.keep("sessionID", &r.sum.Session)
	part := o.at("part")
	switch typ := string(o.tag("type")); typ {
	case "step_start":
		r.opencodeStart()
	case "text":
		r.says(part.text("text"), false)
	case "tool_use":
		r.opencodeTool(part)
	case "step_finish":
		r.opencodeStep(part)
	case "error":
		e := o.at("error")
		f := failure(o, "error")
		f.Message = opencodeSays(e)
		r.faults(e.word("name"), f, false)
		r.ends(typ, e.word("name"), f.Message, true)
	case "done":
		elements(o.raw("rejected"), func([]byte) { r.sum.Denied++ })
		if !r.sum.Failed {
			r.ends(typ, o.word("reason"), "", false)
		}
	case "reasoning":
	default:
		r.sum.Unknown++
	}
}

// opencodeSays is the sentence of an error, and the answer that it got where that is no
// object of a provider.
func opencodeSays(e object) string {
	message, body := cmp.Or(e.at("data").text("message"), e.text("message")), e.at("data").text("responseBody")
	if _, ok := FaultOf(body); ok && message != "" || body == message {
		return message
	}
	return strings.TrimSpace(message + "\n" + body)
}

// opencodeStart begins a step, or the same one again: its log tells of the first
// failure of an answer and not of all that follow, so a new beginning alone is
// no sign that it got one.
func (r *Reader) opencodeStart() {
	trying := r.sum.Trying
	r.goesOn()
	r.sum.Trying = trying
	if !r.step {
		r.sum.Turns++
	}
	r.step = true
}

// opencodeTool is told once, when the tool has come back.
func (r *Reader) opencodeTool(part object) {
	state, name := part.at("state"), part.word("tool")
	r.uses(part.word("callID"), name, inputOf(state, "input"), false, state.raw("input"))
	r.returns(part.word("callID"), name, state.text("error"), state.word("status") == "error", false, state.raw("output"), state.raw("error"))
}

// opencodeStep ends a step; the one that wants no tool is the last.
func (r *Reader) opencodeStep(part object) {
	r.step, r.sum.Trying = false, Trying{} // it got an answer
	t := part.at("tokens")
	cache := t.at("cache")
	fresh := r.spent.add(part.tag("id"), Usage{
		t.count("input"), cache.count("read"), cache.count("write"), t.count("output") + t.count("reasoning"),
	})
	if fresh && part.has("cost") {
		r.cost(min(r.sum.MicroUSD+micro(part.number("cost")), micro(mostUSD)))
	}
	r.used(r.spent.total)
	if reason := part.word("reason"); reason != "tool-calls" && reason != "" {
		r.ends("step_finish", reason, "", reason == "error")
	}
}

// opencodeStuck is a line of its log about an answer that failed. It tries again
// for ever, and tells nobody but its log. A small one is beside the work, as for
// a title.
var opencodeStuck = regex.New(`^timestamp=\S+ level=ERROR .*message="stream error" .*session\.id=(\S+) small=false .*error\.error=("(?:[^"\\]|\\.)*"|\S+)`)

// opencodeLog reads a line of opencode's log, with --print-logs. It says whether
// it is about an answer that failed.
func (r *Reader) opencodeLog(line string) bool {
	m := opencodeStuck.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	r.sum.Session = m[1]
	text, err := strconv.Unquote(m[2])
	if err != nil {
		text = m[2]
	}
	name, message, ok := strings.Cut(text, ": ")
	if !ok {
		name, message = "", text
	}
	r.sum.Known++
	r.fails(name, message, 0, true)
	return true
}
