package stream

import (
	"bytes"
	"regexp"
	"strconv"
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
		r.sum.MicroUSD, r.sum.CostFrom = max(r.sum.MicroUSD, micro(o.number("cost_usd"))), Reported
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

var (
	aiderTokens = regexp.MustCompile(`^Tokens: ([\d.,]+[kM]?) sent(?:, ([\d.,]+[kM]?) cache write)?(?:, ([\d.,]+[kM]?) cache hit)?, ([\d.,]+[kM]?) received\.` +
		`(?: Cost: \$[\d.,]+ message, \$([\d.,]+) session\.)?`)
	aiderEdit  = regexp.MustCompile(`^Applied edit to (.+)$`)
	aiderModel = regexp.MustCompile(`^(?:Main )?[mM]odel: (\S+)`)
	aiderHead  = regexp.MustCompile(`^(?:Aider v\d|Weak model: |Git repo: |Repo-map: )`)
)

// headLines is how many of its first lines aider says of itself.
const headLines = 8

// aider finds what aider says of its work, and whether that was all of the line.
func (r *Reader) aider(line string) bool {
	if m := aiderEdit.FindStringSubmatch(line); m != nil {
		r.sum.Known++
		r.plains.add(line + "\n")
		r.uses("", "edit", short(m[1]), false)
		return true
	}
	if m := aiderTokens.FindStringSubmatch(line); m != nil {
		r.sum.Known++
		r.aiderUsage(m)
		return false
	}
	if r.sum.Lines > headLines {
		return false
	}
	if m := aiderModel.FindStringSubmatch(line); m != nil {
		r.sum.Known++
		r.sum.Model = word(m[1][:min(len(m[1]), maxWord)])
	} else if aiderHead.MatchString(line) {
		r.sum.Known++
	}
	return false
}

// aiderUsage reads a line of which the tokens are those of one message, in round
// numbers, and the cost is that of the session so far.
func (r *Reader) aiderUsage(m []string) {
	r.sum.Turns++
	sent, written, read, received := rounded(m[1]), rounded(m[2]), rounded(m[3]), rounded(m[4])
	r.spent.add(nil, Usage{max(sent-written-read, 0), read, written, received})
	if m[5] != "" {
		cost := number([]byte(strings.ReplaceAll(m[5], ",", "")))
		r.sum.MicroUSD, r.sum.CostFrom = max(r.sum.MicroUSD, micro(cost)), Reported
	}
	r.used(r.spent.total)
}

// rounded reads 812, 6.5k, 1,204 and 1.2M.
func rounded(t string) int64 {
	t = strings.ReplaceAll(t, ",", "")
	factor := 1.0
	if n, ok := strings.CutSuffix(t, "k"); ok {
		t, factor = n, 1e3
	} else if n, ok := strings.CutSuffix(t, "M"); ok {
		t, factor = n, 1e6
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil || f*factor > 1e12 {
		return 0
	}
	return int64(f*factor + 0.5)
}
