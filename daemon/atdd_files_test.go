package daemon

import (
	"slices"
	"strings"
	"testing"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
	"autopilot/projections/atdd"
	"autopilot/projections/run"
)

// atddFiles are the files that atdd-kit would have kept of a run.
func (s *site) atddFiles(ref wire.RunRef) (first wire.AtddPiece, files map[string]string) {
	s.t.Helper()
	files = map[string]string{}
	s.must(s.d.api.CompatAtdd(s.t.Context(), auth.Request{}, wire.AtddRequest{RunRef: ref}, func(p wire.AtddPiece) error {
		switch {
		case p.File == "":
			first = p
		case p.Whole:
			files[p.File] = p.Text
		default:
			files[p.File] += p.Text
		}
		return nil
	}))
	return first, files
}

// TestA30WhatAtddKitWouldHaveKeptOfARun: the rows are those that its rails take, the
// tests that were seen red are the commits that the daemon found, and the pins are
// of what a person approved.
func TestA30WhatAtddKitWouldHaveKeptOfARun(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.approved(s.atdd(`impl() { if test -e tests/acceptance/AT-24.sh; then work; else tests; fi; }`))
	if st.End == nil || st.Status != run.Over {
		t.Fatalf("%s %+v", st.Status, st.Halt)
	}
	first, files := s.atddFiles(wire.RunRef{Run: st.ID})
	if first.Dir != atddDir || first.Workspace != s.work || first.Live {
		t.Errorf("%+v", first)
	}
	var j atdd.Judge
	for _, name := range []string{atdd.RedFile, atdd.LogFile} {
		n := 0
		for line := range atdd.Lines([]byte(files[name])) {
			n++
			if r := j.Row(name, n, line); len(r.Problems) > 0 {
				t.Errorf("%s: %s %+v", name, line, r.Problems)
			}
		}
	}
	var steps []string
	for _, st := range j.View().Steps {
		steps = append(steps, st.Step)
	}
	if want := []string{atdd.StepStories, atdd.StepPlan, "design", atdd.StepImpl, "handover"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q\n%s", steps, files[atdd.LogFile])
	}
	log := s.git("log", "--format=%H %s")
	red, err := atdd.ReadRed([]byte(strings.TrimSuffix(files[atdd.RedFile], "\n")))
	if err != nil || !strings.Contains(log, red.Commit+" tests") || !strings.Contains(log, red.Impl+" work") || red.File != "tests/acceptance/AT-24.sh" {
		t.Errorf("%v %+v\n%s", err, red, log)
	}
	print, err := atdd.Fingerprint([]byte("Greet people by their name."))
	if err != nil || files[atdd.PRDPin] != print+"\n" || files[atdd.DesignPin] == "" {
		t.Errorf("%v %q %q", err, files[atdd.PRDPin], files[atdd.DesignPin])
	}
}
