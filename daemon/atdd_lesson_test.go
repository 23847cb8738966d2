package daemon

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

const lessonFlow = `name: lesson
version: 1
fingerprint: [verdicts]
limits: {cycles: 3}
phases:
  - {name: build, prompt: converge.md, gates: [{name: quick, kind: command, run: test -e quick}]}
  - {name: whole, gates: [{name: full, kind: command, run: test -e full}], unclean: build}
`

// Seeds 3.5 check_sameness: a passed iteration in between, and what another phase
// found, hide no equal failures.
func TestA18AFailureThatComesBackAfterAPassIsTheSame(t *testing.T) {
	t.Parallel()
	s := flowSite(t, lessonFlow)
	st := s.play(s.flowSpec("lesson", `echo $AUTOPILOT_ITERATION > n; if test -e quick; then rm quick; elif test $AUTOPILOT_ITERATION = 2; then touch quick; fi`,
		func(r *wire.RunSpec) { r.MaxIterations = 9 }))
	s.wants(st, "halted:sameness")
	if st.Loop.Entered.Cycle != 1 {
		t.Errorf("it went back %d times", st.Loop.Entered.Cycle)
	}
}

// A rollback by who works takes its files, and no record of what it did.
func TestA20ARollbackErasesNoRecord(t *testing.T) {
	t.Parallel()
	s := flowSite(t, lessonFlow)
	st := s.play(s.flowSpec("lesson", `git reset -q --hard; git clean -qfdx; git reflog expire --expire=now --all; git gc -q --prune=now; echo $AUTOPILOT_ITERATION > n`,
		func(r *wire.RunSpec) { r.MaxIterations = 9 }))
	s.wants(st, "halted:sameness")
	recorded, halts := 0, 0
	for _, d := range s.dataOf(st.ID) {
		switch d := d.(type) {
		case events.IterationRecorded:
			recorded++
		case events.RunHalted: // A26
			if halts++; d.Reason != events.HaltSameness || d.Value == "" || len(d.Iterations) != 2 {
				t.Errorf("halt %+v", d)
			}
		}
	}
	if recorded != 2 || halts != 1 {
		t.Errorf("%d iterations and %d halts are recorded", recorded, halts)
	}
	if proof, err := s.d.api.Verify(t.Context(), s.request(), wire.VerifyRequest{Every: true}); err != nil || len(proof.Problems) > 0 {
		t.Errorf("%+v %v", proof, err)
	}
}

// Seeds 3.3: an anchor is what a person approved, and is compared at each iteration;
// what an earlier run pinned, or an agent removed, counts for nothing. AL-2, A9.
func TestAL2AnAnchorThatIsChangedRemovedOrRenamedHalts(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]string{
		"changed": `impl() { echo more >> $dir/user-stories.md; tests; work; }`,
		"removed": `impl() { rm $dir/prd.md; tests; work; }`,
		"renamed": `impl() { git mv $dir/prd.md $dir/prd2.md; tests; work; }`,
		"a link":  `impl() { cp $dir/prd.md $dir/copy.md; ln -sf copy.md $dir/prd.md; tests; work; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atddSite(t)
			st := s.approved(s.atdd(agent))
			s.wants(st, "halted:drift")
			if r := verdictOf(st, "design-kept"); r.Verdict != events.Fail || !strings.Contains(s.d.api.Text(r.Excerpt), "docs/issues/24-greeting/") {
				t.Errorf("%+v\n%s", r, s.d.api.Text(r.Excerpt))
			}
		})
	}
}
