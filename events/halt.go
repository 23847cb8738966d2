package events

import "slices"

// Halt is the reason of a halt.
type Halt string

// The reasons of halts: rails, then limits and kill switches, then people.
const (
	HaltDrift        Halt = "drift"
	HaltLogIntegrity Halt = "log-integrity"
	HaltSameness     Halt = "sameness"
	HaltStuck        Halt = "stuck"
	HaltSignature    Halt = "signature"
	HaltUnverifiable Halt = "gate-unverifiable"
	HaltPlan         Halt = "plan"           // the plan came back unchanged too often
	HaltForeign      Halt = "foreign-change" // another program or person changed the work tree
	HaltClaimLost    Halt = "claim-lost"     // another session has the work tree now
	HaltUnproven     Halt = "unproven"       // all gates pass, but also on the files of the start
	HaltGit          Halt = "git"            // a push or lost history that the run forbids

	HaltIterations  Halt = "iterations"
	HaltCycles      Halt = "cycles" // ways back to an earlier phase
	HaltHours       Halt = "hours"
	HaltTokens      Halt = "tokens"
	HaltCost        Halt = "cost"
	HaltTurns       Halt = "turns"
	HaltLimit       Halt = "limit"       // a limit, and the run must not wait for limits
	HaltAuthFailed  Halt = "auth-failed" // of the account: all its runs are halted
	HaltBilling     Halt = "billing"     // of the account: all its runs are halted
	HaltNoop        Halt = "noop"
	HaltAgentLost   Halt = "agent-lost"
	HaltAgentHung   Halt = "agent-hung" // it showed no sign of life, more than once in a row
	HaltAgentFailed Halt = "agent-failed"
	HaltStopped     Halt = "stopped"

	// The kill switches, which look at a session after its end.
	HaltStall      Halt = "stall-timeout"
	HaltSpiral     Halt = "spiral"
	HaltFailedWave Halt = "failed-wave"
	HaltCarryover  Halt = "carryover-too-high"

	// The kill switches between sessions.
	HaltUserAbort     Halt = "user-abort"
	HaltMaxHours      Halt = "max-hours-exceeded"
	HaltTokenBudget   Halt = "token-budget-exceeded"
	HaltOverload      Halt = "resource-overload"
	HaltLowConfidence Halt = "low-confidence-fallback"

	HaltInternal Halt = "internal" // the daemon failed at its own part; the error says where

	HaltNeedsPerson   Halt = "needs-person"
	HaltManual        Halt = "fallback-to-manual" // nothing ran yet, and no mode is sure enough to run without a person
	HaltRebooted      Halt = "rebooted"           // the host rebooted, and the user wants to be asked first
	HaltEntry         Halt = "entry"              // a phase cannot begin: what it needs is missing
	HaltUnclear       Halt = "unclear"            // the rounds of an interview are used up, and too much is unclear
	HaltExpired       Halt = "expired"            // no answer came in time
	HaltWorkspaceGone Halt = "workspace-gone"     // a person must bring it back
)

// HaltClass is a class of halts; each class has its own exit code.
type HaltClass string

// The classes.
const (
	HaltsByRail    HaltClass = "rail"   // the work got nowhere, or its proof is not safe
	HaltsByLimit   HaltClass = "limit"  // a limit, a kill switch or a request
	HaltsAtWait    HaltClass = "wait"   // instead of waiting
	HaltsForPerson HaltClass = "person" // only a person can supply what is missing
	HaltsByDaemon  HaltClass = "daemon"
)

// HaltNews says how people hear of a halt when they do not watch the run.
type HaltNews string

// The forms of news.
const (
	NewsHalted      HaltNews = "halted"
	NewsNeedsPerson HaltNews = "needs-person"
	NewsDied        HaltNews = "died"
	NewsNone        HaltNews = "none" // a person asked for it
)

// HaltResume says what a person must add to resume a halted run. After a rail or a spent
// budget it needs findings: else the run would halt again at once.
type HaltResume string

// The ways to resume.
const (
	ResumeFreely   HaltResume = "freely"
	ResumeWithNote HaltResume = "note"   // a note or findings
	ResumeProven   HaltResume = "proven" // a proof at a terminal that a person resumes
	ResumeEither   HaltResume = "either" // a note, findings, or that proof
	ResumeNever    HaltResume = "never"
)

// HaltOutput names the output that tells why a run halted, if the daemon does not say.
type HaltOutput string

// The outputs.
const (
	OutputGate    HaltOutput = "gate"    // of the gate that failed
	OutputAgent   HaltOutput = "agent"   // of the agent
	OutputSession HaltOutput = "session" // of the agent or role that ran last
)

