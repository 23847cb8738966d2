package marker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/projections/marker"
)

func TestCodeOfASurroundingSessionIsLeftOut(t *testing.T) {
	t.Parallel()
	own := []string{"PATH=/bin", "NODE_OPTIONS=--max-old-space-size=4096", "PYTHONSTARTUP=/h/rc.py"}
	if d := cmp.Diff(own, marker.WithoutCode(own)); d != "" {
		t.Errorf("without a session: %s", d)
	}
	session := append([]string{"CLAUDECODE=1"}, own...)
	if d := cmp.Diff([]string{"CLAUDECODE=1", "PATH=/bin"}, marker.WithoutCode(session)); d != "" || len(session) != 4 {
		t.Errorf("in a session: %s", d)
	}
}
