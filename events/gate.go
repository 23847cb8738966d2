package events

import (
	"cmp"
	"slices"
)

// GateKind is a kind of gate.
type GateKind string

// The kinds of gates.
const (
	GateCommand   GateKind = "command"
	GateProtected GateKind = "protected"
	GateArtifact  GateKind = "artifact" // files exist, are not blank, and were written by the run

	GateRepeat    GateKind = "repeat"    // a command passes so many times in a row
	GateFlaky     GateKind = "flaky"     // a command fails at least once in so many runs
	GateRed       GateKind = "red"       // the daemon saw the test commit fail, before the implementation
	GateCoverage  GateKind = "coverage"  // another session lists every approved criterion as covered
	GateAnchor    GateKind = "anchor"    // files that a person approved are unchanged
	GateScope     GateKind = "scope"     // no file outside of the declared ones was changed
	GateConsensus GateKind = "consensus" // the roles approved, one behind the other
	GateReview    GateKind = "review"    // another session approved the work
	GateQA        GateKind = "qa"        // another session found no fault in use, or the diff needs no such look
	GateInterview GateKind = "interview" // the interview made the task clear enough
	GateApproval  GateKind = "approval"  // a person approved the set
	GateControl   GateKind = "control"   // a passed gate once more, with the proof or product of the start
	GateSession   GateKind = "session"   // the outcome record of a session, judged by the kill switches
	GateHoldout   GateKind = "holdout"   // a command passes with files that no agent sees
	GateGit       GateKind = "git"       // no git change that the run forbids
)

// Part is a part of a run in its summary.
type Part string

// The parts.
const (
	PartClarification  Part = "clarification"
	PartPlan           Part = "plan"
	PartImplementation Part = "implementation"
	PartVerification   Part = "verification"
	PartReview         Part = "review"
	PartQA             Part = "qa"
)

// GateFacts are the facts about every gate of one kind, for readers of a log.
// Declaration, prompt and verdict of a kind are in daemon/run/workflow.
type GateFacts struct {
	Kind   GateKind
	Part   Part // part of the summary; empty: that of its phase
	Runs   bool // runs a command on the files as they are
	Starts bool // starts a command at all
	Looks  bool // sessions of roles look at the work
	Proves bool // proves the work, by what the daemon or another session sees
}

// gates has one row for each kind.
var gates = []GateFacts{
	{Kind: GateCommand, Part: PartVerification, Runs: true, Starts: true, Proves: true},
	{Kind: GateRepeat, Part: PartVerification, Runs: true, Starts: true, Proves: true},
	{Kind: GateFlaky, Runs: true, Starts: true}, // it failed before the work
	{Kind: GateRed, Part: PartVerification, Starts: true, Proves: true},
	{Kind: GateCoverage, Part: PartVerification, Looks: true, Proves: true},
	{Kind: GateArtifact},
	{Kind: GateAnchor},
	{Kind: GateScope},
	{Kind: GateConsensus, Part: PartPlan, Looks: true},
	{Kind: GateReview, Part: PartReview, Looks: true},
	{Kind: GateQA, Part: PartQA, Looks: true},
	{Kind: GateInterview, Part: PartClarification, Looks: true},
	{Kind: GateApproval},
	{Kind: GateSession, Part: PartVerification},
	{Kind: GateHoldout, Part: PartVerification, Starts: true, Proves: true},
	{Kind: GateProtected, Part: PartVerification},
	{Kind: GateControl, Part: PartVerification},
	{Kind: GateGit, Part: PartVerification},
}

// Gates lists all kinds with their facts.
func Gates() []GateFacts { return slices.Clone(gates) }

// Facts returns the facts of a kind. The empty kind is a command.
func (k GateKind) Facts() GateFacts {
	for _, f := range gates {
		if f.Kind == cmp.Or(k, GateCommand) {
			return f
		}
	}
	return GateFacts{Kind: k}
}

// Reason says why a gate gave its verdict.
type Reason string

