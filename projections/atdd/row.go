package atdd

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The verdicts of an iteration.
const (
	Pass = "PASS"
	Fail = "FAIL"
)

// Reasons are those that a row of a halt can have.
var Reasons = []string{"MAX_ITERATIONS", "sameness-detector", "stuck", "ac-drift", "log-integrity", "gate-unverifiable"}

// invalid is ErrInvalid with what is wrong.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Iteration is the row of an iteration, with its line end. The number is decimal
// digits; leading zeros are dropped.
//
// Source: atdd-kit, seeds 3.5; lessons A2 to A4, A6, A24.
func Iteration(number, step, verdict, print string, at time.Time) ([]byte, error) {
	n, err := decimal("iteration", number)
	if err != nil {
		return nil, err
	}
	if step = member(step); strings.TrimSpace(step) == "" {
		return nil, invalid("the step has no name")
	}
	if verdict != Pass && verdict != Fail {
		return nil, invalid("invalid verdict: %q is neither %s nor %s", verdict, Pass, Fail)
	}
	if err := CheckPrint("fingerprint", print); err != nil {
		return nil, err
	}
	return row(`{"iteration":` + n + `,"step":` + text(step) + `,"verdict":"` + verdict + `","fingerprint":"` + print + `"` + stamp(at) + `}`), nil
}

// Halt is the row that ends a phase. The findings are a JSON list of objects that
// each have an evidence_ref, or nothing.
//
// Source: atdd-kit, seeds 3.5; lesson A26.
func Halt(step, reason, findings string, at time.Time) ([]byte, error) {
	known := false
	for _, r := range Reasons {
		known = known || r == reason
	}
	if !known {
		return nil, invalid("invalid reason: %q is none of %s", reason, strings.Join(Reasons, ", "))
	}
	if step = member(step); strings.TrimSpace(step) == "" {
		return nil, invalid("the step has no name")
	}
	digest, err := list(findings)
	if err != nil {
		return nil, err
	}
	return row(`{"outcome":"HALT","step":` + text(step) + `,"reason":"` + reason + `","findings_digest":` + digest + stamp(at) + `}`), nil
}

// list is a list of findings on one line.
func list(findings string) (string, error) {
	if strings.TrimSpace(findings) == "" {
		return "[]", nil
	}
	var items []struct {
		Evidence string         `json:"evidence_ref"`
		Rest     jsontext.Value `json:",unknown"`
	}
	if err := json.Unmarshal([]byte(findings), &items); err != nil {
		return "", invalid("the findings are not a JSON list of findings: %s", events.JSONMistake(err))
	}
	for i, f := range items {
		if strings.TrimSpace(f.Evidence) == "" {
			return "", invalid("finding %d has no evidence_ref", i+1)
		}
	}
	v := jsontext.Value(findings)
	if err := v.Compact(); err != nil {
		return "", invalid("the findings are not a JSON list of findings: %s", events.JSONMistake(err))
	}
	return string(v), nil
}

// Seen is the row of a test that was seen red in a commit. impl may be empty, and is
// another commit.
//
// Source: atdd-kit, seeds 3.5, Q22; lessons A28, A30.
func Seen(commit, file, impl string, at time.Time) ([]byte, error) {
	if !isName(commit) {
		return nil, invalid("invalid commit sha: %q", commit)
	}
	if impl != "" && !isName(impl) {
		return nil, invalid("invalid impl sha: %q", impl)
	}
	if impl == commit {
		return nil, invalid("commit %s is that of the tests: the implementation is in a commit after it, so name that one once it is there", impl)
	}
	if file = member(file); strings.TrimSpace(file) == "" {
		return nil, invalid("at-file required: the test file has no name")
	}
	out := `{"step":"red","commit":"` + commit + `"`
	if impl != "" {
		out += `,"impl_sha":"` + impl + `"`
	}
	return row(out + `,"at_file":` + text(file) + stamp(at) + `}`), nil
}

func row(s string) []byte { return append([]byte(s), '\n') }

func stamp(at time.Time) string {
	return `,"timestamp":"` + at.UTC().Format("2006-01-02T15:04:05Z") + `"`
}

// member is a text as it is stored: without control characters, and UTF-8.
func member(s string) string { return string(blanked(strings.ToValidUTF8(s, "\uFFFD"))) }

// text is a JSON string of what member gives.
func text(s string) string { return `"` + Escape(s) + `"` }

// Escape is the body of a JSON string: a backslash before each backslash and quote, a
// space for each control character of ASCII. All other bytes stay as they are.
//
// Source: atdd-kit, seeds 3.5, JSON escape; lesson A2.
func Escape(s string) string {
	var out []byte
	for _, c := range blanked(s) {
		if c == '\\' || c == '"' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return string(out)
}

// blanked has a space for each control character.
func blanked(s string) []byte {
	out := []byte(s)
	for i, c := range out {
		if c < ' ' || c == 0x7f {
			out[i] = ' '
		}
	}
	return out
}

// decimal is a number of digits alone, without leading zeros.
func decimal(what, s string) (string, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return "", invalid("invalid %s: %q is not a number", what, s)
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0", nil
	}
	return s, nil
}
