package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestBallastIsTakenOnOnceAndGivenUp(t *testing.T) {
	t.Parallel()
	b := Ballast{t.TempDir()}
	for range 2 {
		if err := b.Refill(); err != nil {
			t.Fatal(err)
		}
	}
	takesRoom(t, b.Path())
	for range 2 {
		if err := b.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(b.Path()); !os.IsNotExist(err) {
		t.Errorf("ballast is still there: %v", err)
	}
}

func takesRoom(t *testing.T, path string) {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil || st.Size != BallastBytes || st.Blocks*512 < BallastBytes {
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
