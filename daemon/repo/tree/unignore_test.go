package tree

import "testing"

// What a workflow names is recorded although the user ignores it, and nothing beside it.
func TestNamedArtifactsAreNotIgnored(t *testing.T) {
	t.Parallel()
	rules := ".omx/\n*.log\n/build\n"
	for _, glob := range []string{".omx/plans/prd-a.md", ".omx/specs/*.md", "docs/a.md", "build/out/**", "last.log"} {
		rules += unignore(rules, glob)
	}
	g := parseIgnore([]byte(rules))
	for path, want := range map[string]bool{
		".omx/plans/prd-a.md": false, ".omx/plans/prd-b.md": true, ".omx/specs/x.md": false, ".omx/specs/x.txt": true,
		".omx/state/autopilot-state.json": true, "docs/a.md": false, "docs/b.md": false, "build/out/a": false, "build/out/b/c": false,
		"build/other": true, "last.log": false, "other.log": true,
	} {
		if got := g.below(path); got != want {
			t.Errorf("%s is ignored: %v, want %v\n%s", path, got, want, rules)
		}
	}
}
