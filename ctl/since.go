package ctl

import (
	"strings"
	"time"

	"autopilot/ctl/render"
	"autopilot/projections/when"
)

// allTime is what --since takes where it may be left open.
const allTime = "all"

// parseSince reads --since: a length of time up to now, a day, or a time that is
// over.
func parseSince(value string, now time.Time, zone *time.Location) (time.Time, error) {
	v, now := strings.TrimSpace(value), now.In(zone)
	day := func(back int) time.Time {
		y, m, d := now.Date()
		return time.Date(y, m, d-back, 0, 0, 0, 0, zone)
	}
	switch v {
	case "today":
		return day(0), nil
	case "yesterday":
		return day(1), nil
	}
	if d, err := when.Span(v); err == nil {
		return now.Add(-d), nil
	}
	t, err := time.ParseInLocation(time.DateOnly, v, zone)
	if err != nil {
		t, err = when.Last(v, now)
	}
	if err != nil || t.After(now) {
		return t, render.BadSince(value)
	}
	return t, nil
}
