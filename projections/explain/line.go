package explain

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// Line says in one line what an event was. s is the state after it.
func Line(s run.State, e events.Event) string {
	switch d := e.Data.(type) {
	case events.RunStarted:
		return fmt.Sprintf("run %s started: %s", d.Handle, names(d.Gates)) + seeded(d.Count) + nested(d.Nested)
	case events.PhaseEntered:
		return entered(d)
	case events.RoleStarted:
		return fmt.Sprintf("gate %s: %s looks", d.Gate, d.Role) + round(d.Round) + named(d.Agent)
	case events.AgentEscalated:
		return escalated(s, s.Facts.Crews, d)
	case events.RoleEnded:
		return looked(d)
	case events.QuestionAsked:
		return fmt.Sprintf("gate %s asks a person", d.Gate)
	case events.QuestionAnswered:
		return fmt.Sprintf("gate %s: a person answered %s", d.Gate, d.Choice)
	case events.QuestionExpired:
		if d.Changed {
			return "what was asked about has changed: it is looked at again"
		}
		return "nobody answered in time"
	case events.GatesStarted:
		if d.Entry {
			return fmt.Sprintf("phase %s: looking whether it can begin", d.Phase)
		}
		if d.Iteration == 0 {
			return "baseline: running the gates before any work"
		}
		return fmt.Sprintf("iteration %d: running the gates", d.Iteration)
	case events.GatesJudged:
		return judged(d)
	case events.IterationStarted:
		return iterationStarted(s, d)
	case events.AgentEnded:
		return agentEnded(d)
	case events.IterationRecorded:
		return recorded(s, d)
	case events.SessionJoined:
		return fmt.Sprintf("%s drives the run, process %d", Chat(d.Program), d.PID)
	case events.SessionLeft:
		return "nobody drives the run any more: it waits"
	case events.RunSuspended:
		return "the host slept for " + short(d.MS)
	case events.LimitWaiting:
		return "waiting: " + waitingFor(d, s.Facts.Limits.UntilMS)
	case events.LimitLifted:
		return "the wait is over before its time"
	case events.StopRequested:
		return stopLine(d)
	case events.RunHalted, events.RunEnded:
		_, because := Why(s)
		return because
	case events.RunResumed:
		line := "resumed"
		switch {
		case d.Count > 0:
			line = "resumed with " + count(d.Count, "finding") + ": the budget starts again"
		case d.Note != "":
			line = "resumed with new findings: the budget starts again"
		}
		if d.Assurance != "" {
			line += "; a person let it go on (" + string(d.Assurance) + ")"
		}
		return line
	}
	return "event " + e.Data.EventType() + " of a newer version"
}

func seeded(n int) string {
	if n == 0 {
		return ""
	}
	return "; with " + count(n, "finding") + " of a person"
}

func nested(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; of %s in the workspace only HEAD is recorded: what is not committed there is not seen", count(n, "repository"))
}

func names(gates []events.Gate) string {
	var goals, invariants []string
	for _, g := range gates {
		switch {
		case g.Kind == events.GateProtected || g.Role == events.RoleCheck:
		case g.Role == events.RoleGoal:
			goals = append(goals, string(g.Name))
		default:
			invariants = append(invariants, string(g.Name))
		}
	}
	out := "no goal of its own"
	switch len(goals) {
	case 0:
	case 1:
		out = "goal " + goals[0]
	default:
		out = "goals " + strings.Join(goals, ", ")
	}
	if len(invariants) > 0 {
		out += "; must stay green: " + strings.Join(invariants, ", ")
	}
	return out
}

func judged(d events.GatesJudged) string {
	var parts []string
	for _, r := range d.Results {
		if r.Kind == events.GateProtected && r.Verdict == events.Pass {
			continue
		}
		parts = append(parts, Result(r))
	}
	where := fmt.Sprintf("iteration %d", d.Iteration)
	if d.Iteration == 0 {
		where = "baseline"
	}
	if d.Checkout == events.CheckoutClean {
		where += ", in a clean checkout"
	}
	return where + ": " + strings.Join(parts, ", ")
}

