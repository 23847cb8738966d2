package workflow

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const withInputs = `name: acceptance
version: 1
inputs:
  issue: {kind: issue}
  dir: {find: "docs/issues/${{issue}}-*", missing: write the requirements first}
  prd: {find: "${{dir}}/prd.md"}
  accept: {kind: command, about: runs the acceptance tests, default: "bats tests/AT-${{ issue }}*.bats"}
  label: {default: "issue ${{issue}}"}
  rounds: {kind: number, default: "3"}
task: ["${{prd}}"]
phases:
  - name: build
    prompt: converge.md
    produces: ["${{dir}}/notes.md"]
    changes: ["src/**", "${{dir}}/**"]
    gates:
      - {name: green, kind: command, run: "${{accept}} && echo ${{label}}"}
      - {name: kept, kind: anchor, of: ["${{prd}}"]}
`

func files(names ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for _, n := range names {
		out[n] = &fstest.MapFile{}
	}
	return out
}

func TestARunBringsItsInputs(t *testing.T) {
	t.Parallel()
	w, err := Parse([]byte(withInputs))
	if err != nil {
		t.Fatal(err)
	}
	dir := files("docs/issues/24-a $(rm) b/prd.md", "docs/issues/240-other/prd.md")
	values, err := w.Resolve(Given{Issue: 24, Files: dir, Settings: map[string]string{"rounds": "5", "of-another": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"issue": "24", "dir": "docs/issues/24-a $(rm) b", "prd": "docs/issues/24-a $(rm) b/prd.md",
		"accept": "bats tests/AT-24*.bats", "label": "issue 24", "rounds": "5",
	}
	if d := cmp.Diff(want, values); d != "" {
		t.Error(d)
	}
	ph := w.Fill(values).Phases[0]
	if got := ph.Gates[0].Run; got != "bats tests/AT-24*.bats && echo 'issue 24'" {
		t.Errorf("the command is %q", got)
	}
	if got := ph.Produces[0]; got != "docs/issues/24-a $(rm) b/notes.md" {
		t.Errorf("it produces %q", got)
	}
	if strings.Contains(w.Phases[0].Gates[0].Run, "bats") {
		t.Error("the workflow itself was filled")
	}
}

// TestNothingInAnInputBecomesACommandOrAGlob: A57 in spirit, S39: names of
// directories are chosen by whoever opened the issue.
func TestNothingInAnInputBecomesACommandOrAGlob(t *testing.T) {
	t.Parallel()
	w, err := Parse([]byte(withInputs))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"dir": "a[b]*{c}", "label": "it's; rm -rf /", "prd": "p", "accept": "make a"}
	ph := w.Fill(values).Phases[0]
	if got := ph.Gates[0].Run; got != `make a && echo 'it'\''s; rm -rf /'` {
		t.Errorf("the command is %q", got)
	}
	if got := ph.Produces[0]; got != `a\[b\]\*\{c\}/notes.md` {
		t.Errorf("the glob is %q", got)
	}
}

func TestInputsThatStopARun(t *testing.T) {
	t.Parallel()
	w, err := Parse([]byte(withInputs))
	if err != nil {
		t.Fatal(err)
	}
	one := files("docs/issues/24-a/prd.md")
	for _, c := range []struct {
		name  string
		given Given
		input string
		want  error
	}{
		{"unknown", Given{Typed: map[string]string{"acept": "x"}, Issue: 24, Files: one}, "acept", ErrUnknownInput},
		{"no issue", Given{Files: one}, "issue", ErrNoInput},
		{"no directory", Given{Issue: 25, Files: one}, "dir", ErrNotFound},
		{"two directories", Given{Issue: 24, Files: files("docs/issues/24-a/prd.md", "docs/issues/24-b/prd.md")}, "dir", ErrAmbiguous},
		{"no PRD", Given{Issue: 24, Files: files("docs/issues/24-a/x.md")}, "prd", ErrNotFound},
		{"a path typed", Given{Issue: 24, Files: one, Typed: map[string]string{"dir": "/etc"}}, "dir", ErrBadInput},
		{"no number", Given{Issue: 24, Files: one, Typed: map[string]string{"rounds": "1;2"}}, "rounds", ErrBadInput},
		{"blank", Given{Issue: 24, Files: one, Typed: map[string]string{"accept": " "}}, "accept", ErrBadInput},
		{"lines", Given{Issue: 24, Files: one, Typed: map[string]string{"label": "a\nb"}}, "label", ErrBadInput},
		{"A60: an option", Given{Issue: 24, Files: one, Typed: map[string]string{"label": "--delete"}}, "label", ErrBadInput},
		{"A60: an option of the settings", Given{Issue: 24, Files: one, Settings: map[string]string{"label": "-f"}}, "label", ErrBadInput},
		{"A60: a number as an option", Given{Issue: 24, Files: one, Typed: map[string]string{"rounds": "-1"}}, "rounds", ErrBadInput},
	} {
		_, err := w.Resolve(c.given)
		var e *InputError
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Name != c.input {
			t.Errorf("%s: %v, want %v of %s", c.name, err, c.want, c.input)
		}
	}
}

// Lesson A60 and seeds 3.1: a name that a glob finds is as much of another as a text.
func TestA60AFoundNameIsNoOption(t *testing.T) {
	t.Parallel()
	w, err := Parse([]byte(strings.Replace(withInputs, `"docs/issues/${{issue}}-*"`, `"*-${{issue}}"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"--output=x-24", "two\nlines-24"} {
		if _, err := w.Resolve(Given{Issue: 24, Files: files(name + "/prd.md")}); !errors.Is(err, ErrBadInput) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestReferencesAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, want string }{
		{"${{accept}} &&", "${{acept}} &&", `there is no input "acept" before this`},
		{`"${{prd}}"]}`, `"${{accept}}"]}`, `input "accept" is a command, and is not allowed here`},
		{"${{issue}}-*", "${{prd}}-*", `there is no input "prd" before this`},
		{"{kind: issue}", "{kind: issue, default: '1'}", "has no default"},
		{"{kind: issue}", "{kind: ticket}", `"ticket"`},
		{"missing: write the requirements first", "kind: text", "find is for inputs of kind path"},
	} {
		src := strings.Replace(withInputs, c.from, c.to, 1)
		if src == withInputs {
			t.Fatalf("%s is not there", c.from)
		}
		if _, err := Parse([]byte(src)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.to, err)
		}
	}
}
