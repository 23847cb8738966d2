package stream

import "strings"

// Gemini is `gemini -o stream-json`.
const Gemini Format = "gemini"

var geminiForm = form{
	format: Gemini, line: (*Reader).gemini, model: true, totals: true,
	types: "init message tool_use tool_result error result", marks: "tool_id delta stats severity",
}

// gemini reads a line of gemini -o stream-json.
func (r *Reader) gemini(o object) {
	switch string(o.tag("type")) {
	case "init":
		r.sum.Session, r.sum.Model = o.word("session_id"), o.word("model")
	case "message":
		switch string(o.tag("role")) {
		case "assistant":
			r.geminiSaid(o.text("content"), o.is("delta"))
		case "":
			r.sum.Unknown++
		}
	case "tool_use":
		r.sum.Turns++
		r.uses(o.word("tool_id"), o.word("tool_name"), inputOf(o, "parameters"), false, o.raw("parameters"))
	case "tool_result":
		e := o.at("error")
		r.returns(o.word("tool_id"), "", e.text("message"), o.word("status") == "error", false, o.raw("output"), o.raw("error"))
	case "error":
		r.fails(o.word("severity"), o.text("message"), 0, o.word("severity") == "warning")
	case "result":
		r.geminiEnd(o)
	default:
		r.sum.Unknown++
		return
	}
	if string(o.tag("type")) != "message" {
		r.speaking = false
	}
}

// geminiSaid is a text, or the next piece of one.
func (r *Reader) geminiSaid(t string, piece bool) {
	if t == "" {
		return
	}
	if piece && r.speaking {
		r.last.add(t)
	} else if strings.TrimSpace(t) != "" {
		r.last.set(t)
	}
	r.speaking = piece
	r.emit(Item{Kind: Said, Text: t, Piece: piece})
}

func (r *Reader) geminiEnd(o object) {
	if s := o.at("stats"); s.m != nil {
		cached := s.count("cached")
		input := max(s.count("input_tokens")-cached, 0)
		if s.has("input") {
			input = s.count("input")
		}
		// What it thought is in the total only.
		output := max(s.count("output_tokens"), s.count("total_tokens")-s.count("input_tokens"))
		r.used(Usage{Input: input, CacheRead: cached, Output: output})
	}
	if o.word("status") != "error" {
		r.recovers()
		r.ends("result", "success", "", false)
		return
	}
	f := failure(o, "error")
	r.sum.Error = o.at("error").word("type")
	f.Message = o.at("error").text("message")
	r.endsBy("result", "error", f)
}
