package outcome

import (
	"fmt"
	"time"

	"autopilot/daemon/agent/stream"
	"autopilot/events"
)

// Outcome says how an agent ended: events.Result, in the words of this package.
type Outcome = events.Result

// The outcomes. What became of the work is not among them: that is for gates.
const (
	Ended           = events.ResultEnded
	EmptyResult     = events.ResultEmpty
	TruncatedStream = events.ResultTruncated
	IdleTimeout     = events.ResultIdleTimeout
	WallTimeout     = events.ResultWallTimeout
	RateLimited     = events.ResultRateLimited
	Overloaded      = events.ResultOverloaded
	Unreachable     = events.ResultUnreachable
	AuthFailed      = events.ResultAuthFailed
	Billing         = events.ResultBilling
	ContextOverflow = events.ResultContextOverflow
	MaxTurns        = events.ResultMaxTurns
	Budget          = events.ResultBudget
	NeedsPermission = events.ResultNeedsPermission
	NeedsHuman      = events.ResultNeedsHuman
	AgentError      = events.ResultAgentError
	SpawnFailed     = events.ResultSpawnFailed
	OutOfMemory     = events.ResultOutOfMemory
	KilledExternal  = events.ResultKilledExternal
	Stopped         = events.ResultStopped
	Interrupted     = events.ResultInterrupted
)

// All lists the outcomes once.
func All() []Outcome {
	return []Outcome{
		Ended, EmptyResult, TruncatedStream, IdleTimeout, WallTimeout, RateLimited, Overloaded, Unreachable, AuthFailed, Billing,
		ContextOverflow, MaxTurns, Budget, NeedsPermission, NeedsHuman, AgentError, SpawnFailed, OutOfMemory,
		KilledExternal, Stopped, Interrupted,
	}
}

// Input is what is known of an agent that has ended.
type Input struct {
	Supervisor  events.Outcome // empty where nobody watched
	Cut         events.Cut     // what we ended it for, before it ended by itself
	OutOfMemory bool           // the system ended it for want of memory
	Exit        int            // -1 is unknown
	Stream      stream.Summary
	Now         time.Time // when it ended: texts name times without a date
	Zone        *time.Location
}

// Source says where a signal comes from.
type Source = events.SignalSource

// The sources, in the order in which they are trusted.
const (
	FromSupervisor = events.FromSupervisor
	FromStream     = events.FromStream
	FromExit       = events.FromExit
	FromText       = events.FromText
)

// Signal is what one source says.
type Signal struct {
	Source  Source
	Outcome Outcome
	Detail  string // what it is taken from
}

// Decision is the outcome and how it came to be.
type Decision struct {
	Outcome   Outcome
	By        Signal
	Conflicts []Signal  // that say otherwise
	Reset     time.Time // of a limit, from the provider's own words; zero is unknown
	ResetFrom Source
	// Message is what the provider or the program said of a failure, in its own words;
	// empty where it said nothing.
	Message string
}

// Decide takes the signals in their order. The first decides, but a later one
// that says more of the same failure does. What an agent was ended for by us goes
// before all of them.
func Decide(in Input) Decision {
	if in.Zone == nil {
		in.Zone = time.UTC
	}
	in.Supervisor = beforeCut(in.Supervisor, in.Cut)
	d := ofCut(decide(in), in.Cut)
	d.Message = message(in, d)
	return d
}

