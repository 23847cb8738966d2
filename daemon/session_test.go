package daemon

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"autopilot/daemon/auth"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func TestAChatDoesTheWorkAndTheGatesStayThoseOfTheDaemon(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	if v.Run.Driver == nil || v.Run.Driver.Program != "claude" || v.Run.Driver.PID != c.pid || v.Run.Agent != "session" {
		t.Fatalf("joined: %+v %+v", v.Run, v.Run.Driver)
	}
	w := c.work()
	if w.Phase != "work" || w.Iteration != 1 || len(w.Gates) != 2 || w.Gates[0].Command != "test -f ok" || !strings.Contains(w.Prompt, "apctl session submit") ||
		strings.Contains(w.Prompt, "You work alone") || len(w.Findings) != 1 || w.Findings[0].Gate != "goal" {
		t.Fatalf("work: %+v", w)
	}
	if v := s.d.api.View(s.state(v.Run.ID)); v.State != "waiting" || v.Reason != "session" {
		t.Errorf("it waits: %s %s", v.State, v.Reason)
	}
	if n := len(s.d.Effects.Live()); n != 0 {
		t.Errorf("%d processes work for it", n)
	}
	s.write(map[string]string{"a.txt": "one\n"})
	taken, err := c.submit(delivery(w, "done", func(sub *wire.Submission) {
		sub.Summary, sub.Evidence = "it is done", []wire.EvidenceRef{{Ref: "a.txt:1", Detail: "there"}}
	}))
	if err != nil || taken.Taken.Files != 1 || taken.Taken.Claim != "done" || taken.Taken.Tree == "" {
		t.Fatalf("submit: %+v %v", taken.Taken, err)
	}
	// A claim is no verdict: what the gate found comes back as work.
	again := c.work()
	if again.Iteration != 2 || again.Effect == w.Effect || len(again.Findings) != 1 || again.Findings[0].Verdict != "fail" {
		t.Fatalf("again: %+v", again)
	}
	s.write(map[string]string{"ok": ""})
	c.submits(again, "progress")
	end := c.next()
	if end.Waits != "over" || end.Run.State != "done" || end.Work != nil {
		t.Fatalf("end: %+v", end)
	}
	st := s.state(v.Run.ID)
	if st.Last.Agent.Outcome != events.Exited || st.Loop.Unfed != 0 {
		t.Errorf("%+v", st.Last.Agent)
	}
	for e, err := range s.d.Log.Read(t.Context(), events.Run(st.ID), 0) {
		if d, ok := e.Event.Data.(events.AgentEnded); err != nil || ok && (!strings.HasPrefix(e.Event.Actor, "session:claude-") || e.Event.Causation == "") {
			t.Errorf("%v: %+v by %q", err, d, e.Event.Actor)
		}
	}
}

// A fresh chat goes on where the one before stopped, and only once that has left
// or is gone: by its process, never by what it says.
func TestOfTwoChatsOneDrives(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	v := one.joins(s.ordered())
	w := one.work()
	_, err := two.join(nil)
	refusedAs(t, "the second", err, wire.Conflict, fmt.Sprintf("a chat of claude, process %d, drives it", one.pid))
	_, err = two.submit(delivery(w, "done"))
	refusedAs(t, "its submit", err, wire.Conflict, "is driven by a chat of claude")
	if again := one.joins(nil); again.Work == nil || again.Work.Effect != w.Effect {
		t.Errorf("joined again: %+v", again)
	}
	if _, err := s.d.Sessions.Leave(t.Context(), one.request(), wire.RunRef{Workspace: s.work}); err != nil {
		t.Fatal(err)
	}
	if st := s.state(v.Run.ID); st.Status != run.Live || st.Driver != nil || st.Stage != run.Agent {
		t.Errorf("left: %s %+v", st.Stage, st.Driver)
	}
	_, err = one.submit(delivery(w, "done"))
	refusedAs(t, "who has left", err, wire.Denied, "has not joined")
	if got := two.joins(nil); got.Work == nil || got.Work.Effect != w.Effect || got.Work.Prompt != w.Prompt {
		t.Errorf("goes on elsewhere: %+v", got)
	}
	two.table.end(two.pid)
	three := s.chat()
	_, err = three.submit(delivery(w, "done"))
	refusedAs(t, "before it joins", err, wire.Denied, "has ended")
	three.joins(nil)
	s.write(map[string]string{"ok": ""})
	three.submits(w, "done")
	if end := three.next(); end.Run.State != "done" {
		t.Errorf("end: %+v", end.Run.State)
	}
}

func TestOfTwoChatsAtOnceOneJoins(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	one, two := s.chat(), s.chat()
	one.joins(s.ordered())
	if _, err := s.d.Sessions.Leave(t.Context(), one.request(), wire.RunRef{Workspace: s.work}); err != nil {
		t.Fatal(err)
	}
	requests := []auth.Request{one.request(), two.request()}
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i, q := range requests {
		wg.Go(func() {
			_, errs[i] = s.d.Sessions.Join(t.Context(), q, wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: s.work}})
		})
	}
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || codeOf(errors.Join(errs...)) != wire.Conflict {
		t.Errorf("%v", errs)
	}
}

