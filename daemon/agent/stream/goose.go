package stream

import "cmp"

// Goose is `goose run --output-format stream-json`.
const Goose Format = "goose"

var gooseForm = form{
	format: Goose, line: (*Reader).goose, totals: true, cumulative: true, // it restores the count of a session
	types: "message notification error complete model_change", marks: "extension_id total_tokens",
}

// goose reads a line of goose run --output-format stream-json, loosely: any
// error is a failure.
func (r *Reader) goose(o object) {
	typ := string(o.tag("type"))
	switch typ {
	case "message":
		m := o.at("message")
		if m.m == nil {
			r.sum.Unknown++
			return
		}
		r.gooseMessage(m)
	case "error":
		f := failure(o, "error")
		f.Message = cmp.Or(f.Message, o.at("error").text("error"), o.text("message"))
		r.faults(o.word("code"), f, false)
		r.ends(typ, "error", f.Message, true)
	case "complete":
		r.gooseUsage(o)
		if !r.sum.Failed {
			r.ends(typ, "completed", "", false)
		}
	case "notification":
	default:
		r.sum.Unknown++
		return
	}
	if typ != "message" && typ != "notification" {
		r.speaking = false
	}
}

// gooseMessage is a message, or the next piece of one: they have the same id.
func (r *Reader) gooseMessage(m object) {
	r.sum.Asks = false // it was answered
	id, agent := m.word("id"), string(m.tag("role")) == "assistant"
	again := agent && id != "" && id == r.message
	if agent {
		if r.message = id; !again {
			r.sum.Turns++
		}
	}
	m.each("content", func(part object) {
		switch string(part.tag("type")) {
		case "text":
			if agent {
				r.gooseSaid(part.text("text"), again)
			}
		case "toolRequest", "frontendToolRequest":
			r.speaking = false
			call := part.at("toolCall")
			if v := call.at("value"); v.m != nil {
				call = v
			}
			r.uses(part.word("id"), call.word("name"), inputOf(call, "arguments"), false, call.raw("arguments"))
		case "toolResponse":
			r.speaking = false
			result := part.at("toolResult")
			r.returns(part.word("id"), "", result.first("error", "message"), result.word("status") == "error", false, part.raw("toolResult"))
		case "toolConfirmationRequest", "actionRequired":
			r.sum.Asks = true
		}
	})
}

// gooseSaid is a text of which each piece is a message.
func (r *Reader) gooseSaid(t string, again bool) {
	if t == "" {
		return
	}
	switch {
	case again && r.speaking:
		r.last.add(t)
	case r.speaking:
		r.last.set(t)
		t = "\n" + t
	default:
		r.last.set(t)
	}
	r.speaking = true
	r.emit(Item{Kind: Said, Text: t, Piece: true})
}

// gooseUsage is of the whole session. Older builds only tell the sum; newer ones what
// came from the cache, which is part of the input, and what it cost.
func (r *Reader) gooseUsage(o object) {
	in, out := o.count("input_tokens"), o.count("output_tokens")
	if in+out == 0 {
		in = o.count("total_tokens")
	}
	read, write := o.count("cache_read_input_tokens"), o.count("cache_write_input_tokens")
	if in+out > 0 {
		r.used(Usage{max(in-read-write, 0), read, write, out})
	}
	if cost := o.number("cost_usd"); cost > 0 {
		r.cost(micro(cost))
	}
}
