package workflow_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
)

// editor judges files as an editor does, by the published schema alone.
type editor struct {
	t    *testing.T
	root *jsonschema.Schema
	all  *jsonschema.Resolved
}

func newEditor(t *testing.T) editor {
	t.Helper()
	src, err := workflow.Schema()
	if err != nil {
		t.Fatal(err)
	}
	e := editor{t: t, root: &jsonschema.Schema{}}
	if err := json.Unmarshal(src, e.root); err != nil {
		t.Fatal(err)
	}
	if e.all, err = e.root.Resolve(nil); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e editor) judge(src string) error {
	e.t.Helper()
	doc, err := strictyaml.Parse([]byte(src))
	if err != nil {
		e.t.Fatal(err)
	}
	var v, plain any
	if err := doc.Decode(&v); err != nil {
		e.t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &plain)
	}
	if err != nil {
		e.t.Fatal(err)
	}
	return e.all.Validate(plain)
}

func TestWhatIsReadIsValidByTheSchema(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	files := map[string]string{"long": long, "short": short}
	for _, name := range workflow.Names() {
		_, src, err := workflow.Shipped(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(src)
	}
	for name, src := range files {
		if err := e.judge(src); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMistakesOfOneValueAreInvalidByTheSchema(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	for name, change := range map[string][2]string{
		"unknown key":            {"language: ja", "langauge: ja"},
		"unknown key of a phase": {"unclean: plan", "uncleen: plan"},
		"unknown key of a gate":  {"times: 5", "tiems: 5"},
		"no version":             {"version: 1\n", ""},
		"another version":        {"version: 1\n", "version: 2\n"},
		"unknown kind":           {"kind: repeat", "kind: repeats"},
		"key of another kind":    {"times: 5", "times: 5, rounds: 3"},
		"missing key of a kind":  {", times: 5", ""},
		"once is no repeat":      {"times: 5", "times: 1"},
		"a word for runs":        {"times: 5", "times: often"},
		"number for a duration":  {"expires: 48h", "expires: 48"},
		"not a duration":         {"expires: 48h", "expires: 2d"},
		"word for a number":      {"limits: {cycles: 10}", "limits: {cycles: ten}"},
		"too many":               {"limits: {cycles: 10}", "limits: {cycles: 5000}"},
		"gate named as a group":  {"name: calm", "name: goals"},
		"group at entry":         {"- {name: wanted, kind: approval, of: [prd.md], assurance: pin}", "- goals"},
		"review at entry":        {"kind: approval, of: [prd.md], assurance: pin", "kind: review, role: checker"},
		"consensus of one":       {"[architect, critic]", "[architect]"},
		"no gates":               {"    gates: [{name: reviewed, kind: review, role: checker}]\n", ""},
		"glob from the root":     {"of: [prd.md]", "of: [/prd.md]"},
		"empty list":             {"of: [prd.md]", "of: []"},
		"prompt in a folder":     {"prompt: plan.md", "prompt: a/plan.md"},
		"changes of a word":      {`changes: ["docs/**"]`, "changes: some"},
		"drift off":              {"rails: {plan: {cycles: 3}}", "rails: {drift: warn}"},
		"fingerprint":            {"fingerprint: [gates, ", "fingerprint: ["},
		"role of a word":         {"critic: {prompt: critic.md}", "critic: critic.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := strings.ReplaceAll(long, change[0], change[1])
			if src == long {
				t.Fatalf("%q is not in the workflow", change[0])
			}
			if _, found := workflow.Lint([]byte(src)); len(found) == 0 {
				t.Error("Lint finds nothing")
			}
			if err := (editor{t, e.root, e.all}).judge(src); err == nil {
				t.Error("it is valid by the schema")
			}
		})
	}
}

// Every number has the same bounds by the schema and by Lint: the value at each
// is fine for both, and the next one for neither.
func TestBoundsOfNumbersAreThoseOfLint(t *testing.T) {
	t.Parallel()
	e := newEditor(t)
	for _, n := range numbers("", e.root) {
		if n.at == "version" {
			continue
		}
		for _, c := range []struct {
			value int
			fine  bool
		}{{n.low, true}, {n.high, true}, {n.low - 1, false}, {n.high + 1, false}} {
			src := set(n.at, c.value)
			_, found := workflow.Lint([]byte(src))
			found = slices.DeleteFunc(found, func(e *strictyaml.Error) bool { return !strings.Contains(e.Msg, n.at+" is ") })
			if (len(found) == 0) != c.fine || (e.judge(src) == nil) != c.fine {
				t.Errorf("%s: %d: Lint finds %v, the schema %v", n.at, c.value, found, e.judge(src))
			}
		}
	}
}

type number struct {
	at        string
	low, high int
}

// numbers are those below a schema that a path of keys leads to.
func numbers(at string, s *jsonschema.Schema) (out []number) {
	if s.Type == "integer" {
		return []number{{at, int(*s.Minimum), int(*s.Maximum)}}
	}
	for key, p := range s.Properties {
		out = append(out, numbers(strings.TrimPrefix(at+"."+key, "."), p)...)
	}
	return out
}

// set writes the short workflow with one number changed.
func set(at string, n int) string {
	keys := strings.Split(at, ".")
	last := len(keys) - 1
	return short + strings.Join(keys[:last], ": {") + fmt.Sprintf(": {%s: %d}", keys[last], n) + strings.Repeat("}", last-1) + "\n"
}

func TestEveryKeyIsExplained(t *testing.T) {
	t.Parallel()
	var look func(at string, s *jsonschema.Schema)
	look = func(at string, s *jsonschema.Schema) {
		for key, p := range s.Properties {
			if p.Description == "" && p.Ref == "" && key != "kind" {
				t.Errorf("%s.%s has no description", at, key)
			}
			look(at+"."+key, p)
		}
		for _, sub := range slices.Concat(s.OneOf, []*jsonschema.Schema{s.Items, s.AdditionalProperties}) {
			if sub != nil {
				look(at, sub)
			}
		}
	}
	e := newEditor(t)
	look("", e.root)
	for name, d := range e.root.Definitions {
		look(name, d)
		for _, form := range d.OneOf {
			if form.Description == "" && form.Type == "object" {
				t.Errorf("%s: gate %s has no description", name, form.Title)
			}
		}
	}
}
