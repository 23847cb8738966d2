package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/test/proctest"

	"autopilot/daemon/config"
	"autopilot/events/wire"
)

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// childDir makes the test below the child that may not do everything.
const childDir = "CONFIG_TEST_CHILD"

// Root passes every mode, so a child of another user looks at the files.
func TestWhatMayNotBeReadOrWrittenIsSaid(t *testing.T) {
	if dir := os.Getenv(childDir); dir != "" {
		lookLocked(t, dir)
		return
	}
	t.Parallel()
	base, err := os.MkdirTemp("/tmp", "config-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	locked := filepath.Join(base, "locked.yaml")
	err = errors.Join(os.WriteFile(locked, []byte("setup: x\n"), 0o600),
		os.WriteFile(filepath.Join(base, "open.yaml"), []byte("setup: x\n"), 0o644), os.Chmod(locked, 0), os.Chmod(base, 0o555))
	if err != nil {
		t.Fatal(err)
	}
	proctest.AsNobody(t, base, childDir+"="+base)
}

func lookLocked(t *testing.T, dir string) {
	locked := filepath.Join(dir, "locked.yaml")
	if err := config.ReadProject(locked).Err(); err == nil || !strings.Contains(err.Error(), locked+": cannot be read: permission denied") {
		t.Error(err)
	}
	for _, path := range []string{filepath.Join(dir, "open.yaml"), filepath.Join(dir, "new", "config.yaml")} {
		err := config.Edit{Path: path, Key: "setup", Value: "y"}.Write()
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != wire.Failed || !strings.Contains(e.Message, "cannot write "+path+": permission denied") {
			t.Error(err)
		}
	}
}
