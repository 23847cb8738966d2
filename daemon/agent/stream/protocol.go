package stream

import (
	"bytes"
	"strings"
)

// protocolMark begins a line by which any command can take part:
//
//	::autopilot {"v":1,"type":"usage|status|claim_done|need_human", ...}
const protocolMark = "::autopilot"

// protocol reads such a line, which has to begin with the mark, and says whether
// it is one. A type or version that is not known changes nothing.
func (r *Reader) protocol(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(protocolMark))
	if !ok || len(rest) == 0 || strings.IndexByte(" \t{", rest[0]) < 0 {
		return false
	}
	rest = bytes.TrimLeft(rest, " \t")
	r.arena.m = r.arena.m[:0]
	o, end := r.arena.parse(rest)
	if end == 0 || end < len(rest) || string(o.raw("v")) != "1" {
		r.sum.Unknown++
		return true
	}
	switch string(o.tag("type")) {
	case "usage":
		r.protocolUsage(o)
	case "status":
		r.told(o.text("text"))
	case "claim_done":
		r.sum.Claims = true
		r.told(o.text("text"))
	case "need_human":
		r.sum.Asks = true
		if q := o.first("question", "text"); q != "" {
			r.sum.Question = tail(clean(q))
			r.told(q)
		}
	default:
		r.sum.Unknown++
		return true
	}
	r.sum.Known++
	return true
}

// protocolUsage takes totals so far. They cannot shrink, and what is left out
// stays.
func (r *Reader) protocolUsage(o object) {
	o.keep("session", &r.sum.Session)
	o.keep("model", &r.sum.Model)
	if o.has("cost_usd") {
		r.cost(micro(o.number("cost_usd")))
	}
	u := r.sum.Usage
	for key, n := range map[string]*int64{
		"input_tokens": &u.Input, "cache_read_tokens": &u.CacheRead, "cache_write_tokens": &u.CacheWrite, "output_tokens": &u.Output,
	} {
		*n = max(*n, o.count(key))
	}
	if u != r.sum.Usage || o.has("input_tokens") || o.has("output_tokens") {
		r.used(u)
	}
}

// told is a text that a line of the protocol holds.
func (r *Reader) told(t string) {
	if t != "" {
		r.said(t)
	}
}
