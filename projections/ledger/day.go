package ledger

import (
	"time"

	"autopilot/projections/run"
)

// Day is the calendar day of a moment in the moment's own zone: its first
// moment, and the first one of the next. It has 23 or 25 hours where the clocks
// are changed, and begins after midnight where there is none.
func Day(t time.Time) (begin, next time.Time) {
	y, m, d := t.Date()
	return dawn(y, m, d, t.Location()), dawn(y, m, d+1, t.Location())
}

// dawn is the first quarter of an hour of a day. It is looked for from noon
// back: midnight may come twice or not at all, and every offset to UTC of our
// time is a number of quarters.
func dawn(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 12, 0, 0, 0, zone)
	date := t.Day()
	for before := t; ; t = before {
		if before = t.Add(-run.Quarter); before.Day() != date {
			return t
		}
	}
}
