package daemon

import (
	"cmp"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// tell is an answer to a question that no gate asks.
func tell(st run.State, choice, text string) wire.AnswerRequest {
	return wire.AnswerRequest{
		RunRef: wire.RunRef{Run: st.ID}, Number: st.Question.Number, Choice: choice, Text: text, Set: st.Question.Set, Typed: st.Facts.Handle,
	}
}

// curious asks until it is told blue, and keeps what it was told.
const curious = `mkdir -p .autopilot/notes; cat > .autopilot/notes/told-$AUTOPILOT_ITERATION
if grep -q 'blue, ' .autopilot/notes/told-$AUTOPILOT_ITERATION; then touch ok; else echo "$QUESTION" > "$AUTOPILOT_RESULT_FILE"; fi`

// asksIt starts a run whose agent ends with that result file.
func (s *site) asksIt(result string, edit ...func(*wire.RunSpec)) run.State {
	s.t.Helper()
	s.d.Consent.People = proctest.Seat{}
	return s.asked(s.start(s.spec("test -f ok", strings.Replace(curious, "$QUESTION", strings.ReplaceAll(result, `"`, `\"`), 1), edit...)).ID, 1)
}

const which = `{"v":1,"claim":"progress","question":"Which colour?"}`

// The answer reaches who asked to the letter, with its question, and the run has
// waited for nothing else.
func TestAWorkerAsksAPersonAndGoesOnWithTheAnswer(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.asksIt(which)
	q := st.Question
	if q.Gate != "" || q.Kind != events.AskText || q.Iteration != 1 || q.ExpiresMS != 0 || st.Loop.Spent != 1 {
		t.Fatalf("asks %+v", q)
	}
	if v := s.d.api.View(st); v.State != "waiting" || v.Reason != "answer" || v.Question == nil || v.Question.Kind != "text" {
		t.Errorf("%+v", v)
	}
	said := "blue, \"as the sky\"\n\t```\nü\n```"
	s.must(s.answer(tell(st, "text", said)))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	told := s.read(".autopilot/notes/told-2")
	if !strings.Contains(told, "The question was:\n\nWhich colour?\n\nThe answer:\n\n"+said+"\n````") {
		t.Errorf("told: %s", told)
	}
	if st.Loop.Spent != 2 {
		t.Errorf("%+v", st.Loop)
	}
}

func TestAnAnswerIsToldToAllThatWorkAfterIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.d.Consent.People = proctest.Seat{}
	st := s.start(s.spec("test -f ok", `mkdir -p .autopilot/notes; cat > .autopilot/notes/told-$AUTOPILOT_ITERATION
echo $AUTOPILOT_ITERATION > work
case $AUTOPILOT_ITERATION in
1) echo '{"v":1,"claim":"progress","question":"which?","options":["this","that"],"recommended":1,"reason":"r"}' > "$AUTOPILOT_RESULT_FILE";;
3) touch ok;;
esac`))
	s.must(s.answer(tell(s.asked(st.ID, 1), "b", "")))
	s.wants(s.until(st.ID, settled), "done")
	for _, name := range []string{"told-2", "told-3"} {
		if told := s.read(".autopilot/notes/" + name); !strings.Contains(told, "A. this (recommended)\nB. that\n\nWhy: r\n\nThe answer:\n\nB. that\n") {
			t.Errorf("%s: %s", name, told)
		}
	}
}

// Seeds 5.4: the same question again is a sign of being stuck. It costs an
// iteration each time, and nobody is bothered twice.
func TestTheSameQuestionIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.asksIt(which)
	s.must(s.answer(tell(st, "text", "red")))
	st = s.until(st.ID, settled)
	s.wants(st, "halted:sameness")
	if st.Questions != 1 {
		t.Errorf("asked %d times", st.Questions)
	}
}

func TestOneThatAsksEachTimeUsesUpItsIterations(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.asksIt(`{"v":1,"claim":"blocked","question":"Colour $AUTOPILOT_ITERATION?"}`, func(spec *wire.RunSpec) { spec.MaxIterations = 3 })
	for n := 1; n < 3; n++ {
		st = s.asked(st.ID, n)
		s.must(s.answer(tell(st, "text", "red")))
	}
	st = s.until(st.ID, settled)
	s.wants(st, "halted:iterations")
	if w := s.why(st.ID); st.Questions != 2 || w.Question != "Colour 3?\n" {
		t.Errorf("asked %d times, and then %q", st.Questions, w.Question)
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "blue, then"}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(st.ID, settled), "done")
}

