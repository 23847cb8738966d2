package marker_test

import (
	"testing"

	"autopilot/projections/marker"
)

func TestMarkersOfSessionsAreKnownAndLoginsAreNone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"CLAUDECODE": true, "CLAUDE_CODE_SESSION_ID": true, "CODEX_SANDBOX": true, "GEMINI_CLI": true, "OPENCODE": true, "CURSOR_AGENT": true, "GOOSE_TERMINAL": true, "AGENT": true,
		"CLAUDE_CODE_OAUTH_TOKEN": false, "CLAUDE_CONFIG_DIR": false, "CODEX_HOME": false, "GEMINI_API_KEY": false,
		"OPENCODE_CONFIG": false, "PATH": false, "": false,
	} {
		if got := marker.Session(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	list := marker.Sessions()
	list[0] = "PATH"
	if marker.Session("PATH") {
		t.Error("the list can be changed from outside")
	}
}
