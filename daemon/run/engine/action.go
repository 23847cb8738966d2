package engine

import (
	"time"

	"autopilot/events"
)

// Action is what a run does next. The set is closed.
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
	Keeps     bool   // the work of the attempt before belongs to this one, as with Resume
	End       bool
}

// RunGates has the gates of an iteration judged; 0 is the baseline.
type RunGates struct {
	Phase     events.Name
	Iteration int
	Entry     bool // what the phase needs to begin is judged, instead
	Announced bool // gates.started is in the log
}

// RunRole has a session of a role look at what a gate is about, as RunAgent has
// an agent work.
type RunRole struct {
	Gate      events.Name
	Role      events.Name
	Set       string
	Round     int
	Announced bool // role.started is in the log
	End       bool
}

// Ask asks a person: at a gate, or without one what the latest agent wants to
// know.
type Ask struct {
	Gate  events.Name
	Kind  events.QuestionKind
	Set   string
	Round int // of an interview: the round before this one has the question
}

// Enter goes on, or back, to another phase.
type Enter struct{ events.PhaseEntered }

// Escalate has the next agent of a role go on where the run would halt.
type Escalate struct{ events.AgentEscalated }

// Publish shows what has passed where people review changes.
type Publish struct {
	Phase     events.Name
	Iteration int
}

// Accept answers a question that nobody is waited for, as its gate was handed over.
type Accept struct{ events.QuestionAnswered }

// Expire closes a question that nobody answered in time.
type Expire struct{ events.QuestionExpired }

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
func (RunRole) action()  {}
func (Ask) action()      {}
func (Enter) action()    {}
func (Escalate) action() {}
func (Publish) action()  {}
func (Accept) action()   {}
func (Expire) action()   {}
func (Record) action()   {}
func (Wait) action()     {}
func (Halt) action()     {}
func (Finish) action()   {}
