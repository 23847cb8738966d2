package explain

import (
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// What a halted run needs of a person.
const (
	NeedsAnswer     = "question"
	NeedsHelp       = "blocked" // the agent says so, and why
	NeedsPermission = "permission"
	NeedsLogin      = "login"
	NeedsPayment    = "billing"
	NeedsRepair     = "drift" // pinned files are to be put back
	NeedsGit        = "git"   // a push, or lost history, is to be looked at
	NeedsLog        = "log"   // its log is not whole
	NeedsReboot     = "reboot"
	NeedsWorkspace  = "workspace"
	NeedsAgent      = "agent"    // its program cannot be started
	NeedsGate       = "gate"     // its command cannot be run
	NeedsLook       = "foreign"  // somebody else has changed its work tree
	NeedsProof      = "unproven" // it is to be accepted, or not, without a proof
	LimitEnded      = "limit-ended"
	NeedsTrust      = "trust" // of a configuration, which is no run
	NeedsQueue      = "queue" // the same
	JustHalted      = "halted"
)

// Needs names what a run needs that only a person can give; empty where it is
// live and asks nothing, got nowhere, used up what it may, or was stopped. A run that was told not
// to wait for a limit needs nobody before the limit has ended.
func Needs(s run.State, now time.Time) string {
	if Asks(s) {
		return NeedsAnswer
	}
	if s.Status != run.Halted || s.Halt == nil {
		return ""
	}
	if needs := haltOf(s.Halt.Reason).needs; needs != nil {
		return needs(s, now)
	}
	return ""
}

func needsOf(s run.State, _ time.Time) string {
	switch a := s.Last.Agent; {
	case a.Question != "" && a.Claim != events.ClaimBlocked:
		return NeedsAnswer
	case a.Result == events.ResultNeedsPermission:
		return NeedsPermission
	}
	return NeedsHelp
}

// Proves says that a person has to prove who they are before a halted run goes on: what
// proves its work was changed, it did in git what is not allowed, or its work is to be
// accepted without a proof.
func Proves(s run.State) bool {
	return s.Status == run.Halted && s.Halt != nil && (Lapsed(s.Halt.Reason) || s.Halt.Reason.Facts().Resume == events.ResumeEither)
}

// Lapsed says of a halt that a person has to prove who they are before the run goes on,
// whatever they have found.
func Lapsed(reason events.Halt) bool {
	return reason.Facts().Resume == events.ResumeProven
}

// Waits says that a live run waits for something.
func Waits(s run.State) bool {
	if s.Status != run.Live {
		return false
	}
	rule, _ := Why(s)
	return rule != running && rule != string(events.HaltLogIntegrity)
}

// First is the command to begin with in a list of many runs; empty where
// nothing is to be done. How a run that got nowhere goes on is to be decided on
// its evidence, so that comes first.
func First(s run.State, now time.Time) wire.NextCommand {
	why := wire.NextCommand{Command: "apctl why " + s.Facts.Handle, Why: say(s.Facts.Language, "the evidence, and how to go on", "証拠と、続け方")}
	switch {
	case s.Status == run.Halted && Needs(s, now) == "" && s.Halt.Reason != events.HaltStopped && s.Halt.Reason != events.HaltLimit:
		return why
	case s.Status == run.Over && s.End.State == events.EndRefused:
		return why
	}
	if all := Next(s); len(all) > 0 {
		return all[0]
	}
	return wire.NextCommand{}
}

// Untrusted says in a sentence that a configuration keeps runs from being
// started.
func Untrusted(l events.Language, file string) string {
	return say(l, "%s is not trusted, so its project cannot start a run", "%s が信頼されていないため、このプロジェクトの実行は開始されません", file)
}
