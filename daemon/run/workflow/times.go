package workflow

import (
	"fmt"
	"slices"
	"strconv"

	"autopilot/daemon/strictyaml"
)

// Times is how often a gate runs its command, one run behind the other: a number, or
// the input that says it.
type Times struct {
	N     int
	Input string // its name; N is 0 until a run fills it
}

// MostTimes and leastTimes are the bounds. A single run says nothing of what fails at times.
//
// Source: atdd-kit, seeds 3.8: configurable, with a minimum.
const (
	leastTimes = 2
	MostTimes  = 1_000
)

// String is it as a file has it.
func (t Times) String() string {
	if t.Input != "" && t.N == 0 {
		return "${{" + t.Input + "}}"
	}
	return strconv.Itoa(t.N)
}

// DecodeYAML reads a number, or ${{NAME}}.
func (t *Times) DecodeYAML(v strictyaml.Value) error {
	if v.Kind() == strictyaml.Number {
		if err := v.Decode(&t.N); err != nil || t.N != 0 {
			return err
		}
		return v.Errorf(fmt.Sprintf("write a number from %d to %d", leastTimes, MostTimes), "the number of runs is 0")
	}
	m := reference.FindStringSubmatch(v.Plain())
	if len(m) == 0 || m[0] != v.Plain() {
		return v.Mismatch(`a number, or "${{NAME}}" of an input`)
	}
	t.Input = m[1]
	return nil
}

// filled is it with the value of its input.
func (t Times) filled(values map[string]string) Times {
	if n, err := strconv.Atoi(values[t.Input]); t.Input != "" && err == nil {
		t.N = n
	}
	return t
}

// notTimes says why a number cannot be how often a command runs; empty if it can.
func notTimes(text string) string {
	if n, err := strconv.Atoi(text); err == nil && n >= leastTimes && n <= MostTimes {
		return ""
	}
	return fmt.Sprintf("the number of runs must be from %d to %d, not %s", leastTimes, MostTimes, text)
}

// counts says that an input is how often a gate runs its command.
func (w Workflow) counts(name string) (found bool) {
	w.eachTimes(func(_ string, t Times) { found = found || t.Input == name })
	return found
}

// eachTimes calls with each number of runs that is an input.
func (w Workflow) eachTimes(call func(at string, t Times)) {
	for i, ph := range w.Phases {
		for j, g := range ph.Gates {
			if g.Times.Input != "" {
				call(index(index("phases", i)+".gates", j)+".times", g.Times)
			}
		}
	}
}

// times checks the inputs that are such a number.
func (p *problems) times(w Workflow, known []string) {
	w.eachTimes(func(at string, t Times) {
		in, ok := w.Inputs.Get(t.Input)
		switch {
		case !ok || !slices.Contains(known, t.Input):
			p.add(at, nearInput(t.Input, known), "there is no input %q before this", t.Input)
		case in.Is() != NumberInput:
			p.add(at, "write kind: number", "input %q is a %s, but a number is needed", t.Input, in.Is())
		case in.Default != "" && len(references(in.Default)) == 0 && notTimes(in.Default) != "":
			p.add("inputs."+t.Input+".default", fmt.Sprintf("write a number from %d to %d", leastTimes, MostTimes), "%s", notTimes(in.Default))
		}
	})
}
