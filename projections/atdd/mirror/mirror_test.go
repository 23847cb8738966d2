package mirror_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/projections/atdd"
	"autopilot/projections/atdd/mirror"
)

var at = time.Date(2026, 11, 28, 3, 4, 5, 6, time.UTC)

// files are what a run of these events leaves.
func files(t *testing.T, happened ...events.Data) map[string]string {
	t.Helper()
	texts := map[events.Ref]string{
		"uncovered": "AC1\nAC-2\n",
		"texts":     "AC 2: \"検索\" finds <nothing> & says so\n",
		"red":       `[{"commit":"a1","impl_sha":"b2","at_file":"tests/AT-24.bats"}]`,
		"redder":    `[{"commit":"a1","impl_sha":"c3","at_file":"tests/AT-24.bats"}]`,
	}
	m := mirror.Mirror{
		Dir:  "docs/issues/24-search",
		Text: func(r events.Ref) (string, error) { return texts[r], nil },
		File: func(tree events.Tree, name string) ([]byte, error) {
			return []byte(string(tree) + " " + name + "\n"), nil
		},
	}
	out := map[string]string{}
	for i, d := range happened {
		pieces, err := m.Add(events.Event{Seq: uint64(i + 1), Time: at, Data: d})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			if p.Whole {
				out[p.File] = ""
			}
			out[p.File] += p.Text
		}
	}
	return out
}

func judged(results ...events.GateResult) events.GatesJudged {
	return events.GatesJudged{Phase: "impl", Iteration: 1, Results: results}
}

func result(kind events.GateKind, v events.Verdict) events.GateResult {
	r := events.GateResult{Kind: kind, Verdict: v}
	if kind == events.GateCoverage && v == events.Fail {
		r.FailingIDs = "uncovered"
	}
	if kind == events.GateRed && v == events.Pass {
		r.Evidence = "red"
	}
	return r
}

func recorded(phase events.Name, n int, v events.Verdict) events.IterationRecorded {
	return events.IterationRecorded{Phase: phase, Iteration: n, Verdict: v}
}

// TestIterationsCountFromTheBeginningOfAStep: a run counts through all its phases,
// and atdd-kit in each, from 1 when a person lets it go on.
func TestIterationsCountFromTheBeginningOfAStep(t *testing.T) {
	t.Parallel()
	got := files(t, recorded("stories", 1, events.Pass), events.PhaseEntered{}, recorded("plan", 2, events.Fail), recorded("plan", 3, events.Fail),
		events.RunResumed{}, recorded("plan", 4, events.Pass))[atdd.LogFile]
	var numbers []string
	for line := range strings.Lines(got) {
		numbers = append(numbers, strings.TrimPrefix(strings.Split(line, ",")[0], `{"iteration":`))
	}
	if d := cmp.Diff([]string{"1", "1", "2", "1"}, numbers); d != "" {
		t.Error(d)
	}
}

