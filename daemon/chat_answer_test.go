package daemon

import (
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

// chatGated is a site with a workflow at whose gates people answer, driven by a chat.
func chatGated(t *testing.T, settings string, edit ...string) *site {
	t.Helper()
	s := gatedSite(t, append([]string{"    produces: [docs/plan.md]\n", ""}, edit...)...)
	s.write(map[string]string{".autopilot/config.yaml": "setup: 'true'\n" + settings})
	s.trust()
	return s
}

// waits joins the run as a chat, until it waits for a person.
func (c *talk) waits() wire.SessionView {
	c.s.t.Helper()
	c.joins(c.s.ordered(func(spec *wire.RunSpec) { spec.Workflow = "gated" }))
	v := c.next()
	if v.Waits != "person" || v.Run.Question == nil {
		c.s.t.Fatalf("it waits for %q: %s", v.Waits, v.Says)
	}
	return v
}

func (c *talk) answer(v wire.SessionView, answer string, edit ...func(*wire.SessionAnswerRequest)) (wire.SessionView, error) {
	body := wire.SessionAnswerRequest{RunRef: wire.RunRef{Run: v.Run.ID}, Number: v.Run.Question.Number, Answer: answer, Set: v.Run.Question.Set[:6]}
	for _, f := range edit {
		f(&body)
	}
	return c.s.d.Sessions.Answer(c.s.t.Context(), c.request(), body)
}

// Where the settings let it, the chat that drives a run answers its gates: that is
// recorded, and shown, as the word of a chat.
func TestAChatAnswersItsRunWhereTheSettingsLetIt(t *testing.T) {
	t.Parallel()
	s := chatGated(t, "answers: session\n", "approved, kind: approval", "approved, kind: approval, assurance: tty")
	c := s.chat()
	v := c.waits()
	if !v.MayAnswer || v.Run.Question.Assurance != "session" || !strings.HasPrefix(v.Next[0].Command, "apctl session answer ok --question 1 --set ") {
		t.Fatalf("it may answer %v: %+v %+v", v.MayAnswer, v.Next, v.Run.Question)
	}
	other := &talk{s: s, table: c.table, pid: firstChat + 500_000}
	s.d.Consent.People.(*chats).add(person.Process{PID: other.pid, Start: uint64(other.pid), UID: os.Getuid(), Program: "/usr/bin/codex"})
	_, err := other.answer(v, "ok")
	refusedAs(t, "another chat", err, wire.Conflict, "is driven by a chat of claude")
	for name, f := range map[string]func(*wire.SessionAnswerRequest){
		"another set": func(q *wire.SessionAnswerRequest) { q.Set = "000000" },
		"no set":      func(q *wire.SessionAnswerRequest) { q.Set = "" },
		"a short set": func(q *wire.SessionAnswerRequest) { q.Set = q.Set[:3] },
	} {
		_, err := c.answer(v, "ok", f)
		refusedAs(t, name, err, wire.Conflict, "nothing was answered")
	}
	_, err = c.answer(v, "ok", func(q *wire.SessionAnswerRequest) { q.Number = 0 })
	refusedAs(t, "no question", err, wire.Usage, "number of the question")
	_, err = c.answer(v, "no")
	refusedAs(t, "a rejection of nothing", err, wire.Usage, "needs a finding")
	if _, err = c.answer(v, "OK"); err != nil {
		t.Fatal(err)
	}
	_, err = c.answer(v, "ok")
	refusedAs(t, "once more", err, wire.Conflict, "already has an answer: ok, by session:claude")
	st := s.state(v.Run.ID)
	if a := st.Answers[0]; a.Assurance != events.AssuredSession || !strings.HasPrefix(a.By, "session:claude") {
		t.Errorf("recorded as %+v", a)
	}

	// A gate that wants a person at a terminal takes nothing less.
	w := c.work()
	s.write(map[string]string{"docs/plan.md": "one\n"})
	c.submits(w, "done")
	v = c.next()
	if v.MayAnswer || v.Run.Question.Assurance != "tty" {
		t.Fatalf("gate approved: %+v", v.Run.Question)
	}
	_, err = c.answer(v, "ok")
	refusedAs(t, "a gate that wants more", err, wire.Denied, "needs assurance tty, which a chat cannot give")
	chats := s.d.Consent.People
	s.d.Consent.People = proctest.Seat{}
	s.must(s.answer(say(s.state(v.Run.ID), "ok")))
	s.d.Consent.People = chats
	w = c.work()
	s.write(map[string]string{"ok": ""})
	c.submits(w, "done")
	c.next()
	st = s.until(v.Run.ID, settled)
	s.wants(st, "done")
	if w := s.why(st.ID); !strings.Contains(w.Because, "1 answer reported only by a chat (session: weak)") {
		t.Errorf("why: %s", w.Because)
	}
}

// Everywhere else it is refused, whatever the chat asks for when it starts the run.
func TestAChatAnswersNothingElse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string
		edit     []string
		code     wire.Code
		says     string
	}{
		"no setting":                        {"", nil, wire.Denied, "needs the answer of a person at a terminal, not of its chat"},
		"a person is set":                   {"answers: person\n", nil, wire.Denied, "needs the answer of a person at a terminal, not of its chat"},
		"a gate that lets it, no setting":   {"", []string{"of: [prd.md]", "of: [prd.md], assurance: session"}, wire.Denied, "needs the answer of a person at a terminal, not of its chat"},
		"a gate that wants a PIN":           {"answers: session\n", []string{"of: [prd.md]", "of: [prd.md], assurance: pin"}, wire.Denied, "needs assurance pin"},
		"a gate that lets it and a setting": {"answers: session\n", []string{"of: [prd.md]", "of: [prd.md], assurance: session"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := chatGated(t, tt.settings, tt.edit...)
			c := s.chat()
			c.joins(s.ordered(func(spec *wire.RunSpec) { spec.Workflow = "gated" }))
			v := c.next()
			if _, err := c.answer(v, "ok"); codeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %s %q", err, tt.code, tt.says)
			}
			if v.MayAnswer != (tt.code == "") {
				t.Errorf("it is told that it may: %v", v.MayAnswer)
			}
			if hint := api.Fault(func() error { _, err := c.answer(v, "ok"); return err }()); hint != nil && strings.Contains(hint.Error(), "answers:") {
				t.Errorf("the way around is told: %v", hint)
			}
			s.stop(v.Run.ID, events.StopCancel)
		})
	}
}

