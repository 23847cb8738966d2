package wire

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
)

// A person hands findings to a new or a resumed run. The next agent reads them verbatim.

// MaxFindings bounds a text of findings, in bytes.
const MaxFindings = 32 << 10

// Found is one finding from a person.
type Found struct {
	Ref      string  // subject of the finding
	Detail   string  // may be empty
	Priority float64 // 0 blocks
}

const findingsHint = `write a list of findings: [{"evidence_ref":"docs/plan.md:12","priority":0,"detail":"TEXT"}]`

// ParseFindings reads findings to the letter. One without a priority blocks.
//
// Source: atdd-kit, seeds 3.2 and lessons A14, A21, A22.
func ParseFindings(text string) ([]Found, *Error) {
	if len(text) > MaxFindings {
		return nil, Errorf(Usage, "the findings have %d bytes; the limit is %d", len(text), MaxFindings).
			WithHint("write the rest into files of the work tree, and refer to them with evidence_ref")
	}
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return nil, Errorf(Usage, "the findings have a NUL byte or are not valid UTF-8")
	}
	var list []jsontext.Value
	switch err := json.Unmarshal([]byte(text), &list); {
	case err != nil:
		return nil, Errorf(Usage, "the findings cannot be read: %s", events.JSONMistake(err)).WithHint(findingsHint)
	case len(list) == 0:
		return nil, Errorf(Usage, "the list of findings is empty").WithHint("give at least one finding, or leave --findings out")
	case len(list) > MostFindings:
		return nil, Errorf(Usage, "there are %d findings; the limit is %d", len(list), MostFindings)
	}
	var out []Found
	for i, v := range list {
		f, bad := finding(i+1, v)
		if bad != nil {
			return nil, bad
		}
		out = append(out, f)
	}
	return out, nil
}

// finding reads the finding number n.
func finding(n int, v jsontext.Value) (f Found, bad *Error) {
	var raw struct {
		Ref      jsontext.Value `json:"evidence_ref"`
		Priority jsontext.Value `json:"priority"`
		Detail   jsontext.Value `json:"detail"`
	}
	if v.Kind() != '{' {
		return f, Errorf(Usage, "finding %d is not a JSON object", n).WithHint(findingsHint)
	}
	if err := json.Unmarshal(v, &raw, json.RejectUnknownMembers(true)); err != nil {
		return f, Errorf(Usage, "finding %d: %s", n, events.JSONMistake(err)).WithHint(findingsHint)
	}
	var ok bool
	if f.Ref, ok = textOf(raw.Ref); !ok || strings.TrimSpace(f.Ref) == "" {
		return f, Errorf(Usage, "finding %d has no evidence_ref, a text that names its subject", n).WithHint(findingsHint)
	}
	if f.Detail, ok = textOf(raw.Detail); !ok && len(raw.Detail) > 0 {
		return f, Errorf(Usage, "the detail of finding %d is not a text", n).WithHint(findingsHint)
	}
	if f.Priority, ok = priority(raw.Priority); !ok {
		return f, Errorf(Usage, "the priority of finding %d is out of range", n).WithHint("0 blocks; higher numbers matter less")
	}
	return f, nil
}

func textOf(v jsontext.Value) (text string, ok bool) {
	return text, v.Kind() == '"' && json.Unmarshal(v, &text) == nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// priority is a number as it is, else the first digits of its text, else 0, which blocks.
func priority(v jsontext.Value) (float64, bool) {
	text := string(v)
	if v.Kind() != '0' {
		if unquoted, ok := textOf(v); ok {
			text = unquoted
		}
		if text = digits.FindString(text); text == "" {
			return 0, true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}