func print(t *testing.T, payload string) string {
	t.Helper()
	p, err := atdd.Fingerprint([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSeeds34TheFingerprintIsThatOfAtddKit: the members of the payload in its order.
func TestSeeds34TheFingerprintIsThatOfAtddKit(t *testing.T) {
	t.Parallel()
	const pass, fail = events.Pass, events.Fail
	for _, c := range []struct {
		name    string
		results []events.GateResult
		payload string
	}{
		{"no gate", nil, `{"redObserved":true,"atGreen":true,"coverageOk":true,"uncovered":[]}`},
		{"all hold", []events.GateResult{result(events.GateRed, pass), result(events.GateCommand, pass), result(events.GateCoverage, pass)}, `{"redObserved":true,"atGreen":true,"coverageOk":true,"uncovered":[]}`},
		{"A28 nothing was seen red", []events.GateResult{result(events.GateRed, events.Unverifiable), result(events.GateCommand, pass)}, `{"redObserved":false,"atGreen":true,"coverageOk":true,"uncovered":[]}`},
		{"not green", []events.GateResult{result(events.GateCommand, fail), result(events.GateRed, pass)}, `{"redObserved":true,"atGreen":false,"coverageOk":true,"uncovered":[]}`},
		{"not covered", []events.GateResult{result(events.GateCoverage, fail)}, `{"redObserved":true,"atGreen":true,"coverageOk":false,"uncovered":["AC1","AC-2"]}`},
		{"another gate than atdd-kit has", []events.GateResult{result(events.GateArtifact, fail)}, `{"redObserved":true,"atGreen":false,"coverageOk":true,"uncovered":[]}`},
	} {
		got := files(t, judged(c.results...), recorded("impl", 1, fail))[atdd.LogFile]
		want := fmt.Sprintf(`{"iteration":1,"step":"running-atdd-cycle","verdict":"FAIL","fingerprint":"%s","timestamp":"2026-11-28T03:04:05Z"}`+"\n", print(t, c.payload))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestSeeds31PhasesAreStepsOfAtddKit, and another one keeps its name.
func TestSeeds31PhasesAreStepsOfAtddKit(t *testing.T) {
	t.Parallel()
	for phase, step := range map[events.Name]string{
		"stories": "extracting-user-stories", "plan": "writing-plan-and-tests", "impl": "running-atdd-cycle", "handover": "handover",
	} {
		if got := files(t, recorded(phase, 2, events.Pass))[atdd.LogFile]; !strings.HasPrefix(got, `{"iteration":1,"step":"`+step+`","verdict":"PASS",`) {
			t.Errorf("%s: %s", phase, got)
		}
	}
	if got := files(t, recorded("impl", 1, events.Skipped)); len(got) > 0 {
		t.Errorf("of nothing that was done: %v", got)
	}
}

// TestA26EveryReasonOfAtddKitIsARow, and of another halt there is none.
func TestA26EveryReasonOfAtddKitIsARow(t *testing.T) {
	t.Parallel()
	for reason, want := range map[events.Halt]string{
		events.HaltIterations: "MAX_ITERATIONS", events.HaltSameness: "sameness-detector", events.HaltStuck: "stuck", events.HaltDrift: "ac-drift",
		events.HaltLogIntegrity: "log-integrity", events.HaltUnverifiable: "gate-unverifiable",
	} {
		got := files(t, judged(result(events.GateCoverage, events.Fail)), events.RunHalted{Phase: "impl", Reason: reason})[atdd.LogFile]
		full := `{"outcome":"HALT","step":"running-atdd-cycle","reason":"` + want +
			`","findings_digest":[{"priority":0,"evidence_ref":"AC1"},{"priority":0,"evidence_ref":"AC-2"}],"timestamp":"2026-11-28T03:04:05Z"}` + "\n"
		if d := cmp.Diff(full, got); d != "" {
			t.Errorf("%s: %s", reason, d)
		}
	}
	got := files(t, events.RunHalted{Phase: "impl", Reason: events.HaltStuck})[atdd.LogFile]
	if !strings.Contains(got, `"findings_digest":[],`) {
		t.Error(got)
	}
	for _, reason := range []events.Halt{events.HaltCost, events.HaltNeedsPerson, events.HaltStopped} {
		if got := files(t, events.RunHalted{Phase: "impl", Reason: reason}); len(got) > 0 {
			t.Errorf("%s: %v", reason, got)
		}
	}
}

// TestA26FindingsAreTheMembersOfAtddKit: a list and no text with quotes, priority
// before evidence_ref, texts as they are; and a detail where nothing was seen red.
func TestA26FindingsAreTheMembersOfAtddKit(t *testing.T) {
	t.Parallel()
	covered := result(events.GateCoverage, events.Fail)
	covered.FailingIDs = "texts"
	for _, c := range []struct {
		name    string
		results []events.GateResult
		reason  events.Halt
		want    string
	}{
		{"texts", []events.GateResult{covered}, events.HaltIterations, `[{"priority":0,"evidence_ref":"AC 2: \"検索\" finds <nothing> & says so"}]`},
		{
			"A31 nothing was seen red",
			[]events.GateResult{result(events.GateRed, events.Unverifiable)},
			events.HaltUnverifiable,
			`[{"priority":0,"evidence_ref":"red.jsonl","detail":"green and covered, and nothing proves that the tests failed before the work"}]`,
		},
		{"another gate is unverifiable", []events.GateResult{result(events.GateCommand, events.Unverifiable)}, events.HaltUnverifiable, `[]`},
		{"not red, and another halt", []events.GateResult{result(events.GateRed, events.Fail)}, events.HaltStuck, `[]`},
	} {
		got := files(t, judged(c.results...), events.RunHalted{Phase: "impl", Reason: c.reason})[atdd.LogFile]
		if !strings.Contains(got, `"findings_digest":`+c.want+`,"timestamp":`) {
			t.Errorf("%s: %s", c.name, got)
		}
		var j atdd.Judge
		if r := j.Row(atdd.LogFile, 1, []byte(strings.TrimSuffix(got, "\n"))); r.Kind != "halt" || len(r.Problems) > 0 && r.Problems[0].Code != "unfounded" {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// TestA30RedRowsAreWhatWasSeen: once for what is the same.
func TestA30RedRowsAreWhatWasSeen(t *testing.T) {
	t.Parallel()
	again := result(events.GateRed, events.Pass)
	again.Evidence = "redder"
	got := files(t, judged(result(events.GateRed, events.Pass)), judged(result(events.GateRed, events.Pass)), judged(again))[atdd.RedFile]
	want := `{"step":"red","commit":"a1","impl_sha":"b2","at_file":"tests/AT-24.bats","timestamp":"2026-11-28T03:04:05Z"}` + "\n" +
		`{"step":"red","commit":"a1","impl_sha":"c3","at_file":"tests/AT-24.bats","timestamp":"2026-11-28T03:04:05Z"}` + "\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestSeeds33PinsAreOfWhatAStepBeganWith.
func TestSeeds33PinsAreOfWhatAStepBeganWith(t *testing.T) {
	t.Parallel()
	got := files(t,
		events.IterationStarted{Phase: "stories", Iteration: 1, Tree: "t1"}, events.IterationStarted{Phase: "stories", Iteration: 2, Tree: "t2"},
		events.PhaseEntered{}, events.IterationStarted{Phase: "impl", Iteration: 3, Tree: "t3"}, events.IterationStarted{Phase: "other", Iteration: 4, Tree: "t4"})
	const dir = "docs/issues/24-search/"
	want := map[string]string{
		atdd.PRDPin:    print(t, "t1 "+dir+"prd.md\n") + "\n",
		atdd.DesignPin: print(t, "t3 "+dir+"prd.md\nt3 "+dir+"user-stories.md\n") + "\n",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	again := files(t, events.IterationStarted{Phase: "impl", Iteration: 1, Tree: "t3"}, events.PhaseEntered{}, events.IterationStarted{Phase: "impl", Iteration: 7, Tree: "t5"})
	if again[atdd.DesignPin] != print(t, "t5 "+dir+"prd.md\nt5 "+dir+"user-stories.md\n")+"\n" {
		t.Errorf("approved anew: %v", again)
	}
}

// TestWhatIsMirroredIsTakenByTheRails: the rows that are written have nothing that
// would be refused, and the rails read them.
func TestWhatIsMirroredIsTakenByTheRails(t *testing.T) {
	t.Parallel()
	fails := judged(result(events.GateRed, events.Pass), result(events.GateCommand, events.Fail))
	out := files(t,
		judged(), recorded("stories", 1, events.Pass), events.PhaseEntered{}, judged(), recorded("plan", 2, events.Pass),
		events.PhaseEntered{}, fails, recorded("impl", 3, events.Fail), fails, recorded("impl", 4, events.Fail),
		events.RunHalted{Phase: "impl", Reason: events.HaltSameness})
	log := []byte(out[atdd.LogFile])
	var j atdd.Judge
	n := 0
	for _, file := range []string{atdd.RedFile, atdd.LogFile} {
		for line := range atdd.Lines([]byte(out[file])) {
			n++
			j.Row(file, n, line)
		}
	}
	if v := j.View(); v.Rows != 6 || v.Refused > 0 || v.Changed > 0 || v.Halts > 0 {
		t.Errorf("%+v\n%s", v, log)
	}
	if err := atdd.Integrity(log, true, "5"); err != nil {
		t.Error(err)
	}
	if err := atdd.Sameness(log, atdd.StepImpl); err == nil {
		t.Error("the rail does not see what halted the run")
	}
	if _, err := atdd.FindRed([]byte(out[atdd.RedFile]), "a1"); err != nil {
		t.Error(err)
	}
}