func decide(in Input) Decision {
	var signals []Signal
	for _, s := range order(in) {
		if s.Outcome != "" {
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 {
		signals = []Signal{unknown(in)}
	}
	d := Decision{By: signals[0]}
	for _, s := range signals[1:] {
		if refines(in, d.By, s) {
			d.By = s
		}
	}
	d.Outcome = d.By.Outcome
	for _, s := range signals {
		if !agree(d.By, s) {
			d.Conflicts = append(d.Conflicts, s)
		}
	}
	if d.Outcome == RateLimited || d.Outcome == Overloaded {
		d.Reset, d.ResetFrom = reset(in, d.By)
	}
	return d
}

// unknown is said of a program that nobody watched and that told of nothing.
func unknown(in Input) Signal {
	switch {
	case in.Supervisor != "":
		return Signal{FromExit, AgentError, "how it exited is not known"}
	case in.Stream.Lines == 0:
		return Signal{FromExit, EmptyResult, "it printed nothing"}
	}
	return Signal{FromExit, Ended, "no failure is known"}
}

func order(in Input) []Signal {
	seen, said, code := supervisor(in), ofStream(in), ofExit(in)
	text, _ := ofText(in)
	if in.Stream.Ended && yields(seen.Outcome) {
		return []Signal{said, seen, code, text}
	}
	if timedOut(seen.Outcome) {
		return []Signal{trying(in.Stream), seen, said, code, text}
	}
	return []Signal{seen, said, code, text}
}

// yields are the outcomes of a supervisor that do not undo a result.
func yields(o Outcome) bool {
	return o == IdleTimeout || o == WallTimeout || o == KilledExternal || o == OutOfMemory
}

// timedOut are the outcomes of a supervisor that waited long enough.
func timedOut(o Outcome) bool { return o == IdleTimeout || o == WallTimeout }

// vague are the outcomes that a later signal may say more about.
func vague(o Outcome) bool { return o == AgentError || o == TruncatedStream || o == EmptyResult }

// refines says whether s says more about what by says. A text does about an end
// without work: some programs report a limit as an answer.
func refines(in Input, by, s Signal) bool {
	if s.Outcome == Ended || vague(s.Outcome) || timedOut(s.Outcome) && in.Stream.Trying != (stream.Trying{}) {
		return false
	}
	return vague(by.Outcome) || by.Outcome == Ended && s.Source == FromText && !in.Stream.Worked()
}

// agree says whether a signal fits a decision.
func agree(by, s Signal) bool {
	switch {
	case by.Outcome == s.Outcome:
		return true
	case by.Source == FromSupervisor && !yields(by.Outcome):
		return true // what was ended, or never ran, says nothing against it
	case by.Source == FromSupervisor:
		return s.Outcome != Ended || s.Source != FromStream // it was cut short
	case by.Outcome != Ended && vague(s.Outcome):
		return true
	}
	return false
}

func supervisor(in Input) Signal {
	by := func(o Outcome, detail string) Signal { return Signal{FromSupervisor, o, detail} }
	switch in.Supervisor {
	case events.SpawnFailed:
		return by(SpawnFailed, "the program could not be started")
	case events.Stopped:
		return by(Stopped, "it was ended on request")
	case events.Lost:
		return by(Interrupted, "supervisor and outcome are gone")
	case events.WallTimeout:
		return by(WallTimeout, "it ran into the time limit")
	case events.IdleTimeout:
		return by(IdleTimeout, "it showed no sign of life for too long")
	case events.Signaled:
		if in.OutOfMemory {
			return by(OutOfMemory, "the system ended it for want of memory")
		}
		return by(KilledExternal, "a signal that was not ours ended it")
	case events.Exited, "":
	}
	if in.OutOfMemory {
		return by(OutOfMemory, "the system ended it for want of memory")
	}
	return Signal{}
}

// ofExit is what the exit code says. One that only says "failed" is vague.
func ofExit(in Input) Signal {
	if in.Exit < 0 || in.Supervisor != "" && in.Supervisor != events.Exited {
		return Signal{}
	}
	detail := fmt.Sprintf("exit %d", in.Exit)
	by := func(o Outcome, more string) Signal { return Signal{FromExit, o, detail + more} }
	if in.Stream.Format == stream.Gemini {
		switch in.Exit {
		case 41:
			return by(AuthFailed, ": authentication")
		case 53:
			return by(MaxTurns, ": turn limit")
		case 55:
			return by(NeedsPermission, ": the workspace is not trusted")
		}
	}
	switch in.Exit {
	case 0:
		if in.Stream.Lines == 0 {
			return by(EmptyResult, ", and it printed nothing")
		}
		return by(Ended, "")
	case 126, 127:
		return by(AgentError, ": a command was not found or cannot be run")
	case 130, 143:
		return by(KilledExternal, ": as after a signal")
	case 137:
		return by(KilledExternal, ": as after SIGKILL; out of memory?")
	}
	return by(AgentError, "")
}
