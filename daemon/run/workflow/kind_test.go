package workflow

import (
	"os"
	"strings"
	"testing"

	"autopilot/events"
)

func TestEveryKindOfGateIsDescribed(t *testing.T) {
	t.Parallel()
	seen := map[events.GateKind]int{}
	for _, k := range kinds() {
		seen[k.Kind]++
		if !k.Hidden && k.Help == "" {
			t.Errorf("kind %s does not say when it passes", k.Kind)
		}
	}
	for _, f := range events.Gates() {
		k := KindOf(f.Kind)
		if seen[f.Kind] != 1 {
			t.Errorf("kind %s has %d descriptors, want 1", f.Kind, seen[f.Kind])
		}
		if f.Looks != (k.Form != nil) {
			t.Errorf("kind %s: roles look at it: %v, and their result has a form: %v", f.Kind, f.Looks, k.Form != nil)
		}
		if k.Judge != nil && !f.Runs {
			t.Errorf("kind %s judges runs of a command, and runs none", f.Kind)
		}
	}
	if len(seen) != len(events.Gates()) {
		t.Errorf("%d kinds are described, and there are %d", len(seen), len(events.Gates()))
	}
}

func TestEveryKindOfGateIsInTheDocs(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../../docs/workflows.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range declared() {
		if !strings.Contains(string(docs), "\n| `"+string(k.Kind)+"` | ") {
			t.Errorf("docs/workflows.md has no row for gates of kind %s", k.Kind)
		}
	}
}
