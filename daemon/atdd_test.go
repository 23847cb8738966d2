package daemon

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// atddDir is the directory of the issue that these runs are about.
const atddDir = "docs/issues/24-greeting"

// atddWork is what a scripted agent does in each phase of atdd, in functions that a
// test may write anew: it knows its phase and its role alone.
const atddWork = `set -e
dir=` + atddDir + `
commit() { git add -A; git commit -qm "$1"; }
told() { cat > .autopilot/notes/told-$AUTOPILOT_PHASE; }
stories() { printf '# Stories\n\nAC1: greets by name\nAC2: says so without a name\n' > $dir/user-stories.md; }
plan() { echo 'greet.sh:1 prints, as a shell is there' > $dir/plan.md; printf 'AC1: given a name\nAC2: given none\n' > $dir/acceptance-tests.md; }
tests() { mkdir -p tests/acceptance; printf '#!/bin/sh\n./greet.sh you\n' > tests/acceptance/AT-24.sh; chmod +x tests/acceptance/AT-24.sh; commit tests; }
work() { printf '#!/bin/sh\necho hello $1\n' > greet.sh; chmod +x greet.sh; commit work; }
impl() { if ! test -e tests/acceptance/AT-24.sh; then tests; fi; work; }
covers() { echo '{"v":1,"criteria":['; for c; do echo "{\"id\":\"$c\",\"covered\":true,\"by\":\"AT-24\"},"; done; echo '{"id":"AC0","covered":true,"by":"AT-24"}]}'; }
covered() { covers AC1 AC2; }
`

// atddSite is a work tree with an issue, whose requirements wait for a person.
func atddSite(t *testing.T) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\n")
	s.write(map[string]string{atddDir + "/prd.md": "Greet people by their name.\n", ".autopilot/notes/.keep": ""})
	s.trust()
	s.committed()
	return s
}

// atdd is a run of the issue whose agent does what these functions say otherwise.
func (s *site) atdd(other string, edit ...func(*wire.RunSpec)) wire.StartRequest {
	return s.flowSpec("atdd", atddWork+other+`
mkdir -p .autopilot/notes
if test "$AUTOPILOT_ROLE" = critic; then covered > "$AUTOPILOT_RESULT_FILE"; else told; $AUTOPILOT_PHASE; fi`, append([]func(*wire.RunSpec){func(r *wire.RunSpec) {
		r.Task, r.Issue, r.MaxIterations = "", "24", 0
	}}, edit...)...)
}

// approved starts a run and approves what its two gates ask: requirements, and design or diagnosis.
func (s *site) approved(q wire.StartRequest) run.State {
	s.t.Helper()
	st := s.asked(s.start(q).ID, 1)
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	s.must(s.answer(say(st, "ok")))
	return s.until(st.ID, settled)
}

// verdictOf is what a gate said last, in whichever phase.
func verdictOf(st run.State, gate events.Name) events.GateResult {
	for _, r := range slices.Concat(st.Last.Results, st.Last.Seen) {
		if r.Gate == gate {
			return r
		}
	}
	return events.GateResult{}
}

// Seeds 3.1: three gates are a person's, of which a run has two; what is built
// between them is proven by red, green and coverage.
func TestAnIssueIsBuiltFromItsRequirementsToAProvenEnd(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.asked(s.start(s.atdd("")).ID, 1)
	if q := s.d.api.View(st).Question; q.Gate != "requirements" || strings.Join(q.Files, " ") != atddDir+"/prd.md" {
		t.Errorf("the first question: %+v", q)
	}
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	if q := s.d.api.View(st).Question; q.Gate != "design-approved" || len(q.Files) != 3 {
		t.Errorf("the second question: %+v", q)
	}
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	for _, name := range []events.Name{"design-approved", "red", "green", "covered", "full", "design-kept-to-the-end"} {
		if r := verdictOf(st, name); r.Verdict != events.Pass {
			t.Errorf("gate %s: %+v", name, r)
		}
	}
}

// Seeds 3.7: a rejection is of the whole set, and invokes the design again with what
// the person wrote, in each of its steps; as often as it takes.
func TestARejectedDesignIsWorkedOnAgain(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.asked(s.start(s.atdd(`plan() { echo "greet.sh:1 prints $(cat .autopilot/notes/told-plan | sum)" > $dir/plan.md; printf 'AC1: given a name\nAC2: given none\n' > $dir/acceptance-tests.md; }`)).ID, 1)
	s.must(s.answer(say(st, "ok")))
	for n, text := range []string{"say why a shell", "say why a shell", "and what of Windows?"} {
		st = s.asked(st.ID, n+2)
		s.must(s.answer(say(st, "no", wire.AnswerFinding{Section: atddDir + "/plan.md:1", Text: text})))
		st = s.asked(st.ID, n+3)
		for _, phase := range []string{"stories", "plan"} {
			if told := s.read(".autopilot/notes/told-" + phase); !strings.Contains(told, "[P0] "+atddDir+"/plan.md:1\n"+text) {
				t.Errorf("%s was told %s", phase, told)
			}
		}
	}
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
}

