//go:build !linux

package daemon

import "time"

// slept is not known here: the time that the host sleeps counts as activity.
func slept() time.Duration { return 0 }

// bootTime is not known here, so nothing is taken off after a reboot.
func bootTime() time.Time { return time.Time{} }
