package workflow

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const chosenFlow = `name: chosen
version: 1
inputs:
  profile: {kind: choice, of: [quick, deep], default: deep}
  ground: {kind: choice, of: [old, new], default: old, empty: new}
  slug: {kind: slug}
  lint: {kind: command, optional: true}
goals: optional
phases:
  - name: "${{profile}}"
    entry:
      - name: clear
        kind: interview
        role: asker
        rounds: {by: profile, quick: 5, deep: 20}
        ambiguity: 20
        weights: {by: ground, old: {goal: 60, context: 40}, new: {goal: 100}}
    prompt: converge.md
    produces: ["docs/${{slug}}.md"]
    gates: [goals, {name: lint, kind: command, run: "${{lint}}"}]
roles: {asker: {prompt: look.md}}
`

func TestAChoiceTakesTheValueOfItsInput(t *testing.T) {
	t.Parallel()
	w, err := Parse([]byte(chosenFlow))
	if err != nil {
		t.Fatal(err)
	}
	given := Given{
		Typed: map[string]string{"lint": NotApplicable, "profile": "quick"}, Task: "Add a greeting: hello, World!",
		Files: fstest.MapFS{"main.go": &fstest.MapFile{}},
	}
	values, err := w.Resolve(given)
	if err != nil {
		t.Fatal(err)
	}
	p := w.Fill(values).Phases[0]
	g := p.Entry[0]
	if p.Name != "quick" || p.Produces[0] != "docs/add-a-greeting-hello-world.md" || g.Rounds.Value != 5 || g.Ambiguity.Value != 20 || len(g.Weights.Value) != 2 {
		t.Errorf("phase %+v", p)
	}
	if !p.Gates[1].Void || w.NeedsGoals() || !w.HasGoals() {
		t.Errorf("gate %+v", p.Gates[1])
	}
	given.Files, given.Typed["profile"] = fstest.MapFS{".gitignore": &fstest.MapFile{}}, "deep"
	if values, err = w.Resolve(given); err != nil || values["ground"] != "new" {
		t.Errorf("an empty work tree: %v %v", values, err)
	}
	var e *InputError
	if _, err = w.Resolve(Given{Files: given.Files}); !errors.As(err, &e) || !errors.Is(err, ErrNoInput) || cmp.Diff([]string{"lint"}, e.More) != "" {
		t.Errorf("without its command: %v", err)
	}
	given.Typed["profile"] = "fast"
	if _, err = w.Resolve(given); !errors.Is(err, ErrBadInput) || !strings.Contains(err.Error(), `"fast" is none of quick, deep`) {
		t.Errorf("an unknown word: %v", err)
	}
}

func TestAChoiceHasOneValueForEachWord(t *testing.T) {
	t.Parallel()
	for edit, want := range map[string]string{
		"quick: 5, deep: 20}=>quick: 5}":                              "there is no value for profile deep",
		"quick: 5, deep: 20}=>quick: 5, deep: 20, depe: 20}":          `input "profile" is never "depe"`,
		"by: profile=>by: slug":                                       "a choice is needed",
		"by: profile=>by: nothing":                                    `there is no input "nothing" before this`,
		"quick: 5, deep: 20=>quick: 5, deep: 900":                     "is 900",
		"new: {goal: 100}=>new: {goal: 90}":                           "the weights add up to 90",
		"of: [quick, deep]=>of: [quick]":                              "needs two words or more",
		"default: deep=>default: fast":                                `"fast" is not in of`,
		"of: [old, new]=>of: [old, new, old]":                         `"old" is given twice`,
		"slug: {kind: slug}=>slug: {kind: slug, of: [a, b]}":          "of and empty are for inputs of kind choice",
		"lint: {kind: command, optional=>lint: {kind: text, optional": "optional is for inputs of kind command",
		"goals: optional=>goals: never":                               `unknown word "never"`,
	} {
		from, to, _ := strings.Cut(edit, "=>")
		if _, err := Parse([]byte(strings.Replace(chosenFlow, from, to, 1))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", edit, err, want)
		}
	}
}
