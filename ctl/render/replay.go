package render

import (
	"fmt"
	"time"

	"autopilot/events/wire"
)

// ReplayLine is one step of a run that is shown again.
func (s Style) ReplayLine(f wire.ReplayFrame) string {
	return s.step(s.moment(f.At), f.Line)
}

// moment is a time to the second; of the last day without its date.
func (s Style) moment(t time.Time) string {
	if age := s.since(t); age >= 0 && age < day {
		return s.Second(t)
	}
	return s.local(t).Format("2006-01-02 15:04:05")
}

const day = 24 * time.Hour

// ReplayAt is a run as it was at one moment.
func (s Style) ReplayAt(f wire.ReplayFrame) string {
	head := s.wrap(fmt.Sprintf("as it was at %s, after event %d: %s", s.moment(f.At), f.Seq, Line(f.Line)), "") + "\n"
	w := *f.Why
	w.Next = nil // commands for then are none for now
	return head + s.Why(w)
}

// BadSpeed is a speed that is none.
func BadSpeed(text string) *wire.Error {
	return usage("write 10 for ten times as fast, 0 for no pauses", "--speed %q is not a number", text)
}

// BadAt is a time that cannot be read.
func BadAt(text string) *wire.Error {
	return usage("give an event's number, iteration:N, or a time as 03:12 or 2026-01-02T03:12", "--at %q is not a position", text)
}
