package phrase

import (
	"slices"
	"testing"
)

func TestTheLineOfGitignoreNamesOneFileOrTheFolderThatAToolWrites(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"report.txt": "/report.txt", "a/b c.xml": "/a/b c.xml", "a*[x]?": `/a\*\[x]\?`, `a\b`: `/a\\b`, "end  ": `/end\ \ `, "#x": "/#x", "!x": "/!x",
		"coverage/lcov/index.html": "/coverage/", "web/dist/x.js": "/web/dist/", "a/__pycache__/x.pyc": "/a/__pycache__/", "build": "/build", "a\nb": "", "a\x1b[2J": "", "": "",
	} {
		if got := ignoreLine(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	got := IgnoreLines([]string{"dist/a", "dist/b", "x\ny", "z"})
	if want := []string{"/dist/", "/z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
