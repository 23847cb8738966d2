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
	GateQA        GateKind = "qa"        // another session found nothing wrong in use, or the diff needs no such look
	GateInterview GateKind = "interview" // what is wanted is clear enough
	GateApproval  GateKind = "approval"  // a person approved the set
	GateControl   GateKind = "control"   // what passed is tried once more, with the proof or the product of the start
	GateSession   GateKind = "session"   // the outcome record of a session, judged by the kill switches
	GateHoldout   GateKind = "holdout"   // a command passes with files that no agent sees
	GateGit       GateKind = "git"       // what the run does not allow in git was not done
)

// Part is a part of what a run goes through, as its summary shows it.
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

// GateFacts are what holds of every gate of one kind, for whoever reads a log. How it
// is declared, asked for and judged is in daemon/run/workflow.
type GateFacts struct {
	Kind   GateKind
	Part   Part // that it belongs to; empty: that of its phase
	Runs   bool // a command, on the files as they are
	Starts bool // a command at all
	Looks  bool // sessions of roles look at the work
	Proves bool // what was built, by what the daemon or another session sees
}

// gates has one row for each kind.
var gates = []GateFacts{
	{Kind: GateCommand, Part: PartVerification, Runs: true, Starts: true, Proves: true},
	{Kind: GateRepeat, Part: PartVerification, Runs: true, Starts: true, Proves: true},
	{Kind: GateFlaky, Runs: true, Starts: true}, // what failed before the work
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

// Gates are all kinds, each with its facts.
func Gates() []GateFacts { return slices.Clone(gates) }

// Facts are those of a kind. Without one it is a command.
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
	ReasonExit        Reason = "exit"         // the exit code says it
	ReasonSignal      Reason = "signal"       // ended by a signal that was not ours
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
	ReasonUnready     Reason = "unready"      // baseline: it failed before it tested anything, for want of what the work tree or machine lacks

	// Why an exit code of 0 is no pass.
	ReasonNamesFailing Reason = "names-failing" // the output names failing tests
	ReasonNoTests      Reason = "no-tests"      // no test was executed where some were before
	ReasonMissingTests Reason = "missing-tests" // fewer were executed, some are newly skipped, or a unit is gone
	ReasonNotSeen      Reason = "not-seen"      // what failed at the baseline was not seen to run and pass

	ReasonNotYet         Reason = "not-yet"         // holdout, skipped: another gate fails, so it was not run
	ReasonHoldoutChanged Reason = "holdout-changed" // holdout: its files are not those of the start

	ReasonNobody    Reason = "nobody"     // open: nobody has looked, or answered, yet
	ReasonLooked    Reason = "looked"     // a session of each role says it
	ReasonVoid      Reason = "void"       // no session gave a result that counts, times over
	ReasonAnswered  Reason = "answered"   // a person says it
	ReasonHandoff   Reason = "handoff"    // nobody was asked: who started the run handed it over
	ReasonByPerson  Reason = "by-person"  // interview, skipped: a person goes on without it, and said why
	ReasonDocsOnly  Reason = "docs-only"  // qa, skipped: nothing but documentation was changed
	ReasonInside    Reason = "inside"     // scope: only declared files were changed
	ReasonOutside   Reason = "outside"    // scope: the files named are not among them
	ReasonNoCommit  Reason = "no-commit"  // red: the test commit is missing
	ReasonAncestry  Reason = "ancestry"   // red: it is no strict ancestor of the implementation
	ReasonNotRed    Reason = "not-red"    // red: the tests pass there already
	ReasonSeenRed   Reason = "seen-red"   // red: the daemon saw them fail there
	ReasonUncertain Reason = "not-stable" // repeat: it passed, and failed
	ReasonFlaky     Reason = "flaky"      // flaky: it failed in some of the runs, or in all
	ReasonSteady    Reason = "steady"     // flaky: it passed in every run
	ReasonControl   Reason = "control"    // red: the command fails on the files as they are too
	ReasonRow       Reason = "row"        // red: what the agent names is not what the history says

	ReasonHeld           Reason = "held"            // control: it ended as it has to
	ReasonLeans          Reason = "leans"           // control: the gates pass only with the files named, which came since the start
	ReasonElsewhere      Reason = "elsewhere"       // control: the files of the start pass too, so something else turned it green
	ReasonWanted         Reason = "wanted"          // control: the baseline named no failing test, so the tests named were wanted
	ReasonNothingNew     Reason = "nothing-new"     // control: no file came that tests or runners load
	ReasonNotTried       Reason = "not-tried"       // control: it could not be tried here, or its end says nothing
	ReasonOutsideChanged Reason = "outside-changed" // control: the files named, which gates load from outside of the tree, are not those of the start
	ReasonRenewed        Reason = "renewed"         // control: the packages of the files named are other ones, as the work wants them
	ReasonUnsure         Reason = "unsure"          // control: the modules named are not what go.sum says, as at the start, or the folders named are too large to be compared

	ReasonGitKept Reason = "git-kept" // git: nothing was done that the run does not allow
	ReasonPushed  Reason = "pushed"   // git: the branches named were pushed
	ReasonHistory Reason = "history"  // git: commits, branches, tags or stashes of the start are gone or moved
	ReasonUnread  Reason = "unread"   // git: its state could not be read

	ReasonReported   Reason = "reported"           // session: no kill switch fires on its report
	ReasonNoReport   Reason = "no-report"          // session: it wrote none
	ReasonBadReport  Reason = "bad-report"         // session: what it wrote is none
	ReasonStall      Reason = "stall-timeout"      // session: the kill switches, in their order
	ReasonSpiral     Reason = "spiral"             // ditto
	ReasonFailedWave Reason = "failed-wave"        // ditto
	ReasonCarryover  Reason = "carryover-too-high" // ditto
)
