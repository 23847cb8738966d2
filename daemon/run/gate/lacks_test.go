package gate_test

import (
	"slices"
	"testing"

	"autopilot/daemon/run/gate"
	"autopilot/projections/rule"
)

// A command that looks for a program itself is not refused for it, and it is said.
func TestProgramsThatAGateLooksForAndThatAreNotThere(t *testing.T) {
	t.Parallel()
	p := gate.Pinned{Dirs: []gate.Dir{{Path: "/bin"}, {Path: "/usr/bin"}}}
	for text, want := range map[string][]string{
		"command -v no-such-bats >/dev/null || exit 127; no-such-bats x": {"no-such-bats"},
		"command -v sh && sh x":                      nil,
		"command -v sh no-such-bats; no-such-bats x": {"no-such-bats"},
		"no-such-bats x":                             nil,
	} {
		if got := p.Lacks(rule.Command{Text: text}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
