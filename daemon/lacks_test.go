package daemon

import (
	"slices"
	"strings"
	"testing"

	"autopilot/events/wire"
)

// A program that a later phase looks for is said before the first phase, by a dry run, at
// the start and by doctor; the run begins, as its tests may do without.
func TestAProgramThatALaterPhaseLooksForIsSaidAtTheStart(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	q := s.atdd("")
	q.Env[0] = "PATH=" + withoutBats(t)
	bats := func(list []wire.MissingProgram) bool {
		return len(list) == 1 && list[0] == wire.MissingProgram{Gate: "red", Phase: "impl", Program: "bats"}
	}
	p, err := s.d.api.RunPreview(t.Context(), s.request(), q)
	if err != nil || !bats(p.Lacks) {
		t.Errorf("a dry run: %+v %v", p.Lacks, err)
	}
	if v := s.start(q); !bats(v.Lacks) {
		t.Errorf("at the start: %+v", v.Lacks)
	}
	d, err := s.d.api.Doctor(t.Context(), s.request(), wire.DoctorRequest{Workspace: s.work, Env: q.Env})
	if err != nil || !slices.ContainsFunc(d.Findings, func(f wire.DoctorFinding) bool {
		return f.Topic == "gates" && strings.Contains(f.What, "gates of workflow atdd look for bats, which is not on PATH")
	}) {
		t.Errorf("doctor: %+v %v", d.Findings, err)
	}
}
