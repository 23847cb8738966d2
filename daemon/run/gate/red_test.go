package gate_test

import (
	"strings"
	"testing"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/stored"
)

var redGate = gate.Red{Name: "red", Globs: []string{"tests/**"}}

func testCommit(others ...string) gate.TestCommit {
	return gate.TestCommit{ID: "c0ffee", Subject: "tests of the parser", Tests: []string{"tests/a"}, Others: others}
}

// Seeds 3.4, 3.5 and 6.2: absence closes, and nothing is put in its place.
func TestRedIsClosedByWhatTheHistoryLacks(t *testing.T) {
	t.Parallel()
	c := testCommit()
	removed := gate.TestCommit{ID: "c0ffee", Subject: "away with them"}
	for name, tt := range map[string]struct {
		history gate.RedHistory
		reason  events.Reason
		says    string
	}{
		"A30: without a test commit HEAD does not take its place": {gate.RedHistory{Base: "b", Work: []string{"x"}}, events.ReasonNoCommit, "Commit the tests alone, before the work"},
		"A28: without a commit nothing came before":               {gate.RedHistory{}, events.ReasonNoCommit, "Commit, and start"},
		"A28: tests that were changed afterwards":                 {gate.RedHistory{Base: "b", Commit: &c, Differ: []string{"tests/a"}, Work: []string{"x"}}, events.ReasonNoCommit, "  tests/a\nCommit the tests alone"},
		"A28: tests that were only removed":                       {gate.RedHistory{Base: "b", Commit: &removed, Work: []string{"x"}}, events.ReasonNoCommit, "only removes some"},
		"Q22: the commit of the tests as the work itself":         {gate.RedHistory{Base: "b", Commit: &c}, events.ReasonAncestry, "Commit the work after"},
		"a history that cannot be judged closes, with its reason": {gate.RedHistory{Base: "b", Refused: "it has grafts"}, events.ReasonAncestry, "it has grafts."},
		"Q34: the commit that code found is named, not a claim":   {gate.RedHistory{Base: "b", Commit: &c, Differ: []string{"x"}}, events.ReasonNoCommit, `c0ffee "tests of the parser"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, texts, settled := redGate.Before(tt.history)
			if !settled || r.Verdict != events.Fail || r.Reason != tt.reason || r.Kind != events.GateRed || r.OutputSum == "" {
				t.Errorf("%+v %v", r, settled)
			}
			if !strings.Contains(texts.Excerpt, tt.says) {
				t.Errorf("%q, want %q", texts.Excerpt, tt.says)
			}
		})
	}
	if _, _, settled := redGate.Before(gate.RedHistory{Base: "b", Commit: &c, Work: []string{"x"}}); settled {
		t.Error("a test commit before the work is not tried")
	}
}

func TestRedPassesOnlyWhereTheCommandRanAndFailed(t *testing.T) {
	t.Parallel()
	exited := func(code int) gate.Process { return gate.Process{Outcome: events.Exited, Exit: code} }
	for name, tt := range map[string]struct {
		process gate.Process
		lost    bool // its first word is not there
		others  []string
		verdict events.Verdict
		reason  events.Reason
	}{
		"a failure":                             {process: exited(1), verdict: events.Pass, reason: events.ReasonSeenRed},
		"a failure of a commit with a scaffold": {process: exited(1), others: []string{"go.mod"}, verdict: events.Pass, reason: events.ReasonSeenRed},
		"A28: green from the start":             {process: exited(0), verdict: events.Fail, reason: events.ReasonNotRed},
		"A28: tests and work in one commit":     {process: exited(0), others: []string{"work"}, verdict: events.Fail, reason: events.ReasonAncestry},
		"a first word that is not there":        {process: exited(127), lost: true, verdict: events.Fail, reason: events.ReasonExit},
		"a first word that cannot be run":       {process: exited(126), lost: true, verdict: events.Fail, reason: events.ReasonExit},
		"a word further in that is not there":   {process: exited(127), verdict: events.Pass, reason: events.ReasonSeenRed},
		"a time limit":                          {process: gate.Process{Outcome: events.WallTimeout}, verdict: events.Fail, reason: events.ReasonTimeout},
		"silence":                               {process: gate.Process{Outcome: events.IdleTimeout}, verdict: events.Fail, reason: events.ReasonSilent},
		"a signal":                              {process: gate.Process{Outcome: events.Signaled, Signal: 9}, verdict: events.Fail, reason: events.ReasonSignal},
		"an end that nobody saw":                {process: gate.Process{Outcome: events.Lost}, verdict: events.Fail, reason: events.ReasonSignal},
		"a program that could not be started":   {process: gate.Process{Outcome: events.SpawnFailed}, verdict: events.Fail, reason: events.ReasonNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := gate.Command{Name: "red", Role: events.RoleCheck}
			r, texts := gate.Judge(cmd, tt.process, []byte("--- FAIL: TestParse (0.00s)\nFAIL\n"))
			r, texts = redGate.Judge(testCommit(tt.others...), r, texts, !tt.lost)
			if r.Verdict != tt.verdict || r.Reason != tt.reason || r.Kind != events.GateRed {
				t.Errorf("%+v", r)
			}
			if !strings.HasPrefix(texts.Excerpt, `In commit c0ffee "tests of the parser", `) {
				t.Errorf("excerpt %q", texts.Excerpt)
			}
			if tt.verdict == events.Pass && (r.Failing != 0 || r.FailingSum != "" || !strings.Contains(texts.FailingIDs, "TestParse")) {
				t.Errorf("what failed then counts as failing now: %+v %+v", r, texts)
			}
		})
	}
}

func TestWhatWasSeenOnceInACommitHolds(t *testing.T) {
	t.Parallel()
	r := events.GateResult{Gate: "red", Kind: events.GateRed, Effect: "e", Reason: events.ReasonSeenRed, Argv: "a", Env: "b", Tool: "c"}
	r.Set = gate.RedSet("c0ffee", "", r)
	if !redGate.Conclusive(r, r.Set) {
		t.Error("it is tried again")
	}
	// Nor is a test that passed tried until it fails.
	passed := r
	passed.Reason = events.ReasonNotRed
	if !redGate.Conclusive(passed, r.Set) {
		t.Error("a pass is tried again")
	}
	for name, other := range map[string]string{
		"another commit": gate.RedSet("decaf", "", r), "another set-up": gate.RedSet("c0ffee", "npm ci", r),
		"another command":     gate.RedSet("c0ffee", "", events.GateResult{Argv: "x", Env: "b", Tool: "c"}),
		"another environment": gate.RedSet("c0ffee", "", events.GateResult{Argv: "a", Env: "x", Tool: "c"}),
		"a program that came": gate.RedSet("c0ffee", "", r, "bats=/usr/bin/bats"),
		"another program":     gate.RedSet("c0ffee", "", events.GateResult{Argv: "a", Env: "b", Tool: "x"}),
	} {
		if redGate.Conclusive(r, other) {
			t.Errorf("%s: it is taken", name)
		}
	}
	for _, reason := range []events.Reason{events.ReasonTimeout, events.ReasonSetup, events.ReasonToolChanged, events.ReasonExit} {
		r.Reason = reason
		if redGate.Conclusive(r, r.Set) {
			t.Errorf("%s is taken", reason)
		}
	}
	if once := gate.RedAgain("text\n"); gate.RedAgain(once) != once || !strings.HasSuffix(once, "text\n") {
		t.Errorf("%q", once)
	}
}

// Seeds 3.5 check_red_evidence: a row has to be about the commit that code found
// (A30, Q34), strictly before the work (Q22), which is compared too (Q23).
func TestARowThatDisagreesWithTheHistoryClosesTheGate(t *testing.T) {
	t.Parallel()
	c := testCommit()
	h := gate.RedHistory{Base: "b", Commit: &c, Work: []string{"w"}, Impl: []string{"decaf", "feed"}}
	uncommitted := h
	uncommitted.Impl = nil
	for name, tt := range map[string]struct {
		row     stored.RedRow
		history gate.RedHistory
		says    string // empty: they agree
	}{
		"the commit and a test of it":              {stored.RedRow{Commit: "c0ffee", File: "tests/a"}, h, ""},
		"with the newest work":                     {stored.RedRow{Commit: "c0ffee", Impl: "decaf", File: "tests/a"}, h, ""},
		"with an earlier one":                      {stored.RedRow{Commit: "c0ffee", Impl: "feed", File: "tests/a"}, h, ""},
		"without work, and that is in no commit":   {stored.RedRow{Commit: "c0ffee", File: "tests/a"}, uncommitted, ""},
		"A30: another commit":                      {stored.RedRow{Commit: "decaf", File: "tests/a"}, h, "decaf did not add the tests"},
		"A30: the beginning of it":                 {stored.RedRow{Commit: "c0ff", File: "tests/a"}, h, "The commit that was found is c0ffee"},
		"Q22: the tests as the work":               {stored.RedRow{Commit: "c0ffee", Impl: "c0ffee", File: "tests/a"}, h, "impl_sha is the commit of the tests"},
		"Q23: another work":                        {stored.RedRow{Commit: "c0ffee", Impl: "0ld", File: "tests/a"}, h, "0ld is not a later commit"},
		"Q23: a work, and that is in no commit":    {stored.RedRow{Commit: "c0ffee", Impl: "decaf", File: "tests/a"}, uncommitted, "decaf is not a later commit"},
		"a file that is no test":                   {stored.RedRow{Commit: "c0ffee", File: "w"}, h, "at_file w is not one of the tests (tests/**)"},
		"a test that the commit does not touch":    {stored.RedRow{Commit: "c0ffee", File: "tests/b"}, h, "is not added or changed by the commit"},
		"a name that would be taken for two lines": {stored.RedRow{Commit: "c0ffee", File: "tests/a\nb"}, h, "not added or changed"},
	} {
		r, texts, fails := redGate.Row(tt.row, tt.history)
		if fails != (tt.says != "") || fails && (r.Verdict != events.Fail || r.Reason != events.ReasonRow || r.OutputSum == "") || !strings.Contains(texts.Excerpt, tt.says) {
			t.Errorf("%s: %+v %q, want %q", name, r, texts.Excerpt, tt.says)
		}
	}
}

func TestAFailureThatAControlRunHasTooIsNoProof(t *testing.T) {
	t.Parallel()
	seen := events.GateResult{Gate: "red", Kind: events.GateRed, Role: events.RoleCheck, Verdict: events.Pass, Reason: events.ReasonSeenRed, Exit: 1, Effect: "e", Set: "s"}
	for name, tt := range map[string]struct {
		control events.GateResult
		setup   string
		reason  events.Reason
		says    string
	}{
		"it passes with the work":    {events.GateResult{Verdict: events.Pass}, "", events.ReasonSeenRed, ""},
		"it fails with the work":     {events.GateResult{Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1}, "", events.ReasonControl, "no set-up command.\nlacks: gen\nprinted"},
		"it fails, with a set-up":    {events.GateResult{Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1}, "make gen", events.ReasonControl, "It is prepared by: make gen\n"},
		"it takes too long":          {events.GateResult{Verdict: events.Fail, Reason: events.ReasonTimeout, Exit: -1}, "", events.ReasonControl, "printed"},
		"the set-up fails":           {events.GateResult{Verdict: events.Fail, Reason: events.ReasonSetup, Exit: 1}, "make gen", events.ReasonControl, "printed"},
		"its tools are not the same": {events.GateResult{Verdict: events.Fail, Reason: events.ReasonToolChanged, Exit: -1}, "", events.ReasonToolChanged, "printed"},
	} {
		r, texts := redGate.Control(testCommit(), seen, tt.control, gate.Texts{Excerpt: "printed"}, tt.setup, "lacks: gen\n")
		pass := tt.reason == events.ReasonSeenRed
		if r.Reason != tt.reason || r.Kind != events.GateRed || (r.Verdict == events.Pass) != pass || !strings.Contains(texts.Excerpt, tt.says) {
			t.Errorf("%s: %+v\n%s", name, r, texts.Excerpt)
		}
		if tt.reason == events.ReasonControl && (r.Effect != "e" || r.Set != "s" || r.OutputSum == "") {
			t.Errorf("%s: what was seen in the commit is lost: %+v", name, r)
		}
	}
	failed, _ := redGate.Control(testCommit(), seen, events.GateResult{Verdict: events.Fail, Reason: events.ReasonExit, Exit: 1}, gate.Texts{}, "", "")
	failed.Control = "k"
	if !redGate.Conclusive(failed, "s") {
		t.Error("what was seen in the commit is tried again")
	}
	again, text := redGate.Seen(testCommit(), failed)
	if again.Verdict != events.Pass || again.Reason != events.ReasonSeenRed || again.Control != "" || again.OutputSum != "" || !strings.Contains(text, "exit code 1") {
		t.Errorf("%+v %q", again, text)
	}
}
