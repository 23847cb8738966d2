package ctl

import (
	"errors"
	"time"

	"autopilot/ctl/render"
	"autopilot/projections/when"
)

// parseDuration reads the length of time of a flag.
func parseDuration(flag, value string) (time.Duration, error) {
	d, err := when.Span(value)
	if err != nil {
		return 0, render.BadDuration(flag, value)
	}
	return d, nil
}

// parseUntil reads --until.
func parseUntil(value string, now time.Time, zone *time.Location) (time.Time, error) {
	t, err := when.Next(value, now.In(zone))
	switch {
	case errors.Is(err, when.ErrPast):
		return t, render.PastUntil(value)
	case err != nil:
		return t, render.BadUntil(value)
	}
	return t, nil
}

// parsePast reads a time of what has happened.
func parsePast(value string, now time.Time, zone *time.Location) (time.Time, error) {
	t, err := when.Last(value, now.In(zone))
	if err != nil {
		return t, render.BadAt(value)
	}
	return t, nil
}