// HaltFacts are the facts about every halt of one reason. Its words are in
// projections/explain, and its evidence in daemon/run/engine.
type HaltFacts struct {
	Reason Halt
	Class  HaltClass
	News   HaltNews
	Resume HaltResume
	Output HaltOutput
}

// halts has one row for each reason, by class.
var halts = []HaltFacts{
	{HaltSameness, HaltsByRail, NewsHalted, ResumeWithNote, OutputGate},
	{HaltStuck, HaltsByRail, NewsHalted, ResumeWithNote, OutputGate},
	{HaltSignature, HaltsByRail, NewsHalted, ResumeWithNote, OutputGate},
	{HaltPlan, HaltsByRail, NewsHalted, ResumeWithNote, OutputGate},
	{HaltDrift, HaltsByRail, NewsHalted, ResumeProven, OutputGate},
	{HaltLogIntegrity, HaltsByRail, NewsHalted, ResumeNever, OutputGate},
	{HaltUnverifiable, HaltsByRail, NewsHalted, ResumeWithNote, OutputGate},
	{HaltForeign, HaltsByRail, NewsNeedsPerson, ResumeFreely, OutputGate},
	{HaltClaimLost, HaltsByRail, NewsNeedsPerson, ResumeFreely, OutputGate},
	{HaltGit, HaltsByRail, NewsNeedsPerson, ResumeProven, OutputGate},

	{HaltIterations, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltCycles, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltHours, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltCost, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltTokens, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltTurns, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltNoop, HaltsByLimit, NewsHalted, ResumeFreely, OutputAgent},
	{HaltAgentLost, HaltsByLimit, NewsDied, ResumeFreely, OutputAgent},
	{HaltAgentHung, HaltsByLimit, NewsHalted, ResumeFreely, OutputSession},
	{HaltAgentFailed, HaltsByLimit, NewsHalted, ResumeFreely, OutputAgent},
	{HaltStall, HaltsByLimit, NewsHalted, ResumeFreely, OutputGate},
	{HaltSpiral, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltFailedWave, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltCarryover, HaltsByLimit, NewsHalted, ResumeWithNote, OutputGate},
	{HaltUserAbort, HaltsByLimit, NewsNone, ResumeFreely, OutputAgent},
	{HaltMaxHours, HaltsByLimit, NewsHalted, ResumeWithNote, OutputAgent},
	{HaltTokenBudget, HaltsByLimit, NewsHalted, ResumeWithNote, OutputAgent},
	{HaltOverload, HaltsByLimit, NewsHalted, ResumeFreely, OutputAgent},
	{HaltLowConfidence, HaltsByLimit, NewsHalted, ResumeFreely, OutputAgent},
	{HaltStopped, HaltsByLimit, NewsNone, ResumeFreely, OutputGate},

	{HaltLimit, HaltsAtWait, NewsHalted, ResumeFreely, OutputAgent},

	{HaltNeedsPerson, HaltsForPerson, NewsNeedsPerson, ResumeWithNote, OutputGate},
	{HaltUnproven, HaltsForPerson, NewsNeedsPerson, ResumeEither, OutputGate},
	{HaltEntry, HaltsForPerson, NewsNeedsPerson, ResumeFreely, OutputGate},
	{HaltUnclear, HaltsForPerson, NewsNeedsPerson, ResumeWithNote, OutputGate},
	{HaltExpired, HaltsForPerson, NewsNeedsPerson, ResumeFreely, OutputGate},
	{HaltAuthFailed, HaltsForPerson, NewsNeedsPerson, ResumeFreely, OutputAgent},
	{HaltBilling, HaltsForPerson, NewsNeedsPerson, ResumeFreely, OutputAgent},
	{HaltWorkspaceGone, HaltsForPerson, NewsNeedsPerson, ResumeFreely, OutputGate},
	{HaltManual, HaltsForPerson, NewsNeedsPerson, ResumeFreely, OutputAgent},
	{HaltRebooted, HaltsForPerson, NewsNeedsPerson, ResumeFreely, OutputGate},

	{HaltInternal, HaltsByDaemon, NewsDied, ResumeFreely, OutputGate},
}

// Halts lists all reasons by class with their facts.
func Halts() []HaltFacts { return slices.Clone(halts) }

// Facts returns the facts of a reason. An unknown reason, of a newer daemon, counts as a
// rail: it must not pass for done.
func (h Halt) Facts() HaltFacts {
	for _, f := range halts {
		if f.Reason == h {
			return f
		}
	}
	return HaltFacts{h, HaltsByRail, NewsHalted, ResumeFreely, OutputGate}
}
