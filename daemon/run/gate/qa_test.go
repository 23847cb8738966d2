package gate_test

import (
	"testing"

	"autopilot/daemon/run/gate"
)

// Seeds 4.1.2: qa is skipped for documentation only, and the diff has to bear
// that out.
func TestOnlyDocumentationNeedsNoLookInUse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		changed []string
		want    bool
	}{
		"documentation":            {[]string{"README.md", "docs/a/b.rst", "LICENSE"}, true},
		"nothing":                  {nil, false},
		"a program too":            {[]string{"README.md", "main.go"}, false},
		"what is installed from":   {[]string{"docs/requirements.txt"}, false},
		"a script by a doc's name": {[]string{"CHANGELOG.sh"}, false},
		"a configuration of docs":  {[]string{"docs/conf.py"}, false},
		"a folder by a doc's name": {[]string{"x.md/run"}, false},
		"a licence of a part":      {[]string{"pkg/LICENSE"}, true},
	} {
		if got := gate.DocsOnly(tt.changed); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
