package atdd

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Sameness fires where the last two failed iterations of a step are equal; of all
// steps, where none is named. What passed in between counts for nothing.
//
// Source: atdd-kit, seeds 3.5; lessons A8, A16, A18.
func Sameness(log []byte, step string) error {
	prints, err := Failures(log, step)
	if err != nil {
		return err
	}
	if n := len(prints); n > 1 && bytes.Equal(prints[n-1], prints[n-2]) {
		return fmt.Errorf("%w: the last two failed iterations have the fingerprint %s", ErrFired, prints[n-1])
	}
	return nil
}

// Stuck fires where any two of the last window failed iterations of a step are
// equal. The window is decimal digits, 2 or more.
//
// Source: atdd-kit, seeds 3.5; lessons A1, A5.
func Stuck(log []byte, window, step string) error {
	digits, err := decimal("window", window)
	if err != nil {
		return err
	}
	if digits == "0" || digits == "1" {
		return invalid("invalid window: %s never fires; write 2 or more", digits)
	}
	prints, err := Failures(log, step)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > len(prints) { // more than there can be rows
		return nil
	}
	seen := map[string]bool{}
	for _, p := range prints[len(prints)-n:] {
		if seen[string(p)] {
			return fmt.Errorf("%w: fingerprint %s stands twice in the last %d failed iterations", ErrFired, p, n)
		}
		seen[string(p)] = true
	}
	return nil
}

// MaxIterations fires where as many were recorded as there may be.
//
// Source: atdd-kit, seeds 3.5; lesson A4.
func MaxIterations(current, most string) error {
	c, err := decimal("current", current)
	if err != nil {
		return err
	}
	m, err := decimal("max", most)
	if err != nil {
		return err
	}
	if cmp.Or(cmp.Compare(len(c), len(m)), strings.Compare(c, m)) >= 0 {
		return fmt.Errorf("%w: iteration %s of %s", ErrFired, c, m)
	}
	return nil
}

// Integrity fires where a log has another number of rows than were recorded. A log
// that is not there (there is false) has none.
//
// Source: atdd-kit, seeds 3.5; lesson A15.
func Integrity(log []byte, there bool, expected string) error {
	want, err := decimal("expected-lines", expected)
	if err != nil {
		return err
	}
	have := strconv.Itoa(Rows(log))
	switch {
	case have == want && (there || want == "0"):
		return nil
	case !there:
		return fmt.Errorf("%w: audit log missing, %s rows were recorded", ErrFired, want)
	}
	return fmt.Errorf("%w: the audit log has %s rows, expected %s", ErrFired, have, want)
}

// Rows counts the lines of a log that are not empty, as grep -c . does, by which
// atdd-kit counts what was there before: a line end of Windows alone is a line.
func Rows(log []byte) int {
	n := 0
	for line := range bytes.Lines(log) {
		if line[0] != '\n' {
			n++
		}
	}
	return n
}

// orderMark is what some editors begin a file with.
var orderMark = []byte("\xef\xbb\xbf")

// Lines are those of a log without their ends. A mark of the byte order counts for
// nothing.
func Lines(log []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		log := bytes.TrimPrefix(log, orderMark)
		for len(log) > 0 {
			line, rest, _ := bytes.Cut(log, []byte{'\n'})
			if !yield(bytes.TrimSuffix(line, []byte{'\r'})) {
				return
			}
			log = rest
		}
	}
}

// Failures are the fingerprints of the failed iterations of a step, in their order; of
// all steps, where none is named. A row that says that it failed and cannot be read is
// ErrCorrupt; any other that cannot be read is skipped.
//
// Source: atdd-kit, seeds 3.5, population and corruption guard; lesson A8.
func Failures(log []byte, step string) ([][]byte, error) {
	step = member(step)
	var out [][]byte
	number := 0
	for line := range Lines(log) {
		number++
		if !mayFail(line) {
			continue
		}
		r, ok := plain(line)
		if !ok {
			if r, ok = parse(line); !ok {
				if saysFailed(line, step) {
					return nil, fmt.Errorf("%w: line %d is a failed iteration that cannot be read", ErrCorrupt, number)
				}
				continue
			}
		}
		if string(r.verdict) != Fail || step != "" && string(r.step) != step {
			continue
		}
		if !isName(r.print) {
			return nil, fmt.Errorf("%w: the failed iteration of line %d has no fingerprint", ErrCorrupt, number)
		}
		out = append(out, r.print)
	}
	return out, nil
}

type read struct{ step, verdict, print []byte }

// mayFail is false of a line in which no member can be FAIL.
func mayFail(line []byte) bool {
	return bytes.Contains(line, []byte(Fail)) || bytes.Contains(line, []byte(`\u`))
}

// plain reads a row that is written as Iteration writes it, without escapes.
func plain(line []byte) (r read, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"iteration":`))
	if !ok {
		return r, false
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if rest = rest[digits:]; digits == 0 {
		return r, false
	}
	for _, m := range []struct {
		name string
		to   *[]byte
	}{{`,"step":"`, &r.step}, {`,"verdict":"`, &r.verdict}, {`,"fingerprint":"`, &r.print}} {
		if *m.to, rest, ok = cut(rest, m.name); !ok {
			return r, false
		}
	}
	if string(rest) != "}" {
		_, rest, ok = cut(rest, `,"timestamp":"`)
	}
	return r, ok && string(rest) == "}"
}

// cut takes a member with a string that needs no unquoting.
func cut(b []byte, name string) (value, rest []byte, ok bool) {
	if b, ok = bytes.CutPrefix(b, []byte(name)); !ok {
		return nil, b, false
	}
	value, rest, ok = bytes.Cut(b, []byte{'"'})
	for _, c := range value {
		ok = ok && c >= ' ' && c < 0x80 && c != '\\'
	}
	return value, rest, ok
}

// parse reads any row. One with a member twice is none.
func parse(line []byte) (r read, ok bool) {
	var v struct {
		Step    string         `json:"step"`
		Verdict string         `json:"verdict"`
		Print   string         `json:"fingerprint"`
		Rest    jsontext.Value `json:",unknown"`
	}
	if err := json.Unmarshal(line, &v, jsontext.AllowInvalidUTF8(true)); err != nil {
		return r, false
	}
	return read{[]byte(v.Step), []byte(v.Verdict), []byte(v.Print)}, true
}

// saysFailed looks at the text of a row that cannot be read.
func saysFailed(line []byte, step string) bool {
	return bytes.Contains(line, []byte(`"verdict":"`+Fail+`"`)) && (step == "" || bytes.Contains(line, []byte(`"step":`+text(step))))
}
