package gate

import (
	"fmt"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/projections/rule"
)

func TestAWholeFolderOfPinnedFilesIsNamedAndShownInPart(t *testing.T) {
	t.Parallel()
	var changes []rule.Change
	for i := range 50_000 {
		changes = append(changes, rule.Change{Path: fmt.Sprintf("tests/test_%05d.py", i), Kind: rule.Removed})
	}
	asked := 0
	r, texts := Protected(changes, rule.Pins{Globs: rule.DefaultPins()}, func(paths []string) string {
		asked = len(paths)
		return "the diff"
	})
	if r.Verdict != events.Fail || strings.Count(texts.Files, "\n") != len(changes) {
		t.Errorf("%s with %d files", r.Verdict, strings.Count(texts.Files, "\n"))
	}
	if asked == 0 || asked > namedPaths {
		t.Errorf("the diff of %d files was asked for", asked)
	}
	if !strings.Contains(texts.Excerpt, "the diff") {
		t.Errorf("excerpt:\n%s", texts.Excerpt)
	}
}
