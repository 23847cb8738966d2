package daemon

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"autopilot/daemon/api"
	"autopilot/daemon/auth"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// gated is a workflow at whose gates people answer.
const gated = `name: gated
version: 1
phases:
  - name: plan
    prompt: converge.md
    entry: [{name: wanted, kind: approval, of: [prd.md]}]
    changes: ["docs/**"]
    produces: [docs/plan.md]
    gates: [{name: approved, kind: approval, of: ["docs/*.md"]}]
  - {name: work, prompt: converge.md, gates: [goals, protected]}
`

// planner writes a plan, another one each time, and keeps what it was told.
const planner = `mkdir -p .autopilot/notes docs; cat > .autopilot/notes/told-$AUTOPILOT_ITERATION
if grep -q 'phase .work' .autopilot/notes/told-$AUTOPILOT_ITERATION; then touch ok; else printf 'one\ntwo %s\nthree\n' $AUTOPILOT_ITERATION > docs/plan.md; fi`

// gatedSite is a site with a person and that workflow, which the person trusts.
func gatedSite(t *testing.T, edit ...string) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\n")
	s.write(map[string]string{".autopilot/workflows/gated.yaml": strings.NewReplacer(edit...).Replace(gated), "prd.md": "what is wanted\n"})
	s.trust()
	return s
}

// asking starts a run and waits until it asks.
func (s *site) asking(question int, edit ...func(*wire.RunSpec)) run.State {
	s.t.Helper()
	q := s.spec("test -f ok", planner, append(edit, func(spec *wire.RunSpec) { spec.Workflow = "gated" })...)
	return s.asked(s.start(q).ID, question)
}

// asked waits for a question, or for the end of the run.
func (s *site) asked(id string, number int) run.State {
	s.t.Helper()
	st := s.until(id, func(st run.State) bool {
		return settled(st) || st.Stage == run.Asking && st.Question.Number >= number
	})
	if settled(st) || st.Question.Number != number {
		w := s.why(id)
		s.t.Fatalf("asks nothing: %s\n%s: %s", w.Because, w.ErrorFrom, w.LastError)
	}
	return st
}

// say is an answer to the question that a run asks now, typed as it has to be.
func say(st run.State, choice string, findings ...wire.AnswerFinding) wire.AnswerRequest {
	return wire.AnswerRequest{
		RunRef: wire.RunRef{Run: st.ID}, Number: st.Question.Number, Choice: choice, Findings: findings,
		Set: st.Question.Set, Typed: wire.Challenge(st.Question.Set), Shown: string(st.Question.Text),
	}
}

