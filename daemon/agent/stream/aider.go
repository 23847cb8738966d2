package stream

import (
	"strconv"
	"strings"

	"autopilot/projections/regex"
)

// Aider is text, with lines that tell its usage.
const Aider Format = "aider"

var aiderForm = form{format: Aider, model: true}

var (
	aiderTokens = regex.New(`^Tokens: ([\d.,]+[kM]?) sent(?:, ([\d.,]+[kM]?) cache write)?(?:, ([\d.,]+[kM]?) cache hit)?, ([\d.,]+[kM]?) received\.` +
		`(?: Cost: \$[\d.,]+ message, \$([\d.,]+) session\.)?`)
	aiderEdit  = regex.New(`^Applied edit to (.+)$`)
	aiderModel = regex.New(`^(?:Main )?[mM]odel: (\S+)`)
	aiderHead  = regex.New(`^(?:Aider v\d|Weak model: |Git repo: |Repo-map: )`)
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
		r.cost(micro(cost))
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
	if err != nil {
		return 0
	}
	return int64(min(f*factor, mostCount) + 0.5)
}
