//go:build linux

package crashtest

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// rooted are the tests that mount file systems. They run only when they are
// asked for, in namespaces of their own: .ci/rooted.
const rooted = "^(TestPowerCut|TestDiskFull|TestDiskFullImport)$"

// mount mounts a file system until the test ends.
func mount(t testing.TB, dir string, args ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mountOn(t, dir, args...)
}

// mountOn mounts on what is there.
func mountOn(t testing.TB, dir string, args ...string) {
	t.Helper()
	must(t, "mount", append(args, dir)...)
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
}

// unmount lets go of a file system that nothing uses any more. A process that was
// killed may hold its files a moment longer than it can be seen.
func (w *world) unmount(dir string) {
	w.t.Helper()
	w.eventually("unmount "+dir, func() bool {
		err := unix.Unmount(dir, 0)
		if err != nil && !errors.Is(err, unix.EBUSY) {
			w.t.Fatalf("unmount %s: %v", dir, err)
		}
		return err == nil
	})
}

func must(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
