package work

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// S54: a client may send any variable, but none that points git at another repository
// reaches an agent.
func TestS54AnAgentIsNotPointedAtAnotherRepository(t *testing.T) {
	t.Parallel()
	got := AgentEnv([]string{"PATH=/bin", "GIT_DIR=/other/.git", "GIT_COMMON_DIR=/other/.git", "GIT_EDITOR=vi", "AUTOPILOT_RUN_ID=r", "CLAUDECODE=1", "X=a\x00b"})
	if d := cmp.Diff([]string{"PATH=/bin", "GIT_EDITOR=vi"}, got); d != "" {
		t.Error(d)
	}
}
