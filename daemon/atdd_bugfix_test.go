package daemon

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

// mending is an agent of atdd-bugfix.
const mending = `set -e
mkdir -p .autopilot/notes docs/issues/24-sum tests/acceptance; cat > .autopilot/notes/told-$AUTOPILOT_PHASE
commit() { git add -A; git commit -qm "$1"; }
diagnose() { printf '#!/bin/sh\n./sum.sh\n' > tests/acceptance/AT-24.sh; chmod +x tests/acceptance/AT-24.sh; commit tests; echo "class C: sum.sh:2 $(cksum < .autopilot/notes/told-diagnose)" > docs/issues/24-sum/diagnosis.md; }
fix() { printf '#!/bin/sh\nexit 0\n' > sum.sh; commit fix; }
`

func bugfixSite(t *testing.T) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\ninputs: {suite: test ! -e broken}\n")
	s.write(map[string]string{"sum.sh": "#!/bin/sh\nexit 1\n", "docs/issues/24-sum/bug.md": "sum is wrong\n"})
	s.trust()
	s.committed()
	return s
}

func (s *site) bugfix(other string, edit ...func(*wire.RunSpec)) wire.StartRequest {
	return s.flowSpec("atdd-bugfix", mending+other+"\n$AUTOPILOT_PHASE", append([]func(*wire.RunSpec){func(r *wire.RunSpec) {
		r.Task, r.Issue, r.MaxIterations = "", "24", 0
	}}, edit...)...)
}

// Seeds 3.8: a person approves the cause, and the reproduction goes from red to green
// with nothing else broken.
func TestABugIsMendedFromItsDiagnosis(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ agent, state, because string }{
		"red, then green":                      {"", "done", ""},
		"something else broken":                {`fix() { printf '#!/bin/sh\nexit 0\n' > sum.sh; date +%N > broken; commit fix; }`, "halted:sameness", ""},
		"A28: a reproduction that was changed": {`fix() { printf '#!/bin/sh\n' > tests/acceptance/AT-24.sh; date +%N > sum.sh; commit fix; }`, "halted:drift", "diagnosis-kept"},
		"AL-2: another diagnosis in the fix":   {`fix() { printf '#!/bin/sh\nexit 0\n' > sum.sh; echo B >> docs/issues/24-sum/diagnosis.md; commit fix; }`, "halted:drift", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bugfixSite(t)
			st := s.asked(s.start(s.bugfix(tt.agent)).ID, 1)
			if q := s.d.api.View(st).Question; q.Gate != "requirements" || strings.Join(q.Files, " ") != "docs/issues/24-sum/bug.md" {
				t.Errorf("%+v", q)
			}
			s.must(s.answer(say(st, "ok")))
			st = s.asked(st.ID, 2)
			if q := s.d.api.View(st).Question; q.Gate != "diagnosis-approved" || strings.Join(q.Files, " ") != "docs/issues/24-sum/diagnosis.md tests/acceptance/AT-24.sh" {
				t.Errorf("%+v", q)
			}
			s.must(s.answer(say(st, "no", wire.AnswerFinding{Section: "docs/issues/24-sum/diagnosis.md:1", Text: "and the evidence?"})))
			st = s.asked(st.ID, 3)
			if told := s.read(".autopilot/notes/told-diagnose"); !strings.Contains(told, "and the evidence?") {
				t.Errorf("told %s", told)
			}
			s.must(s.answer(say(st, "ok")))
			st = s.until(st.ID, settled)
			s.wants(st, tt.state)
			if w := s.why(st.ID); !strings.Contains(w.Because, tt.because) {
				t.Errorf("because %q", w.Because)
			}
		})
	}
}

func TestABugThatIsNotReproducedIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	s := bugfixSite(t)
	st := s.asked(s.start(s.bugfix(`diagnose() { printf '#!/bin/sh\n' > tests/acceptance/AT-24.sh; chmod +x tests/acceptance/AT-24.sh; commit tests; date +%N > docs/issues/24-sum/diagnosis.md; }`)).ID, 1)
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, settled)
	s.wants(st, "halted:sameness")
	if st.Questions != 1 || !strings.Contains(s.why(st.ID).LastError, "it shows no bug") {
		t.Errorf("%d questions: %s", st.Questions, s.why(st.ID).LastError)
	}
}
