package daemon

import (
	"slices"
	"strings"
	"testing"

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
covered() { echo '{"v":1,"criteria":[{"id":"AC1","covered":true,"by":"AT-24"},{"id":"AC2","covered":true,"by":"AT-24"}]}'; }
`

// atddSite is a work tree with an issue, whose requirements wait for a person.
func atddSite(t *testing.T) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\n")
	s.write(map[string]string{atddDir + "/prd.md": "Greet people by their name.\n", ".autopilot/notes/.keep": ""})
	s.git("config", "user.name", "u")
	s.git("config", "user.email", "u@x")
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

// approved starts a run and approves requirements and design.
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
	if q := s.d.view(st).Question; q.Gate != "requirements" || strings.Join(q.Files, " ") != atddDir+"/prd.md" {
		t.Errorf("the first question: %+v", q)
	}
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	if q := s.d.view(st).Question; q.Gate != "design-approved" || len(q.Files) != 3 {
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