func (s *site) answer(a wire.AnswerRequest) error {
	_, err := s.d.api.RunAnswer(s.t.Context(), s.seated(), a)
	return err
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// Seeds 3.7: only an explicit approval of what was shown opens a gate; what a
// person found reaches who works on it next as it was written, and the set is
// presented again with what has changed since.
func TestPeopleApproveAndRejectAndTheirFindingsReachTheNextWork(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	if v := s.d.api.View(st); v.State != "waiting" || v.Reason != "answer" || v.Question == nil || v.Question.Gate != "wanted" ||
		len(v.Question.Files) != 1 || v.Question.Files[0] != "prd.md" || v.Question.Again || v.Question.Assurance != "tty" {
		t.Fatalf("at the entry: %+v %+v", v, v.Question)
	}
	if first := s.d.api.QuestionView(st, api.WholeBytes).Text; !strings.HasSuffix(first, "\nprd.md\n\n   1  what is wanted\n") {
		t.Errorf("what is approved is not shown: %q", first)
	}
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	text := "the order is \"wrong\":\n\tthree before two — ü"
	s.must(s.answer(say(st, "no", wire.AnswerFinding{Section: "docs/plan.md:2", Text: text}, wire.AnswerFinding{Section: "tone", Text: "kinder", Priority: 2})))
	st = s.asked(st.ID, 3)
	for _, want := range []string{"## approved: fail", "[P0] docs/plan.md:2\n" + text + "\n", "[P2] tone\nkinder"} {
		if told := s.read(".autopilot/notes/told-2"); !strings.Contains(told, want) {
			t.Errorf("told: %s\nwant %q", told, want)
		}
	}
	v, err := s.d.api.RunQuestion(t.Context(), s.request(), wire.QuestionRequest{RunRef: wire.RunRef{Run: st.ID}, Whole: true})
	if err != nil || !v.Question.Again || !strings.Contains(v.Question.Text, "@@ -1,3 +1,3 @@\n one\n-two 1\n+two 2\n three\n") {
		t.Errorf("presented again: %+v %v", v.Question, err)
	}
	for _, want := range []string{
		"[P0] docs/plan.md:2\n" + text + "\n  docs/plan.md:2\n  @@ -1,3 +1,3 @@\n   one\n> -two 1\n", "[P2] tone\nkinder\n  no shown file, line or heading matches; every change is below\n",
	} {
		if !strings.Contains(v.Question.Text, want) {
			t.Errorf("of what was found: %s\nwant %q", v.Question.Text, want)
		}
	}
	s.must(s.answer(say(st, "ok")))
	st = s.until(st.ID, settled)
	s.wants(st, "done")
	if n := len(st.Answers); n != 3 || st.Answers[2].Assurance != events.AssuredTTY || !strings.HasPrefix(st.Answers[2].By, "person:") || !strings.HasSuffix(st.Answers[2].By, "/pts/3") {
		t.Errorf("answers: %+v", st.Answers)
	}
}

func TestARunEndsWhereItsEntryIsRejected(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	s.must(s.answer(say(st, "no", wire.AnswerFinding{Section: "prd.md", Text: "nobody wants this"})))
	st = s.until(st.ID, settled)
	s.wants(st, "halted:entry")
	if w := s.why(st.ID); !strings.Contains(w.LastError, "[P0] prd.md\nnobody wants this") {
		t.Errorf("why: %q", w.LastError)
	}
}

// Lesson A36: only an explicit approval of the whole set is one.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	find := wire.AnswerFinding{Section: "prd.md", Text: "no"}
	for name, tt := range map[string]struct {
		edit func(*wire.AnswerRequest)
		code wire.Code
		says string
	}{
		"a rejection without a finding":    {func(a *wire.AnswerRequest) { a.Choice = "no" }, wire.Usage, "needs a finding"},
		"a partial approval":               {func(a *wire.AnswerRequest) { a.Findings = []wire.AnswerFinding{find} }, wire.Usage, "approves the whole set"},
		"another word":                     {func(a *wire.AnswerRequest) { a.Choice = "maybe" }, wire.Usage, "ok or no"},
		"silence":                          {func(a *wire.AnswerRequest) { a.Choice = "" }, wire.Usage, "ok or no"},
		"two findings of a section":        {func(a *wire.AnswerRequest) { a.Choice, a.Findings = "no", []wire.AnswerFinding{find, find} }, wire.Usage, "two findings"},
		"a finding without a text":         {func(a *wire.AnswerRequest) { a.Choice, a.Findings = "no", []wire.AnswerFinding{{Section: "x"}} }, wire.Usage, "finding 1"},
		"the hash of another set":          {func(a *wire.AnswerRequest) { a.Set = strings.Repeat("0", 64) }, wire.Conflict, "not about the files"},
		"not shown":                        {func(a *wire.AnswerRequest) { a.Shown = "" }, wire.NeedsPerson, "you were not shown all files of gate wanted"},
		"the beginning was shown":          {func(a *wire.AnswerRequest) { a.Shown = strings.Repeat("0", 64) }, wire.NeedsPerson, "you were not shown all files"},
		"no set":                           {func(a *wire.AnswerRequest) { a.Set = "" }, wire.Conflict, "not about the files"},
		"what was typed is something else": {func(a *wire.AnswerRequest) { a.Typed = "yes" }, wire.NeedsPerson, "the input is not"},
		"the handle instead of the hash":   {func(a *wire.AnswerRequest) { a.Typed = st.Facts.Handle }, wire.NeedsPerson, "the input is not"},
		"a question that is not there yet": {func(a *wire.AnswerRequest) { a.Number = 2 }, wire.Conflict, "no open question"},
		"a text that no prompt can carry": {func(a *wire.AnswerRequest) {
			a.Choice, a.Findings = "no", []wire.AnswerFinding{{Section: "x", Text: "\x00"}}
		}, wire.Usage, "NUL"},
		"a priority below that which blocks": {func(a *wire.AnswerRequest) {
			a.Choice, a.Findings = "no", []wire.AnswerFinding{{Section: "x", Text: "y", Priority: -1}}
		}, wire.Usage, "priority"},
		"a section that is more than a line": {func(a *wire.AnswerRequest) {
			a.Choice, a.Findings = "no", []wire.AnswerFinding{{Section: "x\ny", Text: "y"}}
		}, wire.Usage, "one line"},
		"another run that asks nothing at all": {func(a *wire.AnswerRequest) { a.Run = "none" }, wire.NotFound, "no run"},
	} {
		a := say(st, "ok")
		tt.edit(&a)
		if err := s.answer(a); codeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.d.Consent.People = proctest.Seat{Away: true}
	if err := s.answer(say(st, "ok")); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "it has no terminal") {
		t.Errorf("nobody at a terminal: %v", err)
	}
	if now, _ := s.d.Fleet.State(st.ID); now.Log.Seq != st.Log.Seq {
		t.Errorf("%d events, want %d", now.Log.Seq, st.Log.Seq)
	}
}

