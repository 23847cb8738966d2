package agent

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/regex"
)

// MaxResult is the longest result file that is read, in bytes.
const MaxResult = 64 << 10

// ErrResult is what every error of ParseResult is: the caller records it and
// goes on as if there were no result.
var ErrResult = errors.New("unreadable result")

// Result is what an agent says of its own work.
type Result struct {
	Claim   events.Claim
	Summary string
	Ask     wire.Ask // to a person, as far as it could be read; without a question its reason says why it is blocked
	Bad     string   // why what it wants to ask is no question; empty if it is one, or there is none
	Asked   string   // with Bad: what it wanted to ask, as it wrote it, for a person to see

	Session    events.SessionReport // how its session went
	BadSession string               // why that could not be read
	Red        string               // rows of tests that it saw fail, as JSON: wire.ReadRedRows
}

// ParseResult reads a result file:
//
//	{"v":1,"claim":"progress|done|blocked","summary":"","question":null,
//	 "options":["this","that"],"recommended":1,"reason":""}
//
// All behind the claim may be left out, as may session (wire.SessionReport) and
// red, a list of wire.RedRow; members that are not known are skipped; everything
// else is strict. A question that is none, and a bad session or red, take nothing
// from the rest. Texts come back without control characters, escape sequences, and
// direction overrides.
func ParseResult(src []byte) (Result, error) {
	if len(src) > MaxResult {
		return Result{}, fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrResult, len(src), MaxResult)
	}
	var file struct {
		V        jsontext.Value `json:"v"`
		Claim    *events.Claim  `json:"claim"`
		Summary  jsontext.Value `json:"summary"`
		Question *string        `json:"question"`
		Session  jsontext.Value `json:"session"`
		Red      jsontext.Value `json:"red"`

		Options     jsontext.Value `json:"options"`
		Recommended jsontext.Value `json:"recommended"`
		Reason      jsontext.Value `json:"reason"`
		Class       jsontext.Value `json:"class"`
	}
	if err := json.Unmarshal(src, &file); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrResult, err)
	}
	if string(file.V) != "1" {
		return Result{}, fmt.Errorf("%w: v is %s, want 1", ErrResult, show(file.V))
	}
	if file.Claim == nil {
		return Result{}, fmt.Errorf("%w: there is no claim", ErrResult)
	}
	r := Result{Claim: *file.Claim}
	switch r.Claim {
	case events.ClaimProgress, events.ClaimDone, events.ClaimBlocked:
	default:
		return Result{}, fmt.Errorf("%w: claim is %q, want progress, done or blocked", ErrResult, cut(string(r.Claim)))
	}
	switch file.Summary.Kind() {
	case jsontext.KindInvalid: // absent
	case jsontext.KindString:
		if err := json.Unmarshal(file.Summary, &r.Summary); err != nil {
			return Result{}, fmt.Errorf("%w: %w", ErrResult, err)
		}
	default:
		return Result{}, fmt.Errorf("%w: summary is %s, want a text", ErrResult, show(file.Summary))
	}
	r.Summary = plain(r.Summary)
	if file.Question != nil {
		r.Ask.Question = plain(*file.Question)
	}
	r.readAsk(file.Options, file.Recommended, file.Reason, file.Class)
	if r.Bad != "" {
		r.Asked = asked(r.Ask.Question, file.Options)
	}
	if given(file.Session) {
		report, bad := wire.ReadSessionReport(file.Session)
		if bad != nil {
			r.BadSession = bad.Message
		}
		r.Session = report
	}
	if given(file.Red) {
		r.Red = string(file.Red)
	}
	return r, nil
}

// readAsk reads what belongs to a question, and says why it is none.
func (r *Result) readAsk(options, recommended, reason, class jsontext.Value) {
	for _, m := range []struct {
		name string
		raw  jsontext.Value
		to   any
		want string
	}{
		{"options", options, &r.Ask.Options, "a list of texts"},
		{"recommended", recommended, &r.Ask.Recommended, "the number of an option, from 1"},
		{"reason", reason, &r.Ask.Reason, "a text"},
		{"class", class, &r.Ask.Class, "a name"},
	} {
		if len(m.raw) > 0 && json.Unmarshal(m.raw, m.to) != nil && r.Bad == "" {
			r.Bad = fmt.Sprintf("%s is %s, and has to be %s", m.name, show(m.raw), m.want)
		}
	}
	r.checkAsk()
}

// mostAsked bounds what is kept of a question that is none.
const mostAsked = 2 << 10

// asked is a question with its options as they were written.
func asked(question string, options jsontext.Value) string {
	if given(options) {
		question += "\noptions: " + plain(string(options))
	}
	question = strings.TrimSpace(question)
	if len(question) > mostAsked {
		question = strings.ToValidUTF8(question[:mostAsked], "") + "..."
	}
	return question
}

// checkAsk makes the texts of a question plain and says why it is none.
func (r *Result) checkAsk() {
	r.Ask.Reason = plain(r.Ask.Reason)
	for i, o := range r.Ask.Options {
		r.Ask.Options[i] = plain(o)
	}
	if r.Ask.Question == "" && len(r.Ask.Options) == 0 {
		r.Bad = "" // it asks nothing
	} else if bad := r.Ask.Check(); bad != nil && r.Bad == "" {
		r.Bad = bad.Message
	}
}

// given says that a member is there, and not null.
func given(v jsontext.Value) bool {
	return v.Kind() != jsontext.KindInvalid && v.Kind() != jsontext.KindNull
}

// show bounds a value for an error.
func show(v jsontext.Value) string {
	if len(v) == 0 {
		return "absent"
	}
	return cut(string(v))
}

func cut(s string) string {
	if len(s) <= 40 {
		return s
	}
	return strings.ToValidUTF8(s[:40], "") + "..."
}

// escapes are terminal sequences: CSI, the string kinds with their end, and
// two-character ones.
var escapes = regex.New("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)?|\x1b[ -/]*[0-~]")

// plain is text without anything that could steer a terminal or reorder what
// is read.
func plain(s string) string {
	s = escapes.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}
