package effect_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"autopilot/daemon/exec/effect"
)

func TestEffectsOnDiskAreListedWithTheirSize(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	b.run(b.sh("echo hello; echo result > $BOX/result.json"))
	if err := os.Mkdir(filepath.Join(b.root, ".removed-x"), 0o700); err != nil {
		t.Fatal(err)
	}
	list, err := b.r.Kept()
	if err != nil || len(list) != 1 || list[0].ID != b.id || list[0].Since.IsZero() {
		t.Fatalf("%+v %v", list, err)
	}
	if files, bytes := b.dir.Size(); files < 3 || bytes < 13 {
		t.Errorf("%d files of %d bytes", files, bytes)
	}
	if files, _ := b.r.Open("nobody").Size(); files != 0 {
		t.Errorf("what is not there has %d files", files)
	}
}

func TestAnyEffectThatIsNotAtWorkIsDiscarded(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, _ := b.started(t.Context(), b.sh("echo ready; read x < $GO; chmod 0 $BOX"), nil)
	if err := b.r.Discard(b.id); !errors.Is(err, effect.ErrUnfinished) {
		t.Errorf("at work: %v", err)
	}
	b.release()
	<-done
	never := filepath.Join(b.root, "never-begun")
	if err := os.MkdirAll(filepath.Join(never, "ctl"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{b.id, "never-begun", "never-begun", "not-there"} {
		if err := b.r.Discard(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if left, err := os.ReadDir(b.root); err != nil || len(left) != 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