// The answer of a person to what is not there any more is none.
func TestAnAnswerAfterTheSetHasChangedIsPresentedAgain(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	s.write(map[string]string{"prd.md": "something else is wanted\n"})
	if err := s.answer(say(st, "ok")); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "the run asks again") {
		t.Fatalf("changed: %v", err)
	}
	again := s.asked(st.ID, 2)
	if again.Question.Set == st.Question.Set || len(again.Answers) != 0 {
		t.Errorf("asks again: %+v", again.Question)
	}
	if err := s.answer(say(st, "ok")); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "the question is closed") {
		t.Errorf("the old question: %v", err)
	}
	s.must(s.answer(say(again, "ok")))
	s.stop(st.ID, events.StopCancel)
}

func TestOfTwoPeopleAtOnceTheFirstCountsAndTheOtherIsToldWho(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	first, second := s.seated(), s.seated()
	answers := []wire.AnswerRequest{say(st, "ok"), say(st, "no", wire.AnswerFinding{Section: "prd.md", Text: "no"})}
	var errs [2]error
	var wg sync.WaitGroup
	for i, q := range []auth.Request{first, second} {
		wg.Go(func() { _, errs[i] = s.d.api.RunAnswer(t.Context(), q, answers[i]) })
	}
	wg.Wait()
	late := cmp.Or(errs[0], errs[1])
	if (errs[0] == nil) == (errs[1] == nil) || codeOf(late) != wire.Conflict {
		t.Fatalf("got %v and %v", errs[0], errs[1])
	}
	if want := "already has an answer: "; !strings.Contains(late.Error(), want) || !strings.Contains(late.Error(), "/pts/3 on 20") {
		t.Errorf("the other is told: %v", late)
	}
	now, _ := s.d.Fleet.State(st.ID)
	if len(now.Answers) != 1 {
		t.Errorf("answers: %+v", now.Answers)
	}
	if !settled(now) {
		s.stop(st.ID, events.StopCancel)
	}
}

// A repeated request gets the first answer, and the same words in another one
// are a second answer.
func TestAReplayedAnswerAddsNothing(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	q, a := s.seated(), say(st, "no", wire.AnswerFinding{Section: "prd.md", Text: "no"})
	if _, err := s.d.api.RunAnswer(t.Context(), q, a); err != nil {
		t.Fatal(err)
	}
	st = s.until(st.ID, settled)
	if v, err := s.d.api.RunAnswer(t.Context(), q, a); err != nil || v.ID != st.ID {
		t.Errorf("the same request: %+v %v", v, err)
	}
	if err := s.answer(a); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "already has an answer: no") {
		t.Errorf("the same words: %v", err)
	}
	if now, _ := s.d.Fleet.State(st.ID); now.Log.Seq != st.Log.Seq {
		t.Errorf("%d events, want %d", now.Log.Seq, st.Log.Seq)
	}
}

