package gate_test

import (
	"strings"
	"testing"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// DESIGN 9: no file outside the declared scope changed.
// Lesson A25: what is out of scope is named, and blocks.
func TestAScopeNamesEveryFileOutsideOfIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		globs, changed []string
		files          string
	}{
		"nothing changed":         {[]string{"docs/**"}, nil, ""},
		"only declared files":     {[]string{"docs/**"}, []string{"docs/a.md", "docs/b/c.md"}, ""},
		"one outside":             {[]string{"docs/**"}, []string{"docs/a.md", "src/a.go"}, "src/a.go\n"},
		"a folder that is alike":  {[]string{"docs/**"}, []string{"docs2/a.md"}, "docs2/a.md\n"},
		"nothing may be changed":  {[]string{}, []string{"a", "b"}, "a\nb\n"},
		"one of several globs":    {[]string{"a/*.go", "b/**"}, []string{"b/x/y"}, ""},
		"a name with a line feed": {[]string{"a"}, []string{"x\ny"}, "x\\ny\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, texts := gate.Scope("s", tt.globs, tt.changed)
			want := events.Pass
			if tt.files != "" {
				want = events.Fail
			}
			if r.Verdict != want || (r.Reason == events.ReasonOutside) != (want == events.Fail) {
				t.Errorf("%s, %s", r.Verdict, r.Reason)
			}
			if got := strings.ReplaceAll(texts.Files, "\"", ""); got != tt.files {
				t.Errorf("files %q, want %q", got, tt.files)
			}
		})
	}
}