// Result is a gate's verdict in a few words: "test fail (exit 1, 3 failing)".
func Result(r events.GateResult) string {
	why := phrase.Reason(r)
	if r.Failing > 0 {
		why += fmt.Sprintf(", %d failing", r.Failing)
	}
	if r.Elsewhere == events.Pass {
		why += "; it passes in your own environment, so gates may need a variable: set it under gate.env"
	}
	return fmt.Sprintf("%s %s (%s)", r.Gate, r.Verdict, why)
}

func iterationStarted(s run.State, d events.IterationStarted) string {
	out := fmt.Sprintf("iteration %d/%d: %s started", d.Iteration, s.LastIteration(), agent(d))
	if d.Attempt > 1 {
		out += fmt.Sprintf(" (attempt %d)", d.Attempt)
	}
	if d.Resumes {
		out += " in its session"
	}
	return out
}

func agentEnded(d events.AgentEnded) string {
	out := fmt.Sprintf("iteration %d: agent %s after %s, %s changed since the start",
		d.Iteration, ended(d), short(d.DurationMS), count(d.Files, "file"))
	if r := result(d); r != "" {
		out += "; " + r
	}
	if used := phrase.Used(d.Usage); used != "" {
		out += "; used " + used
	}
	if d.Claim != "" {
		out += fmt.Sprintf("; it says %q", d.Claim)
	}
	if len(d.Conflicts) > 0 {
		out += fmt.Sprintf("; %s", against(d))
	}
	if d.Refused > 0 {
		out += fmt.Sprintf("; the daemon refused %s of it", count(d.Refused, "request"))
	}
	if left := Behind(d); left != "" {
		out += "; " + left
	}
	return out
}

// Behind says which processes an agent has left behind, and what became of them;
// nothing where there are none. Those that were ended with it are not among them.
func Behind(d events.AgentEnded) string {
	var parts []string
	if d.Killed > 0 && d.Outcome == events.Exited {
		parts = append(parts, count(d.Killed, "process")+" that it left behind had to be ended")
	}
	if d.Left > 0 {
		parts = append(parts, count(d.Left, "process")+" could not be ended"+pids(d.LeftPIDs))
	}
	return strings.Join(parts, ", ")
}

// against names the signals that say otherwise.
func against(d events.AgentEnded) string {
	var parts []string
	for _, c := range d.Conflicts {
		parts = append(parts, fmt.Sprintf("its %s says %s", c.By, c.Result))
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; the %s is believed", d.By)
}

func pids(list []int) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprint(p))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": pid " + strings.Join(parts, ", ")
}

func ended(d events.AgentEnded) string {
	switch d.Outcome {
	case events.Exited:
		return fmt.Sprintf("exited %d", d.Exit)
	case events.Signaled:
		return fmt.Sprintf("was killed by signal %d from outside", d.Signal)
	case events.WallTimeout:
		return "was ended at its time limit"
	case events.IdleTimeout:
		return "was ended for its silence"
	case events.Stopped:
		return "was stopped"
	case events.SpawnFailed:
		return "could not be started"
	case events.Lost:
		return "was lost"
	}
	return string(d.Outcome)
}

func recorded(s run.State, d events.IterationRecorded) string {
	switch d.Verdict {
	case events.Pass:
		return fmt.Sprintf("iteration %d: pass", d.Iteration)
	case events.Skipped:
		if s.Last.Agent.Result.OfAccount() {
			return fmt.Sprintf("iteration %d: it does not count, as the provider cut it short", d.Iteration)
		}
		return fmt.Sprintf("iteration %d: this time nothing was changed; it does not count, and is tried again after a pause", d.Iteration)
	case events.Fail, events.Unverifiable, events.Open:
	}
	return fmt.Sprintf("iteration %d: fail, fingerprint %s", d.Iteration, Short(d.Fingerprint))
}

func stopLine(d events.StopRequested) string {
	switch d.Mode {
	case events.StopAfterIteration:
		return "stopping after this iteration"
	case events.StopNow:
		return "stopping now: the work so far is kept"
	case events.StopCancel:
		return "cancelling"
	}
	return "stopping"
}

// Short is the part of a hash that people are shown.
func Short(hash string) string { return hash[:min(len(hash), 10)] }

func short(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}

func count(n int, what string) string { return phrase.Count(n, what) }
