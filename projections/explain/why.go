package explain

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Why names the rule that settled the present state and says in a sentence
// what it means.
func Why(s run.State) (rule, because string) {
	switch s.Status {
	case run.Halted:
		return string(s.Halt.Reason), halted(s, *s.Halt)
	case run.Over:
		because := over(*s.End)
		if s.End.State == events.EndDone && s.Last.Checkout == events.CheckoutClean {
			because += ", and in a clean checkout of it"
		}
		return string(s.End.State), because
	case run.Live:
		return live(s)
	case run.None:
	}
	return "", ""
}

func halted(s run.State, h events.RunHalted) string {
	switch h.Reason {
	case events.HaltDrift:
		return fmt.Sprintf("halted: pinned files or tools are still changed, or changed again, after iteration %d", h.Iteration)
	case events.HaltLogIntegrity:
		return "halted: the event log of this run is not whole"
	case events.HaltSameness:
		return fmt.Sprintf("halted by sameness: %s failed in the same way on the same tree", iterations(h.Iterations))
	case events.HaltStuck:
		return fmt.Sprintf("halted as stuck: %s failed in the same way on the same tree", iterations(h.Iterations))
	case events.HaltSignature:
		return fmt.Sprintf("halted by signature: %s failed with the same failure", iterations(h.Iterations))
	case events.HaltUnverifiable:
		if l, ok := lastLook(s, h.Gate); ok {
			return fmt.Sprintf("halted: at gate %s no session of %s says anything that counts: %s", h.Gate, l.Role, voids[l.Void])
		}
		return fmt.Sprintf("halted: gate %s cannot be run, so nothing can be proven", h.Gate)
	case events.HaltIterations:
		return fmt.Sprintf("halted: the budget of %s is used up, and a gate still fails", count(int(h.Limit), "iteration"))
	case events.HaltHours:
		return "halted: the time that the run was given is used up, and a gate still fails"
	case events.HaltCost, events.HaltTokens, events.HaltTurns:
		return spent(s, h)
	case events.HaltLimit:
		return "halted: " + waitsFor(h) + ", and the run was told not to wait"
	case events.HaltAuthFailed, events.HaltBilling:
		return accountFailed(h)
	case events.HaltNoop:
		return fmt.Sprintf("halted: the agent changed nothing, %d times in a row", h.Limit)
	case events.HaltAgentLost:
		return fmt.Sprintf("halted: the agent was lost %d times in a row", h.Limit)
	case events.HaltAgentFailed:
		return "halted: the agent could not be started"
	case events.HaltStopped:
		return fmt.Sprintf("stopped on request after iteration %d; the work so far is kept", h.Iteration)
	case events.HaltInternal:
		return "halted: the daemon could not do its own part"
	case events.HaltNeedsPerson:
		switch a := s.Last.Agent; {
		case a.Question != "":
			return fmt.Sprintf("halted: the agent has a question after iteration %d", h.Iteration)
		case a.Result == events.ResultNeedsPermission:
			return "halted: the agent may not use the tools that it needs"
		case a.Result == events.ResultNeedsHuman:
			return fmt.Sprintf("halted: the agent waits for a person in iteration %d", h.Iteration)
		}
		return fmt.Sprintf("halted: the agent says that it is blocked after iteration %d", h.Iteration)
	case events.HaltRebooted:
		return "halted: the host has booted anew, and after_reboot is ask"
	case events.HaltWorkspaceGone:
		return "halted: the workspace is gone"
	case events.HaltCycles, events.HaltPlan, events.HaltEntry, events.HaltExpired:
		return haltedBetween(s, h)
	case events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover:
		return killed(h)
	}
	return "halted: " + string(h.Reason)
}

