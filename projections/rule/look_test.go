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

// Seeds 4.2 deep-interview: the threshold ends it, the most rounds are a cap.
func TestAnInterviewGoesOnUntilItIsClearOrTheRoundsAreOver(t *testing.T) {
	t.Parallel()
	at := func(ambiguity int) events.RoleEnded {
		return look("asker", "s", events.Opinion{Ambiguity: ambiguity, Question: "q"})
	}
	for name, tt := range map[string]struct {
		looks []events.RoleEnded
		want  events.Verdict
		round int
		asks  bool
	}{
		"at first":                   {nil, events.Open, 1, false},
		"not clear: a person first":  {[]events.RoleEnded{at(40)}, events.Open, 2, true},
		"at the threshold":           {[]events.RoleEnded{at(40), at(20)}, events.Pass, 0, false},
		"one above it":               {[]events.RoleEnded{at(40), at(21)}, events.Open, 3, true},
		"O39: one answer is not it":  {[]events.RoleEnded{at(40)}, events.Open, 2, true},
		"clear in the last round":    {[]events.RoleEnded{at(40), at(30), at(20)}, events.Pass, 0, false},
		"clear, then less so":        {[]events.RoleEnded{at(20), at(30)}, events.Open, 3, true},
		"the rounds are over":        {[]events.RoleEnded{at(40), at(30), at(25)}, events.Fail, 0, false},
		"not clear, and no question": {[]events.RoleEnded{look("asker", "s", events.Opinion{Ambiguity: 40})}, events.Fail, 0, false},
		"no result counts no round":  {[]events.RoleEnded{at(40), void("asker", events.VoidNoResult)}, events.Open, 2, true},
		"two without a result":       {[]events.RoleEnded{void("asker", events.VoidNoResult), void("asker", events.VoidNoResult)}, events.Unverifiable, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := events.Gate{Name: "g", Kind: events.GateInterview, Roles: []events.Name{"asker"}, Most: 3, Clear: 20}
			got := rule.Looked(g, "s", tt.looks)
			if got.Verdict != tt.want || got.Round != tt.round || (got.Ask != nil) != tt.asks {
				t.Errorf("%s, round %d, asks %v; want %s, %d, %v", got.Verdict, got.Round, got.Ask != nil, tt.want, tt.round, tt.asks)
			}
		})
	}
}

// Seeds 4.2: greenfield goal .40 constraints .30 criteria .30.
func TestAmbiguityIsWhatIsLeftOfWeightedClarity(t *testing.T) {
	t.Parallel()
	weights := map[string]int{"goal": 40, "constraints": 30, "criteria": 30}
	for _, tt := range []struct {
		clarity map[string]int
		want    int
	}{
		{map[string]int{"goal": 100, "constraints": 100, "criteria": 100}, 0},
		{nil, 100},
		{map[string]int{"goal": 90, "constraints": 70, "criteria": 80}, 19},
		{map[string]int{"goal": 80, "constraints": 80, "criteria": 80}, 20},
		{map[string]int{"goal": 80, "constraints": 80, "criteria": 79}, 21}, // 20.3: never rounded to the threshold
		{map[string]int{"goal": 500, "constraints": -5, "other": 100}, 60},
	} {
		if got := rule.Ambiguity(weights, tt.clarity); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.clarity, got, tt.want)
		}
	}
}
