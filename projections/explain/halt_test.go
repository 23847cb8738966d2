package explain

import (
	"testing"

	"autopilot/events"
)

func TestEveryHaltHasItsWords(t *testing.T) {
	t.Parallel()
	seen := map[events.Halt]int{}
	for _, h := range halts {
		seen[h.reason]++
		if h.says == nil {
			t.Errorf("halt %s says nothing", h.reason)
		}
	}
	for _, f := range events.Halts() {
		if seen[f.Reason] != 1 {
			t.Errorf("halt %s has %d rows of words, want 1", f.Reason, seen[f.Reason])
		}
	}
	if len(seen) != len(events.Halts()) {
		t.Errorf("%d halts have words, and there are %d", len(seen), len(events.Halts()))
	}
}
