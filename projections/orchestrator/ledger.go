package orchestrator

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Record is a line of a ledger: the members of one JSON object.
type Record map[string]jsontext.Value

// ParseRecord reads a line. What is no object is no record; of a member that is there
// twice the last counts.
func ParseRecord(line []byte) (Record, bool) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
	if len(line) == 0 || line[0] != '{' {
		return nil, false
	}
	var r Record
	err := json.Unmarshal(line, &r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return r, err == nil
}

// Text is a member that is text, else empty.
func (r Record) Text(name string) string {
	var s string
	if v := r[name]; v.Kind() != '"' || json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	return s
}

// Object is a member that is an object, else none.
func (r Record) Object(name string) Record {
	if v := r[name]; v.Kind() == '{' {
		o, _ := ParseRecord(v)
		return o
	}
	return nil
}

// Number is a member that is a number, else NaN.
func (r Record) Number(name string) float64 {
	var f float64
	if v := r[name]; v.Kind() != '0' || json.Unmarshal(v, &f) != nil {
		return math.NaN()
	}
	return f
}

// Count is a member as JavaScript counts it: numeric text and truth count too, and what
// is no number is NaN. Null and blank text are 0.
//
// Source: session-orchestrator, seeds 2.1.4 rows 8 and 9; Q20.
func (r Record) Count(name string) float64 {
	v, ok := r[name]
	if !ok {
		return math.NaN()
	}
	return Coerce(v)
}

// Coerce is the number that JavaScript makes of a JSON value.
func Coerce(v jsontext.Value) float64 {
	switch v.Kind() {
	case 'n', 'f':
		return 0
	case 't':
		return 1
	case '0':
		var f float64
		if json.Unmarshal(v, &f) != nil {
			return math.NaN()
		}
		return f
	case '"':
		var s string
		if json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
			return math.NaN()
		}
		return CoerceText(s)
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) != nil || len(list) > 1 {
			return math.NaN()
		}
		if len(list) == 0 || list[0].Kind() == 'n' {
			return 0
		}
		if k := list[0].Kind(); k == 't' || k == 'f' {
			return math.NaN() // by way of its text
		}
		return Coerce(list[0])
	default:
		return math.NaN()
	}
}

// CoerceText is the number that JavaScript reads in a text: blanks around it do not count,
// and a blank one is 0.
func CoerceText(s string) float64 {
	s = strings.TrimSpace(s)
	switch s {
	case "":
		return 0
	case "Infinity", "+Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	if len(s) > 2 && s[0] == '0' && strings.ContainsRune("xXoObB", rune(s[1])) && !strings.Contains(s, "_") {
		if n, err := strconv.ParseUint(s, 0, 64); err == nil {
			return float64(n)
		}
		return math.NaN()
	}
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return math.NaN() // the rule takes no NaN, hex float or underscore
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// Ended is what a session's record says of its end.
func (r Record) Ended() Outcome {
	o := Outcome{Spiral: math.NaN(), Failed: math.NaN(), Planned: math.NaN(), Carryover: math.NaN()}
	if a := r.Object("agent_summary"); a != nil {
		o.Spiral, o.Failed = a.Count("spiral"), a.Count("failed")
	}
	if e := r.Object("effectiveness"); e != nil {
		o.Planned, o.Carryover = e.Count("planned_issues"), e.Count("carryover")
	}
	return o
}

// Tokens are those that a session's record counts: of its output, else all; 0 where it
// does not say.
//
// Source: session-orchestrator, seeds 2.1.3 token accounting, S3.
func (r Record) Tokens() float64 {
	u := r.Object("usage")
	for _, name := range []string{"output_tokens", "total_tokens"} {
		v, there := u[name]
		if !there || v.Kind() == 'n' {
			continue
		}
		if n := u.Number(name); known(n) && n > 0 {
			return n
		}
		return 0
	}
	return 0
}

// Abandoned says that the record is a stub of a session that nobody ended.
func (r Record) Abandoned() bool { return r.Text("status") == "abandoned" }

// Session is the record as a signal.
func (r Record) Session() Session {
	e := r.Object("effectiveness")
	s := Session{Mode: Mode(r.Text("session_type")), Completion: math.NaN(), Effective: e != nil, Planned: math.NaN(), Carryover: math.NaN()}
	if e != nil {
		s.Planned, s.Carryover = e.Number("planned_issues"), e.Number("carryover")
	}
	for _, of := range []Record{e, r} { // nested first (S33)
		for _, name := range []string{"completion_rate", "completion_ratio"} {
			if v, there := of[name]; there && v.Kind() != 'n' {
				s.Completion = of.Number(name)
				return s
			}
		}
	}
	return s
}

// LastRecords are the last n records of a ledger that keep accepts, oldest first. It
// skips lines that are no records. It reads from the end and no more than it needs.
func LastRecords(text []byte, n int, keep func(Record) bool) []Record {
	out := []Record{}
	for len(text) > 0 && len(out) < n {
		text = bytes.TrimRight(text, "\r\n")
		at := bytes.LastIndexByte(text, '\n') + 1
		if r, ok := ParseRecord(text[at:]); ok && keep(r) {
			out = append(out, r)
		}
		text = text[:at]
	}
	slices.Reverse(out)
	return out
}

// RecentSessions are the last n sessions of a ledger that somebody ended: of a session
// that is there twice the later record.
//
// Source: session-orchestrator, seeds 2.3 live signals, S32.
func RecentSessions(text []byte, n int) []Session {
	seen := map[string]bool{}
	records := LastRecords(text, n, func(r Record) bool {
		id := r.Text("session_id")
		if id != "" && seen[id] {
			return false
		}
		seen[id] = true
		return !r.Abandoned()
	})
	out := make([]Session, 0, len(records))
	for _, r := range records {
		out = append(out, r.Session())
	}
	return out
}

// RecentDefault is how many runs a history has at most.
const RecentDefault = 50

// RecentRuns are the last records of a history of runs. The limit is only an upper bound;
// an unusable one counts as the default.
//
// Source: session-orchestrator, seeds 2.1.6 run-history reader, S44.
func RecentRuns(text []byte, limit float64) []Record {
	n := RecentDefault
	if known(limit) && limit > 0 {
		n = int(min(math.Ceil(limit), 1<<20))
	}
	return LastRecords(text, n, func(Record) bool { return true })
}
