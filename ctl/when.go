package ctl

import (
	"strconv"
	"strings"
	"time"

	"autopilot/ctl/render"
)

// parseDuration reads 90m, 4h, 1h30m, 2d.
func parseDuration(flag, value string) (time.Duration, error) {
	v := strings.TrimSpace(value)
	if days, ok := strings.CutSuffix(v, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n <= 0 || n > 3650 {
			return 0, render.BadDuration(flag, value)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return 0, render.BadDuration(flag, value)
	}
	return d, nil
}

// parseUntil reads a time. A time of day alone is its next occurrence; any
// other time that is over is an error.
func parseUntil(value string, now time.Time, zone *time.Location) (time.Time, error) {
	v := strings.TrimSpace(value)
	now = now.In(zone)
	if t, err := time.ParseInLocation("15:04", v, zone); err == nil {
		at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, zone)
		if !at.After(now) {
			at = time.Date(now.Year(), now.Month(), now.Day()+1, t.Hour(), t.Minute(), 0, 0, zone)
		}
		return at, nil
	}
	t, ok := parseTime(v, zone)
	switch {
	case !ok:
		return time.Time{}, render.BadUntil(value)
	case !t.After(now):
		return time.Time{}, render.PastUntil(value)
	}
	return t, nil
}

// parsePast reads a time. A time of day alone is the latest that is over.
func parsePast(value string, now time.Time, zone *time.Location) (time.Time, error) {
	v := strings.TrimSpace(value)
	now = now.In(zone)
	for _, layout := range []string{"15:04", "15:04:05"} {
		t, err := time.ParseInLocation(layout, v, zone)
		if err != nil {
			continue
		}
		at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
		if at.After(now) {
			at = time.Date(now.Year(), now.Month(), now.Day()-1, t.Hour(), t.Minute(), t.Second(), 0, zone)
		}
		return at, nil
	}
	t, ok := parseTime(v, zone)
	if !ok {
		return t, render.BadAt(value)
	}
	return t, nil
}

// parseTime reads a date with a time, in the zone where it names none.
func parseTime(v string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, v, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
