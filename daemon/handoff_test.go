package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/daemon/api"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// handOver starts a run of an issue as a person at a terminal who hands its approvals
// over.
func (s *site) handOver(q wire.StartRequest) wire.RunView {
	s.t.Helper()
	q.Handoff = true
	v, err := s.d.api.RunStart(s.t.Context(), s.seated(), q)
	s.must(err)
	return v
}

// Seeds 3.1, 3.6 AL-1: with a hand-off the first two gates are accepted, by one act and
// recorded as that; what proves the work is as ever, and nothing is merged.
func TestAnIssueWhoseApprovalsWereHandedOverIsBuiltWithoutAPerson(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	v := s.handOver(s.atdd(""))
	if strings.Join(v.Handoff, " ") != "requirements design-approved" || v.Unhanded != "" {
		t.Errorf("handed over: %q, %q", v.Handoff, v.Unhanded)
	}
	st := s.until(v.ID, settled)
	s.wants(st, "done")
	if !strings.HasPrefix(st.Facts.Handoff, "person:") || len(st.Answers) != 2 {
		t.Fatalf("by %q: %+v", st.Facts.Handoff, st.Answers)
	}
	for _, a := range st.Answers {
		if a.Assurance != events.AssuredHandoff || a.Choice != events.ChoiceOK || !strings.HasPrefix(a.By, "daemon:") {
			t.Errorf("%s: %+v", a.Gate, a)
		}
	}
	text := s.d.api.Text(st.Answers[1].Of)
	for _, want := range []string{"FA_HANDOFF=1", "apctl answer " + st.Facts.Handle + " no --gate design-approved", atddDir + "/plan.md  +1 -0", "greet.sh:1 prints", "+AC1: greets by name"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	w := s.why(st.ID)
	if !strings.Contains(w.Because, "引き継ぎによる承認で、人は確認していません(handoff: 弱い): requirements, design-approved") {
		t.Errorf("because %s", w.Because)
	}
	if p := s.d.api.View(st).Published; p == nil || !p.Ready || !st.Published.Ready {
		t.Errorf("a hand-off leaves its merge-ready record: %+v", p)
	}
	for _, p := range w.Summary {
		for _, g := range p.Gates {
			for _, by := range g.By {
				if g.Kind == string(events.GateApproval) && (by.Assurance != "handoff" || by.Who != st.Facts.Handoff) {
					t.Errorf("%s: %+v", g.Gate, by)
				}
			}
		}
	}
}

// agentSeat is the seat with an agent program above the caller.
type agentSeat struct{ proctest.Seat }

func (s agentSeat) Process(pid int) (person.Process, error) {
	if pid == 1 {
		return person.Process{PID: 1, Start: 1, UID: os.Getuid(), Program: "/usr/bin/claude"}, nil
	}
	p, err := s.Seat.Process(pid)
	p.Parent = 1
	return p, err
}

// Lesson A48: what an agent says of itself removes no gate; nor does who cannot be
// seen to be a person, a PIN that is not typed, or a workflow that lets none go.
func TestNobodyButAPersonHandsApprovalsOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does func(*site, *wire.StartRequest)
		says string
	}{
		"nobody at a terminal":      {func(s *site, _ *wire.StartRequest) { s.d.Consent.People = proctest.Seat{Away: true} }, "a person at a terminal"},
		"an agent program above it": {func(s *site, _ *wire.StartRequest) { s.d.Consent.People = agentSeat{} }, "a person at a terminal"},
		"a PIN that was not typed":  {func(s *site, _ *wire.StartRequest) { s.setPIN("2468") }, "needs the PIN"},
		"a wrong PIN": {func(s *site, q *wire.StartRequest) {
			s.setPIN("2468")
			q.PIN = "1357"
		}, "the PIN is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := atddSite(t)
			q := s.atdd("")
			tt.does(s, &q)
			v := s.handOver(q)
			if len(v.Handoff) > 0 || !strings.Contains(v.Unhanded, tt.says) {
				t.Errorf("handed over: %q, %q", v.Handoff, v.Unhanded)
			}
			st := s.asked(v.ID, 1)
			if st.Facts.Handoff != "" || st.Question.Gate != "requirements" || st.Question.Handoff {
				t.Errorf("by %q: %+v", st.Facts.Handoff, st.Question)
			}
		})
	}
	s := atddSite(t)
	s.setPIN("2468")
	q := s.atdd("")
	q.PIN = "2468"
	if v := s.handOver(q); len(v.Handoff) != 2 {
		t.Errorf("with its PIN: %q, %q", v.Handoff, v.Unhanded)
	}
	s = atddSite(t)
	q = s.spec("test -f ok", "touch ok")
	if v := s.handOver(q); len(v.Handoff) > 0 || v.Unhanded != "" {
		t.Errorf("where nobody is asked: %q, %q", v.Handoff, v.Unhanded)
	}
}

