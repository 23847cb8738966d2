package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxSpan bounds a length of time that is meant.
const maxSpan = 3650 * 24 * time.Hour

// ParseSpan reads a length of time over zero: 90m, 4h, 1h30m, 2d.
func ParseSpan(text string) (time.Duration, error) {
	v := strings.TrimSpace(text)
	if days, ok := strings.CutSuffix(v, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > int(maxSpan/(24*time.Hour)) {
			return 0, fmt.Errorf("%q is not a length of time", text)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 || d > maxSpan {
		return 0, fmt.Errorf("%q is not a length of time", text)
	}
	return d, nil
}

// Errors of ParseUntil.
var (
	ErrNoTime   = errors.New("not a time")
	ErrPastTime = errors.New("in the past")
)

// ParseUntil reads a time in the zone of now. A time of day alone is its next
// occurrence; any other that is over is ErrPastTime.
func ParseUntil(text string, now time.Time) (time.Time, error) {
	v := strings.TrimSpace(text)
	if t, err := time.Parse("15:04", v); err == nil {
		return next(t, now), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		t, err := time.ParseInLocation(layout, v, now.Location())
		if err != nil {
			continue
		}
		if !t.After(now) {
			return time.Time{}, fmt.Errorf("%q is %w", text, ErrPastTime)
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is %w", text, ErrNoTime)
}

// next is the next occurrence of a time of day.
func next(t, now time.Time) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()+1, t.Hour(), t.Minute(), 0, 0, now.Location())
	}
	return at
}
