package policy

import (
	"errors"
	"math"

	"autopilot/events"
	"autopilot/projections/orchestrator"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// value is a member of an input. One that is not there has no text.
type value struct{ raw jsontext.Value }

// input is the object of a call.
type input struct{ members map[string]jsontext.Value }

func parse(text []byte) (input, error) {
	var raw jsontext.Value
	if err := json.Unmarshal(text, &raw, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return input{}, refuse("the input is %s", events.JSONMistake(err))
	}
	if raw.Kind() != '{' {
		return input{}, &Refusal{"the input is no JSON object"}
	}
	in, err := object(raw)
	return in, err
}

func object(raw jsontext.Value) (input, error) {
	var in input
	if err := json.Unmarshal(raw, &in.members, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return in, errors.New(events.JSONMistake(err))
	}
	return in, nil
}

func (in input) get(name string) value { return value{in.members[name]} }

// text is a member that is text, else empty.
func (in input) text(name string) string { s, _ := in.get(name).str(); return s }

// number is a member that is a number, else NaN.
func (in input) number(name string) float64 { return in.get(name).number() }

// numberOr is a member that is a number, else another one.
func (in input) numberOr(name string, other float64) float64 {
	if f := in.number(name); !math.IsNaN(f) {
		return f
	}
	return other
}

// object is a member that is an object; ok is false for anything else.
func (in input) object(name string) (input, bool) { return in.get(name).object() }

// list is a member that is a list; ok is false for anything else.
func (in input) list(name string) (out []value, ok bool) {
	v := in.get(name)
	if v.raw.Kind() != '[' {
		return nil, false
	}
	var raw []jsontext.Value
	if json.Unmarshal(v.raw, &raw, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return nil, false
	}
	for _, r := range raw {
		out = append(out, value{r})
	}
	return out, true
}

// is says that a member is exactly true.
func (in input) is(name string) bool { return in.get(name).raw.Kind() == 't' }

// tag is what JSON cannot write.
func (v value) tag() string {
	if v.raw.Kind() != '{' {
		return ""
	}
	in, err := object(v.raw)
	if err != nil || len(in.members) != 1 {
		return ""
	}
	s, _ := in.get("$").plain()
	return s
}

// none says that a value is absent, undefined or null.
func (v value) none() bool {
	return len(v.raw) == 0 || v.raw.Kind() == 'n' || v.tag() == "undefined"
}

// special is the number that a tag stands for.
func (v value) special() (float64, bool) {
	switch v.tag() {
	case "NaN", "undefined":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// number is a value that is a number, else NaN.
func (v value) number() float64 {
	if f, ok := v.special(); ok {
		return f
	}
	if v.raw.Kind() != '0' {
		return math.NaN()
	}
	return orchestrator.Coerce(v.raw)
}

func (v value) plain() (string, bool) {
	var s string
	if v.raw.Kind() != '"' || json.Unmarshal(v.raw, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return "", false
	}
	return s, true
}

func (v value) str() (string, bool) { return v.plain() }

func (v value) object() (input, bool) {
	if v.raw.Kind() != '{' || v.tag() != "" {
		return input{}, false
	}
	in, err := object(v.raw)
	return in, err == nil
}

// record is a value as a line of a ledger.
func (v value) record() orchestrator.Record {
	in, ok := v.object()
	if !ok {
		return nil
	}
	return orchestrator.Record(in.members)
}

// truthy is the truth that JavaScript finds in a value.
func (v value) truthy() bool {
	if v.none() {
		return false
	}
	switch v.raw.Kind() {
	case 't', '[':
		return true
	case 'f':
		return false
	case '"':
		s, _ := v.plain()
		return s != ""
	case '{':
		f, ok := v.special()
		return !ok || !math.IsNaN(f)
	default:
		return v.number() != 0
	}
}

// texts keeps the texts of a list and drops all else.
func texts(list []value) []string {
	out := []string{}
	for _, v := range list {
		if s, ok := v.str(); ok {
			out = append(out, s)
		}
	}
	return out
}

// shown is a number for an answer; NaN and infinity become null.
func shown(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
