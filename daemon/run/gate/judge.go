package gate

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/when"
)

// Process is how the process of a gate ended, as its supervisor saw it.
type Process struct {
	Outcome events.Outcome
	Exit    int // of an exited one
	Signal  int // of a signaled one
	Active  time.Duration
	Limit   time.Duration // of time that it was given
	Bytes   int64         // written in all; 0 is as many as there are
	Spool   string        // where the whole output is, for a person and the agent
}

// Texts belong to a result and are stored as blobs, each only if it is not
// empty.
type Texts struct {
	FailingIDs string // sorted, one a line
	Excerpt    string // what goes into the next prompt, up to ExcerptBytes
	Files      string // paths that the verdict names, one a line
	Tests      rule.Tests
	Printed    string // of a pass, should it not count
}

// Judge is the verdict on a command gate by its exit code: pass for 0, fail for all
// else. What its output says of tests is read either way, and the output of a failed
// one is summed; the caller stores the texts and sets their references.
func Judge(c Command, p Process, output []byte) (events.GateResult, Texts) {
	verdict, reason := events.Fail, reasonOf(p.Outcome)
	if p.Outcome == events.Exited && p.Exit == 0 {
		verdict = events.Pass
	}
	r := c.result(verdict, reason)
	r.DurationMS = p.Active.Milliseconds()
	switch p.Outcome {
	case events.Exited:
		r.Exit = p.Exit
	case events.WallTimeout:
		r.Limit = p.Limit.Milliseconds()
	case events.Signaled, events.IdleTimeout, events.Stopped, events.SpawnFailed, events.Lost:
	}
	t := rule.ReadTests(output)
	if len(t.Runners) > 0 {
		r.Tests = events.Executed{Passed: t.Passed, Failed: t.Failed, Skipped: t.Skipped, Named: t.Named}
	}
	if verdict == events.Pass {
		return r, Texts{Tests: t, Printed: Excerpt(output, ExcerptBytes/2, p.Bytes, p.Spool)}
	}
	ids, _ := rule.Failing(output)
	if r.Failing = len(ids); len(ids) > 0 {
		r.FailingSum = rule.FailingSum(ids)
	}
	r.OutputSum, r.Shape = rule.Sums(output)
	note := noteOf(p)
	if len(output) == 0 {
		note += "It printed nothing.\n"
	}
	return r, Texts{
		Tests:      t,
		FailingIDs: rule.FailingText(ids),
		Excerpt:    note + Excerpt(output, ExcerptBytes-len(note), p.Bytes, p.Spool),
	}
}

func reasonOf(o events.Outcome) events.Reason {
	switch o {
	case events.Exited:
		return events.ReasonExit
	case events.WallTimeout:
		return events.ReasonTimeout
	case events.IdleTimeout:
		return events.ReasonSilent
	case events.SpawnFailed:
		return events.ReasonNotFound
	case events.Signaled, events.Stopped, events.Lost:
		return events.ReasonSignal
	}
	return events.ReasonSignal
}

// The exit codes by which a shell says that it could not run something.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// noteOf says of an end what the output does not.
func noteOf(p Process) string {
	after := p.Active.Round(time.Millisecond)
	switch p.Outcome {
	case events.Exited:
		switch p.Exit {
		case exitNotExecutable:
			return "Exit code 126: the gate runs a file that cannot be executed.\n"
		case exitNotFound:
			return "Exit code 127: the gate runs a file or command that was not found.\n"
		}
		return ""
	case events.Signaled:
		return fmt.Sprintf("Ended by signal %d (%s) after %s.\n", p.Signal, syscall.Signal(p.Signal), after)
	case events.WallTimeout:
		if p.Limit > 0 {
			return fmt.Sprintf("Ended at its time limit of %s: it did not finish.\n", when.Text(p.Limit))
		}
		return fmt.Sprintf("Ended at its time limit, after %s: it did not finish.\n", after)
	case events.IdleTimeout:
		return fmt.Sprintf("Ended after %s without a sign of life: it may wait for input or watch files.\n", after)
	case events.SpawnFailed:
		return "The program of the gate could not be started.\n"
	case events.Stopped:
		return fmt.Sprintf("Stopped after %s, before it finished.\n", after)
	case events.Lost:
		return "The daemon did not see its end.\n"
	}
	return strings.TrimSpace(string(p.Outcome)) + "\n"
}