// The reasons of gate verdicts.
const (
	ReasonExit        Reason = "exit"         // the exit code decided
	ReasonSignal      Reason = "signal"       // ended by a signal that the daemon did not send
	ReasonTimeout     Reason = "timeout"      // wall limit
	ReasonSilent      Reason = "silent"       // idle limit
	ReasonNotFound    Reason = "not-found"    // first word is not on the pinned PATH
	ReasonNoShell     Reason = "no-shell"     // the shell is missing
	ReasonNoDirectory Reason = "no-directory" // its directory is missing
	ReasonToolChanged Reason = "tool-changed" // the first word resolves to another program than at the start
	ReasonTreeChanged Reason = "tree-changed" // a recorded file changed while the gates ran, twice
	ReasonUnchanged   Reason = "unchanged"    // protected: every pin is as it was
	ReasonPinChanged  Reason = "pin-changed"  // protected: the files named are not
	ReasonWritten     Reason = "written"      // artifact: every file is there, not blank, and new
	ReasonMissing     Reason = "missing"      // artifact: the patterns named match no file
	ReasonBlank       Reason = "blank"        // artifact: the files named hold white space only
	ReasonStale       Reason = "stale"        // artifact: the files named are older than the phase
	ReasonNoFile      Reason = "no-file"      // of a set: the paths named are links, repositories, or too large
	ReasonSetup       Reason = "setup"        // clean checkout: the set-up command failed there
	ReasonUnready     Reason = "unready"      // baseline: it failed before any test, as the work tree or machine lacks something

	// Why a gate with an exit code of 0 does not pass.
	ReasonNamesFailing Reason = "names-failing" // the output names failing tests
	ReasonNoTests      Reason = "no-tests"      // the gate ran no test where it ran some before
	ReasonMissingTests Reason = "missing-tests" // fewer tests ran, some are newly skipped, or a unit is gone
	ReasonNotSeen      Reason = "not-seen"      // a failure of the baseline did not visibly run and pass

	ReasonNotYet         Reason = "not-yet"         // holdout, skipped: another gate fails, so it was not run
	ReasonHoldoutChanged Reason = "holdout-changed" // holdout: its files are not those of the start

	ReasonNobody    Reason = "nobody"         // open: no role or person has looked or answered yet
	ReasonLooked    Reason = "looked"         // a session of each role decided
	ReasonVoid      Reason = "void"           // no session gave a valid result, several times
	ReasonAnswered  Reason = "answered"       // a person decided
	ReasonHandoff   Reason = "handoff"        // nobody was asked: a hand-off at the start
	ReasonByPerson  Reason = "by-person"      // interview, skipped: a person went on without it and said why
	ReasonDocsOnly  Reason = "docs-only"      // qa, skipped: only documentation changed
	ReasonVoidInput Reason = "not-applicable" // command, skipped: a person or the configuration says that the check does not apply
	ReasonInside    Reason = "inside"         // scope: only declared files were changed
	ReasonOutside   Reason = "outside"        // scope: the files named are not among them
	ReasonNoCommit  Reason = "no-commit"      // red: the test commit is missing
	ReasonAncestry  Reason = "ancestry"       // red: it is no strict ancestor of the implementation
	ReasonNotRed    Reason = "not-red"        // red: the tests pass there already
	ReasonSeenRed   Reason = "seen-red"       // red: the daemon saw them fail there
	ReasonUncertain Reason = "not-stable"     // repeat: it passed in some runs and failed in others
	ReasonFlaky     Reason = "flaky"          // flaky: it failed in some of the runs
	ReasonConstant  Reason = "constant"       // flaky: it failed in every run
	ReasonSteady    Reason = "steady"         // flaky: it passed in every run
	ReasonControl   Reason = "control"        // red: the command fails on the files as they are too
	ReasonRow       Reason = "row"            // red: the agent's row differs from the history

	ReasonHeld           Reason = "held"            // control: it ended as it must
	ReasonLeans          Reason = "leans"           // control: the gates pass only with the files named, which came since the start
	ReasonElsewhere      Reason = "elsewhere"       // control: the files of the start pass too, so something else made it green
	ReasonWanted         Reason = "wanted"          // control: the baseline named no failing test, so the tests named were wanted
	ReasonNothingNew     Reason = "nothing-new"     // control: no file came that tests or runners load
	ReasonNotTried       Reason = "not-tried"       // control: it could not be tried here, or proves nothing
	ReasonOutsideChanged Reason = "outside-changed" // control: the files named, which gates load from outside of the tree, are not those of the start
	ReasonRenewed        Reason = "renewed"         // control: the packages of the files named changed, as the work asks for
	ReasonUnsure         Reason = "unsure"          // control: the modules named are not what go.sum says, as at the start, or the folders named are too large to be compared

	ReasonGitKept Reason = "git-kept" // git: no change that the run forbids
	ReasonPushed  Reason = "pushed"   // git: the branches named were pushed
	ReasonHistory Reason = "history"  // git: commits, branches, tags or stashes of the start are gone or moved
	ReasonUnread  Reason = "unread"   // git: its state could not be read

	ReasonReported   Reason = "reported"           // session: no kill switch fires on its report
	ReasonNoReport   Reason = "no-report"          // session: the agent wrote no report
	ReasonBadReport  Reason = "bad-report"         // session: the agent's report is malformed
	ReasonStall      Reason = "stall-timeout"      // session: kill switches, in order: stall
	ReasonSpiral     Reason = "spiral"             // session: a spiral
	ReasonFailedWave Reason = "failed-wave"        // session: a failed wave
	ReasonCarryover  Reason = "carryover-too-high" // session: too much carried over
)