func TestDeliveriesThatDoNotBelongToTheOpenIteration(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	seq := s.state(v.Run.ID).Log.Seq
	for name, tt := range map[string]struct {
		edit func(*wire.Submission)
		code wire.Code
		says string
	}{
		"another phase":     {func(b *wire.Submission) { b.Phase = "review" }, wire.Conflict, `it is in phase work, not in "review"`},
		"another iteration": {func(b *wire.Submission) { b.Iteration = 2 }, wire.Conflict, "it is at iteration 1, not at 2"},
		"another effect":    {func(b *wire.Submission) { b.Effect = "E" }, wire.Conflict, `effect "E" is not the one that is open`},
		"no claim":          {func(b *wire.Submission) { b.Claim = "" }, wire.Usage, "claim is"},
		"no evidence_ref":   {func(b *wire.Submission) { b.Evidence = []wire.EvidenceRef{{Detail: "x"}} }, wire.Usage, "evidence_ref"},
		"blocked, by what":  {func(b *wire.Submission) { b.Claim = "blocked" }, wire.Usage, "reason is missing"},
	} {
		_, err := c.submit(delivery(w, "done", tt.edit))
		refusedAs(t, name, err, tt.code, tt.says)
	}
	_, err := c.submit(wire.SessionSubmitRequest{Submission: `{"v":1,"v":1}`})
	refusedAs(t, "a member twice", err, wire.Usage, "twice")
	stranger := c.request()
	stranger.Start++
	_, err = c.submitAs(stranger, delivery(w, "done"))
	refusedAs(t, "a pid that was reused", err, wire.Denied, "cannot be identified")
	if now := s.state(v.Run.ID).Log.Seq; now != seq {
		t.Errorf("%d events, want %d", now, seq)
	}
	s.stop(v.Run.ID, events.StopCancel)
}

func TestARepeatedDeliveryHasTheAnswerOfTheFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	s.write(map[string]string{"a.txt": "one\n"})
	q := c.request()
	first, err := c.submitAs(q, delivery(w, "done"))
	if err != nil {
		t.Fatal(err)
	}
	s.write(map[string]string{"b.txt": "two\n"})
	again, err := c.submitAs(q, delivery(w, "done"))
	if err != nil || *again.Taken != *first.Taken {
		t.Errorf("again: %+v %v, want %+v", again.Taken, err, first.Taken)
	}
	_, err = c.submit(delivery(w, "done"))
	if codeOf(err) != wire.Conflict {
		t.Errorf("another request for the same iteration: %v", err)
	}
	n := c.work()
	if n.Iteration != 2 {
		t.Errorf("iteration %d", n.Iteration)
	}
	_, err = c.submit(delivery(w, "done"))
	refusedAs(t, "the iteration before", err, wire.Conflict, "it is at iteration 2, not at 1")
	s.stop(v.Run.ID, events.StopCancel)
}

func TestOfTwoDeliveriesAtOnceOneIsTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	s.write(map[string]string{"a.txt": "one\n"})
	requests := []auth.Request{c.request(), c.request()}
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i, q := range requests {
		wg.Go(func() { _, errs[i] = c.submitAs(q, delivery(w, "done")) })
	}
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || codeOf(errors.Join(errs...)) != wire.Conflict {
		t.Errorf("%v", errs)
	}
	ended := 0
	for e, err := range s.d.Log.Read(t.Context(), events.Run(v.Run.ID), 0) {
		if _, ok := e.Event.Data.(events.AgentEnded); err != nil || ok {
			ended++
		}
	}
	if ended != 1 {
		t.Errorf("%d ends of one iteration", ended)
	}
	s.stop(v.Run.ID, events.StopCancel)
}

func TestAChatThatIsBlockedHaltsForAPerson(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	_, err := c.submit(delivery(c.work(), "blocked", func(b *wire.Submission) { b.Reason = "which port?" }))
	s.must(err)
	if end := c.next(); end.Waits != "halted" || end.Run.Reason != "needs-person" {
		t.Fatalf("%+v", end)
	}
	if w := s.why(v.Run.ID); w.Question != "which port?" {
		t.Errorf("asks %q", w.Question)
	}
	_, err = s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: v.Run.ID}, Note: "take 443"})
	s.must(err)
	if w := c.work(); w.Iteration != 2 || !strings.Contains(w.Prompt, "take 443") {
		t.Errorf("after the answer: %+v", w)
	}
	s.stop(v.Run.ID, events.StopCancel)
}

