package offline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/transport/bus"
	"autopilot/events/place"
)

// TestARollIsOfWhoeverHasTheStoreOpen: as long as a daemon is there its roll goes on,
// and only without one it is cut off, also while the store is at no place.
func TestARollIsOfWhoeverHasTheStoreOpen(t *testing.T) {
	t.Parallel()
	p := place.Places{State: t.TempDir()}
	commit := filepath.Join(p.State, "roll", "commit")
	if err := errors.Join(os.Mkdir(filepath.Dir(commit), 0o700), os.WriteFile(commit, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	daemon, err := bus.Lock(p, "a daemon")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), p); !errors.Is(err, bus.ErrLocked) {
		t.Errorf("while a daemon rolls: %v, want %v", err, bus.ErrLocked)
	}
	if err := daemon.Unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), p); err == nil || !strings.Contains(err.Error(), "a roll of the log was cut off") {
		t.Errorf("after a daemon died of it: %v", err)
	}
	if _, err := Verify(t.Context(), place.Places{State: filepath.Join(p.State, "none")}); err == nil || onDisk(filepath.Join(p.State, "none")) {
		t.Errorf("of a directory that is not there: %v, and it was made: %t", err, onDisk(filepath.Join(p.State, "none")))
	}
}

func onDisk(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