func TestAChatAnswersNoRunOfAnotherDriverNorWithoutADialog(t *testing.T) {
	t.Parallel()
	s := gatedSite(t)
	s.write(map[string]string{filepath.Join(".autopilot", "config.yaml"): "answers: session\n"})
	s.trust()
	st := s.asking(1)
	if st.Question.Assurance != events.AssuredTTY {
		t.Errorf("a run of an agent asks for %s", st.Question.Assurance)
	}
	c := s.chat()
	_, err := c.answer(wire.SessionView{Run: s.d.api.View(st)}, "ok")
	refusedAs(t, "a run of an agent", err, wire.Conflict, "is driven by its own agent")
	s.stop(st.ID, events.StopCancel)
	s.until(st.ID, func(st run.State) bool { return st.Status == run.Over })

	script := &talk{s: s, table: c.table, pid: firstChat + 700_000}
	s.d.Consent.People.(*chats).add(person.Process{PID: script.pid, Start: uint64(script.pid), UID: os.Getuid(), Program: "/usr/bin/drive"})
	v := script.waits()
	_, err = script.answer(v, "ok")
	refusedAs(t, "a script", err, wire.Denied, "not known to ask its person")
	_, err = c.answer(v, "ok")
	refusedAs(t, "a chat that has not joined", err, wire.Conflict, "is driven by")
	_, err = s.d.Sessions.Leave(t.Context(), script.request(), wire.RunRef{Run: v.Run.ID})
	s.must(err)
	_, err = c.answer(v, "ok")
	refusedAs(t, "one that has not joined, of a run without a driver", err, wire.Denied, "the caller has not joined")
	s.stop(v.Run.ID, events.StopCancel)
}
