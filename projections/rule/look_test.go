package rule_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/rule"
)

func look(role events.Name, set string, o events.Opinion) events.RoleEnded {
	return events.RoleEnded{Gate: "g", Role: role, Set: set, Opinion: o}
}

func void(role events.Name, why events.Void) events.RoleEnded {
	return events.RoleEnded{Gate: "g", Role: role, Set: "s", Void: why}
}

// Seeds 4.1.2: architect first, critic after it, each approving, each bound to
// what it looked at; a missing, blocked, late or early one is no consensus.
func TestAConsensusTakesEveryRoleInItsOrderAboutThisVerySet(t *testing.T) {
	t.Parallel()
	ok, no := events.Opinion{Verdict: events.RulingApprove}, events.Opinion{Verdict: events.RulingIterate}
	for name, tt := range map[string]struct {
		looks []events.RoleEnded
		want  events.Verdict
		next  events.Name
	}{
		"nobody looked":                   {nil, events.Open, "architect"},
		"the first approved":              {[]events.RoleEnded{look("architect", "s", ok)}, events.Open, "critic"},
		"both, in order":                  {[]events.RoleEnded{look("architect", "s", ok), look("critic", "s", ok)}, events.Pass, ""},
		"the critic alone":                {[]events.RoleEnded{look("critic", "s", ok)}, events.Open, "architect"},
		"the critic first":                {[]events.RoleEnded{look("critic", "s", ok), look("architect", "s", ok)}, events.Open, "critic"},
		"the architect objects":           {[]events.RoleEnded{look("architect", "s", no)}, events.Fail, ""},
		"the critic wants another loop":   {[]events.RoleEnded{look("architect", "s", ok), look("critic", "s", no)}, events.Fail, ""},
		"the critic rejects":              {[]events.RoleEnded{look("architect", "s", ok), look("critic", "s", events.Opinion{Verdict: events.RulingReject})}, events.Fail, ""},
		"the architect is a reviewer":     {[]events.RoleEnded{look("architect", "s", events.Opinion{Verdict: events.RulingPassed})}, events.Fail, ""},
		"a lesser finding, and approve":   {[]events.RoleEnded{look("architect", "s", events.Opinion{Verdict: events.RulingApprove, Findings: 1})}, events.Open, "critic"},
		"a blocking finding, and approve": {[]events.RoleEnded{look("architect", "s", events.Opinion{Verdict: events.RulingApprove, Blocking: 1})}, events.Fail, ""},
		"approvals of another set":        {[]events.RoleEnded{look("architect", "old", ok), look("critic", "old", ok)}, events.Open, "architect"},
		"one of another gate":             {[]events.RoleEnded{{Gate: "h", Role: "architect", Set: "s", Opinion: ok}}, events.Open, "architect"},
		"no verdict":                      {[]events.RoleEnded{look("architect", "s", events.Opinion{})}, events.Fail, ""},
		"a result that does not count":    {[]events.RoleEnded{void("architect", events.VoidNoResult)}, events.Open, "architect"},
		"two that do not":                 {[]events.RoleEnded{void("architect", events.VoidBadResult), void("architect", events.VoidChanged)}, events.Unverifiable, ""},
		"one that does not, then one":     {[]events.RoleEnded{void("architect", events.VoidStale), look("architect", "s", ok)}, events.Open, "critic"},
		"an objection, then approval":     {[]events.RoleEnded{look("architect", "s", no), look("architect", "s", ok)}, events.Open, "critic"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := events.Gate{Name: "g", Kind: events.GateConsensus, Roles: []events.Name{"architect", "critic"}}
			if got := rule.Looked(g, "s", tt.looks); got.Verdict != tt.want || got.Next != tt.next {
				t.Errorf("%s, next %q; want %s, next %q", got.Verdict, got.Next, tt.want, tt.next)
			}
		})
	}
}

// Seeds 4.1.2: COMMENT, REQUEST CHANGES, WATCH, BLOCK or any unresolved finding
// goes back. 3.4: all covered and none uncovered; null is not.
func TestOneRoleHasToSayEverythingThatItsGateNeeds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind events.GateKind
		o    events.Opinion
		want events.Verdict
	}{
		"approved and clear":       {events.GateReview, events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingClear}, events.Pass},
		"nothing of architecture":  {events.GateReview, events.Opinion{Verdict: events.RulingApprove}, events.Fail},
		"approved, but watch":      {events.GateReview, events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingWatch}, events.Fail},
		"approved, but block":      {events.GateReview, events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingBlock}, events.Fail},
		"approved, with a finding": {events.GateReview, events.Opinion{Verdict: events.RulingApprove, Architecture: events.RulingClear, Findings: 1}, events.Fail},
		"a comment":                {events.GateReview, events.Opinion{Verdict: events.RulingComment, Architecture: events.RulingClear}, events.Fail},
		"changes wanted":           {events.GateReview, events.Opinion{Verdict: events.RulingChanges, Architecture: events.RulingClear}, events.Fail},
		"qa passed":                {events.GateQA, events.Opinion{Verdict: events.RulingPassed}, events.Pass},
		"qa passed, with an issue": {events.GateQA, events.Opinion{Verdict: events.RulingPassed, Findings: 1}, events.Fail},
		"qa failed":                {events.GateQA, events.Opinion{Verdict: events.RulingFailed}, events.Fail},
		"qa of a reviewer":         {events.GateQA, events.Opinion{Verdict: events.RulingApprove}, events.Fail},
		"all covered":              {events.GateCoverage, events.Opinion{Covered: 3}, events.Pass},
		"one uncovered":            {events.GateCoverage, events.Opinion{Covered: 3, Uncovered: 1}, events.Fail},
		"nothing listed":           {events.GateCoverage, events.Opinion{}, events.Fail},
		"a command has no opinion": {events.GateCommand, events.Opinion{Verdict: events.RulingApprove}, events.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := events.Gate{Name: "g", Kind: tt.kind, Roles: []events.Name{"r"}}
			if got := rule.Looked(g, "s", []events.RoleEnded{look("r", "s", tt.o)}); got.Verdict != tt.want {
				t.Errorf("%s, want %s", got.Verdict, tt.want)
			}
		})
	}
	if got := rule.Looked(events.Gate{Name: "g", Kind: events.GateReview}, "s", nil); got.Verdict != events.Unverifiable {
		t.Errorf("a gate without a role is %s", got.Verdict)
	}
}
