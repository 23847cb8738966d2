package daemon

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// omxWork is what a scripted agent does in each phase and role of omx, in functions
// that a test may write anew.
const omxWork = `set -e
prompt=$(cat)
says() { printf '%s' "$1" > "$AUTOPILOT_RESULT_FILE"; }
slug=add-a-greeting
plans=.omx/plans
commit() { git add -A; git commit -qm "$1"; }
context() { mkdir -p .omx/context; { echo "# greeting"; for k in 'activation prompt / task seed' 'original task status' 'desired outcome' 'known facts' constraints unknowns touchpoints 'scope note'; do echo "- $k: x"; done; } > .omx/context/$slug-20261130T080000Z.md; }
spec() { mkdir -p .omx/specs; echo "Greet by name." > .omx/specs/deep-interview-$slug.md; }
deep_interview() { context; spec; }
prd() { echo "AC1: greets by name ($(echo "$prompt" | cksum))"; }
ralplan() { mkdir -p $plans; prd > $plans/prd-$slug.md; echo "AC1: t.sh" > $plans/test-spec-$slug.md; }
work() { printf '#!/bin/sh\necho hello $1\n' > greet.sh; }
summary() { mkdir -p .omx/ultragoal; { echo "greet.sh: greets $AUTOPILOT_ITERATION"; echo "- team: not needed, one story"; } > .omx/ultragoal/changes-$slug.md; }
ultragoal() { work; summary; }
ralph() { work; summary; }
interviewer() { case $prompt in
*satisfied_at*) says '{"v":1,"clarity":{"goal":90,"constraints":90,"criteria":90,"context":90}}';;
*) says '{"v":1,"clarity":{"goal":90,"constraints":30,"criteria":90,"context":90},"question":"Which names?","about":"constraints","changes":"what is refused"}';;
esac; }
architect() { says '{"v":1,"verdict":"approve"}'; }
critic() { says '{"v":1,"verdict":"approve"}'; }
checker() { says '{"v":1,"criteria":[{"id":"AC1","covered":true,"by":"t.sh"}]}'; }
reviewer() { says '{"v":1,"verdict":"approve","architecture":"clear"}'; }
tester() { says '{"v":1,"verdict":"passed"}'; }
`

// omxInputs name the evidence of the loop: two commands, two declared not applicable.
var omxInputs = map[string]string{"tests": "sh t.sh", "build": "true", "lint": "none", "typecheck": "none"}

// omxSite is a work tree with a test, which ignores .omx as oh-my-codex sets it up.
func omxSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, map[string]string{".gitignore": ".omx/\n", "t.sh": "! test -e greet.sh || test \"$(sh greet.sh you)\" = 'hello you'\n", "README.md": "x\n"})
	s.d.Consent.People = proctest.Seat{}
	s.committed()
	return s
}

// omx is a run of the loop whose agent does what these functions say otherwise.
func (s *site) omx(flow, other string, edit ...func(*wire.RunSpec)) wire.StartRequest {
	return s.flowSpec(flow, omxWork+other+`
if test -n "$AUTOPILOT_ROLE" && test "$AUTOPILOT_ROLE" != coder; then $AUTOPILOT_ROLE; else $(echo $AUTOPILOT_PHASE | tr - _); fi`,
		append([]func(*wire.RunSpec){func(r *wire.RunSpec) {
			r.Task, r.MaxIterations, r.Inputs = "Add a greeting", 0, omxInputs
		}}, edit...)...)
}

// Seeds 4.1.2: five phases in their order, each guarded; the interview asks one
// question, and its answer is in what the next sessions are told.
func TestOmxGoesThroughItsFivePhases(t *testing.T) {
	t.Parallel()
	s := omxSite(t)
	st := s.asked(s.begun(s.omx("omx", "")), 1)
	if q := s.d.api.View(st).Question; !strings.Contains(q.Text, "Which names?") || q.Gate != "clear" {
		t.Errorf("question %+v", q)
	}
	s.must(s.answer(tell(st, "text", "only words")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}}); err == nil {
		t.Error("what is complete was begun anew")
	}
	for _, name := range []events.Name{"tests", "build", "team", "stories", "reviewed", "used"} {
		if r := verdictOf(st, name); r.Verdict != events.Pass {
			t.Errorf("gate %s: %+v", name, r)
		}
	}
	for _, name := range []events.Name{"lint", "typecheck"} {
		if r := verdictOf(st, name); r.Verdict != events.Skipped || r.Reason != events.ReasonVoidInput {
			t.Errorf("gate %s: %+v", name, r)
		}
	}
}

