package work

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/stored"
)

const twoHunks = `diff --git a/docs/plan.md b/docs/plan.md
index 1..2 100644
--- a/docs/plan.md
+++ b/docs/plan.md
@@ -1,3 +1,4 @@
 one
-two
+zwei
+more
 three
@@ -20 +21,2 @@ later
-twenty
+@@ twenty
+more
diff --git a/docs/plan.md.bak b/docs/plan.md.bak
new file mode 100644
--- /dev/null
+++ b/docs/plan.md.bak
@@ -0,0 +1 @@
+old
`

// Seeds 3.7, A35: the next presentation shows the hunks of each finding, with file and
// line, and marks the line that it names.
func TestOfAFindingTheHunksAtItsPlaceAreShown(t *testing.T) {
	t.Parallel()
	first := "  docs/plan.md:2\n  @@ -1,3 +1,4 @@\n   one\n  -two\n  +zwei\n  +more\n   three\n"
	second := "  docs/plan.md:21\n  @@ -20 +21,2 @@ later\n  -twenty\n  +@@ twenty\n  +more\n"
	other := "  docs/plan.md.bak:1\n  @@ -0,0 +1 @@\n  +old\n"
	const nothing, nowhere = "  unchanged\n", "  no shown file, line or heading matches; every change is below\n"
	shown := []page{{path: "docs/plan.md", text: "# Plan\ntwo\n## AC1: first\n" + strings.Repeat("\n", 10) + "```\n# Later\n```\n## Later\n\n\n\ntwenty\n## AC10\n"}, {path: "docs/at.md", text: "# tests\n"}}
	for section, want := range map[string]string{
		"docs/plan.md:2":     strings.Replace(first, "  -two", "> -two", 1),
		"docs/plan.md:3":     strings.Replace(first, "   three", ">  three", 1),
		"docs/plan.md:20":    strings.Replace(second, "  -twenty", "> -twenty", 1),
		"docs/plan.md":       first + second,
		"docs/plan.md:4":     nothing,
		"docs/at.md":         nothing,
		"docs/plan.md:0x2":   nowhere,
		"plan.md:2":          strings.Replace(first, "  -two", "> -two", 1),
		"./plan.md:4":        nothing,
		"lan.md:2":           nowhere,
		"other/plan.md:2":    nowhere,
		"tone":               nowhere,
		"docs/plan.md.bak":   other,
		"docs/plan.md.bak:7": nothing,
		"Plan":               first + second,
		"## later":           second,
		"ac1":                first,
		"AC10":               nothing,
		"tests":              nothing,
		"":                   nowhere,
	} {
		got := became(events.English, []stored.Finding{{Section: section, Detail: "why?"}}, shown, twoHunks)
		if _, got, _ = strings.Cut(got, "why?\n"); got != want {
			t.Errorf("%q (-want +got):\n%s", section, cmp.Diff(want, got))
		}
	}
	two := []page{{path: "docs/plan.md", text: "# Plan\n"}, {path: "old/plan.md", text: "# Old\n"}}
	if got := became(events.English, []stored.Finding{{Section: "plan.md:2", Detail: "why?"}}, two, twoHunks); !strings.Contains(got, nowhere) {
		t.Errorf("a name that ends two shown files: %q", got)
	}
	if got := became(events.English, nil, shown, twoHunks); got != "" {
		t.Errorf("without a finding: %q", got)
	}
	if got := hunksOf(strings.Repeat("@@ -1 +1 @@\n", 3)); got != nil {
		t.Errorf("no diff: %v", got)
	}
}
