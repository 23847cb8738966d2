package workflow

import (
	"errors"
	"strings"
	"testing"
)

const withTimes = `name: often
version: 1
inputs:
  runs: {kind: number, default: "10"}
  rest: {kind: number, default: "3"}
  label: {default: x}
phases:
  - name: build
    prompt: converge.md
    gates:
      - {name: at-times, kind: flaky, run: make race, times: "${{runs}}"}
      - {name: red, kind: red, run: make race, files: ["tests/**"], times: 5}
      - {name: calm, kind: repeat, run: make race, times: "${{ rest }}"}
`

// Seeds 3.8: how often a command runs can be set, with a minimum.
func TestA61ANumberOfRunsIsAnInput(t *testing.T) {
	t.Parallel()
	w, err := Parse([]byte(withTimes))
	if err != nil {
		t.Fatal(err)
	}
	values, err := w.Resolve(Given{Typed: map[string]string{"runs": "007"}, Settings: map[string]string{"rest": "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	gates := w.Fill(values).Phases[0].Gates
	if gates[0].Times.N != 7 || gates[1].Times.N != 5 || gates[2].Times.N != 1000 || w.Phases[0].Gates[0].Times.String() != "${{runs}}" {
		t.Errorf("%+v of %+v", gates, w.Phases[0].Gates)
	}
	for _, bad := range []string{"0", "1", "1001", "99999999999999999999"} {
		var e *InputError
		for _, g := range []Given{{Typed: map[string]string{"runs": bad}}, {Settings: map[string]string{"runs": bad}}} {
			if _, err := w.Resolve(g); !errors.As(err, &e) || e.Name != "runs" || !errors.Is(e.Err, ErrBadInput) || !strings.Contains(e.Why, "from 2 to 1000, not "+bad) {
				t.Errorf("%s: %v", bad, err)
			}
		}
	}
	other := strings.Replace(withTimes, `times: "${{ rest }}"`, "times: 2", 1)
	if w, err = Parse([]byte(other)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Resolve(Given{Typed: map[string]string{"rest": "1"}}); err != nil {
		t.Errorf("a number that counts no runs: %v", err)
	}
}

func TestANumberOfRunsThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, want string }{
		{"${{runs}}", "${{rums}}", `there is no input "rums" before this: did you mean "runs"?`},
		{"${{runs}}", "${{label}}", `input "label" is a text, but a number is needed: write kind: number`},
		{`default: "10"`, `default: "1"`, "from 2 to 1000, not 1"},
		{`"${{runs}}"`, `"${{runs}}0"`, `"${{NAME}}"`},
		{`"${{runs}}"`, `"7"`, `"${{NAME}}"`},
		{`"${{runs}}"`, "[7]", `"${{NAME}}"`},
		{"times: 5", "times: 0", "the number of runs is 0: write a number from 2 to 1000"},
		{"times: 5", "times: 2.5", "2.5"},
		{"times: 5", "times: -5", "times is -5"},
		{"times: 5", "times: 1", "times is 1: write a number from 2 to 1000"},
		{`, times: "${{runs}}"`, "", "a gate of kind flaky needs times"},
		{"kind: flaky, run: make race,", "kind: command, run: make race,", "a gate of kind command has no times"},
	} {
		src := strings.Replace(withTimes, c.from, c.to, 1)
		if _, err := Parse([]byte(src)); src == withTimes || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.to, err)
		}
	}
	proof := strings.Join(strings.Split(withTimes, "\n")[:11], "\n") + "\n"
	if _, err := Parse([]byte(proof)); err == nil || !strings.Contains(err.Error(), "no gate proves the work") {
		t.Errorf("what fails at times proves the work: %v", err)
	}
}
