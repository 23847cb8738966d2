package work

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/repo/tree"
)

func TestFinalWorkHasNoNotesAndLeavesAloneWhatIsNotRecorded(t *testing.T) {
	t.Parallel()
	all := []tree.Entry{{Path: "kept.go"}, {Path: "made.go"}, {Path: "module", Kind: tree.Outside}, {Path: "notes/a"}}
	var changes []tree.Change
	for _, path := range []string{".autopilot/config.yaml", "gone.go", "made.go", "module", "notes/a"} {
		changes = append(changes, tree.Change{Path: path})
	}
	paths, files := changed(changes, all, []string{"notes/**"})
	if diff := cmp.Diff([]string{"gone.go", "made.go"}, paths); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]tree.Entry{{Path: "made.go"}}, files); diff != "" {
		t.Error(diff)
	}
}