// Seeds 4.1.2: a specification that comes out as it was there already is adopted by its
// hash, as an interview that asks the same has it; one that nobody wrote is not.
func TestOmxAdoptsASpecificationThatIsThere(t *testing.T) {
	t.Parallel()
	s := omxSite(t)
	for _, row := range []struct{ other, want string }{
		{"", "done"},
		{"work() { echo '# again' >> greet.sh; }", "done"},
		{"deep_interview() { context; echo $AUTOPILOT_ITERATION >> .omx/context/$slug-20261130T080000Z.md; }", "halted:sameness"},
	} {
		st := s.until(s.begun(s.omx("omx", omxClear+omxSame+row.other)), settled)
		if s.wants(st, row.want); row.want != "done" && string(st.Loop.Phase) != "deep-interview" {
			t.Errorf("halted in %s", st.Loop.Phase)
		}
	}
}

// begun starts a run as a person at a terminal.
func (s *site) begun(q wire.StartRequest) string {
	s.t.Helper()
	v, err := s.d.api.RunStart(s.t.Context(), s.seated(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return v.ID
}

// omxClear lets the interview ask nothing.
const omxClear = `
interviewer() { says '{"v":1,"clarity":{"goal":95,"constraints":95,"criteria":95,"context":95}}'; }
once() { if test -e .autopilot/notes/$1; then return 1; fi; mkdir -p .autopilot/notes; : > .autopilot/notes/$1; }
`

// omxSame writes the same plan each time.
const omxSame = `
ralplan() { mkdir -p $plans; echo "AC1: greets" > $plans/prd-$slug.md; echo "AC1: t.sh" > $plans/test-spec-$slug.md; }
`

// omxRow is one way through the loop.
type omxRow struct {
	flow, other string // the functions that differ
	inputs      map[string]string
	want        string
	cycles      int
	phase       string // where the run ended

	gates map[events.Name]events.Verdict
}

// Seeds 4.1.2, transitions and guards; O36 to O39, Q44, Q45.
var omxRows = map[string]omxRow{
	"a clean review and QA end the loop": {want: "done", phase: "ultraqa"},
	"an architect who does not approve ends the round": {
		other: `architect() { says '{"v":1,"verdict":"iterate","findings":[{"evidence_ref":"prd","detail":"no rollback"}]}'; }
critic() { : > .autopilot/notes/criticised; says '{"v":1,"verdict":"approve"}'; }`,
		want: "halted:iterations", phase: "ralplan", gates: map[events.Name]events.Verdict{"consensus": events.Fail},
	},
	"a critic who rejects the plan has it written again, and both look anew": {
		other: `prd() { echo "AC1: greets"; cat .autopilot/notes/n 2>/dev/null || true; }
ralplan() { mkdir -p $plans .autopilot/notes; echo x >> .autopilot/notes/n; prd > $plans/prd-$slug.md; echo "AC1: t.sh $(wc -l < .autopilot/notes/n)" > $plans/test-spec-$slug.md; }
critic() { if test $(wc -l < .autopilot/notes/n) -gt 1; then says '{"v":1,"verdict":"approve"}'; else says '{"v":1,"verdict":"reject","findings":[{"evidence_ref":"prd","detail":"untestable"}]}'; fi; }`,
		want: "done", phase: "ultraqa",
	},
	"an unclean review goes back to the plan with its finding": {
		other: `reviewer() { if grep -q 1 .omx/plans/reviewed 2>/dev/null; then says '{"v":1,"verdict":"approve","architecture":"clear"}'; else says '{"v":1,"verdict":"request-changes","architecture":"clear","findings":[{"evidence_ref":"greet.sh:2","detail":"quote the name"}]}'; fi; }
ralplan() { mkdir -p $plans; prd > $plans/prd-$slug.md; echo "AC1: t.sh" > $plans/test-spec-$slug.md; case $prompt in *"quote the name"*) echo 1 > .omx/plans/reviewed;; esac; }`,
		want: "done", phase: "ultraqa", cycles: 1,
	},
	"a review with WATCH for the architecture is not clean": {
		other: omxSame + `reviewer() { says '{"v":1,"verdict":"approve","architecture":"watch"}'; }`,
		want:  "halted:plan", phase: "code-review", cycles: 2, gates: map[events.Name]events.Verdict{"reviewed": events.Fail},
	},
	"QA with a finding goes back to the plan": {
		other: `tester() { if test -e .omx/plans/again; then says '{"v":1,"verdict":"passed"}'; else says '{"v":1,"verdict":"failed","findings":[{"evidence_ref":"sh greet.sh","detail":"no name, no word"}]}'; fi; }
ralplan() { mkdir -p $plans; prd > $plans/prd-$slug.md; echo "AC1: t.sh" > $plans/test-spec-$slug.md; case $prompt in *"no name, no word"*) : > .omx/plans/again;; esac; }`,
		want: "done", phase: "ultraqa", cycles: 1,
	},
	"Q44 the same failure with the same plan halts": {
		other: omxSame + `reviewer() { says '{"v":1,"verdict":"comment","architecture":"clear","findings":[{"evidence_ref":"greet.sh","detail":"still"}]}'; }`,
		want:  "halted:plan", phase: "code-review", cycles: 2,
	},
	"an approved plan that is edited by one byte halts": {
		other: `ultragoal() { echo >> $plans/prd-$slug.md; work; summary; }`, want: "halted:drift", phase: "ultragoal",
	},
	"evidence that is red stays in the phase": {
		inputs: map[string]string{"tests": "sh t.sh", "build": "false", "lint": "none", "typecheck": "none"},
		other:  `ultragoal() { work; summary; echo $AUTOPILOT_ITERATION > n; }`, want: "halted:signature", phase: "ultragoal",
		gates: map[events.Name]events.Verdict{"build": events.Fail, "tests": events.Pass},
	},
	"whether a team was used is on the record": {
		other: `ultragoal() { work; summary; if once silent; then echo "greet.sh: greets" > .omx/ultragoal/changes-$slug.md; fi; }`, want: "done", phase: "ultraqa",
		gates: map[events.Name]events.Verdict{"team": events.Pass},
	},
	"a story that no test shows is not covered": {
		other: `checker() { says '{"v":1,"criteria":[{"id":"AC1","covered":false,"by":""}]}'; }
ultragoal() { work; summary; echo $AUTOPILOT_ITERATION > n; }`, want: "halted:signature", phase: "ultragoal",
		gates: map[events.Name]events.Verdict{"stories": events.Fail},
	},
	"QA is skipped where only documentation was changed": {
		other: `work() { echo greets > README.md; }`, want: "done", phase: "ultraqa", gates: map[events.Name]events.Verdict{"used": events.Skipped},
	},
	"the ralph lane stays within the five phases": {
		inputs: map[string]string{"tests": "sh t.sh", "build": "none", "lint": "none", "typecheck": "none", "lane": "ralph", "profile": "quick"},
		other:  `ultragoal() { :; }`, want: "done", phase: "ultraqa",
	},
	"omx-ralph ends with a clean review": {flow: "omx-ralph", want: "done", phase: "code-review"},
	"a question without a class is a finding, not a question": {
		other: `ultragoal() { if once asked; then says '{"v":1,"claim":"progress","question":"May I?"}'; else case $prompt in *"has no class"*) work; summary;; esac; fi; }`,
		want:  "done", phase: "ultraqa",
	},
}

func TestOmxGuardsEachPhase(t *testing.T) {
	t.Parallel()
	for name, row := range omxRows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := omxSite(t)
			q := s.omx(cmp.Or(row.flow, "omx"), omxClear+row.other)
			q.Spec.Inputs = maps.Clone(omxInputs)
			maps.Copy(q.Spec.Inputs, row.inputs)
			st := s.until(s.begun(q), settled)
			s.wants(st, row.want)
			if string(st.Loop.Phase) != row.phase || st.Loop.Entered.Cycle != row.cycles {
				t.Errorf("ended in %s after %d cycles, want %s, %d", st.Loop.Phase, st.Loop.Entered.Cycle, row.phase, row.cycles)
			}
			for gate, want := range row.gates {
				if r := verdictOf(st, gate); r.Verdict != want {
					t.Errorf("gate %s: %+v, want %s", gate, r, want)
				}
			}
		})
	}
}

