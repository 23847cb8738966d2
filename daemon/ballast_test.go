package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestBallastIsTakenOnOnceAndGivenUp(t *testing.T) {
	t.Parallel()
	b := ballast{t.TempDir()}
	for range 2 {
		if err := b.refill(); err != nil {
			t.Fatal(err)
		}
	}
	takesRoom(t, b.path())
	for range 2 {
		if err := b.release(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(b.path()); !os.IsNotExist(err) {
		t.Errorf("ballast is still there: %v", err)
	}
}

func takesRoom(t *testing.T, path string) {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil || st.Size != ballastBytes || st.Blocks*512 < ballastBytes {
		t.Fatalf("ballast has %d bytes in %d blocks: %v", st.Size, st.Blocks, err)
	}
}

func TestWhereNoRoomIsReservedZerosAreWritten(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := fill(f, func(*os.File, int64) error { return errors.ErrUnsupported }); err != nil {
		t.Fatal(err)
	}
	takesRoom(t, f.Name())
}

func TestAJournalWithoutADirectoryLooksAtNoDisk(t *testing.T) {
	t.Parallel()
	if err := (&journal{}).makeRoom(false); err != nil {
		t.Error(err)
	}
}
