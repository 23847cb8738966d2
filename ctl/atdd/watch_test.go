package atdd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

// watched are the problems that a look says, as "FILE:LINE CODE".
func watched(t *testing.T, w *Watch) (said []string) {
	t.Helper()
	if err := w.Next(func(r wire.AtddRow) error {
		for _, p := range r.Problems {
			said = append(said, fmt.Sprintf("%s:%d %s", r.File, r.Line, p.Code))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return said
}

const goodRow = `{"iteration":1,"step":"extracting-user-stories","verdict":"PASS","fingerprint":"a"}` + "\n"

func (p place) watch(follow bool) *Watch {
	return NewWatch(context.Background(), Call{Environ: os.Environ(), Dir: p.dir}, p.dir, follow)
}

// TestA15WhatChangesInALogThatGrowsIsSeen.
func TestA15WhatChangesInALogThatGrowsIsSeen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := p.watch(true)
	look := func(what string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, watched(t, w)); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	look("nothing yet")
	p.write("prd.md", "prd")
	if _, err := p.say("prd", "pin-anchor", "autopilot-prd.pin"); err != nil {
		t.Fatal(err)
	}
	p.write("autopilot-log.jsonl", goodRow)
	look("a row")
	p.write("autopilot-log.jsonl", goodRow+`{"iteration":1,"step":"writing-plan-and-tests"`)
	look("half a row")
	p.write("autopilot-log.jsonl", goodRow+`{"iteration":1,"step":"writing-plan-and-tests","verdict":"good"}`+"\n")
	look("the other half", "autopilot-log.jsonl:2 verdict", "autopilot-log.jsonl:2 fingerprint")
	look("nothing new")
	p.write("autopilot-log.jsonl", goodRow)
	look("a row less", "autopilot-log.jsonl:0 log-integrity")
	p.write("autopilot-log.jsonl", strings.Replace(goodRow, "PASS", "FAIL", 1))
	look("a row edited", "autopilot-log.jsonl:1 log-integrity")
	p.write("prd.md", "another prd")
	look("the PRD changed", "autopilot-prd.pin:0 ac-drift")
	look("that is said once")
	p.write("prd.md", " prd\n")
	look("and back, but for white space")
	if err := os.Remove(filepath.Join(p.dir, "autopilot-prd.pin")); err != nil {
		t.Fatal(err)
	}
	look("the pin is gone", "autopilot-prd.pin:0 ac-drift")
	if err := os.Remove(filepath.Join(p.dir, "autopilot-log.jsonl")); err != nil {
		t.Fatal(err)
	}
	look("the log is gone", "autopilot-log.jsonl:0 log-integrity")
	p.write("autopilot-log.jsonl", goodRow)
	look("a new one")
}

// TestA28TheProofIsAskedOfGit: the newest row of tests counts.
func TestA28TheProofIsAskedOfGit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	git := p.git
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "tests")
	test := git("rev-parse", "HEAD")
	git("commit", "-q", "--allow-empty", "-m", "impl")
	impl := git("rev-parse", "HEAD")
	passed := `{"iteration":1,"step":"running-atdd-cycle","verdict":"PASS","fingerprint":"a"}` + "\n"
	red := func(commit, impl string) string {
		return fmt.Sprintf(`{"step":"red","commit":%q,"impl_sha":%q,"at_file":"t.bats"}`, commit, impl) + "\n"
	}
	for _, c := range []struct{ name, red, want string }{
		{"before", red("feedface", impl) + red(test, impl), ""},
		{"the newest is after", red(test, impl) + red(impl, test), "gate-unverifiable"},
		{"equal", red(impl, impl), "gate-unverifiable"},
		{"no row", "", "gate-unverifiable"},
		{"a row that is none", "{}\n", "gate-unverifiable"},
	} {
		p.write("red.jsonl", c.red)
		p.write("autopilot-log.jsonl", passed)
		got := ""
		for _, said := range watched(t, p.watch(false)) {
			if said == "autopilot-log.jsonl:1 gate-unverifiable" {
				got = "gate-unverifiable"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestA2WhatIsForgedWhileASkillWorksIsSeen, and what an editor does to line ends is
// nothing.
func TestA2WhatIsForgedWhileASkillWorksIsSeen(t *testing.T) {
	t.Parallel()
	red := `{"step":"red","commit":"a1","impl_sha":"b2","at_file":"t"}` + "\n"
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"line ends of Windows", "autopilot-log.jsonl", "\ufeff" + strings.ReplaceAll(goodRow, "\n", "\r\n"), nil},
		{"an empty line at the end", "autopilot-log.jsonl", goodRow + "\n", nil},
		{"a member twice", "autopilot-log.jsonl", goodRow + `{"iteration":1,"step":"s","verdict":"PASS","fingerprint":"a","verdict":"FAIL"}` + "\n", []string{"autopilot-log.jsonl:2 unreadable", "autopilot-log.jsonl:2 corrupt-log"}},
		{"a verdict in the name of a step", "autopilot-log.jsonl", goodRow + `{"iteration":1,"step":"x\",\"verdict\":\"FAIL","verdict":"PASS","fingerprint":"a"}` + "\n", nil},
		{"a row before the others", "autopilot-log.jsonl", strings.Replace(goodRow, "PASS", "FAIL", 1) + goodRow, []string{"autopilot-log.jsonl:1 log-integrity"}},
		{"emptied", "autopilot-log.jsonl", "", []string{"autopilot-log.jsonl:0 log-integrity"}},
		{"another commit was seen red", "red.jsonl", strings.Replace(red, "a1", "c3", 1), []string{"red.jsonl:1 log-integrity"}},
		{"the pin is emptied", "autopilot-prd.pin", "", []string{"autopilot-prd.pin:0 ac-drift"}},
		{"it is of a blank payload", "autopilot-prd.pin", blank + "\n", []string{"autopilot-prd.pin:0 ac-drift"}},
		{"line ends of Windows in it", "autopilot-prd.pin", "\ufeff" + print1 + "\r\n", nil},
	} {
		p := newPlace(t)
		p.write("autopilot-log.jsonl", goodRow)
		p.write("red.jsonl", red)
		p.write("autopilot-prd.pin", print1+"\n")
		w := p.watch(true)
		watched(t, w)
		p.write(c.file, c.text)
		if d := cmp.Diff(c.want, watched(t, w)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestA26AHaltThatWasMadeIsNoProblem of the row before it, where both are read at
// once; seen one after the other, the first one is told before the second is there.
func TestA26AHaltThatWasMadeIsNoProblem(t *testing.T) {
	t.Parallel()
	row := `{"iteration":%d,"step":"running-atdd-cycle","verdict":"FAIL","fingerprint":"a"}` + "\n"
	failed := fmt.Sprintf(row, 1) + fmt.Sprintf(row, 2)
	made := `{"outcome":"HALT","step":"running-atdd-cycle","reason":"sameness-detector","findings_digest":[]}` + "\n"
	p := newPlace(t)
	p.write("autopilot-log.jsonl", failed+made)
	once := p.watch(false)
	if d := cmp.Diff([]string{"autopilot-design.pin:0 ac-drift"}, watched(t, once)); d != "" {
		t.Error(d)
	}
	p.write("autopilot-log.jsonl", failed)
	w := p.watch(true)
	if d := cmp.Diff([]string{"autopilot-log.jsonl:2 sameness-detector", "autopilot-design.pin:0 ac-drift"}, watched(t, w)); d != "" {
		t.Error(d)
	}
	p.write("autopilot-log.jsonl", failed+made)
	if d := cmp.Diff([]string(nil), watched(t, w)); d != "" || w.View().Halts != 0 || once.View().Halts != 0 {
		t.Errorf("%s %+v", d, w.View())
	}
}

// TestALogOfAHundredThousandRowsIsReadToItsEnd, whatever stands before.
func TestALogOfAHundredThousandRowsIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	const most = 100_000
	p := newPlace(t)
	var b strings.Builder
	b.WriteString("\ufeff")
	for n := range most {
		fmt.Fprintf(&b, `{"iteration":%d,"step":"running-atdd-cycle","verdict":"FAIL","fingerprint":"p%d"}`+"\r\n", n+1, n)
	}
	p.write("autopilot-log.jsonl", b.String())
	p.exits(0, "check-stuck", "autopilot-log.jsonl", "3", "running-atdd-cycle")
	p.exits(0, "check-log-integrity", "autopilot-log.jsonl", fmt.Sprint(most))
	for range 2 {
		if err := p.call("record-iteration", "autopilot-log.jsonl", "9", "running-atdd-cycle", "FAIL", "same"); err != nil {
			t.Fatal(err)
		}
	}
	p.exits(1, "check-stuck", "autopilot-log.jsonl", "3", "running-atdd-cycle")
	p.exits(1, "check-sameness", "autopilot-log.jsonl")
	p.exits(1, "check-log-integrity", "autopilot-log.jsonl", fmt.Sprint(most))
	w := p.watch(false)
	watched(t, w)
	v := w.View()
	if len(v.Due) < 2 || v.Rows != most+2 || v.Due[0].Code != "MAX_ITERATIONS" || v.Due[0].First != 8 || v.Due[0].Last != most+2 {
		t.Errorf("%d rows, %+v", v.Rows, v.Due)
	}
}
