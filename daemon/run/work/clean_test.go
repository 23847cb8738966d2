package work

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/exec/effect"
)

func TestACheckoutThatCannotBeRemovedMakesRoomForTheNext(t *testing.T) {
	t.Parallel()
	w := New(Config{State: t.TempDir(), Now: time.Now})
	stuck := errors.New("owned by root")
	w.remove = func(string) error { return stuck }
	base := w.cleanDir("01RUN")
	for n := 1; n <= 2; n++ {
		if err := os.MkdirAll(filepath.Join(base, "tree"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := w.dropCheckout("01RUN"); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(filepath.Dir(base))
		if err != nil || len(left) != n {
			t.Fatalf("left %v, %v; want %d set aside", left, err, n)
		}
		for _, e := range left {
			if !strings.HasPrefix(e.Name(), "01RUN-left-") {
				t.Errorf("%s is still in the way", e.Name())
			}
		}
	}
	none := func(id string) bool { return id == "01RUN" }
	if err := w.sweepCheckouts(none); !errors.Is(err, stuck) {
		t.Errorf("error %v, want what stays", err)
	}
	w.remove = effect.RemoveAll
	if err := w.sweepCheckouts(none); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(base)); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
