package gate_test

import (
	"strings"
	"testing"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// ran is a run of a command: its exit code, -1 at its time limit, -2 where a tool was
// replaced.
func ran(exit int) (events.GateResult, gate.Texts) {
	c := gate.Command{Name: "g", Role: events.RoleCheck}
	switch exit {
	case -1:
		return gate.Judge(c, gate.Process{Outcome: events.WallTimeout}, nil)
	case -2:
		return gate.ToolsChanged(c, nil)
	}
	r, t := gate.Judge(c, gate.Process{Outcome: events.Exited, Exit: exit}, []byte("--- FAIL: TestRace (0.00s)\n"))
	r.DurationMS = 5
	return r, t
}

// Seeds 3.8, lesson A61: what fails at times is seen by many runs, and one green says
// nothing.
func TestA61ASeriesEndsWhenNothingMoreIsToBeSeen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		series  gate.Series
		runs    []int // exit codes, all of which are needed
		verdict events.Verdict
		reason  events.Reason
		rate    events.Rate
	}{
		"once":                                 {gate.Series{InRow: true}, []int{0}, events.Pass, events.ReasonExit, events.Rate{}},
		"once, and it fails":                   {gate.Series{InRow: true}, []int{1}, events.Fail, events.ReasonExit, events.Rate{}},
		"green three times":                    {gate.Series{Times: 3, InRow: true}, []int{0, 0, 0}, events.Pass, events.ReasonExit, events.Rate{Runs: 3}},
		"red at first":                         {gate.Series{Times: 3, InRow: true}, []int{1}, events.Fail, events.ReasonExit, events.Rate{Failed: 1, Runs: 1}},
		"green, then red":                      {gate.Series{Times: 3, InRow: true}, []int{0, 1}, events.Fail, events.ReasonUncertain, events.Rate{Failed: 1, Runs: 2}},
		"green, then out of time":              {gate.Series{Times: 3, InRow: true}, []int{0, -1}, events.Fail, events.ReasonTimeout, events.Rate{}},
		"flaky in the first":                   {gate.Series{Times: 3}, []int{1, 0, 0}, events.Pass, events.ReasonFlaky, events.Rate{Failed: 1, Runs: 3}},
		"flaky in the last":                    {gate.Series{Times: 3}, []int{0, 0, 1}, events.Pass, events.ReasonFlaky, events.Rate{Failed: 1, Runs: 3}},
		"red every time is a bug":              {gate.Series{Times: 3}, []int{1, 2, 1}, events.Fail, events.ReasonConstant, events.Rate{Failed: 3, Runs: 3}},
		"never red":                            {gate.Series{Times: 3}, []int{0, 0, 0}, events.Fail, events.ReasonSteady, events.Rate{Runs: 3}},
		"red, then out of time":                {gate.Series{Times: 3}, []int{1, -1}, events.Fail, events.ReasonTimeout, events.Rate{}},
		"red, then something is missing":       {gate.Series{Times: 3}, []int{1, 127}, events.Fail, events.ReasonExit, events.Rate{}},
		"red, then a tool is another":          {gate.Series{Times: 3}, []int{1, -2}, events.Fail, events.ReasonToolChanged, events.Rate{}},
		"127 of a command whose word is there": {gate.Series{Times: 2, Found: true}, []int{127, 0}, events.Pass, events.ReasonFlaky, events.Rate{Failed: 1, Runs: 2}},
	} {
		s := tt.series
		for i, exit := range tt.runs {
			if i > 0 && !s.More() {
				t.Errorf("%s: it ends after %d", name, i)
			}
			s.Add(ran(exit))
		}
		r, texts := s.Repeat()
		if !s.InRow {
			r, texts = s.Flaky()
		}
		if s.More() || r.Verdict != tt.verdict || r.Reason != tt.reason || r.Rate != tt.rate || r.Verdict == events.Fail && texts.Excerpt == "" {
			t.Errorf("%s: more %v, %+v\n%s", name, s.More(), r, texts.Excerpt)
		}
		if r.Verdict == events.Pass && (r.Failing != 0 || r.FailingSum != "" || r.OutputSum != "") {
			t.Errorf("%s: it passes, and counts as failing: %+v", name, r)
		}
		if tt.rate.Runs > 0 && r.DurationMS != int64(5*tt.rate.Runs) {
			t.Errorf("%s: took %d ms", name, r.DurationMS)
		}
	}
}

// What fails every time is no matter of chance, and the finding leads to where it belongs.
func TestWhatFailsEveryTimeIsSentToTheWorkflowForBugs(t *testing.T) {
	t.Parallel()
	s := gate.Series{Times: 20}
	for s.More() {
		s.Add(ran(1))
	}
	if r, texts := s.Flaky(); r.Verdict != events.Fail || !strings.Contains(texts.Excerpt, "fails 20 of 20 times") || !strings.Contains(texts.Excerpt, "atdd-bugfix") || r.Failing == 0 {
		t.Errorf("%+v\n%s", r, texts.Excerpt)
	}
}

// What was measured in a commit and with the work stands side by side.
func TestRedOfSeveralRunsSaysHowOftenItFailed(t *testing.T) {
	t.Parallel()
	red := gate.Red{Name: "red", Globs: []string{"tests/**"}, Times: 3}
	series := func(inRow bool, exits ...int) gate.Series {
		s := gate.Series{Times: 3, InRow: inRow}
		for _, exit := range exits {
			s.Add(ran(exit))
		}
		return s
	}
	before := series(false, 0, 1, 1)
	seen, texts := red.Judge(testCommit(), before.Result, before.Texts, true)
	if seen.Reason != events.ReasonSeenRed || seen.Rate != (events.Rate{Failed: 2, Runs: 3}) || !strings.Contains(texts.Excerpt, "the command fails 2 of 3 times, as it has to") {
		t.Errorf("%+v\n%s", seen, texts.Excerpt)
	}
	never := series(false, 0, 0, 0)
	if r, texts := red.Judge(testCommit(), never.Result, never.Texts, true); r.Reason != events.ReasonNotRed || r.Rate != (events.Rate{Runs: 3}) || !strings.Contains(texts.Excerpt, "the command passes 3 of 3 times, so") {
		t.Errorf("%+v\n%s", r, texts.Excerpt)
	}
	after := series(true, 0, 0, 0)
	if r, _ := red.Control(testCommit(), seen, after.Result, after.Texts, "", ""); r.Verdict != events.Pass || r.After != (events.Rate{Runs: 3}) {
		t.Errorf("%+v", r)
	}
	still := series(true, 0, 1)
	failed, texts := red.Control(testCommit(), seen, still.Result, still.Texts, "", "")
	if failed.Reason != events.ReasonControl || failed.After != (events.Rate{Failed: 1, Runs: 2}) || !strings.Contains(texts.Excerpt, "fails too (in run 2)") {
		t.Errorf("%+v\n%s", failed, texts.Excerpt)
	}
	if r, text := red.Seen(testCommit(), failed); r.After != (events.Rate{}) || r.Rate != seen.Rate || !strings.Contains(text, "fails 2 of 3 times (exit code 1)") {
		t.Errorf("%+v\n%s", r, text)
	}
}
