package snapshot_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"autopilot/daemon/store/snapshot"
)

func TestStatesThatWereFoldedElsewhereMakeTheSameFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	rapid.Check(t, func(t *rapid.T) {
		l := history(t)
		s := written(t, one, l)
		defer s.Close()
		err := snapshot.WriteStates(two, s.Cursor(), func(yield func(snapshot.Folded, error) bool) {
			for _, h := range s.Heads() {
				state, err := s.State(h.ID)
				if !yield(snapshot.Folded{State: state, Hash: h.Hash}, err) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		a, aerr := os.ReadFile(one)
		b, berr := os.ReadFile(two)
		if aerr != nil || berr != nil || string(a) != string(b) {
			t.Fatalf("%d bytes and %d, %v, %v", len(a), len(b), aerr, berr)
		}
	})
}

func TestStatesThatCannotBeMadeLeaveNoFile(t *testing.T) {
	t.Parallel()
	path, failed := filepath.Join(t.TempDir(), "states"), errors.New("it cannot be read")
	err := snapshot.WriteStates(path, "", func(yield func(snapshot.Folded, error) bool) { yield(snapshot.Folded{}, failed) })
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	for _, p := range []string{path, path + ".new"} {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", p, err)
		}
	}
}