// Expiry is an outcome of its own: no answer, and none is implied.
func TestAQuestionThatNobodyAnswersExpires(t *testing.T) {
	t.Parallel()
	s := gatedSite(t, "kind: approval, of: [prd.md]", "kind: approval, of: [prd.md], expires: 1s")
	q := s.spec("test -f ok", planner, func(spec *wire.RunSpec) { spec.Workflow = "gated" })
	st := s.play(q)
	s.wants(st, "halted:expired")
	a := wire.AnswerRequest{RunRef: wire.RunRef{Run: st.ID}, Number: 1, Choice: "ok", Set: st.Question.Set, Typed: wire.Challenge(st.Question.Set)}
	if err := s.answer(a); codeOf(err) != wire.Conflict || !strings.Contains(err.Error(), "expired") {
		t.Errorf("too late: %v", err)
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}}); err != nil {
		t.Fatal(err)
	}
	st = s.until(st.ID, func(st run.State) bool { return st.Questions > 1 })
	s.stop(st.ID, events.StopCancel)
}

// What people say holds over a restart, and so does the question.
func TestAQuestionAndItsAnswerOutliveTheDaemon(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	st := s.asking(1)
	s.close()
	s.open()
	s.d.Consent.People = proctest.Seat{}
	st = s.asked(st.ID, 1)
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	s.close()
	s.open()
	if now := s.asked(st.ID, 2); len(now.Answers) != 1 || now.Answers[0].Choice != events.ChoiceOK {
		t.Errorf("answers: %+v", now.Answers)
	}
	s.stop(st.ID, events.StopCancel)
}

func TestAWorkflowOfAProjectRunsOnlyIfItIsTrusted(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	s.write(map[string]string{".autopilot/workflows/gated.yaml": strings.Replace(gated, "prd.md", "docs/prd.md", 1)})
	q := s.spec("test -f ok", planner, func(spec *wire.RunSpec) { spec.Workflow = "gated" })
	if _, err := s.d.api.RunStart(t.Context(), s.request(), q); codeOf(err) != wire.NeedsPerson {
		t.Errorf("changed since: %v", err)
	}
	q.NoConfig = true
	if _, err := s.d.api.RunStart(t.Context(), s.request(), q); codeOf(err) != wire.NotFound {
		t.Errorf("without the project's files: %v", err)
	}
	q.NoConfig, q.Spec.Workflow = false, "gatde"
	s.trust()
	if _, err := s.d.api.RunStart(t.Context(), s.request(), q); codeOf(err) != wire.NotFound {
		t.Errorf("no such workflow: %v", err)
	}
	s.write(map[string]string{".autopilot/workflows/bad.yaml": "name: bad\nversion: 1\nphases: []\n"})
	s.trust()
	q.Spec.Workflow = "bad"
	if _, err := s.d.api.RunStart(t.Context(), s.request(), q); codeOf(err) != wire.Usage {
		t.Errorf("a bad one: %v", err)
	}
}

// An edit of the workflow during a run changes nothing in it.
func TestAWorkflowThatIsEditedDuringARunIsThatOfTheNext(t *testing.T) {
	t.Parallel()
	s := gatedSite(t, "    changes: [\"docs/**\"]\n", "")
	st := s.asking(1)
	if err := os.Remove(filepath.Join(s.work, ".autopilot/workflows/gated.yaml")); err != nil {
		t.Fatal(err)
	}
	s.must(s.answer(say(st, "ok")))
	s.asked(st.ID, 2)
	s.stop(st.ID, events.StopCancel)
}

// Neither does an edit of its prompts or settings; what comes next asks for trust
// again, as long as they are not as they were.
func TestWhatIsEditedDuringARunIsForTheNextAndNeedsTrustAnew(t *testing.T) {
	t.Parallel()
	s := trustSite(t, "setup: 'true'\n")
	flow := strings.NewReplacer("converge.md, gates", "own.md, gates").Replace(gated)
	s.write(map[string]string{
		".autopilot/workflows/gated.yaml": flow, ".autopilot/prompts/own.md": "as trusted: {{.Task}}, phase `work`\n", "prd.md": "what is wanted\n",
	})
	s.trust()
	st := s.asking(1)
	s.write(map[string]string{".autopilot/prompts/own.md": "as edited: {{.Task}}\n", ".autopilot/workflows/gated.yaml": flow + "limits: {iterations: 1}\n"})
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	q := s.spec("test -f ok", planner, func(spec *wire.RunSpec) { spec.Workflow = "gated" })
	if _, err := s.d.api.RunPreview(t.Context(), s.request(), q); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "is not trusted") {
		t.Errorf("the next one: %v", err)
	}
	s.must(s.answer(say(st, "ok")))
	s.wants(s.until(st.ID, settled), "done")
	if told := s.read(".autopilot/notes/told-2"); !strings.HasPrefix(told, "as trusted") {
		t.Errorf("the run was told %q", told)
	}
	if _, err := s.d.api.RunStart(t.Context(), s.request(), q); codeOf(err) != wire.NeedsPerson {
		t.Errorf("the next one: %v", err)
	}
	s.write(map[string]string{".autopilot/prompts/own.md": "as trusted: {{.Task}}, phase `work`\n", ".autopilot/workflows/gated.yaml": flow})
	if v, err := s.d.api.RunPreview(t.Context(), s.request(), q); err != nil || v.Workflow != "gated" {
		t.Errorf("as it was trusted: %v", err)
	}
}

