package atdd_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
	"autopilot/projections/atdd"
)

func it(n int, step, verdict, print string) string {
	return fmt.Sprintf(`{"iteration":%d,"step":%q,"verdict":%q,"fingerprint":%q,"timestamp":"2026-06-22T03:53:11Z"}`, n, step, verdict, print)
}

func haltRow(step, reason, findings string) string {
	return fmt.Sprintf(`{"outcome":"HALT","step":%q,"reason":%q,"findings_digest":%s,"timestamp":"2026-06-22T03:53:11Z"}`, step, reason, findings)
}

// TestARowIsJudgedByWhatWouldHaveBeenWrittenHere: each log, and what is said of its
// rows: the line, the class and the code of each problem.
func TestARowIsJudgedByWhatWouldHaveBeenWrittenHere(t *testing.T) {
	t.Parallel()
	const impl = atdd.StepImpl
	for _, c := range []struct {
		name string
		rows []string
		want []string
	}{
		{"a log of a run that converged", []string{it(1, atdd.StepStories, "PASS", "a"), it(1, impl, "FAIL", "a"), it(2, impl, "PASS", "b")}, nil},
		{"rows of before there were times", []string{`{"iteration":1,"step":"s","verdict":"FAIL","fingerprint":"a"}`}, nil},
		{"A3 a fingerprint that is empty", []string{it(1, impl, "FAIL", "")}, []string{"1 refused fingerprint", "1 halt corrupt-log"}},
		{"Q24 one of a blank payload", []string{it(1, impl, "PASS", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")}, []string{"1 refused fingerprint"}},
		{"A10 one of the placeholder", []string{it(1, impl, "FAIL", atdd.Placeholder)}, []string{"1 refused fingerprint"}},
		{"A24 prose for a verdict", []string{it(1, impl, "looks good", "a")}, []string{"1 refused verdict"}},
		{"a verdict in lower case", []string{it(1, impl, "fail", "a"), it(2, impl, "fail", "a")}, []string{"1 refused verdict", "2 refused verdict"}},
		{"Q27 no step", []string{it(1, " ", "FAIL", "a")}, []string{"1 refused step"}},
		{"A4 no number", []string{`{"iteration":"1","step":"s","verdict":"PASS","fingerprint":"a"}`}, []string{"1 refused iteration"}},
		{"A8 a failed row that was cut off", []string{`{"iteration":1,"step":"s","verdict":"FAIL","finger`}, []string{"1 refused unreadable", "1 halt corrupt-log"}},
		{"A8 a passed one", []string{`{"iteration":1,"step":"s","verdict":"PASS","finger`}, []string{"1 refused unreadable"}},
		{"A2 a forged member", []string{`{"iteration":1,"step":"s","verdict":"PASS","fingerprint":"a","verdict":"FAIL"}`}, []string{"1 refused unreadable", "1 halt corrupt-log"}},
		{"a row of something else", []string{`{"note":"hello"}`, `[]`}, []string{"1 refused unknown", "2 refused unreadable"}},
		{"A26 a halt", []string{it(1, impl, "FAIL", "a"), it(2, impl, "FAIL", "a"), haltRow(impl, "sameness-detector", `[{"priority":0,"evidence_ref":"AC1"}]`)}, []string{"2 halt sameness-detector"}},
		{"a halt for a reason that is none", []string{haltRow(impl, "tired", "[]")}, []string{"1 refused halt"}},
		{"Q26 findings without evidence", []string{haltRow(impl, "ac-drift", `[{"priority":0}]`)}, []string{"1 refused halt"}},
		{"A19 a halt that nothing gives reason for", []string{it(1, impl, "FAIL", "a"), it(2, impl, "FAIL", "b"), haltRow(impl, "sameness-detector", "[]")}, []string{"3 refused unfounded"}},
		{"A18 equal failures with a pass between", []string{it(1, impl, "FAIL", "a"), it(2, impl, "PASS", "b"), it(1, impl, "FAIL", "a")}, []string{"3 halt sameness-detector"}},
		{"A1 A, B, A", []string{it(1, impl, "FAIL", "a"), it(2, impl, "FAIL", "b"), it(3, impl, "FAIL", "a")}, []string{"3 halt stuck"}},
		{"A16 another step", []string{it(1, atdd.StepPlan, "FAIL", "a"), it(1, impl, "FAIL", "a")}, nil},
		{"the loop went on behind a halt", []string{it(1, impl, "FAIL", "a"), it(2, impl, "FAIL", "a"), it(3, impl, "FAIL", "b")}, []string{"2 halt sameness-detector", "3 halt went-on", "3 halt stuck"}},
		{"a person began anew", []string{it(1, impl, "FAIL", "a"), it(2, impl, "FAIL", "a"), haltRow(impl, "sameness-detector", "[]"), it(1, impl, "FAIL", "b")}, []string{"2 halt sameness-detector", "4 halt stuck"}},
		{"the budget of a design step", []string{it(1, atdd.StepPlan, "FAIL", "a"), it(2, atdd.StepPlan, "FAIL", "b"), it(3, atdd.StepPlan, "FAIL", "c"), it(4, atdd.StepPlan, "FAIL", "d"), haltRow(atdd.StepPlan, "MAX_ITERATIONS", "[]")}, []string{"4 halt MAX_ITERATIONS"}},
		{"the budget of a step that is not known", []string{it(1, "s", "FAIL", "a"), it(2, "s", "FAIL", "b"), it(3, "s", "FAIL", "c"), it(4, "s", "FAIL", "d")}, []string{"4 halt MAX_ITERATIONS"}},
		{"A15 rows that are missing", []string{it(1, impl, "FAIL", "a"), it(4, impl, "FAIL", "b")}, []string{"2 changed log-integrity"}},
		{"a row twice", []string{it(2, impl, "PASS", "a"), it(2, impl, "PASS", "a")}, []string{"1 changed log-integrity", "2 changed log-integrity"}},
	} {
		var j atdd.Judge
		if d := cmp.Diff(c.want, problems(&j, atdd.LogFile, c.rows)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func problems(j *atdd.Judge, file string, rows []string) (said []string) {
	for i, row := range rows {
		for _, p := range j.Row(file, i+1, []byte(row)).Problems {
			said = append(said, fmt.Sprintf("%d %s %s", i+1, p.Class, p.Code))
		}
	}
	return said
}

// TestA30RowsOfTestsAreJudgedByWhatTheyName.
func TestA30RowsOfTestsAreJudgedByWhatTheyName(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		`{"step":"red","commit":"a1","impl_sha":"b2","at_file":"t.bats","timestamp":"2026-06-22T04:55:44Z"}`: "",
		`{"step":"red","commit":"a1","at_file":"t.bats"}`:                                                    "1 refused impl_sha",
		`{"step":"red","commit":"a1","impl_sha":"a1","at_file":"t.bats"}`:                                    "1 refused impl_sha",
		`{"step":"red","commit":"","impl_sha":"a1","at_file":"t.bats"}`:                                      "1 refused red",
		`{"step":"red","commit":"a1","impl_sha":"b2","at_file":" "}`:                                         "1 refused red",
		`{"iteration":1,"step":"s","verdict":"PASS","fingerprint":"a"}`:                                      "1 refused unknown",
	} {
		if got := strings.Join(problems(&atdd.Judge{}, atdd.RedFile, []string{row}), ", "); got != want {
			t.Errorf("%s: %q, want %q", row, got, want)
		}
	}
}

// TestA28WhatPassedIsAskedForItsProof.
func TestA28WhatPassedIsAskedForItsProof(t *testing.T) {
	t.Parallel()
	j := atdd.Judge{Proven: func() error { return fmt.Errorf("%w: no row", atdd.ErrFired) }}
	got := problems(&j, atdd.LogFile, []string{it(1, atdd.StepPlan, "PASS", "a"), it(1, atdd.StepImpl, "FAIL", "b"), it(2, atdd.StepImpl, "PASS", "a")})
	if d := cmp.Diff([]string{"3 halt gate-unverifiable"}, got); d != "" {
		t.Error(d)
	}
	j.Proven = func() error { return nil }
	if got := problems(&j, atdd.LogFile, []string{it(1, atdd.StepImpl, "PASS", "a")}); got != nil {
		t.Error(got)
	}
}

// TestAJudgeAndTheRailsSayTheSame: on every log of four failures of three kinds.
func TestAJudgeAndTheRailsSayTheSame(t *testing.T) {
	t.Parallel()
	for n := range 81 {
		var j atdd.Judge
		log := ""
		for i, k := 0, n; i < 4; i, k = i+1, k/3 {
			row := it(i+1, atdd.StepImpl, "FAIL", string(rune('a'+k%3)))
			log += row + "\n"
			said := map[string]bool{}
			for _, p := range j.Row(atdd.LogFile, i+1, []byte(row)).Problems {
				said[p.Code] = true
			}
			same, stuck := atdd.Sameness([]byte(log), atdd.StepImpl), atdd.Stuck([]byte(log), "3", atdd.StepImpl)
			if said["sameness-detector"] != errors.Is(same, atdd.ErrFired) || said["stuck"] != errors.Is(stuck, atdd.ErrFired) {
				t.Fatalf("%d, line %d: the judge says %v, the rails %v and %v\n%s", n, i+1, said, same, stuck, log)
			}
		}
	}
}

// TestA26AHaltThatWasMadeIsNoneThatWasDue: the loop went on behind the others.
func TestA26AHaltThatWasMadeIsNoneThatWasDue(t *testing.T) {
	t.Parallel()
	a, b, made := it(1, atdd.StepImpl, "FAIL", "a"), it(2, atdd.StepImpl, "FAIL", "a"), haltRow(atdd.StepImpl, "sameness-detector", "[]")
	for _, c := range []struct {
		name  string
		rows  []string
		halts int
	}{
		{"made", []string{a, b, made}, 0},
		{"not yet", []string{a, b}, 1},
		{"gone on", []string{a, b, it(3, atdd.StepImpl, "FAIL", "b")}, 3}, // and that it went on, and stuck
		{"begun anew, without it", []string{a, b, a}, 3},
		{"made, and begun anew", []string{a, b, made, it(1, atdd.StepImpl, "FAIL", "c")}, 1},
		{"of another step", []string{a, b, haltRow(atdd.StepPlan, "ac-drift", "[]")}, 1},
	} {
		var j atdd.Judge
		problems(&j, atdd.LogFile, c.rows)
		if v := j.View(); v.Halts != c.halts || v.Halts != j.View().Halts {
			t.Errorf("%s: %d halts, want %d: %+v", c.name, v.Halts, c.halts, v.Due)
		}
	}
}

// TestHaltsThatWereDueAreCounted by step and reason, as a loop that goes on behind its
// budget gives reason for one in every row.
func TestHaltsThatWereDueAreCounted(t *testing.T) {
	t.Parallel()
	var j atdd.Judge
	var rows []string
	for n := range 12 {
		rows = append(rows, it(n+1, atdd.StepImpl, "FAIL", fmt.Sprint(n)))
	}
	problems(&j, atdd.LogFile, append(rows, `{"verdict":"FAIL"`, it(1, atdd.StepImpl, "FAIL", "11")))
	want := []wire.AtddDue{
		{Step: atdd.StepImpl, Code: "MAX_ITERATIONS", Times: 5, First: 8, Last: 12},
		{Step: atdd.StepImpl, Code: "went-on", Times: 4, First: 9, Last: 12},
		{Code: "corrupt-log", Times: 1, First: 13, Last: 13},
		{Step: atdd.StepImpl, Code: "sameness-detector", Times: 1, First: 14, Last: 14},
		{Step: atdd.StepImpl, Code: "stuck", Times: 1, First: 14, Last: 14},
	}
	if d := cmp.Diff(want, j.View().Due); d != "" {
		t.Error(d)
	}
}

func TestAViewCountsStepsAndProblems(t *testing.T) {
	t.Parallel()
	var j atdd.Judge
	problems(&j, atdd.LogFile, []string{it(1, atdd.StepPlan, "PASS", "a"), it(1, atdd.StepImpl, "FAIL", "a"), it(2, atdd.StepImpl, "FAIL", "a"), haltRow(atdd.StepImpl, "sameness-detector", "[]"), "{"})
	v := j.View()
	if len(v.Steps) != 2 || v.Steps[1].Failed != 2 || v.Steps[1].Halt != "sameness-detector" || v.Rows != 5 || v.Damaged != 1 || v.Refused != 1 || v.Halts != 0 {
		t.Errorf("%+v", v)
	}
}
