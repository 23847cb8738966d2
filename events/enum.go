package events

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
	CutPrompt     Cut = "prompt"     // it waits for the answer of a person who is not there
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
	LimitOverload  Limit = "overloaded"   // the provider is overloaded
	LimitNetwork   Limit = "unreachable"  // the provider cannot be reached
	LimitSlots     Limit = "slots"        // the account takes fewer at once for now
	LimitResources Limit = "resources"    // the machine has no resources for more agents now
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

// LandState says what became of the target of a landing.
type LandState string

// The states of a target.
const (
	LandDone   LandState = "landed"       // it is at the commit, or leads on from it
	LandKept   LandState = "kept"         // it is checked out in a work tree: a ref of the daemon keeps the commit
	LandMoved  LandState = "target-moved" // it is elsewhere than where the work was brought onto it
	LandFailed LandState = "move-failed"  // git or the remote refused
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