// Seeds 4.1.2, O39: an answered question does not end the interview; a person alone
// skips it, with a reason that is kept.
func TestOmxInterviewIsSkippedByAPersonAlone(t *testing.T) {
	t.Parallel()
	s := omxSite(t)
	st := s.asked(s.begun(s.omx("omx", `interviewer() { says '{"v":1,"clarity":{"goal":50},"question":"What else?","about":"goal","changes":"all"}'; }`)), 1)
	s.must(s.answer(tell(st, "text", "nothing")))
	st = s.asked(st.ID, 2)
	if err := s.answer(tell(st, "skip", "")); err == nil {
		t.Error("a skip without a reason was taken")
	}
	s.must(s.answer(tell(st, "skip", "the issue says it all")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	a := st.Answers[len(st.Answers)-1]
	if a.Choice != events.ChoiceSkip || s.d.api.Text(a.Text) != "the issue says it all" || a.Assurance == "" || len(st.Answers) != 2 {
		t.Errorf("answers %+v", st.Answers)
	}
}

// Seeds 4.1.2 and 4.8: cancel ends the run, which is no end that is complete, and keeps
// all of it. It is not gone on with.
func TestOmxCancelKeepsAll(t *testing.T) {
	t.Parallel()
	s := omxSite(t)
	began := filepath.Join(s.work, ".autopilot/notes/began")
	s.must(errors.Join(os.MkdirAll(filepath.Dir(began), 0o755), syscall.Mkfifo(began, 0o600)))
	id := s.begun(s.omx("omx", omxClear+`ultragoal() { work; : > .autopilot/notes/began; exec sleep 30; }`))
	f, err := os.Open(began) // once the agent is there
	s.must(err)
	s.must(f.Close())
	if _, err := s.d.api.RunCancel(t.Context(), s.request(), wire.StopRequest{RunRef: wire.RunRef{Run: id}}); err != nil {
		t.Fatal(err)
	}
	st := s.until(id, settled)
	if s.wants(st, "cancelled"); string(st.Loop.Phase) != "ultragoal" || len(st.Looks) == 0 {
		t.Errorf("cancelled in %s with %d looks", st.Loop.Phase, len(st.Looks))
	}
	for _, name := range []string{".omx/specs/deep-interview-add-a-greeting.md", ".omx/plans/prd-add-a-greeting.md", "greet.sh"} {
		if _, err := os.Stat(filepath.Join(s.work, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: id}}); err == nil {
		t.Error("what was cancelled goes on")
	}
}

// Seeds 4.1.2: the resume table. A run that is stopped in a phase goes on in that phase,
// and nothing that was agreed on is asked again.
func TestOmxResumesInItsPhase(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"deep-interview", "ralplan", "ultragoal", "code-review", "ultraqa"} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			s := omxSite(t)
			began := filepath.Join(s.work, ".autopilot/notes/began")
			s.must(errors.Join(os.MkdirAll(filepath.Dir(began), 0o755), syscall.Mkfifo(began, 0o600)))
			id := s.begun(s.omx("omx", omxClear+`if test "$AUTOPILOT_PHASE" = `+phase+` && once slow; then : > .autopilot/notes/began; exec sleep 30; fi`))
			f, err := os.Open(began) // once the agent is there
			s.must(err)
			s.must(f.Close())
			if _, err := s.d.api.RunStop(t.Context(), s.request(), wire.StopRequest{RunRef: wire.RunRef{Run: id}, Now: true}); err != nil {
				t.Fatal(err)
			}
			st := s.until(id, settled)
			if st.Status != run.Halted || string(st.Loop.Phase) != phase {
				t.Fatalf("stopped %s in %s", st.Status, st.Loop.Phase)
			}
			looks := len(st.Looks)
			s.resumes(st)
			st = s.until(st.ID, settled)
			s.wants(st, "done")
			if phase == "ultraqa" && len(st.Looks) != looks+1 {
				t.Errorf("%d looks before the stop, %d after it", looks, len(st.Looks))
			}
		})
	}
}
