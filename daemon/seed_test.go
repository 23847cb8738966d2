package daemon

import (
	"slices"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

// planned is a workflow of a plan, the work, and somebody who looks.
const plannedFlow = `name: planned
version: 1
phases:
  - name: plan
    prompt: converge.md
    produces: [plan.md]
  - name: check
    gates: [{name: looked, kind: review, role: critic}]
    unclean: plan
  - name: build
    prompt: converge.md
    gates: [goals, protected]
    limits: {iterations: 1}
  - name: last
    prompt: converge.md
    gates: [protected]
roles: {critic: {prompt: look.md}}
limits: {cycles: 3}
`

// seedAgent keeps what it was told; it builds once it was told how.
const seedAgent = `if test -n "$AUTOPILOT_ROLE"; then
	echo '{"v":1,"verdict":"approve","architecture":"clear","findings":[]}' > "$AUTOPILOT_RESULT_FILE"; exit
fi
mkdir -p .autopilot/notes; cat > .autopilot/notes/told-$AUTOPILOT_ITERATION
case $AUTOPILOT_PHASE in plan) echo $AUTOPILOT_ITERATION > plan.md;; build) echo $AUTOPILOT_ITERATION > built; test ! -f .autopilot/notes/go || touch ok;; esac`

const seedJSON = `[{"evidence_ref":"docs/plan.md:12","detail":"three \"before\" two:\n\t` + "```" + ` ü"},{"evidence_ref":"the whole\ntext of a comment","priority":"P2"}]`

// seedTold is that list in a prompt, verbatim.
var seedTold = []string{"[P0] docs/plan.md:12\nthree \"before\" two:\n\t``` ü\n", "[P2] the whole\ntext of a comment\n"}

func (s *site) wantsTold(iteration string, all bool, want ...string) {
	s.t.Helper()
	told := s.read(".autopilot/notes/told-" + iteration)
	for _, text := range want {
		if strings.Contains(told, text) != all {
			s.t.Errorf("iteration %s was told %q: %v, want %v\n%s", iteration, text, !all, all, told)
		}
	}
}

// Seeds 3.2 and 3.4, lesson A21: a new run begins with what a person has found.
func TestFindingsHandedToANewRunReachItsFirstWorkVerbatim(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	q := s.spec("test -f ok", seedAgent+"\ndate +%N > n; test $AUTOPILOT_ITERATION = 1 || touch ok")
	q.Findings = seedJSON
	v, err := s.d.api.RunPreview(t.Context(), s.request(), q)
	if err != nil || !strings.Contains(v.Prompt, seedTold[0]) {
		t.Errorf("a look before: %v %s", err, v.Prompt)
	}
	st := s.play(q)
	s.wants(st, "done")
	s.wantsTold("1", true, seedTold...)
	s.wantsTold("2", false, seedTold...)
	if st.Facts.Count != 2 || st.Findings != "" {
		t.Errorf("%d findings, left %q", st.Facts.Count, st.Findings)
	}
	q = s.spec("test -f never", "true")
	q.Findings = "[]"
	if _, err := s.d.api.RunStart(t.Context(), s.request(), q); codeOf(err) != wire.Usage {
		t.Errorf("an empty list: %v", err)
	}
}

// Seeds 3.7: findings go to the earliest phase that works, with what gates found;
// the budget begins anew, and the history of each phase stays.
// Lessons A13, A16 and A59: a phase that was not come to is never begun, an unknown one
// is refused, and each phase is compared with itself.
func TestFindingsOfAResumeGoToTheEarliestPhaseThatWorks(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: 'true'\n")
	s.write(map[string]string{".autopilot/workflows/planned.yaml": plannedFlow})
	s.trust()
	st := s.play(s.spec("echo 'expected 5, got <4>'; test -f ok", seedAgent, func(r *wire.RunSpec) { r.Workflow = "planned" }))
	s.wants(st, "halted:iterations")
	resume := func(body wire.ResumeRequest) error {
		body.RunRef = wire.RunRef{Run: st.ID}
		_, err := s.d.api.RunResume(t.Context(), s.request(), body)
		return err
	}
	for name, tt := range map[string]struct {
		body wire.ResumeRequest
		code wire.Code
		says string
	}{
		"an empty list":               {wire.ResumeRequest{Findings: "[]"}, wire.Usage, "the list of findings is empty"},
		"no evidence":                 {wire.ResumeRequest{Findings: `[{"detail":"x"}]`}, wire.Usage, "evidence_ref"},
		"a phase alone":               {wire.ResumeRequest{Phase: "plan", Note: "n"}, wire.Usage, "needs findings"},
		"a phase that is none":        {wire.ResumeRequest{Phase: "nowhere", Findings: seedJSON}, wire.Usage, "has no phase"},
		"one in which nobody works":   {wire.ResumeRequest{Phase: "check", Findings: seedJSON}, wire.Usage, "has no phase"},
		"one that was not come to":    {wire.ResumeRequest{Phase: "last", Findings: seedJSON}, wire.Conflict, "cannot go to the later phase"},
		"nothing new after that halt": {wire.ResumeRequest{}, wire.Usage, "without new findings"},
	} {
		if err := resume(tt.body); codeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.must(resume(wire.ResumeRequest{Findings: seedJSON}))
	st = s.until(st.ID, settled)
	s.wants(st, "halted:iterations")
	s.wantsTold("4", true, append(seedTold, "phase `plan`", "expected 5, got <4>")...) // after plan, check and build
	s.wantsTold("6", false, seedTold...)
	if c := st.Loop.Entered; c.Phase != "build" || c.Cycle != 0 {
		t.Errorf("entered %+v", c)
	}
	if n := len(st.Loop.History.Fails); n != 1 {
		t.Errorf("%d failures of phase build are compared, want only those since the findings", n)
	}
	s.write(map[string]string{".autopilot/notes/go": "x"})
	s.must(resume(wire.ResumeRequest{Findings: seedJSON, Phase: "build", Note: "and this"}))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	s.wantsTold("7", true, append(seedTold, "phase `build`", "and this")...)
	ways := 0
	for _, d := range s.dataOf(st.ID) {
		if e, ok := d.(events.PhaseEntered); ok && e.Way == events.WaySent {
			ways++
		}
	}
	w := s.why(st.ID)
	if ways != 1 || !slices.ContainsFunc(w.Tried, func(t wire.WhyTried) bool { return strings.Contains(t.Note, seedTold[0]) }) {
		t.Errorf("sent back %d times; tried %+v", ways, w.Tried)
	}
}

// Findings about what a person is asked about are worked on first, and then it is
// presented again.
func TestFindingsAreWorkedOnBeforeAQuestionIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	s.stop(st.ID, events.StopNow)
	_, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Findings: seedJSON})
	s.must(err)
	st = s.asked(st.ID, 3)
	s.wantsTold("2", true, append(seedTold, "phase `plan`")...)
	s.must(s.answer(say(st, "ok")))
	s.wants(s.until(st.ID, settled), "done")
}
