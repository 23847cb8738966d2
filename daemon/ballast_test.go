package daemon

import (
	"os"
	"testing"
)

func TestBallastIsTakenOnOnceAndGivenUp(t *testing.T) {
	t.Parallel()
	b := ballast{t.TempDir()}
	for range 2 {
		if err := b.refill(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(b.path())
	if err != nil || info.Size() != ballastBytes {
		t.Fatalf("ballast: %v, %v", info, err)
	}
	for range 2 {
		if err := b.release(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(b.path()); !os.IsNotExist(err) {
		t.Errorf("ballast is still there: %v", err)
	}
}

func TestAJournalWithoutADirectoryLooksAtNoDisk(t *testing.T) {
	t.Parallel()
	if err := (&journal{}).makeRoom(false); err != nil {
		t.Error(err)
	}
}
