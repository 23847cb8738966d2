package events

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

// Language is that of texts to people. Those to agents are English.
type Language string

// The languages. Where none is said it is English.
const (
	English  Language = "en"
	Japanese Language = "ja"
)

// Checkout says where gates are run. The zero value is in place: in the
// workspace itself.
type Checkout string

// CheckoutClean is a scratch checkout of the recorded tree, made for the gates alone.
const CheckoutClean Checkout = "clean"

// GateRole says what a gate proves.
type GateRole string

// A goal must be seen red before the first iteration; an invariant must stay
// green.
const (
	RoleGoal      GateRole = "goal"
	RoleInvariant GateRole = "invariant"
	RoleCheck     GateRole = "check" // of a phase: it must pass there, whatever it said before
)

// Verdict is the answer of a gate, and of an iteration.
type Verdict string

// The verdicts. Unverifiable means that the gate itself cannot be run. A gate that
// was skipped needs no look, as its reason says.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Skipped      Verdict = "skipped"
	Unverifiable Verdict = "unverifiable"
	Open         Verdict = "open" // somebody has to look, or to answer, first
)

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

// Outcome says how an agent or gate process ended, as the supervisor saw it.
type Outcome string

// The outcomes. Only Exited has an exit code.
const (
	Exited      Outcome = "exited"
	Signaled    Outcome = "signaled"     // by a signal that was not ours
	WallTimeout Outcome = "wall-timeout" // its whole tree was ended at the wall limit
	IdleTimeout Outcome = "idle-timeout" // its whole tree was ended after silence
	Stopped     Outcome = "stopped"      // its whole tree was ended on request
	SpawnFailed Outcome = "spawn-failed" // the program could not be started
	Lost        Outcome = "lost"         // supervisor and outcome are gone
)

// Result says what the end of an agent means, from everything that is known of
// it. What became of its work is not among them: that is for gates.
//
// Source: Agent programs, C.7.
type Result string

// The results.
const (
	ResultEnded           Result = "ended" // by itself, without a failure
	ResultEmpty           Result = "empty-result"
	ResultTruncated       Result = "truncated-stream"
	ResultIdleTimeout     Result = "idle-timeout"
	ResultWallTimeout     Result = "wall-timeout"
	ResultRateLimited     Result = "rate-limited"
	ResultOverloaded      Result = "overloaded"
	ResultUnreachable     Result = "unreachable" // no network, or what is between stands in the way
	ResultAuthFailed      Result = "auth-failed"
	ResultBilling         Result = "billing"
	ResultContextOverflow Result = "context-overflow"
	ResultMaxTurns        Result = "max-turns"
	ResultBudget          Result = "budget"
	ResultNeedsPermission Result = "needs-permission"
	ResultNeedsHuman      Result = "needs-human"
	ResultAgentError      Result = "agent-error"
	ResultSpawnFailed     Result = "spawn-failed"
	ResultOutOfMemory     Result = "oom-killed"
	ResultKilledExternal  Result = "killed-external"
	ResultStopped         Result = "stopped"     // on request
	ResultInterrupted     Result = "interrupted" // supervisor and outcome are gone
)

// OfAccount says that the provider let the agent do no more, so that what it
// left says nothing about the task.
func (r Result) OfAccount() bool { return r.Waits() || r.Refuses() }

// Waits says that the provider takes more later.
func (r Result) Waits() bool {
	return r == ResultRateLimited || r == ResultOverloaded || r == ResultUnreachable
}

// Refuses says that the provider takes nothing more before a person has done
// something.
func (r Result) Refuses() bool { return r == ResultAuthFailed || r == ResultBilling }

// SignalSource says where a signal about the end of an agent comes from.
type SignalSource string

// The sources, in the order in which they are trusted. A time-out or signal of
// the supervisor comes behind a stream that has said its last event: a process
// that stays after its result has a result.
const (
	FromSupervisor SignalSource = "supervisor"
	FromStream     SignalSource = "stream"
	FromExit       SignalSource = "exit"
	FromText       SignalSource = "text"
)

