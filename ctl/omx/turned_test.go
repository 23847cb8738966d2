package omx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rules "autopilot/projections/omx"
)

// A session that begins or ends while a write is made is another scope: nothing is
// written to either of them (lesson O10).
func TestAScopeThatChangesDuringAWriteStopsIt(t *testing.T) {
	t.Parallel()
	for name, pointer := range map[string]string{
		"a session that has ended": `{"session_id":"s1","cwd":"DIR","pid":2147483600,"pid_start_ticks":1}`,
		"what is no pointer":       `{"session_id":`,
	} {
		dir := t.TempDir()
		s, err := Open(Options{Dir: dir, Now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.change("autopilot", "", func(stored rules.Object, _ rules.World) (rules.Result, error) {
			text := strings.ReplaceAll(pointer, "DIR", dir)
			if err := os.WriteFile(filepath.Join(s.Base, "session.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return rules.Result{State: stored.Set("mode", "autopilot").Set("active", true)}, nil
		})
		if err == nil || !strings.Contains(err.Error(), "the session changed while the state was written: nothing was written") {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(s.Base, "*-state.json")); len(left) > 0 {
			t.Errorf("%s: it wrote %v", name, left)
		}
	}
}
