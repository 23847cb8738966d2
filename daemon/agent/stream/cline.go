package stream

// Cline is `cline --json`.
const Cline Format = "cline"

var clineForm = form{
	format: Cline, line: (*Reader).cline, model: true, totals: true,
	types: "hook_event agent_event run_result error", marks: "hookEventName event finishReason aggregateUsage",
}

// cline reads a line of cline --json.
func (r *Reader) cline(o object) {
	switch typ := string(o.tag("type")); typ {
	case "agent_event":
		r.clineEvent(o.at("event"))
	case "run_result":
		r.clineEnd(o)
	case "error":
		r.fails("", o.text("message"), 0, false)
	case "hook_event":
		o.keep("taskId", &r.sum.Session)
	default:
		r.sum.Unknown++
	}
}

func (r *Reader) clineEvent(e object) {
	tool := string(e.tag("contentType")) == "tool"
	switch string(e.tag("type")) {
	case "iteration_start":
		r.goesOn()
		r.sum.Turns++
	case "content_start":
		if tool {
			r.uses(e.word("toolCallId"), e.word("toolName"), inputOf(e, "input"), false, e.raw("input"))
		}
	case "content_end":
		if tool {
			r.returns(e.word("toolCallId"), e.word("toolName"), e.text("error"), e.has("error"), false, e.raw("output"), e.raw("error"))
			return
		}
		r.says(e.text("text"), false)
	case "usage":
		r.used(clineUsage(e, "totalInputTokens", "totalOutputTokens", "totalCacheReadTokens", "totalCacheWriteTokens"))
	}
}

func (r *Reader) clineEnd(o object) {
	o.at("model").keep("id", &r.sum.Model)
	u := o.at("aggregateUsage")
	r.used(clineUsage(u, "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"))
	if cost := u.number("totalCost"); cost > 0 {
		r.cost(micro(cost))
	}
	reason, text := o.word("finishReason"), o.text("text")
	if reason != "completed" && reason != "max_iterations" {
		r.ends("run_result", reason, text, true)
		return
	}
	r.recovers()
	if text != "" {
		r.last.set(text)
	}
	r.ends("run_result", reason, "", false)
}

// clineUsage takes what came from the cache out of the input, which it is counted in.
func clineUsage(u object, in, out, read, write string) Usage {
	r, w := u.count(read), u.count(write)
	return Usage{max(u.count(in)-r-w, 0), r, w, u.count(out)}
}
