package strictyaml

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Flow writes a value, as Doc.Lookup returns it, as YAML on one line.
func Flow(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return scalar(v, false)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = inner(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Map[any]:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = scalar(e.Key, true) + ": " + inner(e.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return quote(v)
}

// inner is Flow inside a list or mapping, where more has to be quoted.
func inner(v any) string {
	if s, ok := v.(string); ok {
		return scalar(s, true)
	}
	return Flow(v)
}

// scalar leaves a text plain where it reads back as the same text.
func scalar(s string, inside bool) string {
	// What other readers of YAML take for a number in base 60 is quoted too.
	clock := s != "" && s[0] >= '0' && s[0] <= '9' && strings.Contains(s, ":")
	if s == "" || clock || inside && strings.ContainsAny(s, ",[]{}") {
		return quote(s)
	}
	doc, err := ParseOptional([]byte("v: " + s + "\n"))
	if err != nil {
		return quote(s)
	}
	if got, ok := doc.Lookup("v"); !ok || got != any(s) {
		return quote(s)
	}
	return s
}

// quote is JSON, which is YAML on one line. What cannot be encoded is no value
// that a file can hold.
func quote(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return `""`
	}
	return string(b)
}
