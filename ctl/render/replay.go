package render

import (
	"fmt"

	"autopilot/events/wire"
)

// ReplayLine is one step of a run that is shown again.
func (s Style) ReplayLine(f wire.ReplayFrame) string {
	return fmt.Sprintf("%s  %s\n", s.local(f.At).Format("2006-01-02 15:04:05"), Line(f.Line))
}

// ReplayAt is a run as it was at one moment.
func (s Style) ReplayAt(f wire.ReplayFrame) string {
	head := fmt.Sprintf("as it was at %s, after event %d: %s\n\n",
		s.local(f.At).Format("2006-01-02 15:04:05"), f.Seq, Line(f.Line))
	w := *f.Why
	w.Next = nil // commands for then are none for now
	return head + s.Why(w)
}

// BadSpeed is a speed that is none.
func BadSpeed(text string) *wire.Error {
	return usage("write 10 for ten times as fast, 0 for no pauses", "--speed %q is no number", text)
}

// BadAt is a time that cannot be read.
func BadAt(text string) *wire.Error {
	return usage("give an event's number, iteration:N, or a time as 03:12 or 2026-01-02T03:12", "--at %q is no position", text)
}
