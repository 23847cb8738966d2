package rule_test

import (
	"slices"
	"testing"

	"autopilot/projections/rule"
)

func TestProgramsThatACommandLooksForItself(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"bats tests": nil,
		"command -v bats >/dev/null || { echo 'bats is not installed'; exit 127; }; bats tests":                      {"bats"},
		"for t in a b; do case $t in *.bats) command -v bats >/dev/null || exit 127; bats $t;; *) ./$t;; esac; done": {"bats"},
		"if which jq >/dev/null; then jq . x; fi":                                                                    {"jq"},
		"hash bats jq && bats t":                   {"bats", "jq"},
		"type -p node":                             {"node"},
		"command -v \"$TOOL\" && $TOOL":            nil,
		"command -v ./tool":                        nil,
		"command bats tests":                       nil,
		"echo 'command -v bats'":                   nil,
		"sh -c 'command -v bats && bats t'":        {"bats"},
		"command -v bats; command -v bats; bats t": {"bats"},
		"command -v":                               nil,
		"if (":                                     nil,
	} {
		if got := rule.LooksFor(rule.Command{Text: text}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := rule.LooksFor(rule.Command{Argv: []string{"sh", "-c", "command -v bats || exit 127"}}); !slices.Equal(got, []string{"bats"}) {
		t.Errorf("of an argv: %q", got)
	}
}
