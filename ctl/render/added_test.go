package render

import (
	"fmt"
	"strings"
	"testing"

	"autopilot/events/wire"
)

func TestAdditionsAreNamedWithABound(t *testing.T) {
	t.Parallel()
	a := &wire.Additions{MoreSuppressions: 2, Tests: []string{"a_test.go", "b_test.go"}, MoreTests: 4, Unread: 1}
	for i := range 12 {
		a.Suppressions = append(a.Suppressions, wire.Suppression{Kind: "noqa", Class: "lint", File: "a.py", Line: i + 1})
	}
	s := Style{Width: 80}
	got := s.evidence(wire.WhyView{Evidence: &wire.Evidence{Added: a}})
	for _, want := range []string{
		"new tests   6 files added: a_test.go, b_test.go and 4 more\n",
		"suppressed  14 suppressions added\n", "a.py:1  noqa (linter)\n", "a.py:10  noqa (linter)\n", "and 4 more: apctl why --json\n", "1 file not looked at",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "a.py:11") {
		t.Error(got)
	}
	if got, want := s.addedShort(a), "14 suppressions added: a.py:1 noqa, a.py:2 noqa, a.py:3 noqa and 11 more"; got != want {
		t.Error(got)
	}
	for _, a := range []*wire.Additions{nil, {Tests: []string{"a_test.go"}}} {
		if got := s.addedShort(a); got != "" {
			t.Error(got)
		}
	}
	if got := s.evidence(wire.WhyView{Evidence: &wire.Evidence{Bare: true}}); strings.Contains(got, "pinned  ") || !strings.Contains(got, "not here") {
		t.Errorf("of a run that was imported:\n%s", got)
	}
	if got := s.evidence(wire.WhyView{Evidence: &wire.Evidence{}}); strings.Contains(got, "suppressed") || strings.Contains(got, "new tests") {
		t.Error(got)
	}
}

func TestEveryClassOfSuppressionHasAName(t *testing.T) {
	t.Parallel()
	for _, class := range []string{"lint", "types", "coverage", "tests", "security"} {
		for _, s := range []Style{{}, {lang: "ja"}} {
			if got := s.suppression(wire.Suppression{Kind: "k", Class: class, File: "f", Line: 1}); strings.Contains(got, "()") {
				t.Error(fmt.Sprint(class, ": ", got))
			}
		}
	}
}
