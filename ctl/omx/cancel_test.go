package omx_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSeeds48CancelEndsAllOfItsSessionAndNothingElse is also the quirk Q42.
func TestSeeds48Q42CancelEndsAllOfItsSessionAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	put(t, filepath.Join(dir, ".omx/state/ralph-state.json"), `{"mode":"ralph","active":true,"current_phase":"executing"}`)
	put(t, filepath.Join(dir, ".omx/state/autopilot-state.json"), `{"mode":"autopilot","active":true,"current_phase":"ultragoal"}`)
	put(t, filepath.Join(dir, ".omx/state/team-state.json"), `{"mode":"team","active":true}`)
	put(t, filepath.Join(dir, ".omx/state/ultrawork-state.json"), `{"mode":"ultrawork","active":false,"current_phase":"complete"}`)
	other := filepath.Join(dir, ".omx/state/sessions/s-2/ralph-state.json")
	put(t, other, `{"mode":"ralph","active":true}`)
	ended, err := s.Cancel("", false)
	if err != nil || strings.Join(ended, " ") != "team ralph autopilot" {
		t.Errorf("%v, %v", ended, err)
	}
	if o, _, _ := s.Read("autopilot", ""); o.Text("run_outcome") != "cancelled" || o.Sub("apctl").Text("resume_phase") != "ultragoal" {
		t.Errorf("%s", o.Compact())
	}
	if o, _, _ := s.Read("ultrawork", ""); o.Text("current_phase") != "complete" {
		t.Errorf("%s", o.Compact())
	}
	if get(t, other) != `{"mode":"ralph","active":true}` {
		t.Error("another session was touched")
	}
	if ended, err := s.Cancel("", false); err != nil || len(ended) != 0 {
		t.Errorf("again: %v, %v", ended, err)
	}
	put(t, filepath.Join(dir, ".omx/state/sessions/s-2/team-state.json"), `{"mode":"team","active":true,"session_id":"s-9"}`)
	if _, err := s.Cancel("s-2", false); err == nil || get(t, other) != `{"mode":"ralph","active":true}` {
		t.Errorf("a state of somebody else: %v", err)
	}
}

func TestCancelWithForceForgetsWhatTheStopHookRemembers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	write(t, s, `{"mode":"ralph","active":true,"session_id":"s-1"}`)
	path := filepath.Join(dir, ".omx/state/native-stop-state.json")
	put(t, path, `{"sessions":{"s-1":{"a":1},"s-2":{"b":1}}}`)
	if _, err := s.Cancel("s-1", true); err != nil {
		t.Fatal(err)
	}
	if text := get(t, path); strings.Contains(text, "s-1") || !strings.Contains(text, "s-2") {
		t.Errorf("%s", text)
	}
}
