package daemon

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

// A removed effect directory is named as that, and not only as an agent that is gone.
func TestAnAgentWhoseDirectoryWasRemovedIsNamedAsThat(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", `rm -rf "${AUTOPILOT_RESULT_FILE%/box/*}"; exit 0`, func(r *wire.RunSpec) { r.Sandbox = events.SandboxOff }))
	s.wants(st, "halted:agent-lost")
	if w := s.why(st.ID); !strings.Contains(w.LastError, "the records of the effect were deleted while it ran") {
		t.Errorf("why says %q: %q", w.Because, w.LastError)
	}
}
