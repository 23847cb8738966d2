// Package when reads times and lengths of time as people write them, in flags
// and in files, so that both mean the same.
//
// It is pure: the present and its zone are arguments. It links the standard
// library only, as apctl pays for all that it links at every start.
package when

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Errors of what means nothing.
var (
	ErrNoSpan = errors.New("not a length of time")
	ErrNoTime = errors.New("not a time")
	ErrPast   = errors.New("in the past")
)

// maxSpan bounds a length of time that is meant.
const maxSpan = 3650 * 24 * time.Hour

// Span reads a length of time over zero: 90m, 4h, 1h30m, 2d. The error is an
// ErrNoSpan.
func Span(text string) (time.Duration, error) {
	v := strings.TrimSpace(text)
	if days, ok := strings.CutSuffix(v, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > int(maxSpan/(24*time.Hour)) {
			return 0, fmt.Errorf("%q is %w", text, ErrNoSpan)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 || d > maxSpan {
		return 0, fmt.Errorf("%q is %w", text, ErrNoSpan)
	}
	return d, nil
}

// Next reads a time to come, in the zone of now where it names none. A time of
// day alone is its next occurrence; any other that is over is an ErrPast, and
// what is no time is an ErrNoTime.
func Next(text string, now time.Time) (time.Time, error) {
	v := strings.TrimSpace(text)
	if t, err := time.Parse("15:04", v); err == nil {
		at := onDay(t, now, 0)
		if !at.After(now) {
			at = onDay(t, now, 1)
		}
		return at, nil
	}
	t, err := date(v, now.Location())
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("%q is %w", text, err)
	case !t.After(now):
		return time.Time{}, fmt.Errorf("%q is %w", text, ErrPast)
	}
	return t, nil
}

// Last reads a time in the zone of now where it names none. A time of day alone
// is the latest that is over. The error is an ErrNoTime.
func Last(text string, now time.Time) (time.Time, error) {
	v := strings.TrimSpace(text)
	for _, layout := range []string{"15:04", "15:04:05"} {
		t, err := time.Parse(layout, v)
		if err != nil {
			continue
		}
		at := onDay(t, now, 0)
		if at.After(now) {
			at = onDay(t, now, -1)
		}
		return at, nil
	}
	t, err := date(v, now.Location())
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is %w", text, err)
	}
	return t, nil
}

// onDay is a time of day so many days after now.
func onDay(t, now time.Time, days int) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day()+days, t.Hour(), t.Minute(), t.Second(), 0, now.Location())
}

// date reads a date with a time, in the zone where it names none.
func date(v string, zone *time.Location) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, v, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, ErrNoTime
}
