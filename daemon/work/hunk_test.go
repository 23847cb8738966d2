package work

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// Seeds 3.7: on re-presentation the hunks of each finding, with file and line.
func TestOfAFindingTheHunksAtItsPlaceAreShown(t *testing.T) {
	t.Parallel()
	first := "docs/plan.md:1\n@@ -1,3 +1,4 @@\n one\n-two\n+zwei\n+more\n three\n"
	second := "docs/plan.md:21\n@@ -20 +21,2 @@ later\n-twenty\n+@@ twenty\n+more\n"
	for section, want := range map[string][]string{
		"docs/plan.md:2":     {first},
		"docs/plan.md:3":     {first},
		"docs/plan.md:20":    {second},
		"docs/plan.md":       {first, second},
		"docs/plan.md:4":     nil,
		"docs/plan.md:0x2":   nil,
		"plan.md:2":          nil,
		"tone":               nil,
		"docs/plan.md.bak":   {"docs/plan.md.bak:1\n@@ -0,0 +1 @@\n+old\n"},
		"docs/plan.md.bak:7": nil,
	} {
		if d := cmp.Diff(want, hunksAt(twoHunks, section)); d != "" {
			t.Errorf("%s (-want +got):\n%s", section, d)
		}
	}
	if got := hunksAt(strings.Repeat("@@ -1 +1 @@\n", 3), "x"); got != nil {
		t.Errorf("no diff: %q", got)
	}
}