func iterations(ns []int) string {
	var out []string
	for _, n := range ns {
		out = append(out, fmt.Sprint(n))
	}
	if len(out) < 2 {
		return "iterations " + strings.Join(out, "")
	}
	return "iterations " + strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

func over(d events.RunEnded) string {
	switch d.State {
	case events.EndDone:
		return fmt.Sprintf("done after %s: every gate passed on tree %s", count(d.Iteration, "iteration"), Short(string(d.Tree)))
	case events.EndAlreadyGreen:
		return "already green: every goal passed before any work"
	case events.EndCancelled:
		return "cancelled on request " + afterIterations(d) + "; the work so far is kept"
	case events.EndGraceful:
		return "ended as planned " + afterIterations(d)
	case events.EndFailed:
		return "failed " + afterIterations(d) + ": it cannot go on"
	case events.EndRefused:
		return refused(d)
	}
	return string(d.State)
}

func afterIterations(d events.RunEnded) string {
	if d.Iteration == 0 {
		return "before the first iteration"
	}
	return fmt.Sprintf("after %s", count(d.Iteration, "iteration"))
}

func refused(d events.RunEnded) string {
	switch d.Reason {
	case events.RefusedGoalGreen:
		return "refused: the gate passes already, so it cannot prove the task"
	case events.RefusedInvariantRed:
		return fmt.Sprintf("refused: invariant %s fails before any work", d.Gate)
	case events.RefusedUnverifiable:
		return fmt.Sprintf("refused: gate %s cannot be run", d.Gate)
	case events.RefusedUnstable:
		return "refused: the gates change the files that they judge"
	case events.RefusedSetup:
		return "refused: the set-up command fails in a clean checkout, before any work"
	}
	return "refused"
}

// live names what a run is at, or waits for, and says it in a sentence.
func live(s run.State) (rule, because string) {
	if s.Log.Broken != 0 {
		return string(events.HaltLogIntegrity), fmt.Sprintf("about to be halted: event %d of its log does not follow the one before", s.Log.Broken)
	}
	switch s.Stage {
	case run.Started, run.Gates:
		if s.Loop.Iteration == 0 {
			return running, "running: judging the gates before any work"
		}
		return running, fmt.Sprintf("running: judging the gates of iteration %d", s.Loop.Iteration)
	case run.Agent:
		if s.Driven() {
			return "session", driven(s)
		}
		return running, fmt.Sprintf("running: %s works on iteration %d of %d", theAgent(s.Last.Start), s.Loop.Iteration, s.LastIteration())
	case run.Looking:
		l := s.Last.Role
		return running, fmt.Sprintf("running: %s looks at gate %s, in iteration %d", l.Role, l.Gate, s.Loop.Iteration) + round(l.Round) + named(l.Agent)
	case run.Asking:
		return "answer", asking(*s.Question)
	case run.Ended, run.Judged, run.Ready:
	}
	if s.WaitsForLimit() {
		return string(s.Waiting.Cause), "waiting: " + waitingFor(s.Waiting.LimitWaiting, s.Facts.Limits.UntilMS)
	}
	if s.Loop.Noops > 0 {
		return string(events.HaltNoop), fmt.Sprintf("waiting: the agent changed nothing, %d in a row; it is tried again later", s.Loop.Noops)
	}
	return running, "running: deciding what comes after iteration " + fmt.Sprint(s.Loop.Iteration)
}

const running = "running"

// FullDisk is why a live run waits that cannot store what it does.
func FullDisk() (rule, because string) {
	return "disk", "waiting: there is too little room on the disk; it goes on by itself when there is more"
}

// Next lists the commands that make sense now, the best first.
func Next(s run.State) []wire.NextCommand {
	h := s.Facts.Handle
	switch s.Status {
	case run.Live:
		if Asks(s) {
			return commands("apctl answer "+h, "shows what it asks, and takes your answer", "apctl stop "+h, "do not go on")
		}
		if s.WaitsForLimit() && s.Waiting.Limit > 0 {
			return commands("apctl usage", "your limits, and what is used of them", "apctl config show", "where they are set", "apctl stop "+h, "do not go on")
		}
		if s.WaitsForLimit() {
			return commands("apctl usage", "limits, and who waits for them", "apctl resume "+h, "try now", "apctl stop "+h, "do not go on")
		}
		if s.Driven() && s.Stage == run.Agent && s.Driver == nil {
			return joins(s)
		}
		return commands(
			"apctl watch "+h, "follow it",
			"apctl stop "+h, "stop after this iteration",
		)
	case run.Halted:
		return afterHalt(h, s.Halt.Reason)
	case run.Over:
		if s.End.State == events.EndRefused {
			return afterRefusal(h, s.End.Reason)
		}
		if s.End.State == events.EndAlreadyGreen {
			return nil
		}
		diff := commands("apctl diff "+h, "what it changed: it is in your work tree, not committed")
		if s.End.State == events.EndFailed {
			return append(commands("apctl logs "+h, "what it printed last"), diff...)
		}
		return diff
	case run.None:
	}
	return nil
}

func afterHalt(h string, reason events.Halt) []wire.NextCommand {
	diff, logs := "apctl diff "+h, "apctl logs "+h
	switch reason {
	case events.HaltDrift:
		return commands(
			diff, "what was changed: put the pinned files back",
			"apctl resume "+h, "go on; it asks a person at a terminal", "apctl cancel "+h, "close it; then start a new run",
		)
	case events.HaltLogIntegrity:
		return commands(diff, "what was changed: put the pinned files back", "apctl cancel "+h, "close it; then start a new run")
	case events.HaltStopped:
		return commands("apctl resume "+h, "go on", diff, "what it changed so far")
	case events.HaltAgentFailed:
		return commands("apctl resume "+h, "when its program is back")
	case events.HaltAuthFailed:
		return commands("apctl agent check", "which login the agent has", "apctl resume "+h, "when it has logged in again")
	case events.HaltBilling:
		return commands("apctl resume "+h, "when the account has been paid for", "apctl usage", "what was used")
	case events.HaltLimit:
		return commands("apctl resume "+h, "when the limit has ended", "apctl usage", "limits, and who waits for them", diff, "what it changed so far")
	case events.HaltCost, events.HaltTokens, events.HaltTurns:
		return commands(
			diff, "what it changed so far",
			"apctl usage --by run", "what was used",
			fmt.Sprintf("apctl resume %s -m 'WHAT TO DO DIFFERENTLY'", h), "go on; what it may use begins again",
		)
	case events.HaltAgentLost, events.HaltNoop, events.HaltInternal:
		return commands(logs, "what the agent printed", "apctl resume "+h, "try again")
	case events.HaltRebooted:
		return commands("apctl resume "+h, "go on where it was", diff, "what it changed so far")
	case events.HaltWorkspaceGone:
		return commands("apctl resume "+h, "when the workspace is back")
	case events.HaltEntry:
		return commands("apctl resume "+h, "when what it needs is there")
	case events.HaltExpired:
		return commands("apctl resume "+h, "ask again")
	case events.HaltNeedsPerson:
		return commands(fmt.Sprintf("apctl resume %s -m 'ANSWER'", h), "answer it and go on", diff, "what it changed so far")
	case events.HaltSameness, events.HaltStuck, events.HaltSignature, events.HaltIterations, events.HaltHours,
		events.HaltUnverifiable, events.HaltCycles, events.HaltPlan:
	case events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover:
		return afterKill(h, reason)
	}
	return commands(
		diff, "what it changed so far",
		logs, "what it printed last",
		fmt.Sprintf("apctl resume %s -m 'WHAT TO DO DIFFERENTLY'", h), "go on with new findings",
	)
}

func afterRefusal(h string, reason events.Refusal) []wire.NextCommand {
	logs := "apctl logs " + h
	if reason == events.RefusedGoalGreen {
		return commands(
			"apctl run ... --gate NAME=CMD", "add a gate that fails now",
			"apctl run ... --start-green", "work all the same; done then needs a change",
			"apctl run ... --until-green", "end with 0 when the gates pass already",
		)
	}
	return commands(logs, "what the gate printed")
}

func commands(pairs ...string) []wire.NextCommand {
	var out []wire.NextCommand
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, wire.NextCommand{Command: pairs[i], Why: pairs[i+1]})
	}
	return out
}
