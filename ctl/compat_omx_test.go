package ctl

import (
	"slices"
	"strings"
	"testing"

	rules "autopilot/projections/omx"
)

func TestO43HelpHasNoEffectOnTheStatesOfOmx(t *testing.T) {
	t.Parallel()
	for line, call := range map[string]bool{
		"compat omx state read --mode ralph":           true,
		"compat omx autopilot start a task":            true,
		"compat omx autopilot start help me":           true,
		"compat omx cancel":                            true,
		"compat omx cancel --force":                    true,
		"compat omx state":                             false,
		"compat omx state help":                        false,
		"compat omx state --help":                      false,
		"compat omx state write --mode ralph --help":   false,
		"compat omx state clear -h":                    false,
		"compat omx autopilot":                         false,
		"compat omx autopilot start --task x --help":   false,
		"compat omx cancel --help":                     false,
		"compat omx ultragoal status":                  false,
		"compat omx":                                   false,
		"compat atdd rails check-stuck x":              false,
		"state read --mode ralph --json --input {} -x": false,
	} {
		if _, _, ok := omxCall(strings.Fields(line)); ok != call {
			t.Errorf("%s is a call: %t", line, ok)
		}
	}
}

func TestO42ValuesOfOptionsAreNoWordsOfTheTask(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, words, values string }{
		{"--session s-1 add a box", "add a box", "session=s-1"},
		{"add --session=s-1 a --json box", "add a box", "session=s-1"},
		{"--task x --session s-1", "", "session=s-1 task=x"},
		{"--task", "", "-"},
		{"--task=", "", "-"},
		{"--unknown x", "", "-"},
		{"--mode=x add", "", "-"},
	} {
		p, err := omxParse("autopilot", strings.Fields(tt.line), true, "task", "session")
		var values []string
		for k, v := range p.values {
			values = append(values, k+"="+v)
		}
		slices.Sort(values)
		got := strings.Join(values, " ")
		if err != nil {
			got = "-"
		}
		if got != tt.values || err == nil && strings.Join(p.words, " ") != tt.words {
			t.Errorf("%s: %q, %q, %v", tt.line, p.words, got, err)
		}
	}
}

func TestTheInstructionOfAStateIsTheSkillOfItsPhase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ state, want string }{
		{`{"active":true,"current_phase":"deep-interview","task_description":"a \"b\""}`, `$deep-interview "a \"b\""`},
		{`{"active":true,"current_phase":"planning"}`, `$ralplan ""`},
		{`{"active":true,"current_phase":"code_review","task_description":"x"}`, `$code-review "x"`},
		{`{"active":true,"current_phase":"waiting-for-user","state":{"deep_interview_question":{"previous_phase":"deep-interview"}}}`, `$deep-interview ""`},
		{`{"active":false,"current_phase":"complete"}`, "autopilot has no skill to call in the phase complete"},
		{`{"active":true,"current_phase":"a\u001b[31mb"}`, "autopilot has no skill to call in the phase a"},
	} {
		o, err := rules.Parse([]byte(tt.state))
		if got := instruction(o); err != nil || !strings.HasPrefix(got, tt.want) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q, %v", tt.state, got, err)
		}
	}
}
