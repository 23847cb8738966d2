package events

import "errors"

// Why an event was not appended, as whoever decided on it needs to know.
var (
	// ErrMoved: someone else has appended, or nobody knows whether the event is
	// stored: the log is read again, and decided on anew.
	ErrMoved = errors.New("the log of the run has moved on")
	// ErrNoRoom: the store takes no ordinary events now. An effect that cannot begin
	// for it is begun again when there is room.
	ErrNoRoom = errors.New("there is no room")
)