// Seeds 3.1, 3.7: the person may override; who builds on the design is ended, it is
// worked on again with what was found, and shown to the person then.
func TestAPersonSendsBackWhatWasAcceptedByHandOff(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	v := s.handOver(s.atdd(`plan() { echo "greet.sh:1 prints $(cat .autopilot/notes/told-plan | sum)" > $dir/plan.md; printf 'AC1: given a name\nAC2: given none\n' > $dir/acceptance-tests.md; }
work() { grep -q 'say why' .autopilot/notes/told-plan || { touch .autopilot/notes/at-work; sleep 600; }; printf '#!/bin/sh\necho hello $1\n' > greet.sh; chmod +x greet.sh; commit work; }`))
	st := s.until(v.ID, func(st run.State) bool { return settled(st) || st.Loop.Phase == "impl" && st.Stage == run.Agent })
	comes(t, "the work on the implementation", func() bool { _, err := os.Stat(filepath.Join(s.work, ".autopilot/notes/at-work")); return err == nil })
	shown, err := s.d.api.RunQuestion(t.Context(), s.request(), wire.QuestionRequest{RunRef: wire.RunRef{Run: st.ID}, Whole: true})
	s.must(err)
	if q := shown.Question; q == nil || q.Gate != "design-approved" || !q.Handoff || shown.State != "running" {
		t.Fatalf("shown: %s %+v", shown.State, q)
	}
	first, err := s.d.api.RunQuestion(t.Context(), s.request(), wire.QuestionRequest{RunRef: wire.RunRef{Run: st.ID}, Gate: "requirements"})
	if err != nil || first.Question.Gate != "requirements" {
		t.Errorf("by its gate: %+v %v", first.Question, err)
	}
	if _, err := s.d.api.RunQuestion(t.Context(), s.request(), wire.QuestionRequest{RunRef: wire.RunRef{Run: st.ID}, Gate: "red"}); codeOf(err) != wire.Conflict {
		t.Errorf("a gate that was not: %v", err)
	}
	a := wire.AnswerRequest{
		RunRef: wire.RunRef{Run: st.ID}, Number: shown.Question.Number, Set: shown.Question.Set, Typed: wire.Challenge(shown.Question.Set), Choice: "no",
		Findings: []wire.AnswerFinding{{Section: atddDir + "/plan.md:1", Text: "say why a shell"}},
	}
	ok := a
	ok.Choice, ok.Findings = "ok", nil
	if err := s.answer(ok); codeOf(err) != wire.Conflict {
		t.Errorf("ok: %v", err)
	}
	if _, err := s.d.api.RunAnswer(t.Context(), s.request(), a); codeOf(err) != wire.NeedsPerson {
		t.Errorf("by nobody at a terminal: %v", err)
	}
	s.must(s.answer(a))
	if err := s.answer(a); codeOf(err) != wire.Conflict {
		t.Errorf("twice: %v", err)
	}
	st = s.asked(st.ID, 3)
	if q := s.d.api.View(st).Question; q.Gate != "design-approved" || q.Handoff || !q.Again {
		t.Errorf("asked again: %+v", q)
	}
	for _, phase := range []string{"stories", "plan"} {
		if told := s.read(".autopilot/notes/told-" + phase); !strings.Contains(told, "[P0] "+atddDir+"/plan.md:1\nsay why a shell") {
			t.Errorf("%s was told %s", phase, told)
		}
	}
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	if w := s.why(st.ID); strings.Contains(w.Because, "design-approved") || !strings.Contains(w.Because, "requirements") {
		t.Errorf("because %s", w.Because)
	}
	var e *wire.Error
	a.Number, a.Set = 1, first.Question.Set
	if err := s.answer(a); !errors.As(err, &e) || !strings.Contains(e.Message, "is over") || !strings.Contains(e.Hint, "--findings") {
		t.Errorf("once it is over: %+v", err)
	}
}

// A run that was asked to stop asks nobody, and what was accepted before is still shown
// and sent back: who looks may have stopped it for that.
func TestWhatWasAcceptedByHandOffIsSentBackWhileTheRunStops(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	v := s.handOver(s.atdd(`work() { touch .autopilot/notes/at-work; sleep 600; }`))
	st := s.until(v.ID, func(st run.State) bool { return settled(st) || st.Loop.Phase == "impl" && st.Stage == run.Agent })
	comes(t, "the work on the implementation", func() bool { _, err := os.Stat(filepath.Join(s.work, ".autopilot/notes/at-work")); return err == nil })
	ref := wire.RunRef{Run: st.ID}
	_, err := s.d.api.RunStop(t.Context(), s.request(), wire.StopRequest{RunRef: ref})
	s.must(err)
	shown, err := s.d.api.RunQuestion(t.Context(), s.request(), wire.QuestionRequest{RunRef: ref, Whole: true})
	s.must(err)
	q := shown.Question
	if q == nil || q.Gate != "design-approved" || !q.Handoff {
		t.Fatalf("shown: %+v", q)
	}
	s.must(s.answer(wire.AnswerRequest{
		RunRef: ref, Number: q.Number, Set: q.Set, Typed: wire.Challenge(q.Set), Choice: "no",
		Findings: []wire.AnswerFinding{{Section: atddDir + "/plan.md:1", Text: "say why a shell"}},
	}))
	st = s.until(st.ID, settled)
	s.wants(st, "halted")
	if st.Halt == nil || st.Halt.Reason != events.HaltStopped || st.Findings == "" {
		t.Errorf("halted by %+v with findings %q", st.Halt, st.Findings)
	}
	asks := run.State{Status: run.Live, Stage: run.Asking, Stop: events.StopAfterIteration, Question: &run.Question{}}
	if err := s.d.api.Asks(asks, 0); codeOf(err) != wire.Conflict || s.d.api.QuestionView(asks, api.WholeBytes) != nil {
		t.Errorf("a question of it: %v", err)
	}
	expired := run.State{Status: run.Halted, Question: &run.Question{Expired: true}, Handed: []run.Question{{}}}
	if err := s.d.api.Asks(expired, 0); err == nil || !strings.Contains(err.Error(), "the question has expired") {
		t.Errorf("a question that has expired since: %v", err)
	}
}
