package daemon

import (
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/api"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// atddAsks starts a run and approves its requirements: it asks about the design.
func (s *site) atddAsks(q wire.StartRequest) run.State {
	s.t.Helper()
	st := s.asked(s.start(q).ID, 1)
	s.must(s.answer(say(st, "ok")))
	return s.asked(st.ID, 2)
}

// ownAtdd puts a workflow of the project in the place of atdd, with another text.
func (s *site) ownAtdd(from, to string) {
	s.t.Helper()
	_, src, err := workflow.Shipped("atdd")
	if err != nil {
		s.t.Fatal(err)
	}
	own := strings.Replace(string(src), from, to, 1)
	if own == string(src) {
		s.t.Fatalf("%q is not in it", from)
	}
	s.write(map[string]string{".autopilot/workflows/atdd.yaml": own})
	s.trust()
	s.committed()
}

// Seeds 3.7: a rejection stays with the very set that was rejected. One that comes
// back as it was is not put to a person again, and its second failure is the same.
func TestADesignThatComesBackAsItWasIsNotPresentedAgain(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.atddAsks(s.atdd(`plan() { if grep -q POSIX .autopilot/notes/told-plan; then w=POSIX; else w=it; fi; echo "greet.sh:1 prints, as $w has a shell" > $dir/plan.md; echo AC1 AC2 > $dir/acceptance-tests.md; }`))
	s.must(s.answer(say(st, "no", wire.AnswerFinding{Section: atddDir + "/plan.md:1", Text: "why a shell?"})))
	st = s.until(st.ID, settled)
	s.wants(st, "halted:sameness")
	w := s.why(st.ID)
	if st.Questions != 2 || !strings.Contains(w.LastError, "why a shell?") || st.Loop.Phase != "design" {
		t.Errorf("%d questions, in phase %s: %s\n%s", st.Questions, st.Loop.Phase, w.Because, w.LastError)
	}
	resume := wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), resume); codeOf(err) != wire.Usage {
		t.Errorf("nothing new is said: %v", err)
	}
	resume.Findings = `[{"evidence_ref":"plan.md:1","detail":"say POSIX"}]`
	_, err := s.d.api.RunResume(t.Context(), s.request(), resume)
	s.must(err)
	st = s.asked(st.ID, 3)
	if text := s.d.api.QuestionView(st, api.WholeBytes).Text; !strings.Contains(text, "+greet.sh:1 prints, as POSIX has a shell") {
		t.Errorf("presented again: %s", text)
	}
	s.stop(st.ID, events.StopCancel)
}

// Seeds 3.3: silence is no answer. A gate that expires halts, and is asked again.
func TestNobodyAtAGateApprovesNothing(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	s.ownAtdd("        kind: approval\n        of: [\"${{prd}}\"]\n", "        kind: approval\n        expires: 1s\n        of: [\"${{prd}}\"]\n")
	st := s.until(s.start(s.atdd("")).ID, settled)
	s.wants(st, "halted:expired")
	if w := s.why(st.ID); !strings.Contains(w.Because, "requirements") {
		t.Errorf("because %q", w.Because)
	}
	s.resumes(st)
	st = s.asked(st.ID, 2)
	if st.Question.Gate != "requirements" || len(st.Answers) != 0 {
		t.Errorf("asks %+v", st.Question)
	}
	s.stop(st.ID, events.StopCancel)
}

// Lesson A25: what others change while who works is at it halts the run with the
// names of their files, and is in no gate's way.
func TestA25FilesOfOthersStopAnIssueWithTheirNames(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	s.write(map[string]string{"main.go": "package main\n"})
	s.ownAtdd("\nlimits: {", "\nlimits: {noop: {within: 10s, backoff: [2s], halt: 9}, ")
	none := -time.Second // the clock of a file system is a little behind
	s.close()
	s.cfg.Late = &none
	s.open()
	s.d.Consent.People = proctest.Seat{}
	st := s.atddAsks(s.atdd(`told() { cat > /dev/null; }
impl() { if ! test -e tests/acceptance/AT-24.sh; then tests; elif ! test -e ../count; then touch ../count; else work; fi; }`))
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, func(st run.State) bool { return settled(st) || st.Loop.Phase == "impl" && st.Loop.Noops == 1 })
	s.write(map[string]string{"main.go": "package other\n"})
	st = s.until(st.ID, settled)
	s.wants(st, "halted:foreign-change")
	if w := s.why(st.ID); !slices.Equal(w.Files, []string{"main.go"}) {
		t.Errorf("files %q because %q", w.Files, w.Because)
	}
	s.resumes(st)
	s.wants(s.until(st.ID, settled), "done")
}

