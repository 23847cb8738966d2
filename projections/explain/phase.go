package explain

import (
	"fmt"
	"slices"

	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file words what happens between phases, and at gates at which somebody
// looks.

func entered(d events.PhaseEntered) string {
	switch d.Way {
	case events.WaySent:
		return fmt.Sprintf("phase %s: a person sent the run back from %s", d.Phase, d.From)
	case events.WayBack:
		return fmt.Sprintf("phase %s: back from %s, for the %s time", d.Phase, d.From, ordinal(d.Cycle))
	case events.WayOn:
	}
	return fmt.Sprintf("phase %s begins", d.Phase)
}

func round(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", round %d", n)
}

var voids = map[events.Void]string{
	events.VoidNoResult:  "it wrote no result",
	events.VoidBadResult: "its result is not of the form that it was given",
	events.VoidChanged:   "it changed what it looked at",
	events.VoidStale:     "what it looked at is not there any more",
	events.VoidNotEnded:  "it was cut short",
}

func looked(d events.RoleEnded) string {
	line := fmt.Sprintf("gate %s: %s", d.Gate, d.Role)
	if d.Void != "" {
		return line + " says nothing that counts: " + voids[d.Void]
	}
	o := d.Opinion
	switch {
	case o.Covered+o.Uncovered > 0:
		line += fmt.Sprintf(" finds %d of %d criteria covered", o.Covered, o.Covered+o.Uncovered)
	case d.Round > 0:
		line += fmt.Sprintf(" finds %d %% unclear", o.Ambiguity)
	default:
		line += " says " + string(o.Verdict)
	}
	if o.Architecture != "" {
		line += ", architecture " + string(o.Architecture)
	}
	if o.Findings > 0 {
		line += ", " + count(o.Findings, "finding")
	}
	return line
}

// haltedBetween words the halts that only runs of more than one phase have.
func haltedBetween(s run.State, h events.RunHalted) string {
	switch h.Reason {
	case events.HaltCycles:
		return fmt.Sprintf("halted: the work was sent back %s, and gate %s still does not pass", times(int(h.Limit)), firstOpen(s))
	case events.HaltPlan:
		return fmt.Sprintf("halted: gate %s sent the same plan back %s", h.Gate, times(int(h.Limit)))
	case events.HaltEntry:
		return fmt.Sprintf("halted: phase %s cannot begin, as gate %s does not pass", h.Phase, h.Gate)
	case events.HaltExpired:
		return fmt.Sprintf("halted: nobody answered at gate %s in time", h.Gate)
	default:
		return "halted: " + string(h.Reason)
	}
}

// lastLook is the latest session at a gate at which none gave a result that
// counts.
func lastLook(s run.State, gate events.Name) (events.RoleEnded, bool) {
	for _, r := range s.Last.Results {
		if r.Gate == gate && r.Reason != events.ReasonVoid {
			return events.RoleEnded{}, false
		}
	}
	for _, l := range slices.Backward(s.Looks) {
		if l.Gate == gate {
			return l, l.Void != ""
		}
	}
	return events.RoleEnded{}, false
}

// firstOpen is the first gate that does not pass.
func firstOpen(s run.State) events.Name {
	for _, r := range s.Last.Results {
		if !rule.Passes(r) {
			return r.Gate
		}
	}
	return ""
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// Asks says that a run waits for the answer of a person.
func Asks(s run.State) bool {
	return s.Status == run.Live && s.Log.Broken == 0 && s.Stage == run.Asking && s.Question != nil && !s.Question.Expired
}

// asking says what a run asks a person.
func asking(q run.Question) string {
	again := ""
	if q.Again {
		again = ", again"
	}
	switch {
	case q.Expired:
		return fmt.Sprintf("about to be halted: nobody answered at gate %s in time", q.Gate)
	case q.Kind == events.AskApproval:
		return fmt.Sprintf("waiting: gate %s of phase %s asks a person for approval%s", q.Gate, q.Phase, again)
	}
	return fmt.Sprintf("waiting: gate %s of phase %s asks a person%s", q.Gate, q.Phase, again)
}
