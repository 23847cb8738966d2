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
