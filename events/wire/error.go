package wire

import (
	"fmt"
	"time"
)

// Code is the class of an answer. Each code except OK maps to one exit code of apctl.
type Code string

// The codes.
const (
	OK            Code = "ok"
	Usage         Code = "usage"
	Failed        Code = "failed"
	NotFound      Code = "not-found"
	Conflict      Code = "conflict"
	Unreachable   Code = "unreachable" // made by clients: no daemon answers
	TimedOut      Code = "timed-out"
	Denied        Code = "denied"
	NeedsPerson   Code = "needs-person" // a proven person has to decide first
	CursorExpired Code = "cursor-expired"
	Full          Code = "full"  // the event store has reached its quota, or the disk its floor
	Newer         Code = "newer" // the store was written by a newer version
)

// Error is an answer other than OK, for programs (Code) and people (the rest).
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`       // what happened, to which object
	Hint    string `json:"hint,omitzero"` // what to do next
	// Cursor is the oldest place that a stream can go on from, where the requested place
	// has expired.
	Cursor string `json:"cursor,omitzero"`
	// Problems are faults of a configuration file that keeps a daemon from starting.
	Problems []ConfigProblem `json:"problems,omitzero"`
	// Halfway is what git has not ended in the work tree that a run would begin in.
	Halfway string `json:"halfway,omitzero"`
	// Writer is the writer of the requested work tree.
	Writer *WriterView `json:"writer,omitzero"`
}

// WriterView is the writer of a work tree: a run, or a session with a claim on it.
type WriterView struct {
	Run        string     `json:"run,omitzero"`       // handle
	Task       string     `json:"task,omitzero"`      // its first line
	Program    string     `json:"program,omitzero"`   // of its agent, or of its driving chat
	PID        int        `json:"pid,omitzero"`       // of that chat, or of the session
	StateDir   string     `json:"state_dir,omitzero"` // of a writer in another state directory
	Since      time.Time  `json:"since"`
	Alive      *time.Time `json:"alive,omitzero"` // last sign of life
	Iteration  int        `json:"iteration,omitzero"`
	Iterations int        `json:"max_iterations,omitzero"`
	Asks       bool       `json:"asks,omitzero"` // it waits for a person's answer
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error without a hint.
func Errorf(c Code, format string, args ...any) *Error {
	return &Error{Code: c, Message: fmt.Sprintf(format, args...)}
}

// WithHint adds what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}