func TestAQuestionThatIsNoneIsAFindingOfTheNextWork(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", `mkdir -p .autopilot/notes; cat > .autopilot/notes/told-$AUTOPILOT_ITERATION
if grep -q 'reached nobody: a question has two to four options, not 1' .autopilot/notes/told-$AUTOPILOT_ITERATION && grep -q '"recommended":1,"reason":"nothing to install"' .autopilot/notes/told-$AUTOPILOT_ITERATION; then touch ok
else echo '{"v":1,"claim":"blocked","question":"which?","options":["this"],"recommended":1,"reason":"r"}' > "$AUTOPILOT_RESULT_FILE"; fi`))
	s.wants(st, "done")
	if st.Questions != 0 {
		t.Errorf("asked %d times", st.Questions)
	}
}

func TestWorkThatPassesIsDoneWhateverItAsks(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", `touch ok; echo '{"v":1,"claim":"blocked","question":"Is that right?"}' > "$AUTOPILOT_RESULT_FILE"`))
	s.wants(st, "done")
	if st.Questions != 0 || s.why(st.ID).Question != "Is that right?\n" {
		t.Errorf("asked %d times: %q", st.Questions, s.why(st.ID).Question)
	}
}

func TestWhoIsBlockedAndAsksNothingHaltsTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", `echo '{"v":1,"claim":"blocked","reason":"no key to sign with"}' > "$AUTOPILOT_RESULT_FILE"`))
	s.wants(st, "halted:needs-person")
	if w := s.why(st.ID); w.Question != "no key to sign with" {
		t.Errorf("%q", w.Question)
	}
}

// What is asked outlives the daemon, a stop, and a resume without an answer.
func TestAStoppedRunAsksAgainAndANoteAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.asksIt(which)
	s.close()
	s.open()
	s.d.Consent.People = proctest.Seat{}
	st = s.asked(st.ID, 1)
	stop := func() {
		t.Helper()
		if _, err := s.d.api.RunStop(t.Context(), s.request(), wire.StopRequest{RunRef: wire.RunRef{Run: st.ID}}); err != nil {
			t.Fatal(err)
		}
		s.wants(s.until(st.ID, settled), "halted:stopped")
	}
	stop()
	if err := s.answer(tell(st, "text", "blue, now")); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "not live") {
		t.Errorf("while it is stopped: %v", err)
	}
	ref := wire.RunRef{Run: st.ID}
	_, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: ref})
	s.must(err)
	s.asked(st.ID, 1)
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: ref, Note: "blue, now"}); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "asks a person") {
		t.Errorf("resumed while it asks: %v", err)
	}
	stop()
	_, err = s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: ref, Note: "blue, now"})
	s.must(err)
	s.wants(s.until(st.ID, settled), "done")
	if err := s.answer(tell(st, "text", "red")); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "the question is closed") {
		t.Errorf("after the note: %v", err)
	}
}

func TestTheQuestionOfAWorkerExpiresWhereTheWorkflowSaysSo(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: 'true'\n")
	s.write(map[string]string{".autopilot/workflows/hasty.yaml": `name: hasty
version: 1
phases: [{name: work, prompt: converge.md, gates: [goals, protected]}]
limits: {answer: 1s}
`})
	s.trust()
	st := s.play(s.spec("test -f ok", strings.Replace(curious, `"$QUESTION"`, "'"+which+"'", 1), func(spec *wire.RunSpec) { spec.Workflow = "hasty" }))
	s.wants(st, "halted:expired")
	if w := s.why(st.ID); w.Because != "halted: nobody answered the question of the agent in time" {
		t.Errorf("%q", w.Because)
	}
	if err := s.answer(tell(st, "text", "blue, late")); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "expired") {
		t.Errorf("too late: %v", err)
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}}); err != nil {
		t.Fatal(err)
	}
	s.until(st.ID, func(st run.State) bool { return st.Questions > 1 })
	s.stop(st.ID, events.StopCancel)
}

func TestARunThatAsksEndsAtItsTime(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.asksIt(which, func(spec *wire.RunSpec) { spec.UntilMS = time.Now().Add(12 * time.Second).UnixMilli() })
	s.wants(s.until(st.ID, settled), "halted:hours")
}

// The first answer counts, the same request again adds nothing, and a question of
// another run is none of this one.
func TestOfTwoPeopleWhoAnswerAWorkerTheFirstCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.asksIt(which)
	other := tell(st, "text", "blue, here")
	other.Number = 2
	if err := s.answer(other); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "has no open question") {
		t.Errorf("a question that is not asked: %v", err)
	}
	wrong := tell(st, "text", "blue, here")
	wrong.Typed = "nope"
	if err := s.answer(wrong); codeOf(err) != wire.NeedsPerson {
		t.Errorf("typed wrong: %v", err)
	}
	for choice, says := range map[string]string{"ok": "asks for a text", "a": "asks for a text", "skip": "asks for a text", "": "asks for a text"} {
		if err := s.answer(tell(st, choice, "x")); codeOf(err) != wire.Usage || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", choice, err)
		}
	}
	answers := []wire.AnswerRequest{tell(st, "text", "blue, one"), tell(st, "text", "blue, two")}
	requests := []auth.Request{s.seated(), s.seated()}
	var errs [2]error
	var wg sync.WaitGroup
	for i, q := range requests {
		wg.Go(func() { _, errs[i] = s.d.api.RunAnswer(t.Context(), q, answers[i]) })
	}
	wg.Wait()
	if late := cmp.Or(errs[0], errs[1]); (errs[0] == nil) == (errs[1] == nil) || codeOf(late) != wire.Conflict || !strings.Contains(late.Error(), "already has an answer") {
		t.Fatalf("got %v and %v", errs[0], errs[1])
	}
	s.wants(s.until(st.ID, settled), "done")
	if now, _ := s.d.Fleet.State(st.ID); len(now.Answers) != 1 || now.Questions != 1 {
		t.Errorf("answers: %+v", now.Answers)
	}
}
