package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"autopilot/events/wire"
)

// A run that would begin inside a merge is refused, unless whoever starts it says so.
func TestARunInsideAMergeIsRefusedUnlessItIsWanted(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.must(os.WriteFile(filepath.Join(s.work, ".git", "MERGE_HEAD"), []byte("0000000000000000000000000000000000000000\n"), 0o600))
	_, err := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "touch ok"))
	refusedAs(t, "inside a merge", err, wire.NeedsPerson, "in the middle of something")
	refusedAs(t, "with what to do", err, wire.NeedsPerson, "merge")
	s.wants(s.play(s.spec("test -f ok", "touch ok", func(r *wire.RunSpec) { r.Halfway = true })), "done")
}