func TestTheQuestionOfAChatWaitsForAPersonAndTheAnswerIsItsNextWork(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	_, err := s.d.Sessions.Ask(t.Context(), c.request(), wire.SessionAskRequest{
		RunRef: wire.RunRef{Workspace: s.work}, Effect: w.Effect, Phase: w.Phase, Iteration: w.Iteration,
		Ask: wire.Ask{Question: "which port?", Options: []string{"80", "443"}, Recommended: 2, Reason: "it is safe"},
	})
	s.must(err)
	st := s.asked(v.Run.ID, 1)
	if at := c.next(); at.Waits != "person" || at.Run.Question == nil || at.Run.Question.Text != "which port?\n\nA. 80\nB. 443 (recommended)\n\nWhy: it is safe\n" {
		t.Fatalf("%+v", at)
	}
	s.d.Consent.People = proctest.Seat{}
	s.must(s.answer(tell(st, "b", "")))
	s.d.Consent.People = c.table
	if w := c.work(); w.Iteration != 2 || !strings.Contains(w.Prompt, "which port?") || !strings.Contains(w.Prompt, "The answer:\n\nB. 443\n") {
		t.Errorf("after the answer: %+v", w)
	}
	s.stop(v.Run.ID, events.StopCancel)
}

func TestAStoppedChatsWorkIsKeptAndGoneOnWith(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	s.write(map[string]string{"half.txt": "half\n"})
	st := s.stop(v.Run.ID, events.StopNow)
	if st.Last.Agent.Outcome != events.Stopped || st.Last.Agent.Files != 1 {
		t.Errorf("stopped: %+v", st.Last.Agent)
	}
	_, err := c.submit(delivery(w, "done"))
	refusedAs(t, "halted", err, wire.Conflict, "it is halted: stopped")
	_, err = s.d.api.RunStart(t.Context(), c.request(), *s.ordered(func(spec *wire.RunSpec) { spec.Task = "another" }))
	refusedAs(t, "another run by who drives this one", err, wire.Conflict, "so it starts no other")
	_, err = s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: v.Run.ID}})
	s.must(err)
	again := c.work()
	if again.Iteration != 1 || again.Attempt != 2 || again.Effect == w.Effect {
		t.Errorf("resumed: %+v", again)
	}
	_, err = s.d.api.RunStart(t.Context(), c.request(), *s.ordered())
	refusedAs(t, "another run in its workspace", err, wire.Conflict, "works in this work tree")
	s.stop(v.Run.ID, events.StopCancel)
}

// What is done is reported, and never begun again.
func TestAFinishedRunIsOnlyReported(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	s.write(map[string]string{"ok": ""})
	c.submits(w, "done")
	c.next()
	fresh := s.chat()
	for name, start := range map[string]*wire.StartRequest{"joined": nil, "asked for once more": s.ordered()} {
		got := fresh.joins(start)
		if got.Joined || got.Waits != "over" || got.Run.ID != v.Run.ID || got.Run.State != "done" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := fresh.next(); got.Waits != "over" || got.Run.State != "done" {
		t.Errorf("next: %+v", got)
	}
	_, err := c.submit(delivery(w, "done"))
	refusedAs(t, "a submit", err, wire.Conflict, "it is over: done")
}

func TestAnotherDaemonFindsTheChatAndItsIteration(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	v := c.joins(s.ordered())
	w := c.work()
	s.write(map[string]string{"ok": ""})
	s.close()
	s.open()
	s.d.Consent.People = c.table
	again := c.work()
	if again.Effect != w.Effect || again.Prompt != w.Prompt {
		t.Fatalf("found %+v, want %+v", again, w)
	}
	c.submits(w, "done")
	if end := c.next(); end.Run.State != "done" || end.Run.ID != v.Run.ID {
		t.Errorf("end: %+v", end.Run)
	}
}

func TestRunsThatNoChatCanDrive(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	_, err := c.join(nil)
	refusedAs(t, "none is there", err, wire.NotFound, "no chat drives a run")
	_, err = c.join(s.ordered(func(spec *wire.RunSpec) { spec.MaxMicroUSD = 1 }))
	refusedAs(t, "a limit that cannot be kept", err, wire.Usage, "and a chat reports none")
	_, err = s.d.api.RunStart(t.Context(), s.request(), *s.ordered(func(spec *wire.RunSpec) { spec.Driver, spec.Agent.Command = "robot", "true" }))
	refusedAs(t, "a driver that is none", err, wire.Usage, `driver "robot"`)
	v := s.start(s.spec("test -f ok", "sleep 1000"))
	s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	for name, start := range map[string]*wire.StartRequest{"a run of an agent": nil, "beside one": s.ordered()} {
		_, err = c.join(start)
		refusedAs(t, name, err, wire.Conflict, "works in this work tree")
	}
	s.stop(v.ID, events.StopCancel)
}

func TestADrainDoesNotWaitForAChat(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	c := s.chat()
	c.joins(s.ordered())
	c.work()
	if err := s.d.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}
