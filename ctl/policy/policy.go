// Package policy answers calls of session-orchestrator's rules by their names: one JSON
// object in, one JSON value out. It reads no file, keeps nothing between calls, and a
// refusal says what is wrong with the call.
//
// A value that JSON cannot write is an object with one member: {"$":"NaN"},
// {"$":"Infinity"}, {"$":"-Infinity"} or {"$":"undefined"}.
package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Function is one rule that can be called.
type Function struct {
	Name  string
	Takes string // the members of its input, for people
	Short string
	call  func(input) (any, error)
}

// Functions lists all of them, in the order in which they are told.
func Functions() []Function {
	return slices.Concat(switchFunctions, machineFunctions, modeFunctions, peerFunctions, waveFunctions)
}

// Refusal is a call that has no answer.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Call answers one call.
func Call(name string, text []byte) ([]byte, error) {
	all := Functions()
	i := slices.IndexFunc(all, func(f Function) bool { return f.Name == name })
	if i < 0 {
		var names []string
		for _, f := range all {
			names = append(names, f.Name)
		}
		return nil, refuse("no function %q; there are: %s", name, strings.Join(names, ", "))
	}
	in, err := parse(text)
	if err != nil {
		return nil, err
	}
	out, err := all[i].call(in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
}

// Answer answers one line of a batch: {"id":..., "fn":"NAME", "input":{...}}. The answer
// has the same id, and result or error.
func Answer(line []byte) []byte {
	in, err := parse(line)
	var out []byte
	if err == nil {
		body := in.get("input").raw
		if len(body) == 0 {
			body = jsontext.Value("{}")
		}
		out, err = Call(in.text("fn"), body)
	}
	answer := struct {
		ID     jsontext.Value `json:"id,omitzero"`
		Result jsontext.Value `json:"result,omitzero"`
		Error  string         `json:"error,omitzero"`
	}{ID: in.get("id").raw, Result: out}
	if err != nil {
		answer.Error = err.Error()
	}
	b, _ := json.Marshal(answer, jsontext.AllowInvalidUTF8(true)) // its parts are JSON already
	return append(b, '\n')
}
