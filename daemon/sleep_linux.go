package daemon

import (
	"time"

	"golang.org/x/sys/unix"
)

// slept is how long the host has slept since it booted: the clock that counts
// sleep less the one that does not.
func slept() time.Duration { return clock(unix.CLOCK_BOOTTIME) - clock(unix.CLOCK_MONOTONIC) }

// bootTime is when the host booted, by its present clock.
func bootTime() time.Time { return time.Now().Add(-clock(unix.CLOCK_BOOTTIME)) }

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
