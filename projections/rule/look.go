package rule

import (
	"slices"
	"strings"

	"autopilot/events"
)

// MostVoid is how many results of a role in a row may not count, before its gate
// is closed: missing data never opens one.
const MostVoid = 2

// Look is what a gate at which roles look says now.
type Look struct {
	Verdict events.Verdict // pass, fail, unverifiable, or open
	Reason  events.Reason
	Next    events.Name      // open: the role that looks next
	Round   int              // of an interview: open, the round that it is; fail, the rounds that there were
	Ask     *events.Opinion  // open, of an interview: has the question that a person answers first
	Last    events.RoleEnded // that settled it
}

// Looked says what the sessions of roles, oldest first, make of a gate whose set
// has that hash. Only those that looked at this very set count, and of each
// role the newest: what was said of another state says nothing of this one.
//
// Source: oh-my-codex, seeds 4.1.2 (order, bound results, missing is blocked);
// atdd-kit, seeds 3.4 (a null answer closes).
func Looked(g events.Gate, set string, looks []events.RoleEnded) Look {
	mine := slices.DeleteFunc(slices.Clone(looks), func(l events.RoleEnded) bool {
		// One that does not count is counted as such whatever it looked at: a role
		// that changes the work at each look would look for ever.
		return l.Gate != g.Name || l.Set != set && l.Void == ""
	})
	if g.Kind == events.GateInterview {
		return interviewed(g, mine)
	}
	for _, role := range g.Roles {
		at, void := newest(mine, role)
		switch {
		case at < 0 && void >= MostVoid:
			return Look{Verdict: events.Unverifiable, Reason: events.ReasonVoid, Last: last(mine)}
		case at < 0:
			return Look{Verdict: events.Open, Reason: events.ReasonNobody, Next: role}
		case !approves(g.Kind, mine[at].Opinion):
			return Look{Verdict: events.Fail, Reason: events.ReasonLooked, Last: mine[at]}
		}
		// The next role has to look after this one.
		if mine = mine[at:]; len(g.Roles) == 1 || role == g.Roles[len(g.Roles)-1] {
			return Look{Verdict: events.Pass, Reason: events.ReasonLooked, Last: mine[0]}
		}
		mine = mine[1:]
	}
	return Look{Verdict: events.Unverifiable, Reason: events.ReasonVoid} // no role was declared
}

// newest is where the newest result of a role is that counts, -1 without one,
// and how many behind it do not.
func newest(looks []events.RoleEnded, role events.Name) (at, void int) {
	for i := len(looks) - 1; i >= 0; i-- {
		switch {
		case looks[i].Role != role:
		case looks[i].Void == "":
			return i, void
		default:
			void++
		}
	}
	return -1, void
}

func last(looks []events.RoleEnded) events.RoleEnded {
	if len(looks) == 0 {
		return events.RoleEnded{}
	}
	return looks[len(looks)-1]
}

// approves says whether a result of a role lets its gate pass. Every term must
// be there: what is not said is not approved.
func approves(kind events.GateKind, o events.Opinion) bool {
	approval, ok := approvals[kind]
	return ok && approval(o)
}

// approvals are the terms of each kind at which roles look. An interview goes by
// numbers: interviewed.
//
// Source: seeds 4.1.2 and 4.2 (consensus, review, qa), 3.4 (coverage).
var approvals = map[events.GateKind]func(events.Opinion) bool{
	events.GateConsensus: func(o events.Opinion) bool { return o.Verdict == events.RulingApprove && o.Blocking == 0 },
	events.GateReview: func(o events.Opinion) bool {
		return o.Verdict == events.RulingApprove && o.Architecture == events.RulingClear && o.Findings == 0
	},
	events.GateQA:       func(o events.Opinion) bool { return o.Verdict == events.RulingPassed && o.Findings == 0 },
	events.GateCoverage: func(o events.Opinion) bool { return o.Covered > 0 && o.Uncovered == 0 },
}

// BareRuling is what a role says that does not approve and names no finding: nobody
// could work on that. It is empty of every other result.
func BareRuling(o events.Opinion) string {
	var says []string
	if o.Verdict != "" && o.Verdict != events.RulingApprove && o.Verdict != events.RulingPassed {
		says = append(says, string(o.Verdict))
	}
	if o.Architecture != "" && o.Architecture != events.RulingClear {
		says = append(says, "architecture "+string(o.Architecture))
	}
	if o.Findings > 0 {
		return ""
	}
	return strings.Join(says, ", ")
}

// Passes says that a gate lets its iteration pass. A skipped one does for a reason that
// the daemon has seen in the diff, or that a person or the configuration gave.
func Passes(r events.GateResult) bool {
	return r.Verdict == events.Pass || r.Verdict == events.Skipped &&
		(r.Reason == events.ReasonDocsOnly || r.Reason == events.ReasonByPerson || r.Reason == events.ReasonVoidInput || r.Kind == events.GateControl)
}

// NeverRed says of a gate of kind red that the tests were not there before the work,
// or did not fail without it. What it fails for besides is a matter of more work.
func NeverRed(r events.GateResult) bool {
	return r.Kind == events.GateRed && r.Verdict == events.Fail &&
		(r.Reason == events.ReasonNoCommit || r.Reason == events.ReasonNotRed || r.Reason == events.ReasonAncestry)
}
