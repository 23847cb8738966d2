package when

import (
	"errors"
	"testing"
	"time"
)

func TestALengthOfTimeIsOverZeroAndBounded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"4h": 4 * time.Hour, "90m": 90 * time.Minute, "1h30m": 90 * time.Minute, "2d": 48 * time.Hour, " 5s ": 5 * time.Second,
		"3650d": maxSpan, "87600h": maxSpan,
		"": 0, "0": 0, "-1h": 0, "4": 0, "abc": 0, "xd": 0, "0d": 0, "-2d": 0, "3651d": 0, "87601h": 0, "99999999h": 0,
	} {
		got, err := Span(text)
		if got != want || errors.Is(err, ErrNoSpan) == (want > 0) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestATimeIsReadInTheZoneOfThePresent(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 28, 22, 30, 0, 0, berlin) // summer time begins in this night
	for _, c := range []struct {
		text, next, last string
		err              error // of Next
	}{
		{text: "23:00", next: "2026-03-28T23:00:00+01:00", last: "2026-03-27T23:00:00+01:00"},
		{text: "07:00", next: "2026-03-29T07:00:00+02:00", last: "2026-03-28T07:00:00+01:00"},
		{text: "22:30", next: "2026-03-29T22:30:00+02:00", last: "2026-03-28T22:30:00+01:00"},
		{text: "07:00:30", err: ErrNoTime, last: "2026-03-28T07:00:30+01:00"},
		{text: " 2026-03-29 07:00 ", next: "2026-03-29T07:00:00+02:00", last: "2026-03-29T07:00:00+02:00"},
		{text: "2026-03-29 07:00:01", next: "2026-03-29T07:00:01+02:00", last: "2026-03-29T07:00:01+02:00"},
		{text: "2026-03-29T07:00:00Z", next: "2026-03-29T07:00:00Z", last: "2026-03-29T07:00:00Z"},
		{text: "2026-03-28T22:30", err: ErrPast, last: "2026-03-28T22:30:00+01:00"},
		{text: "25:00", err: ErrNoTime},
		{text: "tomorrow", err: ErrNoTime},
		{text: "", err: ErrNoTime},
	} {
		next, err := Next(c.text, now)
		if !errors.Is(err, c.err) || c.err == nil && next.Format(time.RFC3339) != c.next {
			t.Errorf("next %q: %v, %v; want %s, %v", c.text, next, err, c.next, c.err)
		}
		last, err := Last(c.text, now)
		if errors.Is(err, ErrNoTime) != (c.last == "") || err == nil && last.Format(time.RFC3339) != c.last {
			t.Errorf("last %q: %v, %v; want %q", c.text, last, err, c.last)
		}
	}
}
