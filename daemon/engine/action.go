package engine

import (
	"time"

	"autopilot/events"
)

// Action is what a run does next. The set is closed; workflows of more
// than one phase add entering a phase, going back and asking to it.
type Action interface{ action() }

// RunAgent has an agent work: announce and start it, or find the announced one
// again, and learn how it ended. With End its process tree is ended first.
type RunAgent struct {
	Phase     events.Name
	Iteration int
	Attempt   int
	Announced bool   // iteration.started is in the log
	Restore   bool   // the attempt before was lost: begin from its start tree
	Resume    string // session of the agent program to go on in
	End       bool
}

// RunGates has the gates of an iteration judged; 0 is the baseline.
type RunGates struct {
	Phase     events.Name
	Iteration int
	Announced bool // gates.started is in the log
}

// Record closes the iteration.
type Record struct{ events.IterationRecorded }

// Wait does nothing until a time, or with a zero time until a command comes.
type Wait struct {
	Until time.Time
	Why   string // halted, over, noop
}

// Halt stops the run with its reason.
type Halt struct{ events.RunHalted }

// Finish ends the run.
type Finish struct{ events.RunEnded }

func (RunAgent) action() {}
func (RunGates) action() {}
func (Record) action()   {}
func (Wait) action()     {}
func (Halt) action()     {}
func (Finish) action()   {}
