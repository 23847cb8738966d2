package confine

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestOlderKernelsLackWhatTheyDoNotHave(t *testing.T) {
	t.Parallel()
	for version, words := range map[int]int{0: 2, 5: 2, 6: 0, 7: 0} {
		if got := unscoped(version); len(got) != words {
			t.Errorf("version %d: %v", version, got)
		}
	}
	for version, want := range map[int]uint64{
		1: 0, 2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE,
	} {
		if got := writes(version) &^ writes(0); got != want {
			t.Errorf("version %d adds %#x, want %#x", version, got, want)
		}
	}
}
