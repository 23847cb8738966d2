package rule_test

import (
	"testing"

	"autopilot/projections/rule"
)

func TestWhatACommandKeepsFromBeingSeenIsKnown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"go test ./... > log 2>&1 || { cat log; exit 1; }": true, "go test ./... | grep -v '^ok'": true, "make test >/dev/null": true, "pytest &> log": true,
		"go test ./...": false, "python3 -m unittest": false, "go test ./... 2>&1": false, "cd a && npm test": false, "sh < in": false,
	} {
		if got := rule.Mutes(rule.Command{Text: text}); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestACommandThatPrintsMarksItselfMayBeSilentWhenItPasses(t *testing.T) {
	t.Parallel()
	was := rule.ReadTests([]byte("--- FAIL: TestX (0.00s)\n"))
	if short := rule.JudgeTests(was, rule.ReadTests(nil), true, nil); short.Reason != "" {
		t.Errorf("%+v", short)
	}
	whole := rule.ReadTests([]byte("--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tp\t0.1s\n"))
	if short := rule.JudgeTests(whole, rule.ReadTests(nil), true, nil); short.Reason == "" {
		t.Error("a runner that names its packages is silent, and that counts")
	}
}