// Seeds 3.4: every way in which the implementation does not get there, and the value
// that it is halted with. Each of these agents does something else every time, so the
// tree is never the same.
func TestAnImplementationThatDoesNotGetThereHaltsWithItsReason(t *testing.T) {
	t.Parallel()
	const (
		late  = `impl() { printf '#!/bin/sh\necho hello $1\n' > greet.sh; chmod +x greet.sh; commit work; tests; date +%N > notes; }`
		count = `work() { n=$(($(cat n 2>/dev/null || echo 0)+1)); echo $n > n; `
		hello = `printf '#!/bin/sh\necho hello $1\n' > greet.sh; chmod +x greet.sh`
	)
	for name, tt := range map[string]struct {
		agent, state, because string
		iterations            int
	}{
		"A31: green and covered, and never red":              {late, "halted:gate-unverifiable", "ゲート red ", 1},
		"A31: never red, and not covered either":             {late + "\ncovered() { covers AC1; }", "halted:sameness", "同じ判定", 2},
		"A10: the same verdicts twice, whatever was changed": {count + `commit work; }`, "halted:sameness", "同じ判定", 2},
		"A17: what is not covered twice":                     {count + hello + "; commit work; }\ncovered() { covers AC1; }", "halted:sameness", "同じ判定", 2},
		"A1: A, B, A":                                        {count + hello + "; commit work; }\ncovered() { covers AC$(($(cat n) % 2 + 1)); }", "halted:stuck", "同じ判定", 3},
		"the whole budget, with another criterion each time": {count + hello + `; commit work; }
stories() { for i in 1 2 3 4 5 6 7 8 9; do echo AC$i: said; done > $dir/user-stories.md; }
plan() { echo plan > $dir/plan.md; echo tests > $dir/acceptance-tests.md; }
covered() { covers AC$(cat n); }`, "halted:iterations", "8 ", 8},
		"A15, AL-2: the stories changed after their approval":    {`work() { echo >> $dir/user-stories.md; ` + hello + `; commit work; }`, "halted:drift", "design-kept", 1},
		"AL-2: the requirements changed after theirs":            {`work() { echo >> $dir/prd.md; ` + hello + `; commit work; }`, "halted:drift", "design-kept", 1},
		"A9: the acceptance tests move on, as nothing pins them": {`work() { echo done >> $dir/acceptance-tests.md; ` + hello + `; commit work; }`, "done", "", 1},
		"A23: the one who looks says nothing":                    {`covered() { :; }`, "halted:gate-unverifiable", "critic", 1},
		"A24: the one who looks says what is none":               {`covered() { echo '{"v":1,"criteria":"all fine"}'; }`, "halted:gate-unverifiable", "critic", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atddSite(t)
			st := s.approved(s.atdd(tt.agent))
			s.wants(st, tt.state)
			if w := s.why(st.ID); !strings.Contains(w.Because, tt.because) || tt.state != "done" && st.Loop.Spent != tt.iterations {
				t.Errorf("after %d iterations because %q", st.Loop.Spent, w.Because)
			}
		})
	}
}

// What a person does to the work tree while a run asks them is not charged to who
// works: a set that they correct is presented again, as it is and as often as they
// do, and other files of theirs are in no gate's way, before the first work too.
func TestWhatAPersonChangesAtAGateIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.asked(s.start(s.atdd("")).ID, 1)
	s.write(map[string]string{"mine": "a note\n"})
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	for n, text := range []string{"greet.sh:1 writes\n", "greet.sh:1 says\n"} {
		if st.Question.Gate != "design-approved" || st.Loop.Iteration != 3 {
			t.Fatalf("asks %+v in iteration %d", st.Question, st.Loop.Iteration)
		}
		s.write(map[string]string{atddDir + "/plan.md": text, "mine": text})
		if err := s.answer(say(st, "ok")); codeOf(err) != wire.Conflict {
			t.Errorf("changed: %v", err)
		}
		st = s.asked(st.ID, n+3)
		if got := s.read(atddDir + "/plan.md"); got != text {
			t.Errorf("the plan is %q", got)
		}
	}
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	if got := s.read("mine"); got != "greet.sh:1 says\n" {
		t.Errorf("mine is %q", got)
	}
}

