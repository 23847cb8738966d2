package stream

import (
	"strings"

	"autopilot/projections/regex"
)

// Codex is `codex exec --json`.
const Codex Format = "codex"

var codexForm = form{
	format: Codex, line: (*Reader).codex, totals: true, cumulative: true, // it restores the count of a thread
	types: "thread. turn. item. error", marks: "thread_id item",
}

// passing are errors after which codex goes on by itself.
var passing = regex.New(`(?i)^(re-?connecting|retrying)\b`)

// codex reads a line of codex exec --json.
func (r *Reader) codex(o object) {
	switch typ := string(o.tag("type")); typ {
	case "thread.started":
		r.sum.Session = o.word("thread_id")
	case "turn.started":
		r.goesOn()
		r.sum.Turns++
	case "item.started", "item.updated", "item.completed":
		r.codexItem(typ, o.at("item"))
	case "turn.completed":
		if u := o.at("usage"); u.m != nil {
			r.used(codexUsage(u)) // of the whole thread
		}
		r.recovers()
		r.ends(typ, "completed", "", false)
	case "turn.failed":
		r.endsBy(typ, "failed", failure(o, "error"))
	case "error":
		message := o.text("message")
		r.fails("", message, 0, passing.MatchString(message))
	case "request_user_input":
		r.sum.Asks = true
	case "item.plan.delta":
	default:
		r.sum.Unknown++
	}
}

// codexItem is one thing that the agent does; it is told when it begins and when
// it ends, or only then.
func (r *Reader) codexItem(typ string, o object) {
	id, kind := o.word("id"), o.word("type")
	ended := typ == "item.completed"
	switch kind {
	case "agent_message":
		if ended {
			r.says(o.text("text"), false)
		}
		return
	case "error":
		if ended {
			r.fails("", o.text("message"), 0, true)
		}
		return
	case "reasoning", "todo_list", "plan", "":
		return
	}
	name, input := codexTool(kind, o)
	if name == "" {
		r.sum.Unknown++
		return
	}
	if typ == "item.started" || ended && !r.tools.has(id) {
		r.uses(id, name, input, false, codexPrint(o)...)
	}
	if !ended {
		return
	}
	status := o.word("status")
	failed := status == "failed" || status == "declined" || o.count("exit_code") != 0
	if status == "declined" {
		r.sum.Denied++
	}
	why := o.at("error").text("message")
	if why == "" {
		why = lastLine(o.text("aggregated_output"))
	}
	r.returns(id, name, why, failed, false, o.raw("aggregated_output"), o.raw("result"))
}

func codexTool(kind string, o object) (name, input string) {
	switch kind {
	case "command_execution":
		return "shell", short(o.text("command"))
	case "file_change":
		var paths []string
		o.each("changes", func(c object) {
			if len(paths) < 8 {
				paths = append(paths, c.word("path"))
			}
		})
		return "edit", short(strings.Join(paths, " "))
	case "mcp_tool_call":
		return o.word("server") + "." + o.word("tool"), inputOf(o, "arguments")
	case "web_search":
		return "web_search", short(o.text("query"))
	case "collab_tool_call":
		return o.word("tool"), short(o.text("prompt"))
	}
	return "", ""
}

// codexPrint is the whole input of a tool. Of an edit only the path is told, so
// it is like no other.
func codexPrint(o object) [][]byte {
	var parts [][]byte
	for _, key := range []string{"command", "arguments", "query", "action", "prompt"} {
		if v := o.raw(key); v != nil {
			parts = append(parts, v)
		}
	}
	return parts
}

// codexUsage takes the parts of the input apart: codex counts what came from the
// cache as input too, and reasoning as output.
func codexUsage(u object) Usage {
	read, write := u.count("cached_input_tokens"), u.count("cache_write_input_tokens")
	return Usage{max(u.count("input_tokens")-read-write, 0), read, write, u.count("output_tokens")}
}