// Where a PIN is set, an answer needs it, and is recorded with it; a gate that
// demands one while none is set says how to set it.
func TestAnAnswerNeedsThePINWhereOneIsSetOrDemanded(t *testing.T) {
	t.Parallel()
	s := gatedSite(t, "of: [prd.md]", "of: [prd.md], assurance: pin")
	st := s.asking(1)
	if err := s.answer(say(st, "ok")); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), "none is set") {
		t.Fatalf("no PIN is set: %v", err)
	}
	set := func(q auth.Request, body wire.PINRequest) error {
		_, err := s.d.Consent.SetPIN(t.Context(), q, body)
		return err
	}
	s.d.Consent.People = proctest.Seat{Away: true}
	if err := set(s.seated(), wire.PINRequest{New: "2468"}); codeOf(err) != wire.NeedsPerson {
		t.Errorf("nobody sets one: %v", err)
	}
	s.d.Consent.People = proctest.Seat{}
	s.must(set(s.seated(), wire.PINRequest{New: "2468"}))
	if err := set(s.seated(), wire.PINRequest{Old: "1111", New: "1357"}); codeOf(err) != wire.NeedsPerson {
		t.Errorf("who does not know it changes it: %v", err)
	}
	for pin, says := range map[string]string{"": "needs the PIN", "1357": "the PIN is wrong"} {
		a := say(st, "ok")
		a.PIN = pin
		if err := s.answer(a); codeOf(err) != wire.NeedsPerson || !strings.Contains(err.Error(), says) {
			t.Errorf("PIN %q: %v", pin, err)
		}
	}
	if v := s.d.api.View(st); !v.Question.PIN {
		t.Errorf("nobody is told that it is asked for: %+v", v.Question)
	}
	a := say(st, "ok")
	a.PIN, a.Typed = "2468", ""
	s.must(s.answer(a))
	st = s.asked(st.ID, 2)
	if st.Answers[0].Assurance != events.AssuredPIN {
		t.Errorf("answers: %+v", st.Answers)
	}
	s.stop(st.ID, events.StopCancel)
}

// An approval says nothing of what was changed after it: where no gate keeps what
// a person approved, the run may end, and does not show it as approved.
func TestAnApprovalOfWhatWasChangedLaterIsShownAsThat(t *testing.T) {
	t.Parallel()
	for _, changed := range []bool{false, true} {
		s := gatedSite(t)
		agent := planner
		if changed {
			agent = strings.Replace(planner, "touch ok", "touch ok; echo other >>docs/plan.md", 1)
		}
		q := s.spec("test -f ok", agent, func(spec *wire.RunSpec) { spec.Workflow = "gated" })
		st := s.asked(s.start(q).ID, 1)
		s.must(s.answer(say(st, "ok")))
		st = s.asked(st.ID, 2)
		s.must(s.answer(say(st, "ok")))
		st = s.until(st.ID, settled)
		s.wants(st, "done")
		seen := 0
		for _, p := range s.why(st.ID).Summary {
			for _, g := range p.Gates {
				if g.Gate == "approved" {
					seen++
					if g.Changed != changed {
						t.Errorf("changed %v, told %v", changed, g.Changed)
					}
				}
			}
		}
		if seen == 0 {
			t.Error("the approval is not in the summary")
		}
	}
}
