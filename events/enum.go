package events

// GateKind is a kind of gate.
type GateKind string

// The kinds of gates.
const (
	GateCommand   GateKind = "command"
	GateProtected GateKind = "protected"
	GateArtifact  GateKind = "artifact" // files exist, are not blank, and were written by the run
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
)

// Verdict is the answer of a gate, and of an iteration.
type Verdict string

// The verdicts. Unverifiable means that the gate itself cannot be run.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Skipped      Verdict = "skipped"
	Unverifiable Verdict = "unverifiable"
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
	ReasonSetup       Reason = "setup"        // clean checkout: the set-up command failed there
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

	HaltIterations  Halt = "iterations"
	HaltHours       Halt = "hours"
	HaltNoop        Halt = "noop"
	HaltAgentLost   Halt = "agent-lost"
	HaltAgentFailed Halt = "agent-failed"
	HaltStopped     Halt = "stopped"

	HaltInternal Halt = "internal" // the daemon could not do its own part; the error says which

	HaltNeedsPerson   Halt = "needs-person"
	HaltRebooted      Halt = "rebooted"       // the host booted anew, and the user wants to be asked first
	HaltWorkspaceGone Halt = "workspace-gone" // needs a person to bring it back
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
)