// A criterion that is not covered asks for a test once the work is there. A test on
// top of it would halt the run as never seen red, so who works is told how it is done.
func TestATestThatIsMissingCanStillBeSeenRed(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.approved(s.atdd(`covered() { if test -e tests/acceptance/AT-24-nobody.sh; then covers AC1 AC2; else covers AC1; fi; }
more() { printf '#!/bin/sh\n./greet.sh\n' > tests/acceptance/AT-24-nobody.sh; chmod +x tests/acceptance/AT-24-nobody.sh; commit 'test of AC2'; }
impl() { if ! test -e greet.sh; then tests; work; else git rm -q greet.sh; commit 'take the work back'; more; work; fi; }`))
	s.wants(st, "done")
	told := s.read(".autopilot/notes/told-impl")
	for _, want := range []string{"[P0] criterion AC2 is not covered", "commit its revert first, then the tests, then the work again"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not in what it was told:\n%s", want, told)
		}
	}
}

// The quick command in the loop, and every test before the end: what only that finds
// is worked on again.
func TestWhatOnlyTheWholeSuiteFindsIsWorkedOn(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.approved(s.atdd(`impl() { if test -e greet.sh; then touch second; else tests; printf '#!/bin/sh\ntest -e second\n' > tests/acceptance/AT-24-2.sh; chmod +x tests/acceptance/*; git add -A; git commit -q --amend --no-edit; work; fi; }`,
		func(r *wire.RunSpec) { r.Inputs = map[string]string{"impact": "tests/acceptance/AT-24.sh"} }))
	s.wants(st, "done")
	if told := s.read(".autopilot/notes/told-impl"); st.Loop.Entered.Cycle != 1 || !strings.Contains(told, "failed: tests/acceptance/AT-24-2.sh") {
		t.Errorf("after %d ways back it was told %s", st.Loop.Entered.Cycle, told)
	}
}

// What is missing is a person's to write: the first step is the requirements.
func TestWithoutRequirementsAnIssueIsNotBegun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does func(*site)
		code wire.Code
		says string
	}{
		"no directory":     {func(s *site) { s.git("mv", "docs/issues", "docs/other") }, wire.NeedsPerson, "docs/issues/24-*"},
		"no prd.md":        {func(s *site) { s.git("rm", "-q", atddDir+"/prd.md"); s.write(map[string]string{atddDir + "/x": ""}) }, wire.NeedsPerson, "prd.md"},
		"two directories":  {func(s *site) { s.write(map[string]string{"docs/issues/24-other/prd.md": "x"}) }, wire.NeedsPerson, "24-greeting, docs/issues/24-other"},
		"a blank one":      {func(s *site) { s.write(map[string]string{atddDir + "/prd.md": " \n"}) }, wire.NeedsPerson, atddDir + "/prd.md, which is blank"},
		"another's number": {func(s *site) { s.git("mv", atddDir, "docs/issues/240-greeting") }, wire.NeedsPerson, "docs/issues/24-*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atddSite(t)
			tt.does(s)
			_, err := s.d.api.RunStart(t.Context(), s.request(), s.atdd(""))
			var e *wire.Error
			if !errors.As(err, &e) || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || tt.code == wire.NeedsPerson && !strings.Contains(name, "two") && !strings.Contains(e.Hint, "write") {
				t.Errorf("%+v", err)
			}
		})
	}
}

// Requirements that a person rejects are not designed; and what others change while a
// person looks at a design is theirs, and who works next is told of it. A25.
func TestPeopleEndARunAtItsGates(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.asked(s.start(s.atdd("")).ID, 1)
	s.must(s.answer(say(st, "no", wire.AnswerFinding{Section: atddDir + "/prd.md", Text: "which people?"})))
	st = s.until(st.ID, settled)
	s.wants(st, "halted:entry")

	s = atddSite(t)
	s.write(map[string]string{"main.go": "package main\n"})
	none := -time.Second // the clock of a file system is a little behind
	s.close()
	s.cfg.Late = &none
	s.open()
	s.d.Consent.People = proctest.Seat{}
	st = s.asked(s.start(s.atdd("")).ID, 1)
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	s.write(map[string]string{"main.go": "package other\n"})
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	if told := s.read(".autopilot/notes/told-impl"); !strings.Contains(told, "Another session changed these files") || !strings.Contains(told, "main.go") {
		t.Errorf("the next was told %s", told)
	}
	if st.Loop.Entered.Cycle != 0 {
		t.Error("what others have changed sent the design back")
	}
}