// Seeds 3.2 and 3.7, lessons A14, A21: findings of a person begin the implementation
// anew with a budget of its own, and rails compare only what fails after them.
func TestA21FindingsOfAPersonRestartTheBudgetAndOpenAFreshWindow(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.approved(s.atdd(`work() { n=$(($(cat n 2>/dev/null || echo 0)+1)); echo $n > n; cp .autopilot/notes/told-impl .autopilot/notes/told-$n; commit work; }`))
	s.wants(st, "halted:sameness")
	_, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{
		RunRef: wire.RunRef{Run: st.ID}, Phase: "impl",
		Findings: `[{"evidence_ref":"greet.sh:1","priority":"P0","detail":"it prints nothing: write \"hello\""}]`,
	})
	s.must(err)
	st = s.until(st.ID, settled)
	s.wants(st, "halted:sameness")
	if told := s.read(".autopilot/notes/told-3"); st.Loop.Spent != 2 || !strings.Contains(told, "greet.sh:1\nit prints nothing: write \"hello\"") {
		t.Errorf("after %d iterations it was told %s", st.Loop.Spent, told)
	}
	if len(st.Answers) != 2 { // the design is approved as it was
		t.Errorf("answers: %+v", st.Answers)
	}
}

// A gate that no phase judges would look as if it held.
func TestGatesOfARunThatAnIssueDoesNotJudgeAreNotTaken(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	s.write(map[string]string{".autopilot/config.yaml": "setup: 'true'\ngates:\n  test: 'false'\n  kept: {run: test -e README, role: invariant}\n", "README": "r"})
	s.trust()
	s.committed()
	typed := s.atdd("", func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "mine", Role: events.RoleGoal, Command: "true"}}
	})
	if _, err := s.d.api.RunStart(t.Context(), s.request(), typed); codeOf(err) != wire.Usage || !strings.Contains(err.Error(), "no phase of workflow atdd judges goals of the run") {
		t.Errorf("a goal that was typed: %v", err)
	}
	p, err := s.d.api.RunPreview(t.Context(), s.request(), s.atdd(""))
	if err != nil || len(p.Gates) != 1 || slices.ContainsFunc(p.Settings, func(v wire.ConfigValue) bool { return v.Key == "gates.test" }) {
		t.Errorf("preview: %+v %+v %v", p.Gates, p.Settings, err)
	}
	st := s.approved(s.atdd(`work() { printf '#!/bin/sh\necho hello $1\n' > greet.sh; chmod +x greet.sh; if test -e again; then touch README; else rm README; touch again; fi; commit work; }`))
	s.wants(st, "done")
	if st.Loop.Entered.Cycle != 1 || verdictOf(st, "kept").Verdict != events.Pass || verdictOf(st, "test").Gate != "" {
		t.Errorf("%d ways back; kept %+v, test %+v", st.Loop.Entered.Cycle, verdictOf(st, "kept"), verdictOf(st, "test"))
	}
}

// Seeds 3.1: each step has its own budget. Who starts a run can give fewer, and what is
// left is said of the phase that the run is in.
func TestEachPhaseOfAnIssueHasItsOwnBudget(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.asked(s.start(s.atdd("")).ID, 1)
	if left := s.why(st.ID).Left; len(left) == 0 || left[0].Limit != 4 {
		t.Errorf("of phase stories is left %+v", left)
	}
	if v := s.d.api.View(st); len(v.Budgets) != 3 || v.Budgets[2] != (wire.BudgetView{Phase: "impl", Iterations: 8}) {
		t.Errorf("budgets %+v", v.Budgets)
	}
	_, err := s.d.api.RunStart(t.Context(), s.request(), s.atdd(""))
	if codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "it asks a person, and waits for the answer") {
		t.Errorf("a second run is told %v", err)
	}
	s.stop(st.ID, events.StopCancel)
	s.givenBack()
	st = s.approved(s.atdd(`work() { n=$(($(cat n 2>/dev/null || echo 0)+1)); echo $n > n; printf '#!/bin/sh\necho hello $1\n' > greet.sh; chmod +x greet.sh; commit work; }
covered() { covers AC$(cat n); }`, func(r *wire.RunSpec) { r.MaxIterations = 2 }))
	s.wants(st, "halted:iterations")
	if st.Loop.Phase != "impl" || st.Loop.Spent != 2 {
		t.Errorf("%d iterations of %s", st.Loop.Spent, st.Loop.Phase)
	}
}
