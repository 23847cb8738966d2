package workflow

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/when"
)

// Schema is the JSON schema, draft 7, of a workflow file: for editors, that
// complete keys and show mistakes while a file is written. It follows from the
// types that Parse fills, the kinds of gates and what Default holds. What hangs
// together over several places, such as edges, roles and names, only Lint says.
func Schema() ([]byte, error) {
	s := describe(reflect.ValueOf(Default()), "workflow")
	s.Schema = "http://json-schema.org/draft-07/schema#"
	s.Title = "Workflow of autopilot"
	s.Required = []string{"name", "version", "phases"}
	s.Definitions = map[string]*jsonschema.Schema{"gate": gateSchema(true), "entry": gateSchema(false)}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of workflows: %w", err)
	}
	return append(b, '\n'), nil
}

// described are types that a file gives in a form of their own.
var described = map[reflect.Type]func() *jsonschema.Schema{
	reflect.TypeFor[Changes]():  func() *jsonschema.Schema { return either(words(changesAll, changesNone), list(globText())) },
	reflect.TypeFor[Profiles](): func() *jsonschema.Schema { return either(nameText(), list(nameText())) },
	reflect.TypeFor[time.Duration](): func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Pattern: `^(0|([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))+)$`}
	},
	reflect.TypeFor[Words](): wordsText,
	reflect.TypeFor[Times](): func() *jsonschema.Schema {
		n := &jsonschema.Schema{Type: "integer"}
		between(leastTimes, MostTimes)(n)
		return either(n, &jsonschema.Schema{Type: "string", Pattern: `^\$\{\{\s*[^{}\s]*\s*\}\}$`})
	},
	reflect.TypeFor[Choice[int]]():     func() *jsonschema.Schema { return chosen(percent()) },
	reflect.TypeFor[Choice[Weights]](): func() *jsonschema.Schema { return chosen(weightsForm()) },
	reflect.TypeFor[GoalsNeed]():       func() *jsonschema.Schema { return words(GoalsOptional) },
	reflect.TypeFor[Gate]():            func() *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/definitions/gate"} },
	reflect.TypeFor[Language]():        func() *jsonschema.Schema { return words(English, Japanese) },
	reflect.TypeFor[judge.Policy]():    func() *jsonschema.Schema { return words(judge.Signals, judge.Tiers) },
	reflect.TypeFor[Coordinator]():     func() *jsonschema.Schema { return words(Always) },
	reflect.TypeFor[InputKind]():       func() *jsonschema.Schema { return words(inputKinds()...) },
	reflect.TypeFor[Then]():            func() *jsonschema.Schema { return words(Warn, HaltRun) },
	reflect.TypeFor[Part]():            func() *jsonschema.Schema { return words(PartGates, PartTests, PartTree, PartVerdicts) },
	reflect.TypeFor[Skip]():            func() *jsonschema.Schema { return words(SkipDocs) },
	reflect.TypeFor[events.Checkout](): func() *jsonschema.Schema { return words(events.CheckoutClean) },
	reflect.TypeFor[events.Assurance](): func() *jsonschema.Schema {
		return words(events.AssuredSession, events.AssuredTTY, events.AssuredPIN, events.AssuredPage, events.AssuredSignature)
	},
}

// describe makes the schema of a value, which holds the defaults. At names it
// in keyHelp and keyBounds: the type and the key.
func describe(v reflect.Value, at string) *jsonschema.Schema {
	s := form(v, at)
	if limit, ok := keyBounds[at]; ok {
		limit(s)
	}
	if help, ok := keyHelp[at]; ok && s.Ref == "" {
		s.Description = help
	}
	if s.Type != "object" && v.Kind() != reflect.Slice && !v.IsZero() {
		s.Default = plainJSON(v)
	}
	return s
}

func form(v reflect.Value, at string) *jsonschema.Schema {
	t := v.Type()
	if own, ok := described[t]; ok {
		return own()
	}
	switch t.Kind() {
	case reflect.Struct:
		return object(v)
	case reflect.Slice:
		if entry := t.Elem(); strings.HasPrefix(entry.Name(), "Entry[") {
			value, _ := entry.FieldByName("Value")
			return &jsonschema.Schema{
				Type: "object", PropertyNames: nameText(), AdditionalProperties: describe(reflect.Zero(value.Type), at+".*"),
			}
		}
		return list(describe(reflect.Zero(t.Elem()), at+".*"))
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	default:
		panic("workflow: no schema for " + t.String())
	}
}

// object has the fields that a file can give, and no other.
func object(v reflect.Value) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", AdditionalProperties: nothing(), Properties: map[string]*jsonschema.Schema{}}
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		s.Properties[key] = describe(v.Field(i), strings.ToLower(v.Type().Name())+"."+key)
		s.PropertyOrder = append(s.PropertyOrder, key)
	}
	if v.Type() == reflect.TypeFor[Phase]() {
		s.Required = []string{"name"}
		s.AnyOf = []*jsonschema.Schema{{Required: []string{"gates"}}, {Required: []string{"produces"}}}
	}
	return s
}

// gateSchema has a form for each kind of gate; of those at the beginning of a
// phase only what can stand there.
func gateSchema(all bool) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: "Conditions that hold before the phase begins."}
	if all {
		s.Description = "A group of gates of the run, or a gate of the workflow."
		s.OneOf = append(s.OneOf, words(Goals, Invariants, Protected))
	}
	keys := object(reflect.ValueOf(Gate{}))
	known := declared()
	if !all {
		known = entries()
	}
	for _, k := range known {
		g := &jsonschema.Schema{Type: "object", AdditionalProperties: nothing(), Properties: map[string]*jsonschema.Schema{}}
		g.Title, g.Description = string(k.Kind), k.Help
		g.Required = slices.Concat([]string{"name", "kind"}, k.Must)
		g.PropertyOrder = slices.Concat(g.Required, k.May)
		for _, key := range g.PropertyOrder {
			g.Properties[key] = keys.Properties[key].CloneSchemas()
		}
		g.Properties["kind"] = words(k.Kind)
		s.OneOf = append(s.OneOf, g)
	}
	return s
}

// chosen is a value, or one for each word of an input.
func chosen(value *jsonschema.Schema) *jsonschema.Schema {
	by := nameText()
	by.Description = "The input of kind choice that decides; the other keys are its words."
	return either(value, &jsonschema.Schema{
		Type: "object", Required: []string{byKey}, PropertyNames: nameText(),
		Properties: map[string]*jsonschema.Schema{byKey: by}, AdditionalProperties: value.CloneSchemas(),
	})
}

func percent() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "integer"}
	between(1, 100)(s)
	return s
}

func weightsForm() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", PropertyNames: nameText(), AdditionalProperties: percent()}
}

// nothing is the schema that no value has: false.
func nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

func list(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: of}
}

func either(a ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{OneOf: a} }

func words[T ~string](list ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range list {
		s.Enum = append(s.Enum, string(w))
	}
	return s
}

func nameText() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: "^[a-z0-9][a-z0-9_-]{0,63}$"}
}

func promptText() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^[^/\\]+\.md$`}
}

func globText() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^[^/~\\][^\\]*$`}
}

// plainJSON is a default as a file would give it.
func plainJSON(v reflect.Value) json.RawMessage {
	x := v.Interface()
	if d, ok := x.(time.Duration); ok {
		x = DurationText(d)
	}
	b, err := json.Marshal(x)
	if err != nil {
		panic("workflow: " + err.Error()) // text or number
	}
	return b
}

// DurationText is a duration as a person writes it: 2h, not 2h0m0s.
func DurationText(d time.Duration) string { return when.Text(d) }