// Cut says why the daemon ended the turn of an agent that would have gone on.
type Cut string

// The cuts. A process that stays after its result has a result.
const (
	CutLinger     Cut = "linger"     // it said its last event and stayed
	CutTokens     Cut = "tokens"     // it used as many as it may
	CutCost       Cut = "cost"       // it cost as much as it may
	CutTurns      Cut = "turns"      // it took as many as it may
	CutTrying     Cut = "trying"     // the provider refused it, over and over
	CutRepetition Cut = "repetition" // one tool with the same input, over and over
)

// Source says where a number comes from.
type Source string

// The sources of numbers.
const (
	Reported      Source = "reported" // by the agent program or the provider
	Computed      Source = "computed" // from reported tokens and a dated table of prices
	Guessed       Source = "guessed"  // by rule, as nobody said
	SourceUnknown Source = "unknown"
)

// Limit is what a run waits for.
type Limit string

// The limits. Those of the day are the user's own.
const (
	LimitRate      Limit = "rate-limited" // the account's, until the provider's reset
	LimitOverload  Limit = "overloaded"   // the provider has too much to do
	LimitNetwork   Limit = "unreachable"  // the provider cannot be reached
	LimitSlots     Limit = "slots"        // the account takes fewer at once for now
	LimitResources Limit = "resources"    // the machine bears no more agents now
	LimitDayTokens Limit = "day-tokens"
	LimitDayCost   Limit = "day-cost"
	LimitDayTurns  Limit = "day-turns"
	LimitDayHours  Limit = "day-hours"
)

// Sandbox is what an effect may touch.
type Sandbox string

// The sandboxes, the weakest first.
const (
	SandboxOff       Sandbox = "off"
	SandboxGuard     Sandbox = "guard"     // the daemon's own state and sockets are hidden
	SandboxWorkspace Sandbox = "workspace" // and writes stay in the work tree, temporary folders, its own configuration and caches
	SandboxReadOnly  Sandbox = "readonly"  // and out of the work tree
)

// Sandboxes are all of them, the weakest first.
func Sandboxes() []Sandbox {
	return []Sandbox{SandboxOff, SandboxGuard, SandboxWorkspace, SandboxReadOnly}
}

// Claim is what an agent says of its own work.
type Claim string

// The claims of a result file.
const (
	ClaimProgress Claim = "progress"
	ClaimDone     Claim = "done"
	ClaimBlocked  Claim = "blocked"
)

// Start says what a green baseline means.
type Start string

// The start modes; the zero value refuses a green baseline.
const (
	StartGreen Start = "start-green" // go on; done also needs a changed tree
	UntilGreen Start = "until-green" // end at once as already-green
)

// StopMode says how a run shall stop.
type StopMode string

// The stop modes.
const (
	StopAfterIteration StopMode = "iteration" // then halt as stopped
	StopNow            StopMode = "now"       // end the agent, record its tree, halt as stopped
	StopCancel         StopMode = "cancel"    // end the agent, record its tree, end as cancelled
)

// End is the state that a run ends in.
type End string

// The ends. Ended is graceful and not done.
const (
	EndDone         End = "done"
	EndGraceful     End = "ended"
	EndAlreadyGreen End = "already-green"
	EndCancelled    End = "cancelled"
	EndFailed       End = "failed"
	EndRefused      End = "refused"
)

// Refusal is the reason of a refused run.
type Refusal string

// The refusals at the baseline.
const (
	RefusedGoalGreen    Refusal = "goal-green"    // every goal passes already
	RefusedInvariantRed Refusal = "invariant-red" // an invariant fails already
	RefusedUnverifiable Refusal = "gate-unverifiable"
	RefusedUnstable     Refusal = "tree-changed" // the gates change the tree that they judge
	RefusedSetup        Refusal = "setup-failed" // a clean checkout cannot be set up
	RefusedUnready      Refusal = "goal-unready" // a goal fails before it tests anything
)
